import { DecodeError, withDetails } from "../../DecodeError.ts";

/**
 * So much of a message becomes one string, of which its texts are cut: that takes one call into the host for all. V8
 * keeps it as long as a text of 13 characters or more lives that was cut from it.
 */
const POOL_BYTES = 1024;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** What Node's `Buffer` has beyond its documented interface: `toString` takes as long again to look at its arguments. */
interface Slices {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
  utf8Slice(this: Uint8Array, start: number, end: number): string;
}

const { latin1Slice, utf8Slice } = Buffer.prototype as unknown as Slices;
const latin1 = (bytes: Uint8Array, start: number, end: number): string => latin1Slice.call(bytes, start, end);
const utf8 = (bytes: Uint8Array, start: number, end: number): string => utf8Slice.call(bytes, start, end);

/**
 * Reads the few formats of MessagePack that the backplane's messages have: see `PackedWriter`. Each method throws a
 * `DecodeError`, or a `RangeError` where the bytes end too early, with its `code` and `offset`.
 */
export class PackedReader {
  private bytes: Uint8Array = new Uint8Array(0);
  /** ISO 8859-1 text of a part of the message. */
  private pool = "";
  private poolStart = 0;
  private poolEnd = 0;
  private at = 0;

  /** Turns to a message. */
  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = 0;
    this.poolEnd = 0;
  }

  /** Reads the header of an array of at least `least` items. Returns how many they are. */
  array(least: number, what: string): number {
    const start = this.at;
    const count = this.count(0x90, 0xdc, 1, "an array");
    if (count < least) throw invalid(`${what}: at least ${least} item(s) expected, not ${count}`, start);
    return count;
  }

  /** Reads the header of a map. Returns how many pairs it has. */
  map(): number {
    return this.count(0x80, 0xde, 2, "a map");
  }

  /** A count cannot be more than what is left has room for. */
  private count(fix: number, head16: number, itemBytes: number, what: string): number {
    const start = this.at;
    const first = this.byte();
    let count = 0;
    if ((first & 0xf0) === fix) count = first & 15;
    else if (first === head16) count = this.number(2);
    else if (first === head16 + 1) count = this.number(4);
    else throw invalid(`${what} expected, not 0x${first.toString(16)}`, start);
    if (count * itemBytes > this.bytes.length - this.at) throw this.insufficient(count * itemBytes);
    return count;
  }

  int(): number {
    const start = this.at;
    const first = this.byte();
    let value = 0;
    if (first < 0x80) return first;
    if (first >= 0xe0) return first - 0x100;
    if (first === 0xcc) value = this.number(1);
    else if (first === 0xcd) value = this.number(2);
    else if (first === 0xce) value = this.number(4);
    else if (first === 0xcf) value = this.number(4) * 2 ** 32 + this.number(4);
    else if (first === 0xd0) value = (this.number(1) << 24) >> 24;
    else if (first === 0xd1) value = (this.number(2) << 16) >> 16;
    else if (first === 0xd2) value = this.number(4) | 0;
    else if (first === 0xd3) value = (this.number(4) | 0) * 2 ** 32 + this.number(4);
    else throw invalid(`an integer expected, not 0x${first.toString(16)}`, start);
    if (value < INT32_MIN || value > INT32_MAX)
      throw invalid(`a 32-bit integer expected, not ${value}`, start);
    return value;
  }

  str(): string {
    const start = this.at;
    const first = this.byte();
    let length = 0;
    if ((first & 0xe0) === 0xa0) length = first & 31;
    else if (first >= 0xd9 && first <= 0xdb) length = this.number(1 << (first - 0xd9));
    else throw invalid(`a string expected, not 0x${first.toString(16)}`, start);
    const at = this.skip(length);
    if (at + length > this.poolEnd && !this.openPool(at, length)) return utf8(this.bytes, at, at + length);
    let all = 0;
    for (let i = at; i < at + length; i++) all |= this.bytes[i];
    if (all >= 0x80) return utf8(this.bytes, at, at + length);
    return this.pool.substring(at - this.poolStart, at - this.poolStart + length);
  }

  /** Returns whether the pool, from now on, holds `length` bytes from `at` on. */
  private openPool(at: number, length: number): boolean {
    if (length > POOL_BYTES) return false;
    this.poolStart = at;
    this.poolEnd = Math.min(at + POOL_BYTES, this.bytes.length);
    this.pool = latin1(this.bytes, at, this.poolEnd);
    return true;
  }

  /** A string, or null for nil. */
  strOrNil(): string | null {
    if (this.bytes[this.at] !== 0xc0) return this.str();
    this.at++;
    return null;
  }

  /** Binary data as a view of the message; nil is taken for none. */
  bin(): Uint8Array {
    const start = this.at;
    const first = this.byte();
    let length = 0;
    if (first >= 0xc4 && first <= 0xc6) length = this.number(1 << (first - 0xc4));
    else if (first !== 0xc0) throw invalid(`binary data expected, not 0x${first.toString(16)}`, start);
    const at = this.skip(length);
    // Not `subarray`, which makes a `Buffer` of a part of one.
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + at, length);
  }

  /** Steps over `length` bytes. Returns where they begin. */
  private skip(length: number): number {
    const at = this.at;
    if (length > this.bytes.length - at) throw this.insufficient(length);
    this.at = at + length;
    return at;
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw this.insufficient(1);
    return this.bytes[this.at++];
  }

  /** An unsigned number of `size` bytes, the highest first. */
  private number(size: number): number {
    let value = 0;
    for (let i = this.skip(size), end = i + size; i < end; i++) value = value * 256 + this.bytes[i];
    return value;
  }

  private insufficient(size: number): RangeError {
    const missing = size - (this.bytes.length - this.at);
    const message = `Insufficient data: at least ${missing} more byte(s) needed at offset ${this.at}`;
    return withDetails(new RangeError(message), "INSUFFICIENT_DATA", this.at);
  }
}

function invalid(message: string, offset: number): DecodeError {
  return new DecodeError(`Malformed message: ${message}, at offset ${offset}`, { code: "FIELD", offset });
}
