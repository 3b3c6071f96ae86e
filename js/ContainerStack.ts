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

/**
 * Reads a container that must not be recursed into, with a stack of its own: depth takes heap only, and little of it,
 * since there may be a level for each byte. Where the input ends before the container does, it can go on later.
 */
export class ContainerStack {
  #root: unknown = PENDING;
  /** Those with something to come. Short arrays stand for themselves. */
  readonly #stack: (unknown[] | LongArray | OpenMap)[] = [];
  /** Of each that is a short array, how many items are to come. */
  readonly #left: number[] = [];

  /** Reads the container whose header comes next, or goes on with it. Returns it, or `PENDING`. */
  read(values: Materializer): unknown {
    const stack = this.#stack;
    if (this.#root === PENDING) this.#root = this.#open(values, values.peek());
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (!Array.isArray(top) && top.isComplete()) {
        this.#pop();
        continue;
      }
      if (!values.isReady()) return PENDING;
      const word = values.peek();
      if (top instanceof OpenMap && top.needsCount()) {
        top.setCount(word >>> 4, values.skipKeys());
      } else if (!(top instanceof OpenMap) && isRun(word)) {
        this.#takeRun(top, values, word);
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
      return this.#enter(new OpenMap(values.newMap(), values.shapeKeys(extra)), values);
    }
    const count = kind === Wide.LARGE_ARRAY ? values.operand() : extra;
    values.skip(kind === Wide.LARGE_ARRAY ? 1 : 0);
    return this.#enter(count > SHORT ? new LongArray(count) : new Array(count), values);
  }

  #enter(frame: unknown[] | LongArray | OpenMap, values: Materializer): object {
    const container = Array.isArray(frame) ? frame : frame.container;
    if (this.#stack.length > 0) this.#add(container, values);
    this.#stack.push(frame);
    this.#left.push(Array.isArray(frame) ? frame.length : 0);
    return container;
  }

  #pop(): void {
    this.#stack.pop();
    this.#left.pop();
  }

  #add(value: unknown, values: Materializer): void {
    const last = this.#stack.length - 1;
    const top = this.#stack[last];
    if (!Array.isArray(top)) {
      top.add(value, values);
      if (top.isComplete()) this.#pop();
      return;
    }
    const left = this.#left[last]--;
    top[top.length - left] = value;
    if (left === 1) this.#pop();
  }

  #takeRun(top: unknown[] | LongArray, values: Materializer, word: number): void {
    const count = word >>> 4;
    if (top instanceof LongArray) {
      values.takeRun(top.container, top.container.length, word);
      top.left -= count;
      return;
    }
    const last = this.#stack.length - 1;
    values.takeRun(top, top.length - this.#left[last], word);
    this.#left[last] -= count;
    if (this.#left[last] === 0) this.#pop();
  }
}

/** Whether this word is the header of a container that must not be recursed into. */
export function isMarked(word: number): boolean {
  if ((word & 15) !== Tag.WIDE) return false;
  const kind = (word >>> 4) & 15;
  return kind === Wide.DEEP_ARRAY || kind === Wide.DEEP_MAP || kind === Wide.LARGE_ARRAY;
}
