import { isRun, type Materializer } from "./Materializer.ts";
import { Tag, Wide } from "./tape.ts";

/** What `read` returns when the rest of the container has not arrived yet. */
export const PENDING = Symbol("pending");

/** The container that a marked header opens: `array`, or `map` with the keys of its shape. */
class Frame {
  readonly array: unknown[] | null;
  readonly map: object | null;
  readonly #keys: readonly string[];
  #next = 0;
  /** Items, or pairs that are not of the shape; -1 until their number has been read. */
  left: number;
  /** Where the map is, if its keys may be anything. */
  offset = 0;
  #key: unknown;
  #hasKey = false;

  constructor(array: unknown[] | null, map: object | null, left: number, keys: readonly string[]) {
    this.array = array;
    this.map = map;
    this.left = left;
    this.#keys = keys;
  }

  isComplete(): boolean {
    return this.left === 0 && this.#next === this.#keys.length;
  }

  needsCount(): boolean {
    return this.left === -1 && this.#next === this.#keys.length;
  }

  /** Takes the next item, key, or value. */
  add(value: unknown, values: Materializer): void {
    if (this.array !== null) {
      this.array.push(value);
      this.left--;
    } else if (this.#next < this.#keys.length) {
      values.put(this.map as object, this.#keys[this.#next++], value, this.offset);
    } else if (this.#hasKey) {
      this.#hasKey = false;
      this.left--;
      values.put(this.map as object, this.#key, value, this.offset);
    } else {
      this.#key = value;
      this.#hasKey = true;
    }
  }
}

/**
 * Reads a container that must not be recursed into, with a stack of its own: depth takes heap only. Where the input
 * ends before the container does, it can go on later.
 */
export class ContainerStack {
  readonly #stack: Frame[] = [];

  /** Reads the container whose header comes next, or goes on with it. Returns it, or `PENDING`. */
  read(values: Materializer): unknown {
    const stack = this.#stack;
    if (stack.length === 0) stack.push(open(values, values.peek()));
    for (;;) {
      const frame = stack[stack.length - 1];
      if (frame.isComplete()) {
        stack.pop();
        const container = frame.array ?? frame.map;
        if (stack.length === 0) return container;
        stack[stack.length - 1].add(container, values);
        continue;
      }
      if (!values.isReady()) return PENDING;
      const word = values.peek();
      if (frame.needsCount()) {
        frame.left = word >>> 4;
        frame.offset = values.skipKeys();
      } else if (frame.array !== null && isRun(word)) {
        values.takeRun(frame.array, frame.array.length, word);
        frame.left -= word >>> 4;
      } else if (isMarked(word)) {
        stack.push(open(values, word));
      } else {
        frame.add(values.value(), values);
      }
    }
  }
}

function open(values: Materializer, word: number): Frame {
  const extra = word >>> 8;
  const kind = (word >>> 4) & 15;
  if (kind === Wide.DEEP_MAP) {
    values.skip();
    return new Frame(null, values.newMap(), -1, values.shapeKeys(extra));
  }
  const count = kind === Wide.LARGE_ARRAY ? values.operand() : extra;
  values.skip(kind === Wide.LARGE_ARRAY ? 1 : 0);
  return new Frame([], null, count, []);
}

/** Whether this word is the header of a container that must not be recursed into. */
export function isMarked(word: number): boolean {
  if ((word & 15) !== Tag.WIDE) return false;
  const kind = (word >>> 4) & 15;
  return kind === Wide.DEEP_ARRAY || kind === Wide.DEEP_MAP || kind === Wide.LARGE_ARRAY;
}
