import { shared } from "./module.ts";

/** The sizes that `bindings/bindings.cpp` gives the buffers. */
const TAPE_WORDS = 16 * 1024;
const POOL_BYTES = 64 * 1024;
const HOLES = 256;
/** A message that fits is written without being put together from parts. */
const FIRST_OUTPUT_BYTES = 1024 * 1024;
/** Above this, `TypedArray.prototype.slice` is faster than a loop (measured on Node 20 and 26). */
const LOOP_BYTES = 16;
/** As that, where a view must be made first. */
const LOOP_TO_BYTES = 64;
/** Sessions of re-entrant calls. */
const OTHER_OUTPUT_BYTES = 64 * 1024;

/** As `EncodeOptions` in `cpp/emitter.hpp`. */
export interface EncodeModes {
  readonly float32: boolean;
  readonly integersAsFloats: boolean;
  readonly noInt64: boolean;
  readonly smallestBigint: boolean;
}

const { codec } = shared;

const keyStore = shared.created(codec.createKeyStore());

type Session = NonNullable<ReturnType<typeof codec.createEncodeSession>>;

let sessions = 0;

/** An emitter's session in wasm memory: its windows as typed arrays, and the calls that empty them. */
export class EncodeMemory {
  tape!: Int32Array;
  lane!: Float64Array;
  lane64!: BigUint64Array;
  pool8!: Uint8Array;
  pool16!: Uint16Array;
  readonly #session: Session;
  readonly #outputBytes: number;
  #output!: Uint8Array;
  #holes!: Uint32Array;
  readonly pool8Start: number;
  readonly pool16Start: number;
  #modes: EncodeModes | null = null;
  #origin = 0;
  /** Bytes in the output. */
  outputLength = 0;
  /** What of the tape, the lane and the pools a window may use. */
  tapeWords = TAPE_WORDS;
  isBusy = false;
  poolBytes = POOL_BYTES;

  constructor(outputBytes = sessions++ === 0 ? FIRST_OUTPUT_BYTES : OTHER_OUTPUT_BYTES) {
    this.#outputBytes = outputBytes;
    this.#session = shared.created(codec.createEncodeSession(keyStore, outputBytes));
    this.pool8Start = this.#session.pool8();
    this.pool16Start = this.#session.pool16();
    this.renew();
    shared.registerView(this);
  }

  isDetached(): boolean {
    return this.tape.length === 0;
  }

  renew(): void {
    const { buffer } = shared.memory;
    const session = this.#session;
    shared.text.bind(buffer);
    this.lane = new Float64Array(buffer, session.lane(), 2 * TAPE_WORDS);
    this.lane64 = new BigUint64Array(buffer, session.lane(), 2 * TAPE_WORDS);
    this.pool8 = new Uint8Array(buffer, session.pool8(), POOL_BYTES);
    this.pool16 = new Uint16Array(buffer, session.pool16(), POOL_BYTES);
    this.#output = new Uint8Array(buffer, session.output(), this.#outputBytes);
    this.#holes = new Uint32Array(buffer, session.holes(), HOLES);
    // Last, since it tells whether all this has been done.
    this.tape = new Int32Array(buffer, session.tape(), TAPE_WORDS);
  }

  /** Costs nothing when the modes are those of last time. */
  setModes(modes: EncodeModes): void {
    shared.settle();
    if (this.tape.length === 0) shared.renewDetached();
    if (modes === this.#modes) return;
    this.#modes = modes;
    this.#session.setOptions(modes.float32, modes.integersAsFloats, modes.noInt64, modes.smallestBigint);
  }

  /** Where messages will start, from where alignments count. Costs nothing when that is where they did last time. */
  setOrigin(origin: number): void {
    if (origin === this.#origin) return;
    this.#origin = origin;
    // Modulo 2^32: no alignment sees the difference.
    this.#session.setOrigin(origin % 2 ** 32);
  }

  /** For tests: windows so small that their ends fall everywhere. */
  limitWindow(tapeWords: number, poolBytes: number): void {
    this.tapeWords = tapeWords;
    this.poolBytes = poolBytes;
  }

  /**
   * Emits the first `words` words of the tape, which begin a message if `isFirst`. Returns false if the output must be
   * drained before it goes on.
   */
  emit(words: number, isFirst: boolean): boolean {
    try {
      return this.#emitted(this.#session.start(words, isFirst));
    } catch (error) {
      shared.isAstray = true;
      throw error;
    }
  }

  /** Goes on after the output has been drained. */
  emitMore(): boolean {
    try {
      return this.#emitted(this.#session.run());
    } catch (error) {
      shared.isAstray = true;
      throw error;
    }
  }

  #emitted(length: number): boolean {
    this.outputLength = length >= 0 ? length : this.#session.length();
    return length >= 0;
  }

  /** Bytes of the output as a copy of their own. */
  copyOutput(start: number, end: number): Uint8Array<ArrayBuffer> {
    if (end - start > LOOP_BYTES) return this.#output.slice(start, end) as Uint8Array<ArrayBuffer>;
    const output = this.#output;
    const copy = new Uint8Array(end - start);
    for (let i = start; i < end; i++) copy[i - start] = output[i];
    return copy;
  }

  /** Copies bytes of the output to offset `at` of `target`. */
  copyOutputTo(target: Uint8Array, at: number, start: number, end: number): void {
    const output = this.#output;
    if (end - start > LOOP_TO_BYTES) {
      target.set(output.subarray(start, end), at);
    } else {
      for (let i = start; i < end; i++) target[at++] = output[i];
    }
  }

  get holeCount(): number {
    return this.#session.holeCount();
  }

  /** Where in the output hole `i` lies. */
  holeAt(i: number): number {
    return this.#holes[i];
  }

  drain(): void {
    this.#session.drain();
    this.outputLength = 0;
  }
}

/** Registers a key whose UTF-16 units stand at address `at`. Returns its number, or 0 if there is no room. */
export function addKey(at: number, units: number): number {
  try {
    return keyStore.add(at, units);
  } catch (error) {
    shared.isAstray = true;
    throw error;
  }
}

export function clearKeys(): void {
  keyStore.clear();
}

/** `KeyStore::kMaxUnits`. */
export const MAX_KEY_UNITS = 64;
