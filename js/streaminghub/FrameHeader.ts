import { DecodeError, withDetails } from "../DecodeError.ts";

const NOTHING = new Uint8Array(0);
/** As .NET writes them. */
export const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads what comes before the value in a message. That are a few bytes, which take less time than a call of the
 * tokenizer, and tell whether the value must be read at all.
 */
export class FrameHeader {
  bytes: Uint8Array = NOTHING;
  /** Where to go on reading. */
  at = 0;

  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = 0;
  }

  /** Lets go of the caller's memory. */
  close(): void {
    this.bytes = NOTHING;
  }

  arrayLength(): number {
    const byte = this.#take(1);
    if (byte >> 4 === 9) return byte & 15;
    if (byte === 0xdc) return this.#unsigned(2);
    if (byte === 0xdd) return this.#unsigned(4);
    throw this.#unexpected("an array", this.at - 1);
  }

  int32(): number {
    return this.#within(-0x80000000, 0x7fffffff, "an integer of 32 bits");
  }

  int16(): number {
    return this.#within(-0x8000, 0x7fff, "an integer of 16 bits");
  }

  /** Beyond 2^53, the nearest number. */
  int64(): number {
    const byte = this.#take(1);
    if (byte < 0x80) return byte;
    if (byte >= 0xe0) return byte - 0x100;
    switch (byte) {
      case 0xcc:
        return this.#unsigned(1);
      case 0xcd:
        return this.#unsigned(2);
      case 0xce:
        return this.#unsigned(4);
      case 0xcf:
        return this.#unsigned(4) * 2 ** 32 + this.#unsigned(4);
      case 0xd0:
        return (this.#unsigned(1) << 24) >> 24;
      case 0xd1:
        return (this.#unsigned(2) << 16) >> 16;
      case 0xd2:
        return this.#unsigned(4) | 0;
      case 0xd3:
        return (this.#unsigned(4) | 0) * 2 ** 32 + this.#unsigned(4);
      default:
        throw this.#unexpected("an integer", this.at - 1);
    }
  }

  nil(): void {
    if (this.#take(1) !== 0xc0) throw this.#unexpected("nil", this.at - 1);
  }

  text(): string {
    const start = this.at;
    const byte = this.#take(1);
    let length = byte & 31;
    if (byte === 0xd9) length = this.#unsigned(1);
    else if (byte === 0xda) length = this.#unsigned(2);
    else if (byte === 0xdb) length = this.#unsigned(4);
    else if (byte >> 5 !== 5) throw this.#unexpected("a string", start);
    this.#take(length);
    return utf8.decode(this.bytes.subarray(this.at - length, this.at));
  }

  textOrNil(): string | null {
    if (this.bytes[this.at] !== 0xc0) return this.text();
    this.at++;
    return null;
  }

  guid(): string {
    const start = this.at;
    const text = this.text();
    if (!GUID.test(text)) throw this.#unexpected("a GUID of 36 characters", start);
    return text;
  }

  invalid(message: string, offset: number): DecodeError {
    return new DecodeError(`${message}, at offset ${offset}`, { code: "FIELD", offset });
  }

  /** Goes on by `size` bytes. Returns the first of them, if there is one. */
  #take(size: number): number {
    const { at, bytes } = this;
    if (at + size > bytes.length) {
      const message = `Insufficient data: the message ends after ${bytes.length} byte(s), in its header`;
      throw withDetails(new RangeError(message), "INSUFFICIENT_DATA", at);
    }
    this.at = at + size;
    return bytes[at];
  }

  #unsigned(size: number): number {
    this.#take(size);
    let value = 0;
    for (let i = this.at - size; i < this.at; i++) value = (value << 8) | this.bytes[i];
    return value >>> 0;
  }

  #within(least: number, most: number, what: string): number {
    const start = this.at;
    const value = this.int64();
    if (value < least || value > most) throw this.#unexpected(what, start);
    return value;
  }

  #unexpected(what: string, offset: number): DecodeError {
    return this.invalid(`Expected ${what}`, offset);
  }
}
