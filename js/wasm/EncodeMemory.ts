import { copyBytes, sliceBytes } from "./copyBytes.ts";
import { type Codec, type Handle, type Instance, sharedInstance } from "./module.ts";
import { hostText } from "./text.ts";

/** The sizes that `bindings/bindings.cpp` gives the buffers. */
const TAPE_WORDS = 16 * 1024;
const POOL_BYTES = 64 * 1024;
/** In UTF-16 units. Joined text of more than 128 KB would be a large object in V8, whose memory is slow to get. */
const TEXT_UNITS = 16 * 1024;
const HOLES = 256;
/** The longest prefix of a frame stands before the output, and its size before that. */
export const FRONT_BYTES = 8;
/** The words that a value may write before it looks for room again: the header of a map, a key, an operand. */
const TAPE_RESERVE = 8;
/** `Emitter::kMaxText`, which is enough for a str 16 header. */
export const MAX_TEXT = 2048;
/** A message that fits is written without being put together from parts. */
const FIRST_OUTPUT_BYTES = 1024 * 1024;
/** Up to this many UTF-16 units, a loop is faster than a call into the host (measured on Node 20 and 26). */
const LOOP_UNITS = 32;
/** Sessions of re-entrant calls. */
const OTHER_OUTPUT_BYTES = 64 * 1024;

/** As `EncodeOptions` in `cpp/emitter.hpp`. */
export interface EncodeModes {
  readonly float32: boolean;
  readonly integersAsFloats: boolean;
  readonly noInt64: boolean;
  readonly smallestBigint: boolean;
}

/** Both are there with the first session: not every host has compiled the module at import. */
let shared: Instance;
let keyStore: Handle;

let sessions = 0;

/** An emitter's session in wasm memory: its windows as typed arrays, and the calls that empty them. */
export class EncodeMemory {
  tape!: Int32Array;
  lane!: Float64Array;
  lane64!: BigUint64Array;
  pool8!: Uint8Array;
  pool16!: Uint16Array;
  readonly #codec: Codec;
  readonly #session: Handle;
  readonly #outputSize: number;
  output!: Uint8Array;
  /** The output with what stands before it: the size of a frame's prefix, and, ending where the output begins, that. */
  front!: Uint8Array;
  /** Whether the message is to be framed: a bit for `emit`. */
  framing = 0;
  /** How many bytes of the message stand in the output before its first window is emitted. */
  protected behind = 0;
  protected holes!: Uint32Array;
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
  textLimit = TEXT_UNITS;
  tapeLimit = TAPE_WORDS - TAPE_RESERVE;
  /** Longer text goes to the result directly. */
  maxText = MAX_TEXT;

  constructor(outputBytes = sessions === 0 ? FIRST_OUTPUT_BYTES : OTHER_OUTPUT_BYTES) {
    this.#outputSize = outputBytes;
    shared = sharedInstance();
    const { codec } = shared;
    keyStore ??= shared.created(codec.createKeyStore());
    this.#codec = codec;
    this.#session = shared.created(codec.createEncodeSession(keyStore, outputBytes));
    sessions++;
    this.pool8Start = this.#codec.encodePool8(this.#session);
    this.pool16Start = this.#codec.encodePool16(this.#session);
    this.renew();
    shared.registerView(this);
  }

  isDetached(): boolean {
    return this.tape.length === 0;
  }

