import { ContainerStack } from "./ContainerStack.ts";
import type { Factory } from "./compileFactory.ts";
import { DecodeError } from "./DecodeError.ts";
import { decodeFailure, extraBytes, forbiddenKey, keyType, unknownExtension } from "./decodeFailure.ts";
import { ExtData } from "./ExtData.ts";
import type { ExtensionCodecType } from "./ExtensionCodec.ts";
import { keepSmall, objectOf, roomFor } from "./propertyRoom.ts";
import type { Shapes } from "./Shapes.ts";
import { BufferSource, type Source } from "./Source.ts";
import { Status } from "./status.ts";
import { longTextOf } from "./TextReader.ts";
import type { TypedArrayTable } from "./TypedArrayTable.ts";
import { Tag, Wide } from "./tape.ts";
import { sharedVocabulary, type Vocabulary } from "./Vocabulary.ts";
import { DecodeMemory, type DecodeModes, isError, type SuspendedMessage } from "./wasm/DecodeMemory.ts";

/** Makes strings of map keys, in place of the library's own means. */
export interface KeyDecoder {
  /** Whether `decode` shall be called for a key of so many bytes. */
  canBeCached(byteLength: number): boolean;
  /** The key that stands as UTF-8 in `bytes` from `inputOffset` on. */
  decode(bytes: Uint8Array, inputOffset: number, byteLength: number): string;
}

/** What a decoder's options come to. Made once, in its constructor. */
export interface DecodeSettings {
  readonly modes: DecodeModes;
  readonly extensionCodec: ExtensionCodecType<unknown>;
  readonly context: unknown;
  /** Whether the last message held long binary data or text: the next one is taken to hold such, too. */
  isBulky: boolean;
  /** Whether it holds what is the caller's: a codec, a context, or functions. */
  readonly isCallers: boolean;
  /** Whether `SmallReader` gives what the options ask for. */
  readonly isSimple: boolean;
  /** Whether nothing may be a view of the input. */
  readonly copies: boolean;
  /** Whether extensions that nobody knows are errors. */
  readonly refusesUnknown: boolean;
  /** No shapes: all keys come out as values. */
  readonly keysInLine: boolean;
  /** Maps become `Map`s. */
  readonly useMap: boolean;
  /** Gets the keys as bytes, where it wants them. */
  readonly keyDecoder: KeyDecoder | null;
  readonly mapKeyConverter: ((key: unknown) => string | number) | null;
  /** What the extension codec knows of typed arrays, if the tokenizer shall know it. */
  readonly typedArrays: TypedArrayTable | null;
}

const IDLE = { isBulky: false, isCallers: false } as DecodeSettings;

/** `new Array(n)` above this makes a dictionary of it in V8; growing item by item does not. */
const MAX_PREALLOCATED = 2 ** 25 - 1;

/** Of so many bytes, a payload is worth not being copied in. */
const BULK = 4096;
/**
 * What is read at first where typed arrays or other long data are likely, and behind each that ends beyond it: their
 * data, which nobody looks at, must not be copied in. It holds the longest key, number, header or pooled string, as each chunk must.
 */
const SHORT_CHUNK = 1024;
/** What is read before that: the header of a small message, with that of the array in it. */
const FIRST_CHUNK = 16;

/** `kMinRun`: shorter arrays hold no runs. */
const MIN_RUN = 8;

/**
 * Tape → values. Each works through one message at a time; `pool.ts` hands them out. The members that the inner loop
 * uses are not `#private`, which V8 checks at each access.
 */
export class Materializer extends DecodeMemory {
  private readonly vocabulary: Vocabulary;
  private readonly shapes: Shapes;
  private readonly factories: readonly (Factory | undefined)[];
  readonly buffer = new BufferSource();
  private source: Source = this.buffer;
  private settings = IDLE;

