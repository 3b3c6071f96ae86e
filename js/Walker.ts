import { made } from "./DecodeError.ts";
import { ExtensionCodec, type ExtensionCodecType } from "./ExtensionCodec.ts";
import { type KeyNode, KeyTrie } from "./KeyTrie.ts";
import { kindOf, unboxed } from "./kinds.ts";
import type { TypedArrayTable } from "./TypedArrayTable.ts";
import { MAX_PAYLOAD, Tag, Wide } from "./tape.ts";
import { addKey, clearKeys, EncodeMemory, type EncodeModes } from "./wasm/EncodeMemory.ts";
import { hostText } from "./wasm/text.ts";

/** What an encoder's options come to. Made once, in its constructor. */
export interface EncodeSettings {
  readonly modes: EncodeModes;
  readonly extensionCodec: ExtensionCodecType<unknown>;
  /** What the extension codec knows of typed arrays, if it need not be asked for each. */
  readonly typedArrays: TypedArrayTable | null;
  readonly context: unknown;
  readonly maxDepth: number;
  readonly sortKeys: boolean;
  readonly ignoreUndefined: boolean;
  /** bigints are integers, not a matter for the extension codec. */
  readonly nativeBigint: boolean;
}

/** The words that a value may write before it looks for room again: the header of a map, a key, an operand. */
const TAPE_RESERVE = 8;
/** Up to this many UTF-16 units, a loop in JS is faster than a call into the host (see `bench/tune.mjs`). */
const LOOP_UNITS = 32;
/** `Emitter::kMaxText`: longer text goes to the result directly. */
const MAX_TEXT = 2048;
/** Longer binary data goes to the result directly. */
const SHORT_BYTES = 256;
/** Fewer integers in a row go faster one by one; numbers that need the lane anyway do not. */
const MIN_RUN = 4;
const PLACED_HEADER_BYTES = 6;

const utf8 = new TextEncoder();
const defaultExtensionCodec: ExtensionCodecType<unknown> = ExtensionCodec.defaultCodec;

const IDLE = {} as EncodeSettings;

/** An object of which `for…in` must find nothing. */
const EMPTY = {};

function isObjectPrototypeClean(): boolean {
  for (const _ in EMPTY) return false;
  return true;
}

/**
 * Values → tape → bytes. Each works on one message at a time; a pool hands them out. The members that the inner loop
 * uses are not `#private`, which V8 checks at each access.
 */
export class Walker extends EncodeMemory {
  /** Shared by all: what one encoder learns of keys, all know. */
  private static readonly trie = new KeyTrie(clearKeys);

  private settings = IDLE;
  /** The extension codec, if it must be asked for plain objects, too. */
  private codec: ExtensionCodecType<unknown> | null = null;
  private typedArrays: TypedArrayTable | null = null;
  private asFloats = false;
  private maxDepth = 0;
  private origin = 0;
  /** Whether nothing has been emitted yet. */
  private isFirst = true;
  /** Whether `for…in` over a plain object finds its own keys only, and options leave them as they are. */
  private isPlainWalk = true;

  /** The next word of the tape, slot of the lane, byte and unit of the pools; and where the tape is full. */
  private at = 0;
  private limit = 0;
  private laneAt = 0;
  private at8 = 0;
  private at16 = 0;
  private maxText = 0;

  /**
   * The maps that are being walked, and where on the tape their headers are. Once a header has been emitted that is -1,
   * and the map's keys at that moment are listed.
   */
  private openMaps = 0;
  private readonly maps: (object | null)[] = [];
  private readonly headers: number[] = [];
  private readonly keyLists: (string[] | null)[] = [];

  /** What fills the holes in the output, and what has been taken out of the output already. */
  private payloads: Uint8Array[] = [];
  private readonly payloadLengths: number[] = [];
  private parts: Uint8Array[] = [];
  private partBytes = 0;

  static get wantsToRelearn(): boolean {
    return Walker.trie.wantsToRelearn;
  }

  static relearn(): void {
    Walker.trie.relearn();
  }

