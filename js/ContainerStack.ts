import { isRun, type Materializer } from "./Materializer.ts";
import { Tag, Wide } from "./tape.ts";

/** What `read` returns when the rest of the container has not arrived yet. */
export const PENDING = Symbol("pending");

/** Arrays up to this length get it at once: V8 gives one that grows room for 17 items. */
const SHORT = 16;

const LEFT = Symbol("left");
const OUTER = Symbol("outer");

/** An object that is decoded, while one in it is read. V8 forgets the properties that came last, once they are deleted. */
interface CoveredMap {
  [LEFT]?: number;
  [OUTER]?: Frame | null;
}

/** An array of up to `SHORT` items stands for itself, and so does a map: see `ContainerStack`. */
type Frame = unknown[] | LongArray | OpenMap | CoveredMap;

/** A long array, to which items are to come. Its length can be a lie, so it grows with them. */
class LongArray {
  readonly outer: Frame | null;
  readonly container: unknown[];
  left: number;

  constructor(outer: Frame | null, container: unknown[], left: number) {
    this.outer = outer;
    this.container = container;
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
  readonly outer: Frame | null;
  readonly container: object;
  readonly #keys: readonly string[];
  #next = 0;
  /** Pairs that are not of the shape; -1 until their number has been read. */
  #left: number;
  /** Where the map is, if its keys may be anything. */
  #offset = 0;
  #key: unknown;
  #hasKey = false;

  constructor(outer: Frame | null, container: object, keys: readonly string[], left = -1) {
    this.outer = outer;
    this.container = container;
    this.#keys = keys;
    this.#left = left;
  }

  static uncovered(map: CoveredMap): OpenMap {
    const open = new OpenMap(map[OUTER] as Frame | null, map, [], map[LEFT]);
    delete map[LEFT];
    delete map[OUTER];
    return open;
  }

  /** What stands for this while one of its values is read: the map itself, if it is an object and all else is plain. */
  covered(): Frame {
    const isPlain = this.#next === this.#keys.length && !this.#hasKey && this.#offset === 0;
    if (!isPlain || this.container instanceof Map) return this;
    const map: CoveredMap = this.container;
    map[OUTER] = this.outer;
    map[LEFT] = this.#left;
    return map;
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
 * Reads a container that must not be recursed into, and keeps those that are open in a list, from the inside out: depth
 * takes heap only, and little of it, since there may be a level for each byte. Where the input ends before the container
 * does, it can go on later.
 *
 * A short array takes nothing beside itself: the place of its last item, which comes when all others are there, holds what
 * is around it, and how many it has shows from its holes. Most maps take nothing either: see `CoveredMap`.
 */
export class ContainerStack {
  #root: unknown = PENDING;
  /** The innermost container with something to come, and how many items that is, if it is a short array. */
  #top: Exclude<Frame, CoveredMap> | null = null;
  #left = 0;

  /** Reads the container whose header comes next, or goes on with it. Returns it, or `PENDING`. */
  read(values: Materializer): unknown {
    if (this.#root === PENDING) this.#root = this.#open(values, values.peek());
    for (let top = this.#top; top !== null; top = this.#top) {
      if (!Array.isArray(top) && top.isComplete()) {
        this.#leave(top.outer);
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
      const map = values.newMap();
      this.#add(map, values);
      this.#top = new OpenMap(this.#around(), map, values.shapeKeys(extra));
      return map;
    }
    const count = kind === Wide.LARGE_ARRAY ? values.operand() : extra;
    values.skip(kind === Wide.LARGE_ARRAY ? 1 : 0);
    const array: unknown[] = count > SHORT ? [] : new Array(count);
    this.#add(array, values);
    if (count > SHORT) {
      this.#top = new LongArray(this.#around(), array, count);
    } else {
      array[count - 1] = this.#around();
      this.#top = array;
      this.#left = count;
    }
    return array;
  }

  /** What stands for the current container while one in it is read. */
  #around(): Frame | null {
    return this.#top instanceof OpenMap ? this.#top.covered() : this.#top;
  }

  #leave(outer: Frame | null): void {
    this.#top = isCovered(outer) ? OpenMap.uncovered(outer) : outer;
    // What is in its last place is no item.
    if (Array.isArray(outer)) this.#left = outer.length - Object.keys(outer).length + 1;
  }

  #add(value: unknown, values: Materializer): void {
    const top = this.#top;
    if (top === null) return;
    if (!Array.isArray(top)) {
      top.add(value, values);
      if (top.isComplete()) this.#leave(top.outer);
      return;
    }
    const at = top.length - this.#left;
    this.#take(top, 1);
    top[at] = value;
  }

  /** Counts items that come to a short array, which is left if they are the last. */
  #take(array: unknown[], count: number): void {
    if (count === this.#left) this.#leave(array[array.length - 1] as Frame | null);
    else this.#left -= count;
  }

  #takeRun(top: unknown[] | LongArray, values: Materializer, word: number): void {
    const count = word >>> 4;
    if (top instanceof LongArray) {
      values.takeRun(top.container, top.container.length, word);
      top.left -= count;
      return;
    }
    const at = top.length - this.#left;
    this.#take(top, count);
    values.takeRun(top, at, word);
  }
}

function isCovered(frame: Frame | null): frame is CoveredMap {
  return frame !== null && LEFT in frame;
}

/** Whether this word is the header of a container that must not be recursed into. */
export function isMarked(word: number): boolean {
  if ((word & 15) !== Tag.WIDE) return false;
  const kind = (word >>> 4) & 15;
  return kind === Wide.DEEP_ARRAY || kind === Wide.DEEP_MAP || kind === Wide.LARGE_ARRAY;
}
