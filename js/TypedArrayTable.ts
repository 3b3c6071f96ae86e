import { DecodeError, made } from "./DecodeError.ts";
import type { ExtensionCodecType } from "./ExtensionCodec.ts";
import { BufferSource, type Source } from "./Source.ts";

/** What makes a typed array, as far as it matters here. */
interface TypedArrayClass {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): ArrayBufferView;
}

/** The classes with an extension type, and which they have by default. */
export const DEFAULT_TYPES = {
  Float32Array: 1,
  Float64Array: 2,
  Int8Array: 3,
  Uint8ClampedArray: 4,
  Int16Array: 5,
  Uint16Array: 6,
  Int32Array: 7,
  Uint32Array: 8,
  BigInt64Array: 9,
  BigUint64Array: 10,
  Float16Array: 11,
} as const;

/** The name of a class of typed arrays that has an extension type. */
export type TypedArrayName = keyof typeof DEFAULT_TYPES;

/** An ext 32 header's length, less what stands before the data at the most. */
const MAX_BYTES = 2 ** 32 - 1 - 128;

/** Names the class of a typed array of whatever realm, whatever it says of itself; undefined for all else. */
const nameOf = /* @__PURE__ */ (() =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
    ?.get)() as (this: unknown) => string | undefined;

interface Entry {
  readonly name: TypedArrayName;
  readonly type: number;
  readonly Class: TypedArrayClass;
  readonly elementSize: number;
  readonly alignment: number;
}

/** What a `TypedArrayCodec` comes to, for encoders and decoders. */
export class TypedArrayTable {
  /** By extension type: what the tokenizer must know. */
  readonly elementSizes = new Map<number, number>();
  /** Whether the codec has no types of the user's, so that it need not be asked for objects. */
  isAlone = true;
  readonly #byName = new Map<string, Entry>();
  /** By name of the class: the extra bits of the word that stands for such an array. */
  readonly #extras = new Map<string, number>();
  readonly #byType: (Entry | undefined)[] = [];
  /** The types of classes that the host lacks. */
  readonly #missing = new Map<number, string>();
  readonly #givesViews: boolean;
  readonly #throws: boolean;

  constructor(
    types: Iterable<readonly [TypedArrayName, number]>,
    align: number,
    givesViews: boolean,
    throws: boolean,
  ) {
    this.#givesViews = givesViews;
    this.#throws = throws;
    for (const [name, type] of types) {
      const Class = (globalThis as unknown as Record<string, TypedArrayClass | undefined>)[name];
      if (Class === undefined) {
        this.#missing.set(type, name);
        continue;
      }
      const elementSize = Class.BYTES_PER_ELEMENT;
      const alignment = Math.max(align, elementSize);
      const entry = { name, type, Class, elementSize, alignment };
      this.#byName.set(name, entry);
      this.#byType[type] = entry;
      this.#extras.set(name, ((31 - Math.clz32(alignment)) << 8) | type);
      this.elementSizes.set(type, elementSize);
    }
  }

  /** The class that an extension type belongs to, whether the host has it or not. */
  classOf(type: number): string | undefined {
    return this.#byType[type]?.name ?? this.#missing.get(type);
  }

  has(type: number): boolean {
    return this.#byType[type] !== undefined;
  }

  /**
   * The extra bits of the word for a view, or -1 if it is none of these classes.
   * @throws RangeError if it is too long for an extension
   */
  extraOf(view: ArrayBufferView): number {
    const extra = this.#extras.get(nameOf.call(view) as string);
    if (extra === undefined) return -1;
    if (view.byteLength > MAX_BYTES) {
      throw made(
        new RangeError(
          `Typed arrays have at most ${MAX_BYTES} byte(s) in MessagePack, not ${view.byteLength}`,
        ),
      );
    }
    return extra;
  }

