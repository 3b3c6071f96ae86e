const NOTHING = new Uint8Array(0);

/**
 * Reads the few formats of MessagePack in which protocols write their own fields: so few bytes that a call of the
 * tokenizer would take longer. The members that this is about are not `#private`, which V8 checks at each access.
 */
export abstract class FormatReader {
  bytes: Uint8Array = NOTHING;
  /** Where to go on reading. */
  at = 0;

  /** The error where `size` bytes are to be read, and fewer are left. */
  protected abstract insufficient(size: number): Error;
  /** The error where something else is wanted than what begins at `offset`. */
  protected abstract unexpected(what: string, offset: number): Error;

  /** Turns to a message. */
  open(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = 0;
  }

  /** An integer; beyond 2^53, the nearest number. */
  protected integer(): number {
    const start = this.at;
    const first = this.byte();
    if (first < 0x80) return first;
    if (first >= 0xe0) return first - 0x100;
    switch (first) {
      case 0xcc:
        return this.unsigned(1);
      case 0xcd:
        return this.unsigned(2);
      case 0xce:
        return this.unsigned(4);
      case 0xcf:
        return this.unsigned(4) * 2 ** 32 + this.unsigned(4);
      case 0xd0:
        return (this.unsigned(1) << 24) >> 24;
      case 0xd1:
        return (this.unsigned(2) << 16) >> 16;
      case 0xd2:
        return this.unsigned(4) | 0;
      case 0xd3:
        return (this.unsigned(4) | 0) * 2 ** 32 + this.unsigned(4);
      default:
        throw this.unexpected("an integer", start);
    }
  }

  /** The header of an array or a map, by its format with the count in the first byte, and the one for 16 bits. */
  protected count(fix: number, head16: number, what: string): number {
    const start = this.at;
    const first = this.byte();
    if ((first & 0xf0) === fix) return first & 15;
    if (first === head16) return this.unsigned(2);
    if (first === head16 + 1) return this.unsigned(4);
    throw this.unexpected(what, start);
  }

  /** The header of a string. Returns the length of what follows, in bytes. */
  protected textLength(): number {
    const start = this.at;
    const first = this.byte();
    if ((first & 0xe0) === 0xa0) return first & 31;
    if (first >= 0xd9 && first <= 0xdb) return this.unsigned(1 << (first - 0xd9));
    throw this.unexpected("a string", start);
  }

  /** Steps over nil, if that comes next. Returns whether it did. */
  protected takesNil(): boolean {
    if (this.bytes[this.at] !== 0xc0) return false;
    this.at++;
    return true;
  }

  protected byte(): number {
    return this.bytes[this.skip(1)];
  }

  /** Big-endian. */
  protected unsigned(size: number): number {
    let value = 0;
    for (let i = this.skip(size); i < this.at; i++) value = (value << 8) | this.bytes[i];
    return value >>> 0;
  }

  /** Steps over `size` bytes. Returns where they begin. */
  protected skip(size: number): number {
    const { at } = this;
    if (size > this.bytes.length - at) throw this.insufficient(size);
    this.at = at + size;
    return at;
  }
}