  /** Why the last window ended. */
  status: number = Status.DONE;
  /** Where in the message the current chunk starts, and the one with which the window began. */
  private chunk = 0;
  private windowStart = 0;
  /** The next word, and the next slot of the lane. */
  at = 0;
  laneAt = 0;
  /** The pools, where they are cut next, and the addresses of the pools after them. */
  text8 = "";
  cut8 = 0;
  private next8 = 0;
  private text16 = "";
  private cut16 = 0;
  private next16 = 0;
  /** Whether more input may come, so that its end is no error. */
  private isOpen = false;
  private isMany = false;
  /** How long the input must be before it is worth going on. */
  awaited = 0;
  /** Where the last extension was: the one kind of key that is judged by what became of it. */
  private extensionOffset = 0;
  /** Whether the message has held binary data, or text, of some length. */
  private hasBulk = false;
  /** How much of the current chunk there is. */
  private loaded = 0;

  constructor(vocabulary = sharedVocabulary) {
    super(vocabulary.keys);
    this.vocabulary = vocabulary;
    this.shapes = vocabulary.shapes;
    this.factories = vocabulary.shapes.factories;
  }

  /** Decodes the one value that `bytes` holds. */
  decode(bytes: Uint8Array, settings: DecodeSettings): unknown {
    this.buffer.set(bytes);
    return this.decodeWhole(this.buffer, settings);
  }

  /** Decodes the value that begins at `offset`, whatever follows it. */
  decodeAt(bytes: Uint8Array, offset: number, settings: DecodeSettings): unknown {
    this.buffer.set(bytes);
    return this.decodeFrom(this.buffer, offset, settings);
  }

  private decodeFrom(source: Source, offset: number, settings: DecodeSettings): unknown {
    this.attach(source, settings, offset, false);
    this.next();
    const value = this.value();
    this.finish();
    return value;
  }

  /** Decodes the one value that a source holds. */
  decodeWhole(source: Source, settings: DecodeSettings): unknown {
    const value = this.decodeFrom(source, 0, settings);
    const end = this.position;
    if (end < source.length) throw extraBytes(source.length, end);
    return value;
  }

  /**
   * Turns to a source, of which more may come if `isOpen`, at an offset of it. If `isMany`, windows hold as many values
   * as they have room for.
   */
  attach(source: Source, settings: DecodeSettings, offset: number, isOpen: boolean, isMany = false): void {
    // Writing what is there already would cost more than comparing.
    if (source !== this.source) this.source = source;
    if (settings !== this.settings) this.settings = settings;
    this.isOpen = isOpen;
    this.isMany = isMany;
    this.chunk = offset;
    this.loaded = 0;
    this.setModes(settings.modes);
  }

  isAttachedTo(source: Source): boolean {
    return this.source === source;
  }

  /** Lets go of the caller's memory and of the options. */
  detach(): void {
    this.buffer.clear();
    if (this.hasBulk !== this.settings.isBulky) this.settings.isBulky = this.hasBulk;
    this.hasBulk = false;
    if (this.source !== this.buffer) this.source = this.buffer;
    if (this.settings.isCallers) this.settings = IDLE;
  }

  /** Where no more input will come, its end is an error, unless the value is complete. */
  setOpen(isOpen: boolean): void {
    this.isOpen = isOpen;
  }

  /** Goes on with a value that was handed out by `suspend`, at the current position. */
  continueWith(message: SuspendedMessage): void {
    this.resume(message);
    this.load(this.chunkBytes, false);
  }

  /** Begins the value at the current position. */
  next(): void {
    const offset = this.loaded === 0 ? 0 : this.offset;
    if (offset < this.loaded) {
      this.begin(this.isMany);
      this.windowStart = this.chunk;
      this.open(this.run());
    } else {
      this.chunk += offset;
      const first = this.settings.typedArrays !== null ? FIRST_CHUNK : SHORT_CHUNK;
      this.load(this.mayGoOn ? first : this.chunkBytes, true);
    }
  }

