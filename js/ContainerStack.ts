import { isRun, type Materializer } from "./Materializer.ts";
import { roomFor } from "./propertyRoom.ts";
import { Stack } from "./Stack.ts";
import { Tag, Wide } from "./tape.ts";

/** What `read` returns when the rest of the container has not arrived yet. */
export const PENDING = Symbol("pending");

/** Longer containers, in items, or keys and values, grow with these: that many are to come can be a lie. */
const SHORT = 15;

/** What the last byte says of a container that is laid aside, if it is not the counts of a short array. */
const MAP = 1;
const MADE = 2;
const CHAINED = 4;
const COUNTED = 8;

/**
 * Reads a container that must not be recursed into: depth takes heap only, and little of it, since there may be a level
 * for each byte. Where the input ends before the container does, it can go on later.
 *
 * Containers are made from the inside out, as far as it goes, so that none has room for what may never come. One with more
 * than a value before the container in it is made at that, and so is one in which nothing comes behind that: a chain of
 * such takes nothing beside itself.
 */
export class ContainerStack {
  /** Of the containers around the current one that wait for more: counts, and values that are in none yet. */
  readonly #bytes = new Stack<number>(Uint8Array);
  readonly #values = new Stack<unknown>(Array);

  // The current container.
  #isMap = false;
  /** Its items, or keys and values, as far as their number is known, and those of them that are to come. */
  #total = 0;
  #left = -1;
  /** The shape of a map whose other keys have not been counted yet, or -1. */
  #shape = -1;
  /** Where a map is, if its keys may be anything. */
  #offset = 0;
  /** Itself, once it is made. */
  #made: object | null = null;
  #key: unknown = null;
  /** As for `Materializer.put`. */
  #most = 0;

  /** The chain of those around it that wait for nothing else: the outermost, the innermost, and the key in that. */
  #head: object | null = null;
  #around: object | null = null;
  #place: unknown = null;

  /** Reads the container whose header comes next, or goes on with it. Returns it, or `PENDING`. */
  read(from: Materializer): unknown {
    if (this.#left < 0) this.#open(from, from.peek());
    for (;;) {
      if (this.#left === 0 && this.#shape < 0) {
        this.#close(from);
        const value = this.#head;
        if (this.#bytes.isEmpty) return value;
        this.#unpack();
        this.#add(value, from);
        continue;
      }
      if (this.#shape >= 0 && this.#left > 0 && this.#expectsKey) {
        this.#left--;
        this.#key = from.shapeKeys(this.#shape)[(this.#total - this.#left) >> 1];
      }
      if (!from.isReady()) return PENDING;
      const word = from.peek();
      if (this.#left === 0) {
        this.#shape = -1;
        this.#offset = from.skipKeys();
        this.#expect(this.#total + 2 * (word >>> 4), from);
      } else if (isRun(word)) {
        this.#addRun(word, from);
      } else if (isMarked(word)) {
        this.#enter(from);
        this.#open(from, word);
      } else {
        this.#add(from.value(), from);
      }
    }
  }

  #open(from: Materializer, word: number): void {
    const kind = (word >>> 4) & 15;
    const isLarge = kind === Wide.LARGE_ARRAY;
    const count = isLarge ? from.operand() : word >>> 8;
    from.skip(isLarge ? 1 : 0);
    this.#isMap = kind === Wide.DEEP_MAP;
    this.#shape = this.#isMap ? count : -1;
    this.#offset = this.#total = this.#left = 0;
    this.#made = null;
    this.#expect(this.#isMap ? 2 * from.shapeKeys(count).length : count, from);
  }

  /** Learns how many values there will be in all. */
  #expect(total: number, from: Materializer): void {
    this.#left += total - this.#total;
    this.#total = total;
    this.#most = roomFor(total >> 1);
    if (total > SHORT) this.#made ??= this.#make(from, 0);
  }

  /** Goes from the current container into one in it. */
  #enter(from: Materializer): void {
    if (this.#left > 1 || this.#shape >= 0) {
      if (this.#count > 1) this.#made ??= this.#make(from, this.#total);
      this.#pack();
      this.#head = null;
      return;
    }
    this.#add(undefined, from);
    this.#around = this.#close(from);
    this.#place = this.#key;
  }