  /**
   * Encodes a value; then `size` and `writeTo`, or `take`, give its bytes. `origin` is the offset that the message
   * will have, for those who ask for positions.
   */
  walk(value: unknown, settings: EncodeSettings, origin: number): void {
    this.settings = settings;
    this.origin = origin;
    this.setModes(settings.modes);
    this.setOrigin(origin);
    const { extensionCodec, typedArrays } = settings;
    this.typedArrays = typedArrays;
    this.codec = extensionCodec === defaultExtensionCodec || typedArrays?.isAlone ? null : extensionCodec;
    this.asFloats = settings.modes.integersAsFloats;
    this.maxDepth = settings.maxDepth;
    this.isPlainWalk = !settings.sortKeys && !settings.ignoreUndefined && isObjectPrototypeClean();
    this.limit = this.tapeWords - TAPE_RESERVE;
    this.maxText = Math.min(MAX_TEXT, this.poolBytes >>> 2);
    this.isFirst = true;
    this.at = this.laneAt = this.at8 = this.at16 = 0;
    if (this.maxDepth < 1) throw tooDeep(1, this.maxDepth);
    this.value(value, 1);
    this.flush();
  }

  /** Lets go of the caller's values, whatever has happened. */
  clear(): void {
    this.settings = IDLE;
    this.codec = null;
    this.typedArrays = null;
    if (this.openMaps > 0) {
      this.openMaps = 0;
      this.maps.fill(null);
      this.keyLists.fill(null);
    }
    if (this.payloads.length > 0) {
      this.payloads = [];
      this.payloadLengths.length = 0;
    }
    if (this.parts.length > 0) {
      this.parts = [];
      this.partBytes = 0;
    }
  }

  /** The bytes of the message so far. */
  get size(): number {
    let size = this.partBytes + this.outputLength;
    for (const length of this.payloadLengths) size += length;
    return size;
  }

  /** The message as a copy of its own. */
  take(): Uint8Array<ArrayBuffer> {
    if (this.partBytes === 0 && this.payloads.length === 0) return this.copyOutput(0, this.outputLength);
    const result = new Uint8Array(this.size);
    this.write(result, 0);
    return result;
  }

  /** Writes the message to offset `at` of `target`, which has room for `size` bytes. */
  writeTo(target: Uint8Array, at: number): void {
    // What is to be written may lie where it is written to.
    for (let i = 0; i < this.payloads.length; i++) {
      if (this.payloads[i].buffer === target.buffer) this.payloads[i] = this.payloads[i].slice();
    }
    for (let i = 0; i < this.parts.length; i++) {
      if (this.parts[i].buffer === target.buffer) this.parts[i] = this.parts[i].slice();
    }
    this.write(target, at);
  }

  /** As `writeTo`, for a target that holds nothing of the value. */
  private write(target: Uint8Array, at: number): void {
    for (const part of this.parts) {
      target.set(part, at);
      at += part.length;
    }
    let start = 0;
    for (let i = 0; i < this.payloads.length; i++) {
      const end = this.holeAt(i);
      this.copyOutputTo(target, at, start, end);
      at += end - start;
      target.set(this.payloadOf(i), at);
      at += this.payloadLengths[i];
      start = end;
    }
    this.copyOutputTo(target, at, start, this.outputLength);
  }

  private value(value: unknown, depth: number): void {
    if (this.at > this.limit) this.flush();
    switch (typeof value) {
      case "string":
        this.text(value);
        return;
      case "number": {
        const int = value | 0;
        if (int === value && int >= -0x8000000 && int < 0x8000000 && !this.asFloats) {
          this.tape[this.at++] = (int << 4) | Tag.INT;
        } else {
          this.lane[this.laneAt++] = value;
          this.tape[this.at++] = Tag.FLOAT;
        }
        return;
      }
      case "object":
        if (value === null) {
          this.tape[this.at++] = Tag.NIL;
        } else if (this.codec !== null && (this.typedArray(value) || this.extension(this.codec, value))) {
          return;
        } else if (Array.isArray(value)) {
          this.array(value, depth);
        } else {
          this.object(value as Record<string, unknown>, depth);
        }
        return;
      case "boolean":
        this.tape[this.at++] = value ? (1 << 4) | Tag.BOOL : Tag.BOOL;
        return;
      case "undefined":
        this.tape[this.at++] = Tag.NIL;
        return;
      default:
        this.other(value);
    }
  }