  /** Whether there is another value in this window, behind those that have been read. */
  get hasMore(): boolean {
    return this.status === Status.DONE && this.tape[this.at] !== Tag.END;
  }

  /** Runs the tokenizer to the end of a value that has been read. Returns where in the source that is. */
  finish(): number {
    while (this.status !== Status.DONE) this.refill();
    return this.position;
  }

  /** Where the tokenizer stopped. */
  get position(): number {
    return this.chunk + this.offset;
  }

  /** Copies in the next chunk, of at most `limit` bytes, with which a value may begin, and fills a window from it. */
  private load(limit: number, begins: boolean): void {
    const { source } = this;
    this.windowStart = this.chunk;
    this.loaded = source.load(this, this.chunk, Math.min(limit, this.chunkBytes));
    const available = source.length - this.chunk;
    const flags = (begins ? 1 : 0) | (this.isOpen ? 2 : 0) | (this.mayGoOn ? 4 : 0) | (this.isMany ? 8 : 0);
    this.open(this.feed(this.loaded, available, flags));
  }

  /** Whether long data are likely, and the input is all there: then short chunks cost no window each. */
  private get mayGoOn(): boolean {
    return !this.isOpen && (this.settings.typedArrays !== null || this.settings.isBulky);
  }

  /** Fills the next window. Throws what keeps it from coming, now that all before that has been read. */
  refill(): void {
    if (isError(this.status)) {
      throw decodeFailure(this.status, this.position, this.detail(), this.settings.modes.limits);
    }
    if (this.status === Status.WINDOW_FULL) {
      this.windowStart = this.chunk;
      this.open(this.run());
    } else {
      this.chunk += this.offset;
      this.load(this.chunkBytes, false);
    }
  }

  private open(first: number): void {
    const status = first === Status.MORE ? this.more() : first;
    this.status = status;
    if (this.isOpen && status === Status.NEED_INPUT) this.awaited = this.source.length + this.detail();
    this.at = 0;
    this.laneAt = 0;
    this.next8 = this.pool8Start;
    this.next16 = this.pool16Start;
  }

  /** Adds to the window what the next chunks bring, as long as it goes on. */
  private more(): number {
    const { source } = this;
    for (;;) {
      const isLikelyShort = this.offset > this.loaded || this.loaded === FIRST_CHUNK;
      this.chunk += this.offset;
      const limit = Math.min(isLikelyShort ? SHORT_CHUNK : this.chunkBytes, this.chunkBytes >>> 1);
      this.loaded = source.load(this, this.chunk, limit);
      const status = this.goOn(this.loaded, source.length - this.chunk);
      if (status !== Status.MORE) return status;
    }
  }

  /** The next value. Recurses no deeper than the tokenizer's kDeep: containers below that are marked. */
  value(): unknown {
    const word = this.tape[this.at++];
    switch (word & 15) {
      case Tag.INT:
        return word >> 4;
      case Tag.TEXT8: {
        const start = this.cut8;
        this.cut8 = start + (word >>> 4);
        return this.text8.substring(start, this.cut8);
      }
      case Tag.SHAPE:
        return this.shape(word >>> 4);
      case Tag.FLOAT:
        return this.lane[this.laneAt++];
      case Tag.ARRAY:
        return this.array(word >>> 4);
      case Tag.NIL:
        return null;
      case Tag.BOOL:
        return word >>> 4 === 1;
      case Tag.POINT:
        return this.point(word >>> 4);
      case Tag.TEXT16: {
        const start = this.cut16;
        this.cut16 = start + (word >>> 4);
        return this.text16.substring(start, this.cut16);
      }
      case Tag.MAP:
        return this.map(word >>> 4);
      case Tag.KEY:
        return this.shapes.key(word >>> 4);
      case Tag.END:
        this.refill();
        return this.value();
      default:
        return this.wide(word);
    }
  }

