// Writes the few formats of MessagePack that the backplane's messages have. They are so small that to cross into wasm
// would take longer than all of the writing. Each function writes at byte `at`, and returns where that ends. What there
// is no room for is not written: the end then tells how much there must be.

import { writeNumber } from "../../smallFormats.ts";

/** Texts of up to so many units are written by a loop, faster than by a call into the host. */
const SHORT_TEXT = 48;
/** V8 keeps typed arrays of so many bytes on its own heap. */
const ON_HEAP = 64;

const utf8 = new TextEncoder();

/** Room for a message that nobody else writes to. */
export function allocate(size: number): Uint8Array {
  // A larger one is a part of Node's pool: a buffer of its own would take longer to get than all of the writing.
  return size > ON_HEAP ? Buffer.allocUnsafe(size) : new Uint8Array(size);
}

export function writeArray(bytes: Uint8Array, at: number, count: number): number {
  return writeCount(bytes, at, count, 0x90, 0xdc);
}

export function writeMap(bytes: Uint8Array, at: number, count: number): number {
  return writeCount(bytes, at, count, 0x80, 0xde);
}

function writeCount(bytes: Uint8Array, at: number, count: number, fix: number, head16: number): number {
  if (count >= 16) {
    const isWide = count >= 0x10000;
    return writeHead(bytes, at, isWide ? head16 + 1 : head16, count, isWide ? 4 : 2);
  }
  if (at < bytes.length) bytes[at] = fix | count;
  return at + 1;
}

/** @throws RangeError if it is no int32 */
export function writeInt(bytes: Uint8Array, at: number, value: number): number {
  if ((value | 0) !== value) throw new RangeError(`A 32-bit integer expected, not ${value}`);
  const end = at + intSizeOf(value);
  return end > bytes.length ? end : writeNumber(bytes, at, value);
}

export function writeStr(bytes: Uint8Array, at: number, text: string): number {
  const end = text.length <= SHORT_TEXT ? writeShortAscii(bytes, at, text) : -1;
  return end >= 0 ? end : writeText(bytes, at, text);
}

/** Returns -1 if the text is not ASCII, or there is no room. */
function writeShortAscii(bytes: Uint8Array, at: number, text: string): number {
  const { length } = text;
  if (at + length + 2 > bytes.length && at + sizeOf(length, true) > bytes.length) return -1;
  if (length < 32) {
    bytes[at++] = 0xa0 | length;
  } else {
    bytes[at++] = 0xd9;
    bytes[at++] = length;
  }
  let all = 0;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    all |= unit;
    bytes[at + i] = unit;
  }
  return all < 0x80 ? at + length : -1;
}

function writeText(bytes: Uint8Array, at: number, text: string): number {
  const size = Buffer.byteLength(text);
  const end = at + sizeOf(size, true);
  if (end > bytes.length) return end;
  if (size < 32) bytes[at] = 0xa0 | size;
  else writeSized(bytes, at, 0xd9, size);
  utf8.encodeInto(text, bytes.subarray(end - size, end));
  return end;
}

export function writeBin(bytes: Uint8Array, at: number, data: Uint8Array): number {
  const { length } = data;
  const end = at + sizeOf(length, false);
  if (end > bytes.length) return end;
  const start = writeSized(bytes, at, 0xc4, length);
  if (length > SHORT_TEXT) {
    bytes.set(data, start);
  } else {
    for (let i = 0; i < length; i++) bytes[start + i] = data[i];
  }
  return end;
}

/** A header of the formats for 8, 16 and 32 bits, which follow each other. */
function writeSized(bytes: Uint8Array, at: number, head8: number, size: number): number {
  if (size < 0x100) return writeHead(bytes, at, head8, size, 1);
  if (size < 0x10000) return writeHead(bytes, at, head8 + 1, size, 2);
  return writeHead(bytes, at, head8 + 2, size, 4);
}

/** A first byte, and the low `size` bytes of a number, the highest first. */
function writeHead(bytes: Uint8Array, at: number, first: number, value: number, size: number): number {
  const end = at + 1 + size;
  if (end > bytes.length) return end;
  bytes[at] = first;
  for (let i = end - 1; i > at; i--) {
    bytes[i] = value;
    value >>>= 8;
  }
  return end;
}

/** The bytes of ASCII text, or of binary data, of `length` with its header. */
export function sizeOf(length: number, isText: boolean): number {
  if (isText && length < 32) return 1 + length;
  return length + (length < 0x100 ? 2 : length < 0x10000 ? 3 : 5);
}

export function intSizeOf(value: number): number {
  if (value >= -32 && value < 128) return 1;
  if (value >= -0x80 && value < 0x100) return 2;
  return value >= -0x8000 && value < 0x10000 ? 3 : 5;
}

/** The bytes of the header of an array or a map of `count` items. */
export function headerSizeOf(count: number): number {
  return count < 16 ? 1 : count < 0x10000 ? 3 : 5;
}
