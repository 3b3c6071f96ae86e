import { Status } from "../status.ts";
import { copyBytes } from "./copyBytes.ts";
import type { KnownKeys } from "./KnownKeys.ts";
import { type Codec, type Handle, type Instance, sharedInstance } from "./module.ts";
import type { HostText } from "./text.ts";

/** The sizes that `bindings/bindings.cpp` gives the buffers. */
const INPUT_BYTES = 128 * 1024;
const TAPE_WORDS = 32 * 1024;
/** The longest text that `DecodeMemory.ascii` reads itself. */
const SHORT_POOL = 12;

/** A value whose end has not arrived. It lies in wasm memory, so it must be taken back or deleted, once. */
export type SuspendedMessage = Handle;

/** How much a decoder takes; the docstrings of `DecoderOptions` say of what. -1 refuses even what is empty. */
export interface DecodeLimits {
  readonly maxStrLength: number;
  readonly maxBinLength: number;
  readonly maxArrayLength: number;
  readonly maxMapLength: number;
  readonly maxExtLength: number;
  readonly maxDepth: number;
  readonly maxElements: number;
}

/** The limits and modes of a decoder, as numbers. */
export interface DecodeModes {
  readonly limits: DecodeLimits;
  /** As `Int64` in `cpp/tokenizer.hpp`. */
  readonly int64: 0 | 1 | 2;
  readonly rawStrings: boolean;
  readonly anyKey: boolean;
  readonly rawKeys: boolean;
  readonly fatalUtf8: boolean;
  /** If above 0, the input is a batch of frames (`cpp/frame_reader.hpp`), each with a body of at most so many bytes. */
  readonly maxFrameLength: number;
  /** The bytes of an element, by the extension type of its typed array, which is below 128. */
  readonly elementSizes: ElementSizes;
}

export type ElementSizes = ReadonlyMap<number, number>;

export const NO_TYPED_ARRAYS: ElementSizes = new Map();

/** A tokenizer's session in wasm memory: its windows as typed arrays, and the calls that fill them. */
export class DecodeMemory {
  tape!: Int32Array;
  lane!: Float64Array;
  lane64!: BigUint64Array;
  #input!: Uint8Array;
  protected pool8!: Uint8Array;
  readonly #instance: Instance;
  readonly #codec: Codec;
  readonly #session: Handle;
  protected readonly text: HostText;
  readonly pool8Start: number;
  readonly pool16Start: number;
  #modes: DecodeModes | null = null;
  #elementSizes = NO_TYPED_ARRAYS;
  chunkBytes = INPUT_BYTES;
  isBusy = false;
  /** Bytes from the start of the chunk to where the tokenizer stopped. */
  offset = 0;

  constructor(keys: KnownKeys) {
    const { instance } = keys;
    this.#instance = instance;
    this.text = instance.text;
    const { codec } = instance;
    const session = instance.created(codec.createDecodeSession(keys.table));
    this.#codec = codec;
    this.#session = session;
    this.pool8Start = codec.decodePool8(session);
    this.pool16Start = codec.decodePool16(session);
    this.renew();
    instance.registerView(this);
  }

  isDetached(): boolean {
    return this.tape.length === 0;
  }

  renew(): void {
    const { buffer } = this.#instance.memory;
    const codec = this.#codec;
    const session = this.#session;
    this.text.bind(buffer);
    this.lane = new Float64Array(buffer, codec.decodeLane(session), 2 * TAPE_WORDS);
    this.lane64 = new BigUint64Array(buffer, codec.decodeLane(session), 2 * TAPE_WORDS);
    this.#input = new Uint8Array(buffer, codec.decodeInput(session), INPUT_BYTES);
    this.pool8 = new Uint8Array(buffer, this.pool8Start, INPUT_BYTES);
    // Last, since it tells whether all this has been done.
    this.tape = new Int32Array(buffer, codec.decodeTape(session), TAPE_WORDS);
  }

  /** To be called before each message, unless `setModes` is. */
  protected settle(): void {
    this.#instance.settle();
  }

  /** Costs nothing when the modes are those of last time. */
  setModes(modes: DecodeModes): void {
    this.#instance.settle();
    if (modes === this.#modes) return;
    this.#modes = modes;
    const { limits } = modes;
    this.#codec.setLimits(
      this.#session,
      limits.maxStrLength,
      limits.maxBinLength,
      limits.maxArrayLength,
      limits.maxMapLength,
      limits.maxExtLength,
      limits.maxDepth,
      limits.maxElements,
    );
    this.#codec.setModes(
      this.#session,
      modes.int64,
      modes.rawStrings,
      modes.anyKey,
      modes.rawKeys,
      modes.fatalUtf8,
      modes.maxFrameLength,
    );
    if (modes.elementSizes !== this.#elementSizes) this.#setElementSizes(modes.elementSizes);
  }