  /** V8 allocates short literals in line, and keeps these as unboxed doubles. */
  private point(count: number): number[] {
    const { lane } = this;
    const at = this.laneAt;
    this.laneAt = at + count;
    if (count === 2) return [lane[at], lane[at + 1]];
    if (count === 3) return [lane[at], lane[at + 1], lane[at + 2]];
    if (count === 4) return [lane[at], lane[at + 1], lane[at + 2], lane[at + 3]];
    return [lane[at]];
  }

  shape(number: number): unknown {
    const factory = this.factories[number];
    return factory !== undefined ? factory(this) : this.shapes.make(number)(this);
  }

  array(count: number): unknown[] {
    // The shortest as literals, which V8 allocates in line; none of them holds a run.
    if (count === 0) return [];
    if (count === 1) return [this.value()];
    if (count === 2) return [this.value(), this.value()];
    if (count === 3) return [this.value(), this.value(), this.value()];
    if (count < MIN_RUN) return this.shortArray(count);
    if (count > MAX_PREALLOCATED) return this.items([], 0, count);
    switch (this.peek() & 15) {
      case Tag.FLOATS:
        return this.floats(count);
      case Tag.INTS:
        return this.ints(count);
      default:
        return this.items(new Array(count), 0, count);
    }
  }

  private shortArray(count: number): unknown[] {
    if (count === 4) return [this.value(), this.value(), this.value(), this.value()];
    const array = [this.value(), this.value(), this.value(), this.value(), this.value()];
    for (let i = 5; i < count; i++) array.push(this.value());
    return array;
  }

  /** Fills `array` from index `i` on with items of any kind. */
  private items(array: unknown[], i: number, count: number): unknown[] {
    while (i < count) {
      const word = this.tape[this.at];
      const tag = word & 15;
      if (tag === Tag.SHAPE) {
        this.at++;
        array[i++] = this.shape(word >>> 4);
      } else if (tag === Tag.INTS || tag === Tag.FLOATS) {
        i = this.takeRun(array, i, word);
      } else if (tag === Tag.END) {
        this.refill();
      } else {
        array[i++] = this.value();
      }
    }
    return array;
  }

  /**
   * An array that begins with a run of doubles. V8 learns for each place of allocation, and of storing, what kind of
   * arrays it sees: these have one for each kind of run.
   */
  private floats(count: number): unknown[] {
    const array: number[] = new Array(count);
    for (let i = 0; i < count; ) {
      const word = this.peek();
      if ((word & 15) !== Tag.FLOATS) return this.items(array, i, count);
      const { lane } = this;
      const end = i + (word >>> 4);
      let at = this.laneAt;
      for (; i < end; i++) array[i] = lane[at++];
      this.laneAt = at;
      this.at++;
    }
    return array;
  }

  /** As `floats`, for a run of integers. */
  private ints(count: number): unknown[] {
    const array: number[] = new Array(count);
    for (let i = 0; i < count; ) {
      const word = this.peek();
      if ((word & 15) !== Tag.INTS) return this.items(array, i, count);
      const { tape } = this;
      const end = i + (word >>> 4);
      let at = this.at + 1;
      for (; i < end; i++) array[i] = tape[at++];
      this.at = at;
    }
    return array;
  }

  /** The next word of the message, from the next window if this one is at its end. */
  peek(): number {
    const word = this.tape[this.at];
    if (word !== Tag.END) return word;
    this.refill();
    return this.peek();
  }

  /** Steps over the word that `peek` has returned, and `operands` more. */
  skip(operands = 0): void {
    this.at += 1 + operands;
  }

  /** The operand of the word that `peek` has returned. */
  operand(): number {
    return this.tape[this.at + 1] >>> 0;
  }

  /** Steps over a `Tag.KEYS` word. Where keys may be anything, it returns the offset of the map. */
  skipKeys(): number {
    this.at++;
    return this.settings.keysInLine ? this.windowStart + (this.tape[this.at++] >>> 0) : 0;
  }

