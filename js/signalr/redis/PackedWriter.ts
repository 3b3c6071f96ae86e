import { writeNumber } from "../../smallFormats.ts";

/** Texts of up to so many units are written by a loop, faster than by a call into the host. */
const SHORT_TEXT = 48;
/** V8 keeps typed arrays of so many bytes on its own heap. */
const ON_HEAP = 64;

const utf8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

/**
 * Writes the few formats of MessagePack that the backplane's messages have. They are so small that to cross into wasm
 * would take longer than all of the writing. The members that this is about are not `#private`, which V8 checks at each
 * access.
 */
export class PackedWriter {
  private bytes: Uint8Array = new Uint8Array(0);
  private at = 0;

  /** Begins a message, which takes `size` bytes if all of its text is ASCII. */
  begin(size: number): void {
    // A larger one is a part of Node's pool: a buffer of its own would take longer to get than all of the writing.
    this.bytes = size > ON_HEAP ? Buffer.allocUnsafe(size) : new Uint8Array(size);
    this.at = 0;
  }

  /** What has been written, in a buffer that nobody else writes to. */
  take(): Uint8Array {
    const { at, bytes } = this;
    this.bytes = NOTHING;
    return at === bytes.length ? bytes : bytes.slice(0, at);
  }

  array(count: number): void {
    this.count(count, 0x90, 0xdc);
  }

  map(count: number): void {
    this.count(count, 0x80, 0xde);
  }

  private count(count: number, fix: number, head16: number): void {
    this.need(headerSizeOf(count));
    if (count < 16) {
      this.bytes[this.at++] = fix | count;
    } else if (count < 0x10000) {
      this.head(head16, count, 2);
    } else {
      this.head(head16 + 1, count, 4);
    }
  }

  /** @throws RangeError if it is no int32 */
  int(value: number): void {
    if ((value | 0) !== value) throw new RangeError(`A 32-bit integer expected, not ${value}`);
    this.need(intSizeOf(value));
    this.at = writeNumber(this.bytes, this.at, value);
  }

  str(text: string): void {
    const { length } = text;
    if (length > SHORT_TEXT || !this.shortAscii(text, length)) {
      const size = Buffer.byteLength(text);
      this.need(sizeOf(size, true));
      if (size < 32) this.bytes[this.at++] = 0xa0 | size;
      else this.sized(0xd9, size);
      this.at += utf8.encodeInto(text, this.bytes.subarray(this.at)).written;
    }
  }

  /** Returns false, with nothing written, if the text is not ASCII. */
  private shortAscii(text: string, length: number): boolean {
    this.need(sizeOf(length, true));
    const bytes = this.bytes;
    let at = this.at;
    if (length < 32) {
      bytes[at++] = 0xa0 | length;
    } else {
      bytes[at++] = 0xd9;
      bytes[at++] = length;
    }
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[at++] = unit;
    }
    this.at = at;
    return true;
  }

  bin(data: Uint8Array): void {
    const { length } = data;
    this.need(sizeOf(length, false));
    this.sized(0xc4, length);
    const bytes = this.bytes;
    if (length > SHORT_TEXT) {
      bytes.set(data, this.at);
      this.at += length;
    } else {
      for (let i = 0; i < length; i++) bytes[this.at++] = data[i];
    }
  }

  /** A header of the formats for 8, 16 and 32 bits, which follow each other. */
  private sized(head8: number, size: number): void {
    if (size < 0x100) this.head(head8, size, 1);
    else if (size < 0x10000) this.head(head8 + 1, size, 2);
    else this.head(head8 + 2, size, 4);
  }

  /** A first byte, and the low bytes of a number, the highest first. */
  private head(first: number, value: number, size: number): void {
    const bytes = this.bytes;
    bytes[this.at++] = first;
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes[this.at++] = (value >>> shift) & 0xff;
  }

  private need(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.at + size));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
  }
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
