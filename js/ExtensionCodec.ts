import { ExtData } from "./ExtData.ts";
import { decodeTimestampExtension, EXT_TIMESTAMP, encodeTimestampExtension } from "./timestamp.ts";

/** Makes a value of an extension's payload, which is a view of the input: copy what shall outlive that. */
export type ExtensionDecoderType<ContextType> = (
  data: Uint8Array,
  extensionType: number,
  context: ContextType,
) => unknown;

/**
 * Makes an extension's payload of a value, or returns null if that is not its business. A function instead of bytes
 * is called with the offset that the payload will have from the start of the message.
 */
export type ExtensionEncoderType<ContextType> = (
  input: unknown,
  context: ContextType,
) => Uint8Array | ((dataPos: number) => Uint8Array) | null;

/** What encoders and decoders need of an extension codec. */
export type ExtensionCodecType<ContextType> = {
  __brand?: ContextType;
  tryToEncode(object: unknown, context: ContextType): ExtData | null;
  decode(data: Uint8Array, extType: number, context: ContextType): unknown;
};

/** The extension types that a program knows, each with its encoder and decoder. */
export class ExtensionCodec<ContextType = undefined> implements ExtensionCodecType<ContextType> {
  static readonly name: string = "ExtensionCodec";
  /** What is used where no codec is given: it knows the timestamp. */
  static readonly defaultCodec: ExtensionCodecType<undefined> = new ExtensionCodec();

  // Ensures that codecs of different contexts are different types; it does not exist at run time.
  declare __brand?: ContextType;

  /** By type: MessagePack's own, negative ones at `-1 - type`. */
  readonly #builtInEncoders: (ExtensionEncoderType<ContextType> | undefined)[] = [];
  readonly #builtInDecoders: (ExtensionDecoderType<ContextType> | undefined)[] = [];
  readonly #encoders: (ExtensionEncoderType<ContextType> | undefined)[] = [];
  readonly #decoders: (ExtensionDecoderType<ContextType> | undefined)[] = [];

  constructor() {
    this.register({
      type: EXT_TIMESTAMP,
      encode: encodeTimestampExtension,
      decode: decodeTimestampExtension,
    });
  }

  /**
   * Adds a type, or replaces it.
   * @throws RangeError if `type` is no integer from −128 to 127
   */
  register({
    type,
    encode,
    decode,
  }: {
    type: number;
    encode: ExtensionEncoderType<ContextType>;
    decode: ExtensionDecoderType<ContextType>;
  }): void {
    if (!Number.isInteger(type) || type < -128 || type > 127) {
      throw new RangeError(`Extension types are integers from -128 to 127, not ${type}`);
    }
    if (type >= 0) {
      this.#encoders[type] = encode;
      this.#decoders[type] = decode;
    } else {
      this.#builtInEncoders[-1 - type] = encode;
      this.#builtInDecoders[-1 - type] = decode;
    }
  }

  /** Asks all encoders: MessagePack's own types first, from −1 down, then the others from 0 up. */
  tryToEncode(object: unknown, context: ContextType): ExtData | null {
    for (let i = 0; i < this.#builtInEncoders.length; i++) {
      const data = this.#builtInEncoders[i]?.(object, context);
      if (data != null) return new ExtData(-1 - i, data);
    }
    for (let i = 0; i < this.#encoders.length; i++) {
      const data = this.#encoders[i]?.(object, context);
      if (data != null) return new ExtData(i, data);
    }
    return object instanceof ExtData ? object : null;
  }

  /** An `ExtData` if nobody knows the type. */
  decode(data: Uint8Array, type: number, context: ContextType): unknown {
    const decoder = type < 0 ? this.#builtInDecoders[-1 - type] : this.#decoders[type];
    return decoder !== undefined ? decoder(data, type, context) : this.decodeUnknown(data, type);
  }

  /** What becomes of an extension whose type nobody knows. */
  protected decodeUnknown(data: Uint8Array, type: number): unknown {
    return new ExtData(type, data);
  }
}
