import { BufferPool } from "./BufferPool.ts";
import type { ContextOf } from "./context.ts";
import { showCaller } from "./DecodeError.ts";
import { ExtensionCodec, type ExtensionCodecType } from "./ExtensionCodec.ts";
import { typedArraysOf } from "./TypedArrayTable.ts";
import { type EncodeSettings, Walker } from "./Walker.ts";
import { walkers } from "./workers.ts";

/** How values are encoded. `null` means the default, too. */
export type EncoderOptions<ContextType = undefined> = Partial<
  Readonly<{
    /** Default: `ExtensionCodec.defaultCodec`, which knows the timestamp. */
    extensionCodec: ExtensionCodecType<ContextType>;
    /** bigints become int64 or uint64, and integers that need more than 32 bits become floats. Default: false. */
    useBigInt64: boolean;
    /**
     * `"auto"`: bigints take the smallest integer format that holds them; numbers are as without this option.
     * Default: bigints are refused unless `useBigInt64` is set.
     */
    int64: "auto";
    /** The most containers around a value, the value counted in. Default: 100. */
    maxDepth: number;
    /** The size in bytes of the buffer that `encodeSharedRef` begins with. Default: 2048. */
    initialBufferSize: number;
    /** Keys in the order of their UTF-16 units. Default: false. */
    sortKeys: boolean;
    /** Floats, and what counts as such, become float 32, whatever that loses. Default: false. */
    forceFloat32: boolean;
    /** Properties whose value is `undefined` are left out. Default: false, they become nil. */
    ignoreUndefined: boolean;
    /** Integers become floats. Default: false. */
    forceIntegerToFloat: boolean;
    /**
     * What `Encoder.encode` returns of 65 bytes to 16 KB is a part of a buffer of 64 KB that it shares with other results: to
     * make one takes a fraction of the time. Nobody writes to it again, but it lives as long as any of them, and is not to be
     * transferred. (The function `encode` knows no such option.) Default: false, each result has a buffer of its own.
     */
    pooled: boolean;
  }>
> &
  ContextOf<ContextType>;

const DEFAULT_MAX_DEPTH = 100;
const DEFAULT_INITIAL_BUFFER_SIZE = 2048;

const POOL_BYTES = 64 * 1024;
/** V8 keeps the bytes of shorter typed arrays in the array itself. */
const MIN_POOLED = 65;
const MAX_POOLED = POOL_BYTES / 4;

/** What options come to. */
export function encodeSettings<ContextType>(
  options: EncoderOptions<ContextType> | undefined | null,
): EncodeSettings {
  const useBigInt64 = options?.useBigInt64 ?? false;
  const smallestBigint = options?.int64 === "auto";
  const sortKeys = options?.sortKeys ?? false;
  const ignoreUndefined = options?.ignoreUndefined ?? false;
  const modes = {
    float32: options?.forceFloat32 ?? false,
    integersAsFloats: options?.forceIntegerToFloat ?? false,
    noInt64: useBigInt64,
    smallestBigint,
  };
  const codec = (options?.extensionCodec ?? ExtensionCodec.defaultCodec) as ExtensionCodecType<unknown>;
  const { context } = (options ?? {}) as { context?: unknown };
  return {
    extensionCodec: codec === ExtensionCodec.defaultCodec ? null : codec,
    typedArrays: typedArraysOf(codec),
    context,
    isCallers: codec !== ExtensionCodec.defaultCodec || context !== undefined,
    maxDepth: floor(options?.maxDepth ?? DEFAULT_MAX_DEPTH),
    sortKeys,
    ignoreUndefined,
    isPlain: !sortKeys && !ignoreUndefined,
    isDirect: !sortKeys && !ignoreUndefined && !modes.float32 && !modes.integersAsFloats,
    isSmall: true,
    modes,
    nativeBigint: useBigInt64 || smallestBigint,
  };
}