  private array(array: readonly unknown[], depth: number): void {
    const { length } = array;
    if (length > MAX_PAYLOAD) {
      this.tape[this.at++] = (Wide.LARGE_ARRAY << 4) | Tag.WIDE;
      this.tape[this.at++] = length;
    } else {
      this.tape[this.at++] = (length << 4) | Tag.ARRAY;
    }
    if (length === 0) return;
    if (depth >= this.maxDepth) throw tooDeep(depth + 1, this.maxDepth);
    let i = 1;
    const first = array[0];
    if (length > 1 && typeof first === "number" && (length >= MIN_RUN || (first | 0) !== first)) {
      const second = array[1];
      if (typeof second === "number") {
        i = this.numbers(array, first, second, length, depth);
      } else {
        this.value(first, depth + 1);
        this.value(second, depth + 1);
        i = 2;
      }
    } else {
      this.value(first, depth + 1);
    }
    while (i < length) this.value(array[i++], depth + 1);
  }

  /** Writes numbers while they last, and the item that ends them. Returns the index behind that. */
  private numbers(
    array: readonly unknown[],
    first: number,
    second: number,
    length: number,
    depth: number,
  ): number {
    // Runs keep to the first half of the lane: the other has room for a number a word.
    const limit = this.tapeWords;
    if (this.laneAt >= limit) this.flush();
    let start = this.laneAt;
    let at = start;
    this.lane[at++] = first;
    let item: unknown = second;
    let i = 2;
    for (;;) {
      while (at < limit && typeof item === "number" && i <= length) {
        this.lane[at++] = item;
        item = i < length ? array[i] : undefined;
        i++;
      }
      this.laneAt = at;
      this.tape[this.at++] = ((at - start) << 4) | Tag.FLOATS;
      if (i > length) return length;
      if (typeof item !== "number") {
        this.value(item, depth + 1);
        return i;
      }
      this.flush();
      start = at = 0;
    }
  }

  private object(object: Record<string, unknown>, depth: number): void {
    const prototype = Object.getPrototypeOf(object);
    if (!this.isPlainWalk || (prototype !== Object.prototype && prototype !== null)) {
      this.special(object, depth);
      return;
    }
    const slot = this.openMaps++;
    this.headers[slot] = this.at++;
    this.maps[slot] = object;
    let node = Walker.trie.root;
    let count = 0;
    for (const key in object) {
      if (count++ === 0 && depth >= this.maxDepth) throw tooDeep(depth + 1, this.maxDepth);
      node = node.predictedKey === key ? (node.predicted as KeyNode) : Walker.trie.follow(node, key, this);
      if (node.word !== 0) {
        this.tape[this.at++] = node.word;
      } else {
        this.text(key);
      }
      this.value(object[key], depth + 1);
      if (this.headers[slot] < 0) {
        this.finishMap(slot, object, key, count, depth);
        break;
      }
    }
    const header = this.headers[slot];
    if (header >= 0) this.tape[header] = (count << 4) | Tag.MAP;
    this.maps[slot] = null;
    this.openMaps = slot;
  }

  /**
   * Goes on with a map whose header has been emitted, by the list of the keys that it had then: whatever getters do to
   * the object since, the count holds.
   */
  private finishMap(
    slot: number,
    object: Record<string, unknown>,
    last: string,
    done: number,
    depth: number,
  ): void {
    const keys = this.keyLists[slot] as string[];
    this.keyLists[slot] = null;
    if (keys[done - 1] !== last) {
      throw new Error("A getter has removed keys from its object, which were encoded already");
    }
    for (let i = done; i < keys.length; i++) {
      this.text(keys[i]);
      this.value(object[keys[i]], depth + 1);
    }
  }

  /** Whatever is not a plain object walked plainly. */
  private special(object: Record<string, unknown>, depth: number): void {
    if (ArrayBuffer.isView(object)) {
      if (!this.typedArray(object)) this.binary(object, Wide.SHORT_BIN, Wide.BIN, 0);
      return;
    }
    if (this.codec === null && this.extension(this.settings.extensionCodec, object)) return;
    switch (kindOf(object)) {
      case "map":
        this.map(object as unknown as Map<unknown, unknown>, depth);
        return;
      case "set":
        this.array([...(object as unknown as Set<unknown>)], depth);
        return;
      case "buffer":
        this.binary(new Uint8Array(object as unknown as ArrayBufferLike), Wide.SHORT_BIN, Wide.BIN, 0);
        return;
      case "boxed":
        this.value(unboxed(object), depth);
        return;
      default:
        this.entries(object, depth);
    }
  }