  #setElementSizes(sizes: ElementSizes): void {
    for (const type of this.#elementSizes.keys()) this.#codec.setElementSize(this.#session, type, 0);
    for (const [type, size] of sizes) this.#codec.setElementSize(this.#session, type, size);
    this.#elementSizes = sizes;
  }

  /** For tests: windows so small that their ends fall everywhere. */
  limitWindow(tapeWords: number, chunkBytes: number, pooledBytes: number): void {
    this.#codec.setWindow(this.#session, tapeWords, pooledBytes);
    this.chunkBytes = chunkBytes;
  }

  /** Makes text of up to `bytes` bytes come by way of a pool, if the chunk holds it whole. */
  protected setMaxCopied(bytes: number): void {
    this.#codec.setMaxCopied(this.#session, bytes);
  }

  /** Begins a value, or, if `many`, as many as a window takes, where the last one has ended; `run` comes next. */
  begin(many: boolean): void {
    this.#codec.begin(this.#session, many);
  }

  /** Lets the next chunk begin at an address of an arena's block, where its bytes are already. */
  place(address: number): void {
    this.#codec.place(this.#session, address);
  }

  /** Copies `size` bytes from offset `from` of `bytes` to offset `at` of the next chunk. */
  write(bytes: Uint8Array, at: number, from: number, size: number): void {
    copyBytes(this.#input, at, bytes, from, size);
  }

  /**
   * Takes the `size` bytes that were written as the next chunk, and fills a window. `available` bytes, those included,
   * are there before the input ends, or, if it is open, before more of it arrives. `flags`, as in
   * `bindings/bindings.cpp`: 1, a value begins; 2, the input is open; 4, `Status.MORE` may come; 8, as many values are wanted
   * as a window takes.
   */
  feed(size: number, available: number, flags: number): number {
    try {
      return this.#took(this.#codec.feed(this.#session, size, available, flags));
    } catch (error) {
      this.#instance.isAstray = true;
      throw error;
    }
  }

  /** After `Status.MORE`: as `feed`, with a chunk of at most half `INPUT_BYTES`, for the window that has been begun. */
  goOn(size: number, available: number): number {
    try {
      return this.#took(this.#codec.goOn(this.#session, size, available));
    } catch (error) {
      this.#instance.isAstray = true;
      throw error;
    }
  }

  /** Fills the next window from the same chunk. */
  run(): number {
    try {
      return this.#took(this.#codec.tokenize(this.#session));
    } catch (error) {
      this.#instance.isAstray = true;
      throw error;
    }
  }

  #took(result: number): number {
    // The tokenizer's stack is all that can make memory grow here.
    if (this.tape.length === 0) this.#instance.renewDetached();
    this.offset = result >= 0 ? result : this.#codec.offset(this.#session);
    return result >= 0 ? Status.DONE : -result;
  }

  /** A pool of ASCII text at address `at`. */
  ascii(at: number, length: number): string {
    if (length > SHORT_POOL) return this.text.ascii(at, length);
    const { pool8 } = this;
    const i = at - this.pool8Start;
    // One call with all the places that a short text may fill costs a third of a call into the host.
    // biome-ignore format: as a block it shows its size
    return String.fromCharCode(
      pool8[i], pool8[i + 1], pool8[i + 2], pool8[i + 3], pool8[i + 4], pool8[i + 5],
      pool8[i + 6], pool8[i + 7], pool8[i + 8], pool8[i + 9], pool8[i + 10], pool8[i + 11],
    ).substring(0, length);
  }

  /** Hands out the value that has been begun, so that another can be read meanwhile. */
  suspend(): SuspendedMessage {
    return this.#instance.created(this.#codec.suspend(this.#session));
  }

  /** Takes a value back: it is deleted then. */
  resume(message: SuspendedMessage): void {
    this.#codec.resume(this.#session, message);
  }

  /** What the error at `offset` is about: see `Tokenizer::detail`. */
  detail(): number {
    return this.#codec.detail(this.#session);
  }
}

export function deleteMessage(message: SuspendedMessage): void {
  sharedInstance().codec.deleteMessage(message);
}

/** How much wasm memory the codec has, in bytes. */
export function wasmMemoryBytes(): number {
  return sharedInstance().memory.buffer.byteLength;
}

export function isError(status: number): boolean {
  return status > Status.WINDOW_FULL;
}
