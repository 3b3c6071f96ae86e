import { isRun, type Materializer } from "./Materializer.ts";
import { Tag, Wide } from "./tape.ts";

/** What `read` returns when the rest of the container has not arrived yet. */
export const PENDING = Symbol("pending");

/** Arrays up to this length get it at once: V8 gives one that grows room for 17 items. */
const SHORT = 16;

/** A long array, to which items are to come. Its length can be a lie, so it grows with them. */
class LongArray {
  readonly container: unknown[] = [];
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  isComplete(): boolean {
    return this.left === 0;
  }

  add(value: unknown): void {
    this.container.push(value);
    this.left--;
  }
}

/** A map, to which pairs are to come: first those with the keys of its shape. */
class OpenMap {
  readonly container: object;
  readonly #keys: readonly string[];
  #next = 0;
  /** Pairs that are not of the shape; -1 until their number has been read. */
  #left = -1;
  /** Where the map is, if its keys may be anything. */
  #offset = 0;
  #key: unknown;
  #hasKey = false;

  constructor(container: object, keys: readonly string[]) {
    this.container = container;
    this.#keys = keys;
  }

  isComplete(): boolean {
    return this.#left === 0 && this.#next === this.#keys.length;
  }

  needsCount(): boolean {
    return this.#left === -1 && this.#next === this.#keys.length;
  }

  setCount(count: number, offset: number): void {
    this.#left = count;
    this.#offset = offset;
  }

  /** Takes the next key, or value. */
  add(value: unknown, values: Materializer): void {
    if (this.#next < this.#keys.length) {
      values.put(this.container, this.#keys[this.#next++], value, this.#offset);
    } else if (this.#hasKey) {
      this.#hasKey = false;
      this.#left--;
      values.put(this.container, this.#key, value, this.#offset);
    } else {
      this.#key = value;
      this.#hasKey = true;
    }
  }
}

/** A stack of numbers below 256 that takes a byte for each, and copies none when it grows. */
class ByteStack {
  length = 0;
  readonly #blocks: Uint8Array[] = [];

  push(byte: number): void {
    const at = this.length++;
    if (at % BLOCK === 0 && at / BLOCK === this.#blocks.length) this.#blocks.push(new Uint8Array(BLOCK));
    this.#blocks[Math.floor(at / BLOCK)][at % BLOCK] = byte;
  }

  pop(): number {
    const at = --this.length;
    return this.#blocks[Math.floor(at / BLOCK)][at % BLOCK];
  }
}

const BLOCK = 1024;

/**
 * Reads a container that must not be recursed into, with a stack of its own: depth takes heap only, and little of it,
 * since there may be a level for each byte. Where the input ends before the container does, it can go on later.
 *
 * An open array of up to `SHORT` items takes a byte: in the place of its last item, which comes when all others are
 * there, is the one around it.
 */
export class ContainerStack {
  #root: unknown = PENDING;
  /** How many items the current container lacks, if it is a short array, else 0; and the same of those around it. */
  #left = 0;
  readonly #outerLeft = new ByteStack();
  /** The innermost short array. */
  #array: unknown[] = [];
  /** All others. */
  readonly #others: (LongArray | OpenMap)[] = [];

  /** Reads the container whose header comes next, or goes on with it. Returns it, or `PENDING`. */
  read(values: Materializer): unknown {
    if (this.#root === PENDING) this.#root = this.#open(values, values.peek());
    while (this.#outerLeft.length > 0) {
      const other = this.#left === 0 ? this.#others[this.#others.length - 1] : null;
      if (other?.isComplete()) {
        this.#leaveOther();
        continue;
      }
      if (!values.isReady()) return PENDING;
      const word = values.peek();
      if (other instanceof OpenMap && other.needsCount()) {
        other.setCount(word >>> 4, values.skipKeys());
      } else if (!(other instanceof OpenMap) && isRun(word)) {
        this.#takeRun(other, values, word);
      } else if (isMarked(word)) {
        this.#open(values, word);
      } else {
        this.#add(values.value(), values);
      }
    }
    return this.#root;
  }

  /** Puts a container into the one around it, which is left if nothing else is to come there, and goes into it. */
  #open(values: Materializer, word: number): object {
    const extra = word >>> 8;
    const kind = (word >>> 4) & 15;
    if (kind === Wide.DEEP_MAP) {
      values.skip();
      return this.#enterOther(new OpenMap(values.newMap(), values.shapeKeys(extra)), values);
    }
    const count = kind === Wide.LARGE_ARRAY ? values.operand() : extra;
    values.skip(kind === Wide.LARGE_ARRAY ? 1 : 0);
    return count > SHORT ? this.#enterOther(new LongArray(count), values) : this.#enterShort(count, values);
  }

  #enterOther(other: LongArray | OpenMap, values: Materializer): object {
    if (this.#outerLeft.length > 0) this.#add(other.container, values);
    this.#outerLeft.push(this.#left);
    this.#left = 0;
    this.#others.push(other);
    return other.container;
  }

  #enterShort(count: number, values: Materializer): unknown[] {
    const array: unknown[] = new Array(count);
    if (this.#outerLeft.length > 0) this.#add(array, values);
    this.#outerLeft.push(this.#left);
    this.#left = count;
    array[count - 1] = this.#array;
    this.#array = array;
    return array;
  }

  #leaveOther(): void {
    this.#others.pop();
    this.#left = this.#outerLeft.pop();
  }

  #add(value: unknown, values: Materializer): void {
    if (this.#left === 0) {
      const other = this.#others[this.#others.length - 1];
      other.add(value, values);
      if (other.isComplete()) this.#leaveOther();
      return;
    }
    const array = this.#array;
    const at = array.length - this.#left;
    if (this.#left === 1) this.#leaveShort(array);
    else this.#left--;
    array[at] = value;
  }

  #leaveShort(array: unknown[]): void {
    this.#array = array[array.length - 1] as unknown[];
    this.#left = this.#outerLeft.pop();
  }

  #takeRun(long: LongArray | null, values: Materializer, word: number): void {
    const count = word >>> 4;
    if (long !== null) {
      values.takeRun(long.container, long.container.length, word);
      long.left -= count;
      return;
    }
    const array = this.#array;
    const at = array.length - this.#left;
    if (this.#left === count) this.#leaveShort(array);
    else this.#left -= count;
    values.takeRun(array, at, word);
  }
}

/** Whether this word is the header of a container that must not be recursed into. */
export function isMarked(word: number): boolean {
  if ((word & 15) !== Tag.WIDE) return false;
  const kind = (word >>> 4) & 15;
  return kind === Wide.DEEP_ARRAY || kind === Wide.DEEP_MAP || kind === Wide.LARGE_ARRAY;
}