  /** Keys have their own types. */
  private map(map: Map<unknown, unknown>, depth: number): void {
    // As they are now: what is done to the map while it is encoded must not part the count from the pairs.
    const entries = [...map];
    this.mapHeader(entries.length, depth);
    for (const [key, value] of entries) {
      this.value(key, depth + 1);
      this.value(value, depth + 1);
    }
  }

  /** The pairs of an object, by a list of its keys made beforehand: their number is known. */
  private entries(object: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(object);
    if (this.settings.sortKeys) keys.sort();
    if (this.settings.ignoreUndefined) {
      const kept: [string, unknown][] = [];
      for (const key of keys) {
        const value = object[key];
        if (value !== undefined) kept.push([key, value]);
      }
      this.mapHeader(kept.length, depth);
      for (const [key, value] of kept) {
        this.text(key);
        this.value(value, depth + 1);
      }
    } else {
      this.mapHeader(keys.length, depth);
      for (const key of keys) {
        this.text(key);
        this.value(object[key], depth + 1);
      }
    }
  }

  private mapHeader(count: number, depth: number): void {
    if (count > 0 && depth >= this.maxDepth) throw tooDeep(depth + 1, this.maxDepth);
    this.tape[this.at++] = (count << 4) | Tag.MAP;
  }

  private text(text: string): void {
    const { length } = text;
    if (length > this.maxText) {
      this.payload(utf8.encode(text), Wide.LONG_STR, 0);
      return;
    }
    if (
      this.at > this.limit ||
      this.at16 + length > this.poolBytes ||
      this.at8 + length * 3 > this.poolBytes
    ) {
      this.flush();
    }
    if (length <= LOOP_UNITS) {
      const pool = this.pool16;
      let at = this.at16;
      for (let i = 0; i < length; i++) pool[at++] = text.charCodeAt(i);
      this.at16 = at;
      this.tape[this.at++] = (length << 4) | Tag.TEXT16;
    } else if (hostText.writesUtf16) {
      hostText.write(text, this.pool16Start + this.at16 * 2);
      this.at16 += length;
      this.tape[this.at++] = (length << 4) | Tag.TEXT16;
    } else {
      const written = hostText.write(text, this.pool8Start + this.at8);
      this.at8 += written;
      this.tape[this.at++] = (written << 4) | Tag.TEXT8;
    }
  }

  /** Registers a key with the emitter. Returns the word that stands for it from now on, or 0 if it must go as text. */
  registerKey(key: string): number {
    const { length } = key;
    if (this.at16 + length > this.poolBytes) this.flush();
    // Behind the text that waits there to be emitted.
    for (let i = 0; i < length; i++) this.pool16[this.at16 + i] = key.charCodeAt(i);
    const number = addKey(this.pool16Start + this.at16 * 2, length);
    return number === 0 ? 0 : (number << 4) | Tag.KEY;
  }

  /** Functions, symbols and bigints. */
  private other(value: unknown): void {
    if (typeof value === "bigint" && this.settings.nativeBigint) {
      this.bigint(value);
    } else if (this.codec === null || !this.extension(this.codec, value)) {
      const hint =
        typeof value === "bigint" ? '; useBigInt64, or int64: "auto", makes integers of bigints' : "";
      throw made(new Error(`Unrecognized object: ${Object.prototype.toString.call(value)}${hint}`));
    }
  }

  private bigint(value: bigint): void {
    if (BigInt.asUintN(64, value) !== value && BigInt.asIntN(64, value) !== value) {
      throw new RangeError(`bigint out of the range of int64 and uint64: ${value}`);
    }
    this.lane64[this.laneAt++] = value;
    const kind = value < 0n ? Wide.INT64 : Wide.UINT64;
    this.tape[this.at++] = (kind << 4) | Tag.WIDE;
  }

  /** Writes a typed array for which there is an extension type. Returns whether it was one. */
  private typedArray(value: object): boolean {
    if (this.typedArrays === null || !ArrayBuffer.isView(value)) return false;
    const extra = this.typedArrays.extraOf(value);
    if (extra < 0) return false;
    this.binary(value, Wide.SHORT_TYPED_ARRAY, Wide.TYPED_ARRAY, extra << 8);
    return true;
  }