/** Encodes values with the same options. An instance costs next to nothing: what is learned of keys is shared. */
export class Encoder<ContextType = undefined> {
  // Minified, the class would show another name to those who debug.
  static readonly name = "Encoder";
  readonly #settings: EncodeSettings;
  readonly #initialBufferSize: number;
  #shared: Uint8Array<ArrayBuffer> | null = null;
  readonly #pool: BufferPool | null;

  /** @throws RangeError if `initialBufferSize` is negative */
  constructor(options?: EncoderOptions<ContextType>) {
    this.#settings = encodeSettings(options);
    this.#initialBufferSize = initialBufferSizeOf(options);
    this.#pool = options?.pooled ? new BufferPool(POOL_BYTES, MIN_POOLED, MAX_POOLED) : null;
  }

  /**
   * The message as a `Uint8Array` that nobody else uses and, without `pooled`, fills its buffer.
   * @throws Error if the value is too deep (or circular), or holds something that MessagePack has no format for
   */
  encode(object: unknown): Uint8Array<ArrayBuffer> {
    const pool = this.#pool;
    return pool === null
      ? encodeOne(object, this.#settings)
      : this.#walk(object, (walker) => pool.take(walker));
  }

  /** As `encode`, but the result is a view of this encoder's own buffer: the next call overwrites it. */
  encodeSharedRef(object: unknown): Uint8Array<ArrayBuffer> {
    return this.#walk(object, (walker) => {
      const { size } = walker;
      let shared = this.#shared;
      if (shared === null || shared.length < size) {
        shared = new Uint8Array(shared === null ? Math.max(size, this.#initialBufferSize) : size * 2);
        this.#shared = shared;
      }
      walker.writeTo(shared, 0);
      return shared.subarray(0, size);
    });
  }

  /**
   * Writes the message into `target` from `offset` on, and returns the offset behind it. Positions, and with them the
   * alignment of extensions, count from the start of `target`.
   * @throws as `encode`, and RangeError if the message does not fit; `target` is as it was before then
   */
  encodeInto(object: unknown, target: Uint8Array, offset = 0): number {
    if (!Number.isInteger(offset) || offset < 0 || offset > target.length) {
      throw new RangeError(`Offset ${offset} is not within the ${target.length} byte(s) of the target`);
    }
    return this.#walk(
      object,
      (walker) => {
        const { size } = walker;
        if (size > target.length - offset) {
          throw new RangeError(
            `The message needs ${size} byte(s) at offset ${offset}, but the target has ${target.length - offset} there`,
          );
        }
        walker.writeTo(target, offset);
        return offset + size;
      },
      offset,
    );
  }

  #walk<Result>(object: unknown, finish: (walker: Walker) => Result, origin = 0): Result {
    if (Walker.wantsToRelearn && walkers.isQuiet) Walker.relearn();
    const walker = walkers.find();
    try {
      walker.isBusy = true;
      walker.walk(object, this.#settings, origin);
      return finish(walker);
    } catch (error) {
      showCaller(error, this.#walk);
      throw error;
    } finally {
      walker.isBusy = false;
      walker.clear();
    }
  }
}

/** As `Encoder.encode`, for those who need no encoder: bundlers leave out its other methods. */
export function encodeOne(object: unknown, settings: EncodeSettings): Uint8Array<ArrayBuffer> {
  if (Walker.wantsToRelearn && walkers.isQuiet) Walker.relearn();
  const walker = walkers.find();
  try {
    walker.isBusy = true;
    walker.walk(object, settings, 0);
    return walker.take();
  } catch (error) {
    showCaller(error, encodeOne);
    throw error;
  } finally {
    walker.isBusy = false;
    walker.clear();
  }
}

/** @throws RangeError if it is negative */
export function initialBufferSizeOf(options: { initialBufferSize?: number } | undefined | null): number {
  const size = Math.trunc(options?.initialBufferSize ?? DEFAULT_INITIAL_BUFFER_SIZE) || 0;
  if (size < 0) throw new RangeError(`initialBufferSize must not be negative: ${size}`);
  return size;
}

/** Depths are whole; NaN is no limit, as in a comparison. */
function floor(depth: number): number {
  return Number.isNaN(depth) ? Number.POSITIVE_INFINITY : Math.floor(depth);
}
