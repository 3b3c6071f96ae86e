import { copyBytes } from "./wasm/copyBytes.ts";
import { EncodeMemory } from "./wasm/EncodeMemory.ts";

/** Once a message is longer than that, what follows goes by way of the tape: the emitter is faster then. */
export const SMALL_BYTES = 64;
/** Longer text, and containers with more in them, make it go there at once (`node bench/small.mjs`). */
const MAX_UNITS = 31;
const MAX_WIDE_UNITS = 10;
const MAX_ITEMS = 15;
const MAX_PAIRS = 2;

const double = new Float64Array(1);
/** Little-endian, as WebAssembly is. */
const words = new Uint32Array(double.buffer);

/**
 * Writes the beginning of a message, small ones whole, straight to the output: a call of the emitter takes longer than
 * the writing. It knows what is frequent; from the first value on that is not, or not small, all goes the other way.
 */
export abstract class SmallWriter extends EncodeMemory {
  /** Whether all that has been written stands in the output. */
  protected isDirect = false;
  /** How many bytes that are. */
  protected head = 0;

  /** Writes a value by way of the tape. `depth` counts the containers around it, itself included. */
  abstract value(value: unknown, depth: number): void;
  abstract checkDepth(depth: number): void;
  /** Whether the extension codec must be asked for every object. */
  protected abstract get asksCodec(): boolean;
  /** Turns to the tape, with so many bytes in the output. */
  protected abstract turnToTape(head: number): void;
  /** Writes the header of a typed array of some length at byte `at` of the output, and sees to its data. Returns the byte behind the header, or -1 if it is no such array. */
  protected abstract placeTypedArray(view: ArrayBufferView, at: number): number;

  /** Writes the value of a message. Whether `isDirect` is left on tells where it stands. */
  protected writeDirect(value: unknown): void {
    this.isDirect = true;
    this.head = 0;
    this.direct(value, 1);
    this.outputLength = this.head;
  }

  headByte(byte: number): void {
    this.output[this.head++] = byte;
  }

  /** An integer of 32 bits. */
  headInteger(value: number): void {
    this.number(value);
  }

  headBytes(bytes: Uint8Array): void {
    copyBytes(this.output, this.head, bytes, 0, bytes.length);
    this.head += bytes.length;
  }

  private leave(value: unknown, depth: number): void {
    this.isDirect = false;
    this.turnToTape(this.head);
    this.value(value, depth);
  }

  private direct(value: unknown, depth: number): void {
    if (this.head > SMALL_BYTES) {
      this.leave(value, depth);
    } else if (typeof value === "string") {
      if (value.length > MAX_UNITS || !this.shortText(value)) this.leave(value, depth);
    } else if (typeof value === "number") {
      if (!this.number(value)) this.leave(value, depth);
    } else if (value === null || value === undefined) {
      this.output[this.head++] = 0xc0;
    } else if (typeof value === "boolean") {
      this.output[this.head++] = value ? 0xc3 : 0xc2;
    } else if (typeof value !== "object" || this.asksCodec) {
      this.leave(value, depth);
    } else if (Array.isArray(value)) {
      const { length } = value;
      if (length > MAX_ITEMS) {
        this.leave(value, depth);
        return;
      }
      if (length > 0) this.checkDepth(depth);
      this.output[this.head++] = 0x90 | length;
      for (let i = 0; i < length; i++) this.item(value[i], depth + 1);
    } else if (ArrayBuffer.isView(value)) {
      const head = this.placeTypedArray(value, this.head);
      if (head < 0) {
        this.leave(value, depth);
      } else {
        this.head = head;
      }
    } else {
      this.record(value as Record<string, unknown>, depth);
    }
  }

  /** Writes a value where the message stands, or by way of the tape. `depth` is as for `value`. */
  item(value: unknown, depth: number): void {
    if (this.isDirect) {
      this.direct(value, depth);
    } else {
      this.value(value, depth);
    }
  }

  private record(object: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(object);
    const { length } = keys;
    if (length > MAX_PAIRS || object.constructor !== Object) {
      this.leave(object, depth);
      return;
    }
    for (let i = 0; i < length; i++) {
      if (keys[i] === "constructor") {
        this.leave(object, depth);
        return;
      }
    }
    this.output[this.head++] = 0x80 | length;
    if (length === 0) return;
    this.checkDepth(depth);
    for (let i = 0; i < length; i++) {
      this.item(keys[i], depth + 1);
      this.item(object[keys[i]], depth + 1);
    }
  }

  /** Returns false, with nothing written, if that is long, or holds more than the Basic Multilingual Plane. */
  private shortText(text: string): boolean {
    const { output, head } = this;
    const { length } = text;
    let all = 0;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      all |= unit;
      output[head + 1 + i] = unit;
    }
    if (all >= 0x80) return this.wideText(text);
    output[head] = 0xa0 | length;
    this.head = head + 1 + length;
    return true;
  }

  private wideText(text: string): boolean {
    const { output, head } = this;
    const { length } = text;
    if (length > MAX_WIDE_UNITS) return false;
    let at = head + 1;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        output[at++] = unit;
        continue;
      }
      if (unit < 0x800) {
        output[at++] = 0xc0 | (unit >>> 6);
      } else {
        if (unit >>> 11 === 0x1b) return false;
        output[at++] = 0xe0 | (unit >>> 12);
        output[at++] = 0x80 | ((unit >>> 6) & 0x3f);
      }
      output[at++] = 0x80 | (unit & 0x3f);
    }
    output[head] = 0xa0 | (at - head - 1);
    this.head = at;
    return true;
  }

  /** Returns false, with nothing written, if that is an integer of more than 32 bits. */
  private number(value: number): boolean {
    const { output, head } = this;
    const whole = value | 0;
    if (whole !== value) return this.wideNumber(value);
    if (whole >= -32 && whole < 0x80) {
      output[head] = whole;
      this.head = head + 1;
    } else if (whole < 0x100 && whole >= -0x80) {
      output[head] = whole < 0 ? 0xd0 : 0xcc;
      output[head + 1] = whole;
      this.head = head + 2;
    } else if (whole < 0x10000 && whole >= -0x8000) {
      output[head] = whole < 0 ? 0xd1 : 0xcd;
      output[head + 1] = whole >> 8;
      output[head + 2] = whole;
      this.head = head + 3;
    } else {
      output[head] = whole < 0 ? 0xd2 : 0xce;
      this.head = head + 1;
      this.word32(whole);
    }
    return true;
  }

  private wideNumber(value: number): boolean {
    if (Number.isSafeInteger(value)) {
      if (value < 0 || value > 0xffffffff) return false;
      this.output[this.head++] = 0xce;
      this.word32(value);
      return true;
    }
    // Of the values that are no number, one stands for all.
    double[0] = Number.isNaN(value) ? Number.NaN : value;
    this.output[this.head++] = 0xcb;
    this.word32(words[1]);
    this.word32(words[0]);
    return true;
  }

  private word32(value: number): void {
    const { output, head } = this;
    output[head] = value >>> 24;
    output[head + 1] = value >>> 16;
    output[head + 2] = value >>> 8;
    output[head + 3] = value;
    this.head = head + 4;
  }
}