  /** Asks a codec for an extension. Returns whether it made one. */
  private extension(codec: ExtensionCodecType<unknown>, value: unknown): boolean {
    const made = codec.tryToEncode(value, this.settings.context);
    if (made == null) return false;
    const { type, data } = made;
    const extra = (type & 0xff) << 8;
    // Tape room was looked for before the codec was asked, and a codec that encodes has a walker of its own.
    if (typeof data === "function") {
      this.flush();
      const payload = bytesOf(data(this.origin + this.size + PLACED_HEADER_BYTES)).slice();
      this.payload(payload, Wide.PLACED_EXT, extra);
    } else {
      this.binary(data, Wide.SHORT_EXT, Wide.EXT, extra);
    }
    return true;
  }

  /** Binary data: short ones by way of the pool, others straight to the result. */
  private binary(
    data: ArrayBufferView | ArrayLike<number>,
    short: number,
    long: number,
    extra: number,
  ): void {
    const bytes = bytesOf(data);
    const { length } = bytes;
    if (length > SHORT_BYTES) {
      // What an extension codec returns may be memory that it uses again.
      this.payload(long === Wide.EXT ? bytes.slice() : bytes, long, extra);
      return;
    }
    if (this.at8 + length > this.poolBytes) this.flush();
    this.pool8.set(bytes, this.at8);
    this.at8 += length;
    this.tape[this.at++] = extra | (short << 4) | Tag.WIDE;
    this.tape[this.at++] = length;
  }

  /** Leaves a hole in the output, which `payload` fills in the end. */
  private payload(payload: Uint8Array, kind: number, extra: number): void {
    if (this.at > this.limit) this.flush();
    this.tape[this.at++] = extra | (kind << 4) | Tag.WIDE;
    this.tape[this.at++] = payload.length;
    this.payloads.push(payload);
    this.payloadLengths.push(payload.length);
  }

  /** What fills hole `i`, which must be as long as its header says: its buffer may have been given away meanwhile. */
  private payloadOf(i: number): Uint8Array {
    const payload = this.payloads[i];
    if (payload.length === this.payloadLengths[i]) return payload;
    throw new Error("Binary data has changed its length while it was encoded");
  }

  /** Has the window emitted, and begins the next. */
  private flush(): void {
    for (let slot = this.openMaps - 1; slot >= 0; slot--) {
      const header = this.headers[slot];
      // Those further out were settled by an earlier flush.
      if (header < 0) break;
      const keys = Object.keys(this.maps[slot] as object);
      this.tape[header] = (keys.length << 4) | Tag.MAP;
      this.headers[slot] = -1;
      this.keyLists[slot] = keys;
    }
    let isDone = this.emit(this.at, this.isFirst);
    this.isFirst = false;
    while (!isDone) {
      this.drainOutput();
      isDone = this.emitMore();
    }
    this.at = this.laneAt = this.at8 = this.at16 = 0;
  }

  /** Takes away what is in the output. */
  private drainOutput(): void {
    const holes = this.holeCount;
    let start = 0;
    for (let i = 0; i < holes; i++) {
      const end = this.holeAt(i);
      this.addPart(this.copyOutput(start, end));
      this.addPart(this.payloadOf(i));
      start = end;
    }
    this.addPart(this.copyOutput(start, this.outputLength));
    this.payloads.splice(0, holes);
    this.payloadLengths.splice(0, holes);
    this.drain();
  }

  private addPart(part: Uint8Array): void {
    this.parts.push(part);
    this.partBytes += part.length;
  }
}

function tooDeep(depth: number, maxDepth: number): Error {
  return made(
    new Error(`Too deep objects in depth ${depth}: maxDepth is ${maxDepth}, or the object holds itself`),
  );
}

/** @throws TypeError if that is no bytes, which only an extension codec can bring about */
function bytesOf(data: ArrayBufferView | ArrayLike<number>): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (typeof data === "object" && data !== null && Number.isInteger(data.length))
    return Uint8Array.from(data);
  throw new TypeError(`An extension encoder must return bytes, not ${String(data)}`);
}
