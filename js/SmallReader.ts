import { COMPILE_AT, MAX_COMPILED, mayCompile } from "./codeGeneration.ts";
import type { DecodeSettings } from "./Materializer.ts";
import { EmptyObject, exceeds } from "./propertyRoom.ts";
import { double, words } from "./smallFormats.ts";
import { longTextOf } from "./TextReader.ts";
import type { TypedArrayTable } from "./TypedArrayTable.ts";
import { onceCompiled } from "./wasm/loading.ts";
import { latin1Of } from "./wasm/text.ts";

/** What `SmallReader` gives where the tokenizer must read. */
export const NOT_SMALL = Symbol("not small");

/** Above so many bytes, the tokenizer is faster (`node bench/small.mjs`). */
const SMALL_BYTES = 64;
/** A message with typed arrays, or with long text or binary data, is small by what stands around them. */
const MAX_VALUES = 32;
/** Longer text is made by the host. */
const SHORT_TEXT = 64;
/**
 * What is not checked here never exceeds this: short text, keys, containers, depth, and items and pairs together. Long
 * text, binary data and typed arrays are checked.
 */
export const SMALL_LENGTH = 255;

const MAX_PAIRS = 8;
const MAX_KEY_BYTES = 32;
/** How many keys are told apart at one place; when so many others have come, those in use are learned anew. */
const MAX_STEPS = 8;
const MAX_MISSES = 64;
/** A bound on what strangers can make it keep. */
const MAX_PLACES = 1024;

/** Makes an object of the values on a stack from `base` on. */
type Factory = (stack: unknown[], base: number) => Record<string, unknown>;

/** A key that has been seen at a place in maps. */
interface Step {
  readonly key: string;
  /** Its bytes, from the header on. */
  readonly bytes: readonly number[];
  readonly next: Place;
}

/** What maps of one size have begun with: the keys up to here. */
class Place {
  readonly steps: Step[] = [];
  readonly keys: readonly string[];
  misses = 0;
  uses = 0;
  factory: Factory | null = null;

  constructor(keys: readonly string[]) {
    this.keys = keys;
  }
}

const float = new Float32Array(double.buffer, 0, 1);
/** The first code point that needs so many bytes after the first. */
const LEAST = [0, 0x80, 0x800, 0x10000];

/** Where `at` goes when something is not small: nothing more is read then. */
const AWAY = 2 ** 30;

/**
 * Reads messages so small that to call the tokenizer takes longer than to read them. It knows the frequent formats;
 * whatever else there is, all that is wrong included, it leaves to the tokenizer, which begins anew.
 */
export class SmallReader {
  private at = 0;
  private end = 0;
  /** How many values more there may be. */
  private left = 0;
  private typedArrays: TypedArrayTable | null = null;
  /** Whether 64-bit integers become numbers. */
  private asNumbers = true;
  private isFatal = false;
  /** The most bytes of long text, and of binary data and typed arrays with what stands before their data. */
  private maxText = 0;
  private maxPayload = 0;
  /** The values of maps that have been begun. */
  private readonly stack: unknown[] = [];
  private top = 0;
  /** By the number of pairs. */
  private roots: Place[] = [];
  private places = 0;
  private compiled = 0;

  constructor() {
    this.forget();
  }

  /** The value that `bytes` hold from `offset` on, to their end or whatever follows, or `NOT_SMALL`. */
  read(bytes: Uint8Array, settings: DecodeSettings, offset: number, toEnd: boolean): unknown {
    this.open(settings, offset, bytes.length);
    const value = this.value(bytes);
    this.close();
    return this.at === this.end || (!toEnd && this.at < this.end) ? value : NOT_SMALL;
  }

  /** Turns to the values that stand between two offsets: `value` gives one after the other. */
  open(settings: DecodeSettings, start: number, end: number): void {
    this.at = start;
    this.end = end;
    this.left = MAX_VALUES;
    this.typedArrays = settings.typedArrays;
    this.asNumbers = settings.modes.int64 === 0;
    this.isFatal = settings.modes.fatalUtf8;
    const { limits } = settings.modes;
    this.maxText = limits.maxStrLength;
    this.maxPayload = Math.min(limits.maxBinLength, limits.maxExtLength);
  }

