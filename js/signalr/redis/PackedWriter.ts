/** Texts of up to so many units are written by a loop, faster than by a call into the host. */
const SHORT_TEXT = 48;

/**
 * Writes the few formats of MessagePack that the backplane's messages have. They are so small that to cross into wasm
 * would take longer than all of the writing.
 */
export class PackedWriter {
  #bytes = Buffer.allocUnsafeSlow(1024);
  #at = 0;

  /** What has been written, as a copy of its own; the next message begins. */
  take(): Uint8Array {
    const length = this.#at;
    this.#at = 0;
    const bytes = this.#bytes;
    const copy = new Uint8Array(length);
    if (length > SHORT_TEXT) {
      copy.set(bytes.subarray(0, length));
    } else {
      for (let i = 0; i < length; i++) copy[i] = bytes[i];
    }
    return copy;
  }

  /** Begins anew, whatever an error has left. */
  reset(): void {
    this.#at = 0;
  }

  array(count: number): void {
    this.#count(count, 0x90, 0xdc);
  }

  map(count: number): void {
    this.#count(count, 0x80, 0xde);
  }

  #count(count: number, fix: number, head16: number): void {
    this.#need(5);
    if (count < 16) {
      this.#bytes[this.#at++] = fix | count;
    } else if (count < 0x10000) {
      this.#head(head16, count, 2);
    } else {
      this.#head(head16 + 1, count, 4);
    }
  }

  /** @throws RangeError if it is no int32 */
  int(value: number): void {
    if ((value | 0) !== value) throw new RangeError(`A 32-bit integer expected, not ${value}`);
    this.#need(5);
    if (value >= -32 && value < 128) {
      this.#bytes[this.#at++] = value & 0xff;
    } else if (value >= 0) {
      if (value < 0x100) this.#head(0xcc, value, 1);
      else if (value < 0x10000) this.#head(0xcd, value, 2);
      else this.#head(0xce, value, 4);
    } else if (value >= -0x80) {
      this.#head(0xd0, value, 1);
    } else if (value >= -0x8000) {
      this.#head(0xd1, value, 2);
    } else {
      this.#head(0xd2, value, 4);
    }
  }

  str(text: string): void {
    const { length } = text;
    if (length > SHORT_TEXT || !this.#shortAscii(text, length)) {
      const size = Buffer.byteLength(text);
      this.#need(5 + size);
      if (size < 32) this.#bytes[this.#at++] = 0xa0 | size;
      else this.#sized(0xd9, size);
      this.#bytes.write(text, this.#at);
      this.#at += size;
    }
  }

  /** Returns false, with nothing written, if the text is not ASCII. */
  #shortAscii(text: string, length: number): boolean {
    this.#need(2 + length);
    const bytes = this.#bytes;
    let at = this.#at;
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
    this.#at = at;
    return true;
  }

  bin(data: Uint8Array): void {
    const { length } = data;
    this.#need(5 + length);
    this.#sized(0xc4, length);
    const bytes = this.#bytes;
    if (length > SHORT_TEXT) {
      bytes.set(data, this.#at);
      this.#at += length;
    } else {
      for (let i = 0; i < length; i++) bytes[this.#at++] = data[i];
    }
  }

  nil(): void {
    this.#need(1);
    this.#bytes[this.#at++] = 0xc0;
  }

  /** A header of the formats for 8, 16 and 32 bits, which follow each other. */
  #sized(head8: number, size: number): void {
    if (size < 0x100) this.#head(head8, size, 1);
    else if (size < 0x10000) this.#head(head8 + 1, size, 2);
    else this.#head(head8 + 2, size, 4);
  }

  /** A first byte, and the low bytes of a number, the highest first. */
  #head(first: number, value: number, size: number): void {
    const bytes = this.#bytes;
    bytes[this.#at++] = first;
    for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes[this.#at++] = (value >>> shift) & 0xff;
  }

  #need(size: number): void {
    const { length } = this.#bytes;
    if (this.#at + size <= length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(length * 2, this.#at + size));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