  renew(): void {
    const { buffer } = shared.memory;
    const codec = this.#codec;
    const session = this.#session;
    hostText.bind(buffer);
    this.lane = new Float64Array(buffer, codec.encodeLane(session), 2 * TAPE_WORDS);
    this.lane64 = new BigUint64Array(buffer, codec.encodeLane(session), 2 * TAPE_WORDS);
    this.pool8 = new Uint8Array(buffer, codec.encodePool8(session), POOL_BYTES);
    this.pool16 = new Uint16Array(buffer, codec.encodePool16(session), TEXT_UNITS);
    this.front = new Uint8Array(buffer, codec.encodeFront(session), FRONT_BYTES + this.#outputSize);
    this.output = this.front.subarray(FRONT_BYTES);
    this.holes = new Uint32Array(buffer, codec.encodeHoles(session), HOLES);
    // Last, since it tells whether all this has been done.
    this.tape = new Int32Array(buffer, codec.encodeTape(session), TAPE_WORDS);
  }

  /** Costs nothing when the modes are those of last time. */
  setModes(modes: EncodeModes): void {
    if (modes === this.#modes) return;
    this.#modes = modes;
    this.#codec.setOptions(
      this.#session,
      modes.float32,
      modes.integersAsFloats,
      modes.noInt64,
      modes.smallestBigint,
    );
  }

  /** To be called before each message, which will start at `origin`: from there alignments count. */
  prepare(origin: number): void {
    shared.settle();
    if (origin === this.#origin) return;
    this.#origin = origin;
    // Modulo 2^32: no alignment sees the difference.
    this.#codec.setOrigin(this.#session, origin % 2 ** 32);
  }

  /** For tests: windows so small that their ends fall everywhere. */
  limitWindow(tapeWords: number, poolBytes: number): void {
    this.tapeWords = tapeWords;
    this.poolBytes = poolBytes;
    this.textLimit = Math.min(poolBytes, TEXT_UNITS);
    this.tapeLimit = tapeWords - TAPE_RESERVE;
    this.maxText = Math.min(MAX_TEXT, poolBytes >>> 2);
  }

  /**
   * Goes on with a message that has begun: `length` bytes stand in the output, `holes` among them; `passed` bytes stand
   * before these, or will stand in those. Where there are none, `behind` saves the call.
   */
  goOnAt(length: number, holes: number, passed: number): void {
    this.outputLength = length;
    this.#codec.goOnAt(this.#session, length, holes, passed % 2 ** 32);
  }

  /**
   * Writes a string of 32 units or more, with its header, to byte `at` of the output. Returns where it ends, or -1 if
   * there may be no room.
   */
  protected writeHostText(text: string, at: number): number {
    const { output } = this;
    const { length } = text;
    const room = 3 * length;
    if (at + 5 + room > output.length) return -1;
    const guess = textHeaderBytes(length);
    const bytes = hostText.writeUtf8(text, output.byteOffset + at + guess, room);
    const header = textHeaderBytes(bytes);
    if (header !== guess) output.copyWithin(at + header, at + guess, at + guess + bytes);
    writeHeader(output, at, header === 2 ? 0xd9 : header === 3 ? 0xda : 0xdb, header, bytes);
    return at + header + bytes;
  }

  /**
   * Writes an extension of more than 255 bytes to byte `at` of the output. Returns where it ends, or -1 if there is no
   * room.
   */
  protected writeExtension(bytes: Uint8Array, type: number, at: number): number {
    const { output } = this;
    const { length } = bytes;
    const header = length < 2 ** 16 ? 3 : 5;
    const start = at + header + 1;
    if (start + length > output.length) return -1;
    writeHeader(output, at, header === 3 ? 0xc8 : 0xc9, header, length);
    output[start - 1] = type;
    output.set(bytes, start);
    return start + length;
  }

  /** Writes the text of a window to its pool. Returns whether that is ASCII, a byte a unit; else it is UTF-16. */
  writeText(text: string): boolean {
    const { length } = text;
    if (length > LOOP_UNITS) return hostText.write(text, this.pool16Start);
    const pool = this.pool16;
    for (let i = 0; i < length; i++) pool[i] = text.charCodeAt(i);
    return false;
  }

  /**
   * Emits the first `words` words of the tape, which begin a message if `isFirst`. Returns false if the output must be
   * drained before it goes on.
   */
  emit(words: number, isFirst: boolean, textIsBytes: boolean): boolean {
    try {
      const flags = (isFirst ? 1 : 0) | (textIsBytes ? 2 : 0) | this.framing | (this.behind << 3);
      return this.#emitted(this.#codec.start(this.#session, words, flags));
    } catch (error) {
      shared.isAstray = true;
      throw error;
    }
  }

  /** Goes on after the output has been drained. */
  emitMore(): boolean {
    try {
      return this.#emitted(this.#codec.emit(this.#session));
    } catch (error) {
      shared.isAstray = true;
      throw error;
    }
  }

  #emitted(length: number): boolean {
    this.outputLength = length >= 0 ? length : this.#codec.length(this.#session);
    return length >= 0;
  }

  /** All of the output as a copy of its own. */
  copyAll(): Uint8Array<ArrayBuffer> {
    return sliceBytes(this.output, 0, this.outputLength);
  }

  /** Bytes of the output as a copy of their own. */
  copyOutput(start: number, end: number): Uint8Array<ArrayBuffer> {
    return this.output.slice(start, end) as Uint8Array<ArrayBuffer>;
  }

  /** Copies bytes of the output to offset `at` of `target`. */
  copyOutputTo(target: Uint8Array, at: number, start: number, end: number): void {
    copyBytes(target, at, this.output, start, end - start);
  }

  get holeCount(): number {
    return this.#codec.holeCount(this.#session);
  }

  /** Where in the output hole `i` lies. */
  holeAt(i: number): number {
    return this.holes[i];
  }

  drain(): void {
    this.#codec.drain(this.#session);
    this.outputLength = 0;
  }
}

/** Writes a format and a length, which take `size` bytes. */
function writeHeader(output: Uint8Array, at: number, format: number, size: number, length: number): void {
  output[at] = format;
  for (let i = at + size - 1, rest = length; i > at; i--, rest >>>= 8) output[i] = rest;
}

function textHeaderBytes(bytes: number): number {
  return bytes < 2 ** 8 ? 2 : bytes < 2 ** 16 ? 3 : 5;
}

/** Registers a key whose UTF-16 units stand at address `at`. Returns its number, or 0 if there is no room. */
export function addKey(at: number, units: number): number {
  try {
    return shared.codec.addKey(keyStore, at, units);
  } catch (error) {
    shared.isAstray = true;
    throw error;
  }
}

export function clearKeys(): void {
  shared.codec.clearKeyStore(keyStore);
}

/** `KeyStore::kMaxUnits`. */
export const MAX_KEY_UNITS = 64;
