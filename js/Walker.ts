import { COMPILE_AT, MAX_COMPILED, mayCompile } from "./codeGeneration.ts";
import { compileWalk, isWalkable, seen, type Walk } from "./compileWalk.ts";
import { made } from "./DecodeError.ts";
import { ExtensionCodec, type ExtensionCodecType } from "./ExtensionCodec.ts";
import { type KeyNode, KeyTrie, MAX_DEPTH } from "./KeyTrie.ts";
import { kindOf, unboxed } from "./kinds.ts";
import { SMALL_BYTES, SmallWriter } from "./SmallWriter.ts";
import { writeShortBin } from "./smallFormats.ts";
import type { TypedArrayTable } from "./TypedArrayTable.ts";
import { MAX_PAYLOAD, Tag, Wide } from "./tape.ts";
import { copyBytes } from "./wasm/copyBytes.ts";
import { addKey, clearKeys, type EncodeModes, MAX_TEXT } from "./wasm/EncodeMemory.ts";

/** What an encoder's options come to. Made once, in its constructor. */
export interface EncodeSettings {
  readonly modes: EncodeModes;
  /** Null for the default codec, which need not be asked for plain objects. */
  readonly extensionCodec: ExtensionCodecType<unknown> | null;
  /** What the extension codec knows of typed arrays, if it need not be asked for each. */
  readonly typedArrays: TypedArrayTable | null;
  readonly context: unknown;
  /** Whether it holds what is the caller's: a codec or a context. */
  readonly isCallers: boolean;
  readonly maxDepth: number;
  readonly sortKeys: boolean;
  readonly ignoreUndefined: boolean;
  /** Whether a message may begin with what `SmallWriter` writes. */
  readonly isDirect: boolean;
  /** Whether the last message was such that it was worth it: the next one is taken to be so, too. */
  isSmall: boolean;
  /** Whether the keys of a plain object stay as they are. */
  readonly isPlain: boolean;
  /** bigints are integers, not a matter for the extension codec. */
  readonly nativeBigint: boolean;
}

/** Longer binary data goes to the result directly. */
const SHORT_BYTES = 256;
const PLACED_HEADER_BYTES = 6;
const TRY_AGAIN = 8;

const utf8 = new TextEncoder();
const defaultExtensionCodec: ExtensionCodecType<unknown> = ExtensionCodec.defaultCodec;

const IDLE = { isCallers: false } as EncodeSettings;

/**
 * Values → tape → bytes. Each works on one message at a time; a pool hands them out. The members that the inner loop
 * uses are not `#private`, which V8 checks at each access.
 */
export class Walker extends SmallWriter {
  /** Shared by all: what one encoder learns of keys, all know. */
  private static readonly trie = /* @__PURE__ */ new KeyTrie(clearKeys);
  private static compiled = 0;

  settings = IDLE;
  codec: ExtensionCodecType<unknown> | null = null;
  private typedArrays: TypedArrayTable | null = null;
  asFloats = false;
  private origin = 0;
  /** Whether nothing has been emitted yet. */
  private isFirst = true;
  /** Messages that were small, but not written directly. */
  private smallMessages = 0;
  /** The next word of the tape, slot of the lane, byte of the pool; and where the tape is full. */
  at = 0;
  private laneAt = 0;
  private at8 = 0;
  /** The text of the window, and its length. */
  private rope = "";
  private textUnits = 0;

  /** What fills the holes in the output, and what has been taken out of the output already. */
  readonly payloads: Uint8Array[] = [];
  private readonly payloadLengths: number[] = [];
  private parts: Uint8Array[] = [];
  partBytes = 0;

  static get wantsToRelearn(): boolean {
    return Walker.trie.wantsToRelearn;
  }

  static relearn(): void {
    if (Walker.trie.relearn()) Walker.compiled = 0;
  }

  /**
   * Encodes a value; then `size` and `writeTo`, or `take`, give its bytes. `origin` is the offset that the message
   * will have, for those who ask for positions.
   */
  walk(value: unknown, settings: EncodeSettings, origin: number): void {
    this.begin(settings, origin);
    if (settings.isDirect && settings.isSmall) {
      this.beginDirectly(value);
      if (this.isDirect) return;
    } else {
      this.value(value, 1);
    }
    this.flush();
    if (settings.isDirect) this.predict(settings);
  }