  /** Makes the current container, and puts it into the chain. */
  #close(from: Materializer): object {
    const made = this.#made ?? this.#make(from, this.#total);
    if (this.#head === null) this.#head = made;
    else if (Array.isArray(this.#around)) this.#around[this.#around.length - 1] = made;
    else from.put(this.#around as object, this.#place, made, Number.POSITIVE_INFINITY);
    return made;
  }

  /** How many values, or keys and values, are there, keys without a value left out. */
  get #count(): number {
    const count = this.#total - this.#left;
    return this.#isMap ? count & ~1 : count;
  }

  /** The current container with what is there, an array with places for `length` items. */
  #make(from: Materializer, length: number): object {
    const values = this.#values;
    const count = this.#count;
    if (length === 1) return [values.pop()];
    if (this.#isMap && this.#total === 2 && count === 2) {
      const value = values.pop();
      return from.mapOf(values.pop(), value);
    }
    const list: unknown[] = new Array(this.#isMap ? count : length);
    for (let i = count; i > 0; ) list[--i] = values.pop();
    if (!this.#isMap) return list;
    const map = from.newMap();
    for (let i = 0; i < count; i += 2) this.#most = from.put(map, list[i], list[i + 1], this.#most);
    return map;
  }

  get #expectsKey(): boolean {
    return this.#isMap && (this.#left & 1) === 0;
  }

  #add(value: unknown, from: Materializer): void {
    const isKey = this.#expectsKey;
    this.#left--;
    if (isKey) {
      this.#key = from.name(value, this.#offset);
    } else if (this.#made === null) {
      if (this.#isMap) this.#values.push(this.#key);
      this.#values.push(value);
    } else if (this.#isMap) {
      this.#most = from.put(this.#made, this.#key, value, this.#most);
    } else {
      (this.#made as unknown[])[this.#total - this.#left - 1] = value;
    }
  }

  #addRun(word: number, from: Materializer): void {
    const run = (this.#made as unknown[] | null) ?? [];
    from.takeRun(run, this.#made === null ? 0 : this.#total - this.#left, word);
    this.#left -= word >>> 4;
    if (this.#made === null) for (const item of run) this.#values.push(item);
  }

  /** Lays the current container aside. */
  #pack(): void {
    let flags = 0;
    const keep = (flag: number, ...values: unknown[]) => {
      flags |= flag;
      for (const value of values) this.#values.push(value);
    };
    if (this.#head !== null) keep(CHAINED, this.#head, this.#around, this.#place);
    if (this.#isMap) keep(MAP, this.#key);
    if (this.#made !== null) keep(MADE, this.#made);
    if (this.#total > SHORT || this.#shape >= 0 || this.#offset > 0) {
      keep(COUNTED, this.#offset, this.#shape, this.#total, this.#left);
    } else {
      this.#bytes.push((this.#total << 4) | this.#left);
    }
    if (flags > 0) this.#bytes.push(flags);
  }

  #unpack(): void {
    const last = this.#bytes.pop();
    // A short array has an item at the least.
    const flags = last > SHORT ? 0 : last;
    const taken = (flag: number) => ((flags & flag) === 0 ? null : this.#values.pop());
    if ((flags & COUNTED) === 0) {
      const counts = flags === 0 ? last : this.#bytes.pop();
      this.#left = counts & SHORT;
      this.#total = counts >> 4;
    } else {
      this.#left = taken(COUNTED) as number;
      this.#total = taken(COUNTED) as number;
      this.#shape = taken(COUNTED) as number;
      this.#offset = taken(COUNTED) as number;
    }
    this.#made = taken(MADE) as object | null;
    this.#isMap = (flags & MAP) !== 0;
    this.#key = taken(MAP);
    this.#place = taken(CHAINED);
    this.#around = taken(CHAINED) as object | null;
    this.#head = taken(CHAINED) as object | null;
    this.#most = roomFor(this.#total >> 1);
  }
}

/** Whether this word is the header of a container that must not be recursed into. */
export function isMarked(word: number): boolean {
  if ((word & 15) !== Tag.WIDE) return false;
  const kind = (word >>> 4) & 15;
  return kind === Wide.DEEP_ARRAY || kind === Wide.DEEP_MAP || kind === Wide.LARGE_ARRAY;
}