  /** The typed array of `length` bytes from `start` on, a copy if it must be. `offset` is that of the extension. */
  read(
    source: Source,
    type: number,
    start: number,
    length: number,
    copies: boolean,
    offset?: number,
  ): ArrayBufferView {
    const { Class, elementSize, name } = this.#byType[type] as Entry;
    const count = length / elementSize;
    const piece = source.piece(start, length);
    if (this.#givesViews && !copies) {
      if (piece !== null) {
        const { bytes } = piece;
        const byteOffset = bytes.byteOffset + start - piece.start;
        // Sizes are powers of two, and the remainder of a large number is slow to get.
        if ((byteOffset & (elementSize - 1)) === 0) return new Class(bytes.buffer, byteOffset, count);
      }
      if (this.#throws) throw noView(name, piece === null, offset);
    }
    const view = source.view(start, length);
    // What has been joined of pieces is a copy already.
    const copy = piece === null ? view : new Uint8Array(view);
    return new Class(copy.buffer, copy.byteOffset, count);
  }

  /** The typed array whose payload, of `length` bytes, stands at `start`, or null if a view is not asked for, or impossible. */
  view(bytes: Uint8Array, type: number, start: number, length: number): ArrayBufferView | null {
    const entry = this.#byType[type];
    const before = length > 0 ? bytes[start] : 0;
    if (entry === undefined || !this.#givesViews || before === 0 || before > length) return null;
    const { Class, elementSize } = entry;
    const byteOffset = bytes.byteOffset + start + before;
    const size = length - before;
    if (((byteOffset | size) & (elementSize - 1)) !== 0) return null;
    return new Class(bytes.buffer, byteOffset, size / elementSize);
  }

  /** For encoders that know extension codecs only: type and payload of a typed array, or null. */
  tryToEncode(object: unknown): { type: number; payload: (position: number) => Uint8Array } | null {
    if (!ArrayBuffer.isView(object)) return null;
    const entry = this.#byName.get(nameOf.call(object) as string);
    if (entry === undefined) return null;
    const bytes = new Uint8Array(object.buffer, object.byteOffset, object.byteLength);
    const payload = (position: number) => {
      const { alignment } = entry;
      const before = 1 + ((alignment - ((position + 1) % alignment)) % alignment);
      const whole = new Uint8Array(before + bytes.length);
      whole[0] = before;
      whole.set(bytes, before);
      return whole;
    };
    return { type: entry.type, payload };
  }

  /** For decoders that know extension codecs only. */
  decode(payload: Uint8Array, type: number): ArrayBufferView {
    const { elementSize } = this.#byType[type] as Entry;
    const start = payload.length === 0 ? 0 : payload[0];
    if (start === 0 || start > payload.length) throw new DecodeError(wrongOffset(start));
    const length = payload.length - start;
    if (length % elementSize !== 0) throw new DecodeError(wrongLength(length));
    const source = new BufferSource();
    source.set(payload);
    return this.read(source, type, start, length, false);
  }
}

export function wrongOffset(byte: number): string {
  return `The data of a typed array cannot begin at byte ${byte} of its payload`;
}

export function wrongLength(bytes: number): string {
  return `The data of a typed array are no whole number of elements: ${bytes} byte(s)`;
}

function noView(name: string, isInPieces: boolean, offset: number | undefined): DecodeError {
  const reason = isInPieces ? "its data came in several pieces" : "its data are not aligned in their buffer";
  const message = `No view of a ${name}: ${reason}; onMisaligned: "copy" copies them`;
  return offset === undefined
    ? new DecodeError(message)
    : new DecodeError(`${message}, at offset ${offset}`, { code: "MISALIGNED", offset });
}

/** What an extension codec says of itself to encoders and decoders: so those need not know its class, nor bring it. */
interface Attached {
  readonly table: TypedArrayTable;
  readonly methods: Pick<ExtensionCodecType<never>, "tryToEncode" | "decode">;
}

const ATTACHED = Symbol("msgpack-wasm typed arrays");

/** Lets encoders and decoders use `table`, as long as `codec` has not overridden the methods that they would call. */
export function attachTable(codec: object, table: TypedArrayTable, methods: Attached["methods"]): void {
  Object.defineProperty(codec, ATTACHED, { value: { table, methods } satisfies Attached });
}

/** What encoders and decoders need of a codec, if that is a `TypedArrayCodec`. */
export function typedArraysOf(codec: ExtensionCodecType<unknown>): TypedArrayTable | null {
  const attached = (codec as { [ATTACHED]?: Attached })[ATTACHED];
  if (attached === undefined) return null;
  const { table, methods } = attached;
  return codec.tryToEncode === methods.tryToEncode && codec.decode === methods.decode ? table : null;
}
