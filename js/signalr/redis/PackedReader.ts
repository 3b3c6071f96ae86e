import { DecodeError, withDetails } from "../../DecodeError.ts";
import { FormatReader } from "../../FormatReader.ts";
import { latin1Of } from "../../wasm/text.ts";

/**
 * So much of a message becomes one string, of which its texts are cut: that takes one call into the host for all. V8
 * keeps it as long as a text of 13 characters or more lives that was cut from it.
 */
const POOL_BYTES = 1024;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** What Node's `Buffer` has beyond its documented interface: `toString` takes as long again to look at its arguments. */
interface Slices {
  utf8Slice(this: Uint8Array, start: number, end: number): string;
}

const { utf8Slice } = Buffer.prototype as unknown as Slices;
const utf8 = (bytes: Uint8Array, start: number, end: number): string => utf8Slice.call(bytes, start, end);

/**
 * Reads the few formats of MessagePack that the backplane's messages have: see `packedFormats.ts`. Each method throws a
 * `DecodeError`, or a `RangeError` where the bytes end too early, with its `code` and `offset`.
 */
export class PackedReader extends FormatReader {
  /** ISO 8859-1 text of a part of the message. */
  private pool = "";
  private poolStart = 0;
  private poolEnd = 0;

  override open(bytes: Uint8Array): void {
    super.open(bytes);
    this.poolEnd = 0;
  }

  /** Reads the header of an array of at least `least` items. Returns how many they are. */
  array(least: number, what: string): number {
    const start = this.at;
    const count = this.counted(0x90, 0xdc, 1, "an array");
    if (count < least) throw invalid(`${what}: at least ${least} item(s) expected, not ${count}`, start);
    return count;
  }

  /** Reads the header of a map. Returns how many pairs it has. */
  map(): number {
    return this.counted(0x80, 0xde, 2, "a map");
  }

  /** A count cannot be more than what is left has room for. */
  private counted(fix: number, head16: number, itemBytes: number, what: string): number {
    const count = this.count(fix, head16, what);
    if (count * itemBytes > this.bytes.length - this.at) throw this.insufficient(count * itemBytes);
    return count;
  }

  int(): number {
    const start = this.at;
    const value = this.integer();
    if (value < INT32_MIN || value > INT32_MAX)
      throw invalid(`a 32-bit integer expected, not ${value}`, start);
    return value;
  }

  str(): string {
    const length = this.textLength();
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
    this.pool = latin1Of(this.bytes, at, this.poolEnd);
    return true;
  }

  /** A string, or null for nil. */
  strOrNil(): string | null {
    return this.takesNil() ? null : this.str();
  }

  /** Binary data as a view of the message; nil is taken for none. */
  bin(): Uint8Array {
    const start = this.at;
    const first = this.byte();
    let length = 0;
    if (first >= 0xc4 && first <= 0xc6) length = this.unsigned(1 << (first - 0xc4));
    else if (first !== 0xc0) throw this.unexpected("binary data", start);
    const at = this.skip(length);
    // Not `subarray`, which makes a `Buffer` of a part of one.
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + at, length);
  }

  protected override insufficient(size: number): RangeError {
    const missing = size - (this.bytes.length - this.at);
    const message = `Insufficient data: at least ${missing} more byte(s) needed at offset ${this.at}`;
    return withDetails(new RangeError(message), "INSUFFICIENT_DATA", this.at);
  }

  protected override unexpected(what: string, offset: number): DecodeError {
    return invalid(`${what} expected, not 0x${this.bytes[offset].toString(16)}`, offset);
  }
}

function invalid(message: string, offset: number): DecodeError {
  return new DecodeError(`Malformed message: ${message}, at offset ${offset}`, { code: "FIELD", offset });
}