  /** Whether all has been read. It never is when something was not small: what has been read is void then. */
  get isAtEnd(): boolean {
    return this.at === this.end;
  }

  /** Lets go of the caller's values, those of maps included that were left, or broken off as the JS stack was full. */
  close(): void {
    this.typedArrays = null;
    if (this.top === 0) return;
    this.stack.fill(null);
    this.top = 0;
  }

  private leave(): undefined {
    this.at = AWAY;
  }

  /** The next value. Once `at` is away, anything. */
  value(bytes: Uint8Array): unknown {
    const { at } = this;
    if (at >= this.end) return this.leave();
    const byte = bytes[at];
    this.at = at + 1;
    if (byte < 0x80) return byte;
    if (byte >= 0xe0) return byte - 0x100;
    if (byte < 0x90) return this.map(bytes, byte & 15);
    if (byte < 0xa0) return this.array(bytes, byte & 15);
    if (byte < 0xc0) return this.text(bytes, byte & 31);
    switch (byte) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.bin(bytes, this.unsigned(bytes, 1));
      case 0xc5:
        return this.bin(bytes, this.unsigned(bytes, 2));
      case 0xc6:
        return this.bin(bytes, this.unsigned(bytes, 4));
      case 0xc7:
        return this.extension(bytes, this.unsigned(bytes, 1));
      case 0xc8:
        return this.extension(bytes, this.unsigned(bytes, 2));
      case 0xc9:
        return this.extension(bytes, this.unsigned(bytes, 4));
      case 0xca:
        words[0] = this.unsigned(bytes, 4);
        return float[0];
      case 0xcb:
        return this.float64(bytes);
      case 0xcc:
        return this.unsigned(bytes, 1);
      case 0xcd:
        return this.unsigned(bytes, 2);
      case 0xce:
        return this.unsigned(bytes, 4);
      case 0xcf:
        return this.integer64(this.unsigned(bytes, 4), bytes);
      case 0xd0:
        return (this.unsigned(bytes, 1) << 24) >> 24;
      case 0xd1:
        return (this.unsigned(bytes, 2) << 16) >> 16;
      case 0xd2:
        return this.unsigned(bytes, 4) | 0;
      case 0xd3:
        return this.integer64(this.unsigned(bytes, 4) | 0, bytes);
      case 0xd9:
        return this.longText(bytes, this.unsigned(bytes, 1));
      case 0xda:
        return this.longText(bytes, this.unsigned(bytes, 2));
      case 0xdb:
        return this.longText(bytes, this.unsigned(bytes, 4));
      default:
        return this.leave();
    }
  }

  private unsigned(bytes: Uint8Array, size: number): number {
    const { at } = this;
    const end = at + size;
    if (end > this.end) {
      this.leave();
      return 0;
    }
    this.at = end;
    if (size === 1) return bytes[at];
    if (size === 2) return (bytes[at] << 8) | bytes[at + 1];
    return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
  }

  private integer64(high: number, bytes: Uint8Array): unknown {
    const value = high * 2 ** 32 + this.unsigned(bytes, 4);
    return this.asNumbers ? value : this.leave();
  }

  private float64(bytes: Uint8Array): number {
    words[1] = this.unsigned(bytes, 4);
    words[0] = this.unsigned(bytes, 4);
    return double[0];
  }

  private array(bytes: Uint8Array, count: number): unknown {
    this.left -= count;
    if (this.left < 0) return this.leave();
    // As `Materializer.array`: V8 allocates literals in line.
    if (count === 0) return [];
    if (count === 1) return [this.value(bytes)];
    if (count === 2) return [this.value(bytes), this.value(bytes)];
    if (count === 3) return [this.value(bytes), this.value(bytes), this.value(bytes)];
    if (count === 4) return [this.value(bytes), this.value(bytes), this.value(bytes), this.value(bytes)];
    const array = new Array(count);
    for (let i = 0; i < count; i++) array[i] = this.value(bytes);
    return array;
  }

  private text(bytes: Uint8Array, length: number): string {
    const start = this.at;
    const end = start + length;
    if (end > this.end) {
      this.leave();
      return "";
    }
    this.at = end;
    let all = 0;
    for (let i = start; i < end; i++) all |= bytes[i];
    if (all >= 0x80) return this.wideText(bytes, start, end);
    return length <= MAX_SHORT_TEXT ? shortText(bytes, start, length) : latin1Of(bytes, start, end);
  }

  private longText(bytes: Uint8Array, length: number): unknown {
    const { at } = this;
    if (length <= SHORT_TEXT) return this.text(bytes, length);
    // What is malformed may have to be refused.
    if (length > this.end - at || length > this.maxText || this.isFatal) return this.leave();
    this.at = at + length;
    return longTextOf(bytes.subarray(at, at + length));
  }

  private wideText(bytes: Uint8Array, start: number, end: number): string {
    const units: number[] = [];
    for (let i = start; i < end; ) {
      const byte = bytes[i++];
      if (byte < 0x80) {
        units.push(byte);
        continue;
      }
      const more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      let point = byte & (0x3f >> more);
      for (let k = 0; k < more; k++) {
        const next = i < end ? bytes[i++] : 0;
        if ((next & 0xc0) !== 0x80) this.leave();
        point = (point << 6) | (next & 0x3f);
      }
      // What is too short, too long, a surrogate, or no beginning.
      if (byte < 0xc2 || byte > 0xf4 || point < LEAST[more] || point > 0x10ffff || point >>> 11 === 0x1b)
        this.leave();
      if (more < 3) {
        units.push(point);
      } else {
        units.push(0xd7c0 + (point >>> 10), 0xdc00 | (point & 0x3ff));
      }
    }
    return String.fromCharCode.apply(null, units);
  }

  private bin(bytes: Uint8Array, length: number): unknown {
    const { at } = this;
    if (at + length > this.end || length > this.maxPayload) return this.leave();
    this.at = at + length;
    return bytes.subarray(at, at + length);
  }

  /** Typed arrays: other extensions need the caller's codec. */
  private extension(bytes: Uint8Array, length: number): unknown {
    const { at, typedArrays } = this;
    if (typedArrays === null || length > this.maxPayload || length >= this.end - at) return this.leave();
    const view = typedArrays.view(bytes, bytes[at], at + 1, length);
    if (view === null) return this.leave();
    this.at = at + 1 + length;
    return view;
  }

  private map(bytes: Uint8Array, count: number): unknown {
    if (count === 0) return new EmptyObject();
    this.left -= count;
    if (count > MAX_PAIRS || this.left < 0) return this.leave();
    const base = this.top;
    let place = this.roots[count];
    for (let i = 0; i < count; i++) {
      const next = this.step(bytes, place);
      if (next === null) return this.leave();
      this.stack[this.top++] = this.value(bytes);
      place = next;
    }
    const object = this.make(place, base);
    while (this.top > base) this.stack[--this.top] = null;
    return object;
  }

  private make(place: Place, base: number): unknown {
    if (place.factory !== null) return place.factory(this.stack, base);
    const { keys } = place;
    if (++place.uses > COMPILE_AT && this.compiled < MAX_COMPILED && mayCompile()) {
      this.compiled++;
      const pairs = keys.map((key, i) => `${JSON.stringify(key)}: stack[base + ${i}]`);
      place.factory = new Function("stack", "base", `return { ${pairs.join(", ")} };`) as Factory;
      return place.factory(this.stack, base);
    }
    const object: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) object[keys[i]] = this.stack[base + i];
    return object;
  }

  /** Goes over the next key, if it is a short one. */
  private step(bytes: Uint8Array, place: Place): Place | null {
    const { at } = this;
    if (at >= this.end) return null;
    for (const { bytes: key, next } of place.steps) {
      const { length } = key;
      let i = 0;
      while (i < length && key[i] === bytes[at + i]) i++;
      if (i === length) {
        this.at = at + length;
        return next;
      }
    }
    return this.learn(bytes, place);
  }

  private learn(bytes: Uint8Array, place: Place): Place | null {
    const { at } = this;
    const length = bytes[at] - 0xa0;
    if (length < 0 || length >= MAX_KEY_BYTES) return null;
    this.at = at + 1;
    const key = this.text(bytes, length);
    if (this.at === AWAY || key === "__proto__" || exceeds(key, -1)) return null;
    if (place.steps.length === MAX_STEPS) {
      if (++place.misses < MAX_MISSES) return null;
      place.misses = 0;
      place.steps.length = 0;
    }
    if (++this.places > MAX_PLACES) {
      this.forget();
      return null;
    }
    const next = new Place([...place.keys, key]);
    place.steps.push({ key, bytes: Array.from(bytes.subarray(at, at + 1 + length)), next });
    return next;
  }

  private forget(): void {
    this.places = 0;
    this.compiled = 0;
    this.roots = Array.from({ length: MAX_PAIRS + 1 }, () => new Place([]));
  }
}

