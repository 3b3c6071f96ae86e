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

interface Asked<ContextType> {
  readonly type: number;
  readonly encode: ExtensionEncoderType<ContextType>;
}

/** Whether it is an array, a typed array, or a plain object: to find out of others takes as long as all else. */
function isNoDate(object: unknown): boolean {
  if (Array.isArray(object) || ArrayBuffer.isView(object)) return true;
  return typeof object === "object" && object !== null && Object.getPrototypeOf(object) === Object.prototype;
}

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
  /** All encoders in the order in which they are asked: a list without holes, since it is gone through for each object. */
  #asked: Asked<ContextType>[] = [];
  /** Those that may have something to say about what `isNoDate`. */
  #askedOfOthers: Asked<ContextType>[] = [];
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
    this.#asked = [];
    this.#builtInEncoders.forEach((encode, i) => {
      if (encode != null) this.#asked.push({ type: -1 - i, encode });
    });
    this.#encoders.forEach((encode, i) => {
      if (encode != null) this.#asked.push({ type: i, encode });
    });
    this.#askedOfOthers = this.#asked.filter(({ encode }) => encode !== encodeTimestampExtension);
  }

  /** Asks all encoders: MessagePack's own types first, from −1 down, then the others from 0 up. */
  tryToEncode(object: unknown, context: ContextType): ExtData | null {
    const isKnownNoDate = isNoDate(object);
    const asked = isKnownNoDate ? this.#askedOfOthers : this.#asked;
    for (let i = 0; i < asked.length; i++) {
      const data = asked[i].encode(object, context);
      if (data != null) return new ExtData(asked[i].type, data);
    }
    return !isKnownNoDate && object instanceof ExtData ? object : null;
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
