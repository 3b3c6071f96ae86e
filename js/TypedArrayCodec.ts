import { DecodeError } from "./DecodeError.ts";
import { ExtData } from "./ExtData.ts";
import { ExtensionCodec, type ExtensionDecoderType, type ExtensionEncoderType } from "./ExtensionCodec.ts";
import { attachTable, DEFAULT_TYPES, type TypedArrayName, TypedArrayTable } from "./TypedArrayTable.ts";

/** How typed arrays are encoded and decoded. */
export interface TypedArrayCodecOptions {
  /**
   * The classes that become extensions, each with its type, 0 to 127. Others are encoded as binary data, as they are
   * without this codec. One that the host lacks (`Float16Array`) is left out.
   * Default: `Float32Array` 1, `Float64Array` 2, `Int8Array` 3, `Uint8ClampedArray` 4, `Int16Array` 5,
   * `Uint16Array` 6, `Int32Array` 7, `Uint32Array` 8, `BigInt64Array` 9, `BigUint64Array` 10, `Float16Array` 11.
   */
  readonly types?: Readonly<Partial<Record<TypedArrayName, number>>>;
  /**
   * The least alignment of encoded data in bytes, from the start of the message (with `encodeInto`, of its target): a
   * power of two up to 128. Elements that are larger have their size. It costs up to as many bytes an array, and says
   * nothing about decoding: arrays come out where they lie.
   * Default: 1, so that each array is aligned to the size of its elements.
   */
  readonly align?: number;
  /**
   * `"input"`: arrays are views of the decoder's input, which they keep alive, and of which they show every change.
   * `"copy"`: they have buffers of their own. Default: `"input"`.
   */
  readonly views?: "input" | "copy";
  /**
   * What to do where `views: "input"` is impossible: the data are at no multiple of their element size in the input's
   * `ArrayBuffer`, or lie in several pieces of input (`decodeSegments`, streams). `"copy"`, or `"throw"` a
   * `DecodeError` with the code `"MISALIGNED"`. Default: `"copy"`.
   */
  readonly onMisaligned?: "copy" | "throw";
}

const MAX_ALIGN = 128;
const MAX_TYPE = 127;

/**
 * An extension codec that knows typed arrays, for any encoder or decoder: their data go into a message in one copy,
 * aligned, and come out as views of it. More types can be registered. The payload of an array is
 * `[offset of the data, 1 byte][zeros][data, little-endian]`.
 *
 * `Uint8Array`, `Buffer` and `DataView` stay binary data. Extensions that neither this codec nor a registered type
 * knows are a `DecodeError`, unlike with `ExtensionCodec`.
 */
export class TypedArrayCodec<ContextType = undefined> extends ExtensionCodec<ContextType> {
  static override readonly name = "TypedArrayCodec";
  readonly #table: TypedArrayTable;

  /**
   * @throws RangeError if `types` names another class, a type that is no integer from 0 to 127, or one type twice; if
   * `align` is no power of two up to 128; if `views` or `onMisaligned` is another word
   * @throws Error on a big-endian host: typed arrays would have to be copied there
   */
  constructor(options: TypedArrayCodecOptions = {}) {
    super();
    const { types = DEFAULT_TYPES, align = 1, views = "input", onMisaligned = "copy" } = options;
    if (!isLittleEndian()) throw new Error("TypedArrayCodec needs a little-endian host");
    if (!Number.isInteger(align) || align < 1 || align > MAX_ALIGN || (align & (align - 1)) !== 0) {
      throw new RangeError(`align must be a power of two up to ${MAX_ALIGN}, not ${align}`);
    }
    if (views !== "input" && views !== "copy") {
      throw new RangeError(`views must be "input" or "copy", not ${views}`);
    }
    if (onMisaligned !== "copy" && onMisaligned !== "throw") {
      throw new RangeError(`onMisaligned must be "copy" or "throw", not ${onMisaligned}`);
    }
    this.#table = new TypedArrayTable(checked(types), align, views === "input", onMisaligned === "throw");
    attachTable(this, this.#table, TypedArrayCodec.prototype);
  }

  /**
   * Adds a type, or replaces it.
   * @throws RangeError if `type` is no integer from −128 to 127, or that of a class of typed arrays
   */
  override register(registration: {
    type: number;
    encode: ExtensionEncoderType<ContextType>;
    decode: ExtensionDecoderType<ContextType>;
  }): void {
    // The constructor of the base class registers the timestamp, before there is a table.
    if (#table in this) {
      const { type } = registration;
      const name = this.#table.classOf(type);
      if (name !== undefined)
        throw new RangeError(`Type ${type} is that of ${name}; the option types gives others`);
      this.#table.isAlone = false;
    }
    super.register(registration);
  }

  /** Typed arrays first; then as `ExtensionCodec` does. Encoders of this package do the former without asking. */
  override tryToEncode(object: unknown, context: ContextType): ExtData | null {
    const found = this.#table.tryToEncode(object);
    return found === null ? super.tryToEncode(object, context) : new ExtData(found.type, found.payload);
  }

  /** @throws DecodeError if the payload is no typed array, or nobody knows the type */
  override decode(data: Uint8Array, type: number, context: ContextType): unknown {
    return this.#table.has(type) ? this.#table.decode(data, type) : super.decode(data, type, context);
  }

  protected override decodeUnknown(_data: Uint8Array, type: number): unknown {
    const name = this.#table.classOf(type);
    throw new DecodeError(
      name === undefined
        ? `Unknown extension type ${type}: register it with the TypedArrayCodec`
        : `Extension type ${type} is ${name}, which this host does not have`,
    );
  }
}

function isLittleEndian(): boolean {
  return new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
}

function checked(types: NonNullable<TypedArrayCodecOptions["types"]>): [TypedArrayName, number][] {
  const names = new Map<number, string>();
  return Object.entries(types).map(([name, type]) => {
    if (!Object.hasOwn(DEFAULT_TYPES, name)) {
      throw new RangeError(`types: ${name} is none of ${Object.keys(DEFAULT_TYPES).join(", ")}`);
    }
    if (!Number.isInteger(type) || type < 0 || type > MAX_TYPE) {
      throw new RangeError(`types: that of ${name} must be an integer from 0 to ${MAX_TYPE}, not ${type}`);
    }
    const other = names.get(type);
    if (other !== undefined) throw new RangeError(`types: ${other} and ${name} are both ${type}`);
    names.set(type, name);
    return [name as TypedArrayName, type];
  });
}