const shared = new SmallReader();

/** As with other messages, nothing is read before the module is there: small tests must not promise what fails later. */
let smallBytes = -1;
onceCompiled(() => {
  smallBytes = SMALL_BYTES;
});

/** For tests and tuning: up to how many bytes messages are read here, -1 for none. */
export function limitSmallReader(bytes = SMALL_BYTES): void {
  smallBytes = bytes;
}

/**
 * The value that `bytes` hold from `offset` on, to their end or whatever follows, if they and the options are such that
 * `SmallReader` reads it, else `NOT_SMALL`.
 */
export function readSmall(
  bytes: Uint8Array,
  settings: DecodeSettings,
  offset: number,
  toEnd: boolean,
): unknown {
  const reader = smallReader(bytes.length - offset, settings, isSingle(bytes[offset]));
  return reader === null ? NOT_SMALL : reader.read(bytes, settings, offset, toEnd);
}

/** What reads messages of so many bytes, if they are, or may be, small. `isSingle`: they are known to be one string. */
export function smallReader(length: number, settings: DecodeSettings, isSingle: boolean): SmallReader | null {
  if (!settings.isSimple) return null;
  const mayBeSmall = settings.typedArrays !== null || settings.isBulky || isSingle;
  return length <= smallBytes || (mayBeSmall && smallBytes >= 0) ? shared : null;
}

