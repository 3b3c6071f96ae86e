/** Bytes from hexadecimal text; blanks are left out. */
export function hex(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.replace(/\s+/g, "");
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(i * 2, i * 2 + 2), 16),
  );
}

/** The parts one after another. Text stands for its UTF-8, without a header. */
export function join(...parts: (string | ArrayLike<number>)[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** `value` as `size` bytes, the most significant first. */
export function bigEndian(value: number, size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** (size - 1 - i)) % 256);
}

/** A string of MessagePack with these bytes, well formed or not, behind the shortest header. */
export function str(payload: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const { length } = payload;
  if (length < 32) return join([0xa0 | length], payload);
  if (length < 2 ** 8) return join([0xd9, length], payload);
  if (length < 2 ** 16) return join([0xda], bigEndian(length, 2), payload);
  return join([0xdb], bigEndian(length, 4), payload);
}

/** `count` times the same bytes. */
export function repeat(bytes: ArrayLike<number>, count: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes.length * count);
  for (let i = 0; i < count; i++) whole.set(bytes, i * bytes.length);
  return whole;
}
