import { DecodeError, withDetails } from "../DecodeError.ts";
import { FormatReader } from "../FormatReader.ts";

const NOTHING = new Uint8Array(0);
/** As .NET writes them. */
export const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads what comes before the value in a message. That are a few bytes, which take less time than a call of the
 * tokenizer, and tell whether the value must be read at all.
 */
export class FrameHeader extends FormatReader {
  /** Lets go of the caller's memory. */
  close(): void {
    this.bytes = NOTHING;
  }

  arrayLength(): number {
    return this.count(0x90, 0xdc, "an array");
  }

  int32(): number {
    return this.#within(-0x80000000, 0x7fffffff, "an integer of 32 bits");
  }

  int16(): number {
    return this.#within(-0x8000, 0x7fff, "an integer of 16 bits");
  }

  /** Beyond 2^53, the nearest number. */
  int64(): number {
    return this.integer();
  }

  nil(): void {
    const start = this.at;
    if (this.byte() !== 0xc0) throw this.unexpected("nil", start);
  }

  text(): string {
    const length = this.textLength();
    const start = this.skip(length);
    return utf8.decode(this.bytes.subarray(start, start + length));
  }

  textOrNil(): string | null {
    return this.takesNil() ? null : this.text();
  }

  guid(): string {
    const start = this.at;
    const text = this.text();
    if (!GUID.test(text)) throw this.unexpected("a GUID of 36 characters", start);
    return text;
  }

  invalid(message: string, offset: number): DecodeError {
    return new DecodeError(`${message}, at offset ${offset}`, { code: "FIELD", offset });
  }

  #within(least: number, most: number, what: string): number {
    const start = this.at;
    const value = this.integer();
    if (value < least || value > most) throw this.unexpected(what, start);
    return value;
  }

  protected override insufficient(): RangeError {
    const message = `Insufficient data: the message ends after ${this.bytes.length} byte(s), in its header`;
    return withDetails(new RangeError(message), "INSUFFICIENT_DATA", this.at);
  }

  protected override unexpected(what: string, offset: number): DecodeError {
    return this.invalid(`Expected ${what}`, offset);
  }
}
