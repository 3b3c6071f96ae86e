import type { DecodeMemory } from "./wasm/DecodeMemory.ts";

/** Where a message's bytes lie. Offsets count from its start. */
export interface Source {
  /** Bytes that are there. */
  readonly length: number;
  /** Copies up to `limit` bytes from `offset` on into the decoder's memory. Returns how many. */
  load(memory: DecodeMemory, offset: number, limit: number): number;
  /** A view of the caller's own memory where it is in one piece, else a copy. */
  view(offset: number, length: number): Uint8Array;
  /** What holds all of these bytes, or null if they lie in several pieces. */
  piece(offset: number, length: number): Piece | null;
}

/** Bytes of the caller's, and where in the message they start. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly start: number;
}

const NOTHING = new Uint8Array(0);

/** A message in one piece. */
export class BufferSource implements Source, Piece {
  bytes = NOTHING as Uint8Array;
  readonly start = 0;
  length = 0;

  set(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.length = bytes.length;
  }

  /** Lets go of the caller's memory. */
  clear(): void {
    this.bytes = NOTHING;
    this.length = 0;
  }

  load(memory: DecodeMemory, offset: number, limit: number): number {
    const size = Math.min(limit, this.length - offset);
    memory.write(this.bytes, 0, offset, size);
    return size;
  }

  view(offset: number, length: number): Uint8Array {
    return this.bytes.subarray(offset, offset + length);
  }

  piece(): Piece {
    return this;
  }
}

/** A message in one piece that lies in the memory of the decoder itself. */
export class PlacedSource extends BufferSource {
  override load(memory: DecodeMemory, offset: number, limit: number): number {
    memory.place(this.bytes.byteOffset + offset);
    return Math.min(limit, this.length - offset);
  }
}

/** A message in several pieces, to which more can be added. */
export class SegmentSource implements Source {
  #segments: Uint8Array[] = [];
  /** Where each begins. */
  #starts: number[] = [];
  length = 0;

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#segments.push(bytes);
    this.#starts.push(this.length);
    this.length += bytes.length;
  }

  /** Lets go of the pieces that lie before `offset`. */
  release(offset: number): void {
    const segments = this.#segments;
    let count = 0;
    while (count < segments.length && this.#starts[count] + segments[count].length <= offset) count++;
    if (count === 0) return;
    segments.splice(0, count);
    this.#starts.splice(0, count);
  }

  load(memory: DecodeMemory, offset: number, limit: number): number {
    const size = Math.min(limit, this.length - offset);
    this.#copy(offset, size, (bytes, at, from, part) => memory.write(bytes, at, from, part));
    return size;
  }

  view(offset: number, length: number): Uint8Array {
    const piece = this.piece(offset, length);
    if (piece !== null) return piece.bytes.subarray(offset - piece.start, offset - piece.start + length);
    const joined = new Uint8Array(length);
    this.#copy(offset, length, (bytes, at, from, size) => {
      joined.set(size === bytes.length ? bytes : bytes.subarray(from, from + size), at);
    });
    return joined;
  }

  piece(offset: number, length: number): Piece | null {
    const i = this.#indexOf(offset);
    const bytes = this.#segments[i];
    const start = this.#starts[i];
    return bytes !== undefined && offset + length <= start + bytes.length ? { bytes, start } : null;
  }

  /** Calls `write` with each piece of a range: `size` bytes from offset `from` of `bytes`, which are to go to `at`. */
  #copy(
    offset: number,
    length: number,
    write: (bytes: Uint8Array, at: number, from: number, size: number) => void,
  ): void {
    let copied = 0;
    for (let i = this.#indexOf(offset); copied < length; i++) {
      const bytes = this.#segments[i];
      const from = offset + copied - this.#starts[i];
      const size = Math.min(bytes.length - from, length - copied);
      write(bytes, copied, from, size);
      copied += size;
    }
  }

  /** The segment that holds `offset`. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