  /** Whether there is another word without waiting for input. */
  isReady(): boolean {
    while (this.tape[this.at] === Tag.END) {
      const isWaiting = this.isOpen && this.status === Status.NEED_INPUT;
      if (isWaiting && this.source.length < this.awaited) return false;
      this.refill();
    }
    return true;
  }

  /** Where in the source offsets on the tape count from. */
  get start(): number {
    return this.windowStart;
  }

  /** Fills `array` from index `i` on with a run of numbers. Returns the index behind them. */
  takeRun(array: unknown[], i: number, word: number): number {
    const end = i + (word >>> 4);
    let at = ++this.at;
    if ((word & 15) === Tag.INTS) {
      const { tape } = this;
      for (; i < end; i++) array[i] = tape[at++];
      this.at = at;
    } else {
      const { lane } = this;
      at = this.laneAt;
      for (; i < end; i++) array[i] = lane[at++];
      this.laneAt = at;
    }
    return i;
  }

  /** A map that is not, or not wholly, of a known shape. */
  private map(shape: number): unknown {
    const { keysInLine, useMap } = this.settings;
    if (!keysInLine) this.vocabulary.unknownMaps++;
    const keys = shape === 0 ? NO_KEYS : this.shapes.keys(shape);
    let map = this.newMap();
    let most = roomFor(keys.length);
    for (let i = 0; i < keys.length; i++) most = this.put(map, keys[i], this.value(), most);
    const count = this.peek() >>> 4;
    const offset = this.skipKeys();
    if (keys.length === 0) {
      if (count === 1) return this.mapOf(this.name(this.value(), offset), this.value());
      if (count > MAX_FAST_PAIRS && !useMap) map = emptyDictionary();
      most = roomFor(count);
    }
    for (let left = count; left > 0; left--) {
      const name = this.name(this.value(), offset);
      most = this.put(map, name, this.value(), most);
    }
    return map;
  }

  newMap(): object {
    return this.settings.useMap ? new Map() : {};
  }

  /** A map with one pair. */
  mapOf(name: unknown, value: unknown): object {
    return this.settings.useMap ? new Map([[name, value]]) : objectOf(name as PropertyKey, value);
  }

  /** Adds a pair to what `newMap` has made. `most` is as for `keepSmall`. */
  put(map: object, name: unknown, value: unknown, most: number): number {
    if (this.settings.useMap && map instanceof Map) {
      map.set(name, value);
      return most;
    }
    const next = keepSmall(map, name as PropertyKey, most);
    (map as Record<PropertyKey, unknown>)[name as PropertyKey] = value;
    return next;
  }

  /** What a key comes to, in a map at `offset` if keys may be anything. */
  name(key: unknown, offset: number): unknown {
    const { keyDecoder, useMap, mapKeyConverter, keysInLine } = this.settings;
    const read =
      keyDecoder !== null && key instanceof Uint8Array ? this.keyText(key, keyDecoder, offset) : key;
    if (useMap) return read;
    const isForbidden = read === "__proto__";
    const name = isForbidden || mapKeyConverter === null ? read : propertyName(mapKeyConverter(read));
    if (name === "__proto__") throw forbiddenKey(keysInLine ? offset : this.extensionOffset);
    if (mapKeyConverter === null && typeof name !== "string" && typeof name !== "number") {
      throw keyType(typeof name, this.extensionOffset);
    }
    return name;
  }

  private keyText(key: Uint8Array, keyDecoder: KeyDecoder, offset: number): string {
    const { length } = key;
    return keyDecoder.canBeCached(length) ? keyDecoder.decode(key, 0, length) : this.longText(key, offset);
  }

  shapeKeys(shape: number): readonly string[] {
    return this.shapes.keys(shape);
  }

