// Writes what is frequent and small to byte `at` of the output, in JavaScript. Each function returns where that ends, or
// -1 if it is something else; up to `MAX_SMALL` bytes may have been overwritten then.

/** Longer text makes a message go by way of the tape. */
export const MAX_UNITS = 31;
const MAX_WIDE_UNITS = 10;
const MAX_BIN = 30;
/** The most bytes that are written. */
export const MAX_SMALL = 1 + MAX_UNITS;

/** Where a double is taken apart, and put together. */
export const double = /* @__PURE__ */ new Float64Array(1);
/** Little-endian, as WebAssembly is. */
export const words = /* @__PURE__ */ new Uint32Array(double.buffer);

/** Null, booleans, numbers, and short strings. */
export function writeScalar(output: Uint8Array, at: number, value: unknown): number {
  if (typeof value === "string") return writeShortText(output, at, value);
  if (typeof value === "number") return writeNumber(output, at, value);
  if (typeof value === "boolean") {
    output[at] = value ? 0xc3 : 0xc2;
    return at + 1;
  }
  if (value !== null && value !== undefined) return -1;
  output[at] = 0xc0;
  return at + 1;
}

/** Not: text that is long, or holds more than the Basic Multilingual Plane. */
export function writeShortText(output: Uint8Array, at: number, text: string): number {
  const { length } = text;
  if (length > MAX_UNITS) return -1;
  let all = 0;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    all |= unit;
    output[at + 1 + i] = unit;
  }
  if (all >= 0x80) return writeWideText(output, at, text);
  output[at] = 0xa0 | length;
  return at + 1 + length;
}

function writeWideText(output: Uint8Array, head: number, text: string): number {
  const { length } = text;
  if (length > MAX_WIDE_UNITS) return -1;
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
      if (unit >>> 11 === 0x1b) return -1;
      output[at++] = 0xe0 | (unit >>> 12);
      output[at++] = 0x80 | ((unit >>> 6) & 0x3f);
    }
    output[at++] = 0x80 | (unit & 0x3f);
  }
  output[head] = 0xa0 | (at - head - 1);
  return at;
}

/** Binary data. Not: what is no array of bytes. */
export function writeShortBin(output: Uint8Array, at: number, data: ArrayBufferView): number {
  if (!(data instanceof Uint8Array)) return -1;
  const { length } = data;
  if (length > MAX_BIN) return -1;
  output[at] = 0xc4;
  output[at + 1] = length;
  for (let i = 0; i < length; i++) output[at + 2 + i] = data[i];
  return at + 2 + length;
}

/** A safe integer of more than 32 bits. */
export function writeInteger64(output: Uint8Array, at: number, value: number): number {
  // All of it in one function: halves that are passed on V8 would put on its heap.
  const high = Math.floor(value / 2 ** 32);
  const low = value | 0;
  output[at] = value < 0 ? 0xd3 : 0xcf;
  output[at + 1] = high >>> 24;
  output[at + 2] = high >>> 16;
  output[at + 3] = high >>> 8;
  output[at + 4] = high;
  output[at + 5] = low >>> 24;
  output[at + 6] = low >>> 16;
  output[at + 7] = low >>> 8;
  output[at + 8] = low;
  return at + 9;
}

/** Not: integers of more than 32 bits. */
export function writeNumber(output: Uint8Array, at: number, value: number): number {
  const whole = value | 0;
  if (whole !== value) return writeWideNumber(output, at, value);
  if (whole >= -32 && whole < 0x80) {
    output[at] = whole;
    return at + 1;
  }
  if (whole < 0x100 && whole >= -0x80) {
    output[at] = whole < 0 ? 0xd0 : 0xcc;
    output[at + 1] = whole;
    return at + 2;
  }
  if (whole < 0x10000 && whole >= -0x8000) {
    output[at] = whole < 0 ? 0xd1 : 0xcd;
    output[at + 1] = whole >> 8;
    output[at + 2] = whole;
    return at + 3;
  }
  output[at] = whole < 0 ? 0xd2 : 0xce;
  return writeWord(output, at + 1, whole);
}

function writeWideNumber(output: Uint8Array, at: number, value: number): number {
  if (Number.isSafeInteger(value)) {
    if (value < 0 || value > 0xffffffff) return -1;
    output[at] = 0xce;
    return writeWord(output, at + 1, value);
  }
  // Of the values that are no number, one stands for all.
  double[0] = Number.isNaN(value) ? Number.NaN : value;
  output[at] = 0xcb;
  return writeWord(output, writeWord(output, at + 1, words[1]), words[0]);
}

function writeWord(output: Uint8Array, at: number, value: number): number {
  output[at] = value >>> 24;
  output[at + 1] = value >>> 16;
  output[at + 2] = value >>> 8;
  output[at + 3] = value;
  return at + 4;
}