  begin(settings: EncodeSettings, origin: number): void {
    if (settings !== this.settings) this.configure(settings);
    this.origin = origin;
    this.prepare(origin);
    this.isFirst = true;
    this.behind = 0;
    if (settings.maxDepth < 1) throw tooDeep(1, settings.maxDepth);
  }

  /** Whether it is worth writing the next message directly: what could not even begin so is tried again now and then. */
  predict(settings: EncodeSettings): void {
    const isWorthIt =
      this.isShort && (settings.isSmall ? this.head > 0 : ++this.smallMessages % TRY_AGAIN === 0);
    if (isWorthIt !== settings.isSmall) settings.isSmall = isWorthIt;
  }

  protected get asksCodec(): boolean {
    return this.codec !== null;
  }

  turnToTape(head: number): void {
    if (this.payloads.length === 0) {
      this.behind = head;
    } else {
      this.isFirst = false;
      this.goOnAt(head, this.payloads.length, sum(this.payloadLengths));
    }
  }

  protected placeView(view: ArrayBufferView, at: number): number {
    const extra = this.typedArrays?.extraOf(view) ?? -1;
    if (extra < 0) return writeShortBin(this.output, at, view);
    const { byteLength } = view;
    // The prefix of a frame takes all its bytes if there is such an array, which the emitter must know.
    if (byteLength <= SHORT_BYTES || this.framing !== 0) return -1;
    const alignment = 1 << (extra >>> 8);
    const position = this.origin + at + sum(this.payloadLengths);
    // As `Emitter::typed_array_header`, for what is longer than an ext 8.
    const { output } = this;
    let offset = offsetBehind(position + 4, alignment);
    if (offset + byteLength < 0x10000) {
      output[at++] = 0xc8;
    } else {
      offset = offsetBehind(position + 6, alignment);
      output[at++] = 0xc9;
      output[at++] = (offset + byteLength) >>> 24;
      output[at++] = (offset + byteLength) >>> 16;
    }
    output[at++] = (offset + byteLength) >>> 8;
    output[at++] = offset + byteLength;
    output[at++] = extra;
    output[at++] = offset;
    for (let i = 1; i < offset; i++) output[at++] = 0;
    this.holes[this.payloads.length] = at;
    this.payloads.push(bytesOf(view));
    this.payloadLengths.push(byteLength);
    return at;
  }

  /** Whether the message, its large binary data apart, is so short that it is worth writing it directly. */
  get isShort(): boolean {
    return this.outputLength <= SMALL_BYTES && this.partBytes === 0;
  }

  private configure(settings: EncodeSettings): void {
    const { extensionCodec, typedArrays, modes } = settings;
    this.settings = settings;
    this.typedArrays = typedArrays;
    this.codec = typedArrays?.isAlone ? null : extensionCodec;
    this.asFloats = modes.integersAsFloats;
    this.hasInt64 = !modes.noInt64;
    this.setModes(modes);
  }

  /** Lets go of the caller's values, whatever has happened. */
  clear(): void {
    this.framing = 0;
    // A window that has been emitted leaves nothing.
    if (this.at !== 0) this.startWindow();
    if (this.settings.isCallers) {
      this.settings = IDLE;
      this.codec = null;
      this.typedArrays = null;
    }
    if (this.payloads.length > 0) {
      // Taken out one by one, since an array that is emptied at once loses its room.
      while (this.payloads.length > 0) this.payloads.pop();
      while (this.payloadLengths.length > 0) this.payloadLengths.pop();
    }
    if (this.parts.length > 0) {
      this.parts = [];
      this.partBytes = 0;
    }
  }

  /** The bytes of the message so far. */
  get size(): number {
    return this.partBytes + this.outputLength + sum(this.payloadLengths);
  }

