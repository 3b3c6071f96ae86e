import { DecodeError, withDetails } from "../../DecodeError.ts";

/** Texts of up to so many bytes are put together of their units, faster than by a call into the host. */
const SHORT_TEXT = 12;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/**
 * Reads the few formats of MessagePack that the backplane's messages have: see `PackedWriter`. Each method throws a
 * `DecodeError`, or a `RangeError` where the bytes end too early, with its `code` and `offset`.
 */
export class PackedReader {
  #bytes: Uint8Array = new Uint8Array(0);
  #text: Buffer | null = null;
  #at = 0;

  /** Turns to a message. */
  open(bytes: Uint8Array): void {
    // Parts of a `Buffer` would be `Buffer`s, which take longer to make.
    this.#bytes =
      bytes instanceof Buffer ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : bytes;
    this.#text = null;
    this.#at = 0;
  }

  /** Reads the header of an array of at least `least` items. Returns how many they are. */
  array(least: number, what: string): number {
    const start = this.#at;
    const count = this.#count(0x90, 0xdc, 1, "an array");
    if (count < least) throw invalid(`${what}: at least ${least} item(s) expected, not ${count}`, start);
    return count;
  }

  /** Reads the header of a map. Returns how many pairs it has. */
  map(): number {
    return this.#count(0x80, 0xde, 2, "a map");
  }

  /** A count cannot be more than what is left has room for. */
  #count(fix: number, head16: number, itemBytes: number, what: string): number {
    const start = this.#at;
    const first = this.#byte();
    let count = 0;
    if ((first & 0xf0) === fix) count = first & 15;
    else if (first === head16) count = this.#number(2);
    else if (first === head16 + 1) count = this.#number(4);
    else throw invalid(`${what} expected, not 0x${first.toString(16)}`, start);
    if (count * itemBytes > this.#bytes.length - this.#at) throw this.#insufficient(count * itemBytes);
    return count;
  }

  int(): number {
    const start = this.#at;
    const first = this.#byte();
    let value = 0;
    if (first < 0x80) return first;
    if (first >= 0xe0) return first - 0x100;
    if (first === 0xcc) value = this.#number(1);
    else if (first === 0xcd) value = this.#number(2);
    else if (first === 0xce) value = this.#number(4);
    else if (first === 0xcf) value = this.#number(4) * 2 ** 32 + this.#number(4);
    else if (first === 0xd0) value = (this.#number(1) << 24) >> 24;
    else if (first === 0xd1) value = (this.#number(2) << 16) >> 16;
    else if (first === 0xd2) value = this.#number(4) | 0;
    else if (first === 0xd3) value = (this.#number(4) | 0) * 2 ** 32 + this.#number(4);
    else throw invalid(`an integer expected, not 0x${first.toString(16)}`, start);
    if (value < INT32_MIN || value > INT32_MAX)
      throw invalid(`a 32-bit integer expected, not ${value}`, start);
    return value;
  }

  str(): string {
    const start = this.#at;
    const first = this.#byte();
    let length = 0;
    if ((first & 0xe0) === 0xa0) length = first & 31;
    else if (first >= 0xd9 && first <= 0xdb) length = this.#number(1 << (first - 0xd9));
    else throw invalid(`a string expected, not 0x${first.toString(16)}`, start);
    const at = this.#skip(length);
    return length <= SHORT_TEXT ? this.#shortText(at, length) : this.#longText(at, length);
  }

  #shortText(at: number, length: number): string {
    const bytes = this.#bytes;
    let text = "";
    for (let i = at; i < at + length; i++) {
      if (bytes[i] >= 0x80) return this.#longText(at, length);
      text += String.fromCharCode(bytes[i]);
    }
    return text;
  }

  #longText(at: number, length: number): string {
    const { buffer, byteOffset } = this.#bytes;
    this.#text ??= Buffer.from(buffer, byteOffset, this.#bytes.length);
    return this.#text.toString("utf8", at, at + length);
  }

  /** A string, or null for nil. */
  strOrNil(): string | null {
    if (this.#bytes[this.#at] !== 0xc0) return this.str();
    this.#at++;
    return null;
  }

  /** Binary data as a view of the message; nil is taken for none. */
  bin(): Uint8Array {
    const start = this.#at;
    const first = this.#byte();
    let length = 0;
    if (first >= 0xc4 && first <= 0xc6) length = this.#number(1 << (first - 0xc4));
    else if (first !== 0xc0) throw invalid(`binary data expected, not 0x${first.toString(16)}`, start);
    const at = this.#skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Steps over `length` bytes. Returns where they begin. */
  #skip(length: number): number {
    const at = this.#at;
    if (length > this.#bytes.length - at) throw this.#insufficient(length);
    this.#at = at + length;
    return at;
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw this.#insufficient(1);
    return this.#bytes[this.#at++];
  }

  /** An unsigned number of `size` bytes, the highest first. */
  #number(size: number): number {
    let value = 0;
    for (let i = this.#skip(size), end = i + size; i < end; i++) value = value * 256 + this.#bytes[i];
    return value;
  }

  #insufficient(size: number): RangeError {
    const missing = size - (this.#bytes.length - this.#at);
    const message = `Insufficient data: at least ${missing} more byte(s) needed at offset ${this.#at}`;
    return withDetails(new RangeError(message), "INSUFFICIENT_DATA", this.#at);
  }
}

function invalid(message: string, offset: number): DecodeError {
  return new DecodeError(`Malformed message: ${message}, at offset ${offset}`, { code: "FIELD", offset });
}