  wide(word: number): unknown {
    const length = this.tape[this.at] >>> 0;
    switch ((word >>> 4) & 15) {
      case Wide.POOL:
        this.at++;
        if (word >>> 8 === 0) {
          this.text8 = this.ascii(this.next8, length);
          this.next8 += length;
          this.cut8 = 0;
        } else {
          this.text16 = this.text.utf16(this.next16, length);
          this.next16 += length * 2;
          this.cut16 = 0;
        }
        return this.value();
      case Wide.LONG_STR: {
        const offset = this.headerOffset(word);
        return this.longText(this.payload(length), offset);
      }
      case Wide.BIN:
        return this.bytes(length);
      case Wide.EXT: {
        const offset = this.headerOffset(word);
        const value = this.extension(this.bytes(length), (word << 16) >> 24, offset);
        this.extensionOffset = offset;
        return value;
      }
      case Wide.INT32:
        return this.tape[this.at++];
      case Wide.TYPED_ARRAY:
        return this.typedArray(word, length);
      case Wide.UINT64:
        return this.lane64[this.laneAt++];
      case Wide.INT64:
        return BigInt.asIntN(64, this.lane64[this.laneAt++]);
      default:
        this.at--;
        return new ContainerStack().read(this);
    }
  }

  /** Where a value begins whose payload is told by the operands that come next. */
  private headerOffset(word: number): number {
    return this.windowStart + (this.tape[this.at + 1] >>> 0) - ((word >>> 16) & 0xff);
  }

  private payload(length: number): Uint8Array {
    if (length >= BULK) this.hasBulk = true;
    const offset = this.tape[this.at + 1] >>> 0;
    this.at += 2;
    return this.source.view(this.windowStart + offset, length);
  }

  /** As `payload`, for what the caller gets. */
  private bytes(length: number): Uint8Array {
    const view = this.payload(length);
    return this.settings.copies ? new Uint8Array(view) : view;
  }

  private typedArray(word: number, length: number): ArrayBufferView {
    const start = this.windowStart + (this.tape[this.at + 1] >>> 0);
    this.at += 2;
    const offset = start - (word >>> 24) - ((word >>> 16) & 0xff);
    this.extensionOffset = offset;
    const { copies } = this.settings;
    const typedArrays = this.settings.typedArrays as TypedArrayTable;
    return typedArrays.read(this.source, (word >>> 8) & 0xff, start, length, copies, offset);
  }

  private extension(data: Uint8Array, type: number, offset: number): unknown {
    const { extensionCodec, context, refusesUnknown } = this.settings;
    let value: unknown;
    try {
      value = extensionCodec.decode(data, type, context);
    } catch (error) {
      throw error instanceof DecodeError && error.offset === undefined
        ? new DecodeError(error.message, { code: error.code ?? "EXTENSION", offset, cause: error })
        : error;
    }
    if (refusesUnknown && value instanceof ExtData) throw unknownExtension(type, offset);
    return value;
  }

  private longText(bytes: Uint8Array, offset: number): string {
    if (!this.settings.modes.fatalUtf8) return longTextOf(bytes);
    try {
      // TextDecoder refuses shared memory in browsers.
      return fatalUtf8.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
    } catch {
      throw decodeFailure(Status.INVALID_UTF8, offset, 0, this.settings.modes.limits);
    }
  }
}

const NO_KEYS: readonly string[] = [];

const fatalUtf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** V8 makes a dictionary of an object to which more than 18 properties are added by computed keys. */
const MAX_FAST_PAIRS = 18;

/** An empty object that is a dictionary already: properties that are deleted out of order make it one in V8. */
function emptyDictionary(): Record<string, unknown> {
  const object: { first?: number; last?: number } = { first: 0, last: 0 };
  delete object.first;
  delete object.last;
  return object as Record<string, unknown>;
}

/** The property that a converted key names: what `object[key]` would make of it, for a check to see. */
function propertyName(key: unknown): PropertyKey {
  return typeof key === "string" || typeof key === "number" || typeof key === "symbol" ? key : `${key}`;
}

export function isRun(word: number): boolean {
  const tag = word & 15;
  return tag === Tag.INTS || tag === Tag.FLOATS;
}