  /** The message as a copy of its own. */
  take(): Uint8Array<ArrayBuffer> {
    if (this.partBytes === 0 && this.payloads.length === 0) return this.copyAll();
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
  write(target: Uint8Array, at: number): void {
    for (let i = 0; i < this.parts.length; i++) {
      target.set(this.parts[i], at);
      at += this.parts[i].length;
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

  value(value: unknown, depth: number): void {
    if (this.at > this.tapeLimit) this.flush();
    // V8 compares types in line where a switch would call for their names.
    if (typeof value === "string") {
      this.text(value);
    } else if (typeof value === "number") {
      if (isSmall(value) && !this.asFloats) {
        this.tape[this.at++] = (value << 4) | Tag.INT;
      } else {
        this.lane[this.laneAt++] = value;
        this.tape[this.at++] = Tag.FLOAT;
      }
    } else if (typeof value === "object") {
      if (value === null) {
        this.tape[this.at++] = Tag.NIL;
      } else if (this.isExtension(value)) {
        return;
      } else if (Array.isArray(value)) {
        this.array(value, depth);
      } else {
        this.object(value as Record<string, unknown>, depth);
      }
    } else if (typeof value === "boolean") {
      this.tape[this.at++] = value ? (1 << 4) | Tag.BOOL : Tag.BOOL;
    } else if (value === undefined) {
      this.tape[this.at++] = Tag.NIL;
    } else {
      this.other(value);
    }
  }

  array(array: readonly unknown[], depth: number): void {
    const { length } = array;
    if (length === 2) {
      this.pair(array, depth);
      return;
    }
    if (length > MAX_PAYLOAD) {
      this.tape[this.at++] = (Wide.LARGE_ARRAY << 4) | Tag.WIDE;
      this.tape[this.at++] = length;
    } else {
      this.tape[this.at++] = (length << 4) | Tag.ARRAY;
    }
    if (length === 0) return;
    this.checkDepth(depth);
    let i = 0;
    let walk: Walk | null = null;
    while (i < length) {
      const item = array[i++];
      if (typeof item === "number") {
        const isWhole = (item | 0) === item;
        i = isWhole ? this.ints(array, i, length, item, depth) : this.floats(array, i, length, item, depth);
      } else if (typeof item === "string") {
        this.text(item);
      } else if (typeof item !== "object") {
        this.value(item, depth + 1);
      } else {
        if (this.at > this.tapeLimit) this.flush();
        if (item === null) {
          this.tape[this.at++] = Tag.NIL;
        } else if (!this.isExtension(item)) {
          if (Array.isArray(item)) {
            this.array(item, depth + 1);
          } else if (walk === null || !walk(this, item as Record<string, unknown>, depth + 1)) {
            walk = this.object(item as Record<string, unknown>, depth + 1);
          }
        }
      }
    }
  }

  /**
   * Writes small integers while they last: `first`, those from index `i` on, and the item that ends them. Returns the
   * index behind that.
   */
  private ints(array: readonly unknown[], i: number, length: number, first: number, depth: number): number {
    let item: unknown = first;
    for (;;) {
      const { tapeLimit } = this;
      let { at } = this;
      while (at <= tapeLimit) {
        if (typeof item !== "number" || !isSmall(item) || this.asFloats) break;
        // A getter among the items may make memory grow, and the tape another array.
        this.tape[at++] = (item << 4) | Tag.INT;
        if (i >= length) {
          this.at = at;
          return i;
        }
        item = array[i++];
      }
      this.at = at;
      if (at > tapeLimit) {
        this.flush();
      } else if (typeof item === "number") {
        return this.floats(array, i, length, item, depth);
      } else {
        this.value(item, depth + 1);
        return i;
      }
    }
  }

  /** As `ints`, for numbers that go to the lane. */
  private floats(array: readonly unknown[], i: number, length: number, first: number, depth: number): number {
    // Runs keep to the first half of the lane: the other has room for a number a word.
    const limit = this.tapeWords;
    if (this.laneAt >= limit || this.at > this.tapeLimit) this.flush();
    let item: unknown = first;
    for (;;) {
      const { laneAt } = this;
      let at = laneAt;
      let isNumber = true;
      while (isNumber && at < limit) {
        this.lane[at++] = item as number;
        if (i >= length) {
          this.laneAt = at;
          this.tape[this.at++] = ((at - laneAt) << 4) | Tag.FLOATS;
          return i;
        }
        item = array[i++];
        isNumber = typeof item === "number";
      }
      this.laneAt = at;
      this.tape[this.at++] = ((at - laneAt) << 4) | Tag.FLOATS;
      if (!isNumber) {
        this.value(item, depth + 1);
        return i;
      }
      this.flush();
    }
  }

  /** An array of two items: coordinates, often. */
  private pair(array: readonly unknown[], depth: number): void {
    this.checkDepth(depth);
    const first = array[0];
    const second = array[1];
    if (typeof first !== "number" || typeof second !== "number") {
      this.tape[this.at++] = (2 << 4) | Tag.ARRAY;
      this.value(first, depth + 1);
      this.value(second, depth + 1);
    } else if (isSmall(first) && isSmall(second) && !this.asFloats) {
      const { tape, at } = this;
      tape[at] = (2 << 4) | Tag.ARRAY;
      tape[at + 1] = (first << 4) | Tag.INT;
      tape[at + 2] = (second << 4) | Tag.INT;
      this.at = at + 3;
    } else {
      if (this.laneAt + 2 > this.tapeWords) this.flush();
      const { lane, laneAt } = this;
      lane[laneAt] = first;
      lane[laneAt + 1] = second;
      this.laneAt = laneAt + 2;
      this.tape[this.at++] = (2 << 4) | Tag.POINT;
    }
  }

  /** To be called before the items of a container at `depth`. */
  checkDepth(depth: number): void {
    const { maxDepth } = this.settings;
    if (depth >= maxDepth) throw tooDeep(depth + 1, maxDepth);
  }

  /** Returns what walks plain objects of the same shape faster, if it knows such a thing. */
  object(object: Record<string, unknown>, depth: number): Walk | null {
    if (!this.settings.isPlain || ArrayBuffer.isView(object)) {
      this.special(object, depth);
      return null;
    }
    // A list made beforehand: whatever getters do to the object, the count holds.
    const keys = Object.keys(object);
    const { length } = keys;
    const node = length > MAX_DEPTH ? null : Walker.trie.find(keys, this);
    // To find a property is faster in V8 than to ask for the prototype.
    const isPlain = node?.inheritsConstructor && object.constructor === Object;
    if (!isPlain && !isPlainObject(object)) {
      this.special(object, depth);
      return null;
    }
    if (node === null || length === 0) {
      this.pairs(object, keys, depth);
      return null;
    }
    if (node.walk?.(this, object, depth)) return node.walk;
    node.words ??= Walker.trie.words(keys);
    const { words } = node;
    if (words === null) {
      this.pairs(object, keys, depth);
      return null;
    }
    if (mayCompile()) this.learn(node, object, keys, words);
    this.mapHeader(length, depth);
    for (let i = 0; i < length; i++) {
      if (this.at > this.tapeLimit) this.flush();
      this.tape[this.at++] = words[i];
      this.value(object[keys[i]], depth + 1);
    }
    return null;
  }

  /** Notes what kinds of values a shape has, and compiles a walk for it once that is worth it. */
  private learn(node: KeyNode, object: Record<string, unknown>, keys: string[], words: number[]): void {
    if (!MAY_BE_NODE) return;
    if (node.uses > COMPILE_AT || Walker.compiled >= MAX_COMPILED) return;
    node.kinds ??= keys.map(() => 0);
    const { kinds } = node;
    for (let i = 0; i < keys.length; i++) {
      // Not what a getter gives: properties are read once.
      kinds[i] |= seen(Object.getOwnPropertyDescriptor(object, keys[i])?.value);
    }
    if (++node.uses === COMPILE_AT && isWalkable(keys)) {
      Walker.compiled++;
      node.walk = compileWalk(keys, words, kinds);
    }
  }

  /** Whatever is not a plain object walked plainly. */
  private special(object: Record<string, unknown>, depth: number): void {
    if (ArrayBuffer.isView(object)) {
      if (!this.typedArray(object)) this.binary(object, Wide.SHORT_BIN, Wide.BIN, 0);
      return;
    }
    if (this.codec === null && this.extension(this.settings.extensionCodec ?? defaultExtensionCodec, object))
      return;
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

  /** An object as the options want it. */
  private entries(object: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(object);
    if (this.settings.sortKeys) keys.sort();
    if (!this.settings.ignoreUndefined) {
      this.pairs(object, keys, depth);
      return;
    }
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
  }

  /** A map with its keys as text. */
  private pairs(object: Record<string, unknown>, keys: readonly string[], depth: number): void {
    this.mapHeader(keys.length, depth);
    for (const key of keys) {
      this.text(key);
      this.value(object[key], depth + 1);
    }
  }

  private mapHeader(count: number, depth: number): void {
    if (count > 0) this.checkDepth(depth);
    this.tape[this.at++] = (count << 4) | Tag.MAP;
  }

  text(text: string): void {
    const { length } = text;
    if (length > this.maxText) {
      this.longText(text);
      return;
    }
    if (this.at > this.tapeLimit || this.textUnits + length > this.textLimit) this.flush();
    // A rope costs an allocation a string, and one copy for all: less than writing each (measured for any length).
    this.rope += text;
    this.textUnits += length;
    this.tape[this.at++] = (length << 4) | Tag.TEXT16;
  }

  private longText(text: string): void {
    // In tests with small windows, shorter text comes here, too, which needs another header.
    if (text.length <= MAX_TEXT || !this.writeBehind((at) => this.writeHostText(text, at)))
      this.payload(utf8.encode(text), Wide.LONG_STR, 0);
  }

  /**
   * Lets `write` write to the output, from a byte of it on. It returns where that ends, or -1 if there may be no room: then
   * the output is drained, and if that did not help, false returned.
   */
  private writeBehind(write: (at: number) => number): boolean {
    this.flush();
    let end = write(this.outputLength);
    if (end < 0) {
      this.drainOutput();
      end = write(0);
    }
    if (end >= 0) this.goOnAt(end, this.payloads.length, this.partBytes + sum(this.payloadLengths));
    return end >= 0;
  }

  /** Registers a key with the emitter. Returns the word that stands for it from now on, or 0 if it must go as text. */
  registerKey(key: string): number {
    const { length } = key;
    // The pool is free as long as the window is not emitted.
    for (let i = 0; i < length; i++) this.pool16[i] = key.charCodeAt(i);
    const number = addKey(this.pool16Start, length);
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

  /** Asks the codec, if it is one that is asked for all objects. Returns whether it has made an extension of this one. */
  isExtension(object: object): boolean {
    return this.codec !== null && (this.typedArray(object) || this.extension(this.codec, object));
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
      if (long !== Wide.EXT) this.payload(bytes, long, extra);
      else if (!this.writeBehind((at) => this.writeExtension(bytes, extra >> 8, at)))
        this.payload(bytes.slice(), long, extra);
      return;
    }
    if (this.at8 + length > this.poolBytes) this.flush();
    copyBytes(this.pool8, this.at8, bytes, 0, length);
    this.at8 += length;
    this.tape[this.at++] = extra | (short << 4) | Tag.WIDE;
    this.tape[this.at++] = length;
  }

  /** Leaves a hole in the output, which `payload` fills in the end. */
  private payload(payload: Uint8Array, kind: number, extra: number): void {
    if (this.at > this.tapeLimit) this.flush();
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
  flush(): void {
    const isBytes = this.writeText(this.rope);
    let isDone = this.emit(this.at, this.isFirst, isBytes);
    this.isFirst = false;
    while (!isDone) {
      this.drainOutput();
      isDone = this.emitMore();
    }
    this.startWindow();
  }

  private startWindow(): void {
    this.at = this.laneAt = this.at8 = this.textUnits = 0;
    this.rope = "";
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

/** What a typed array that is to be aligned, and whose header ends at `position`, has as its first byte. */
function offsetBehind(position: number, alignment: number): number {
  return 1 + (-(position + 1) & (alignment - 1));
}

function sum(numbers: readonly number[]): number {
  let all = 0;
  for (let i = 0; i < numbers.length; i++) all += numbers[i];
  return all;
}

/** Whether a number fits a `Tag.INT` word. */
function isSmall(value: number): boolean {
  return (value | 0) === value && value >= -0x8000000 && value < 0x8000000;
}

function isPlainObject(object: Record<string, unknown>): boolean {
  const prototype = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
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