/** Whether a value that begins so is text or binary data, with a length in bytes of its own. */
function isSingle(first: number): boolean {
  return (first >= 0xd9 && first <= 0xdb) || (first >= 0xc4 && first <= 0xc6);
}

const { fromCharCode } = String;
const MAX_SHORT_TEXT = 12;

/** ASCII text. */
function shortText(b: Uint8Array, i: number, length: number): string {
  switch (length) {
    case 0:
      return "";
    case 1:
      return fromCharCode(b[i]);
    case 2:
      return fromCharCode(b[i], b[i + 1]);
    case 3:
      return fromCharCode(b[i], b[i + 1], b[i + 2]);
    case 4:
      return fromCharCode(b[i], b[i + 1], b[i + 2], b[i + 3]);
    case 5:
      return fromCharCode(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4]);
    case 6:
      return fromCharCode(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5]);
    case 7:
      return fromCharCode(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6]);
    case 8:
      return fromCharCode(b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7]);
    default: {
      // All places that a short text may fill: 4 more than there are cost less than 4 more cases.
      const text = fromCharCode(
        b[i],
        b[i + 1],
        b[i + 2],
        b[i + 3],
        b[i + 4],
        b[i + 5],
        b[i + 6],
        b[i + 7],
        b[i + 8],
        length > 9 ? b[i + 9] : 0,
        length > 10 ? b[i + 10] : 0,
        length > 11 ? b[i + 11] : 0,
      );
      return text.substring(0, length);
    }
  }
}
