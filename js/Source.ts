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

/** In lists of so many pieces, no array gets so long that V8 would put it where memory is slow to get. */
const LIST_LENGTH = 1024;

/** Pieces of a message in a row, each with the offset at which it begins. */
interface PieceList {
  readonly pieces: Uint8Array[];
  readonly starts: number[];
}

/** A message in several pieces, to which more can be added. */
export class SegmentSource implements Source {
  readonly #lists: PieceList[] = [];
  length = 0;

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    let list = this.#lists[this.#lists.length - 1];
    if (list === undefined || list.pieces.length === LIST_LENGTH) {
      list = { pieces: [], starts: [] };
      this.#lists.push(list);
    }
    list.pieces.push(bytes);
    list.starts.push(this.length);
    this.length += bytes.length;
  }

  /** Lets go of the pieces that lie before `offset`. */
  release(offset: number): void {
    const lists = this.#lists;
    while (lists.length > 0) {
      const { pieces, starts } = lists[0];
      let count = 0;
      while (count < pieces.length && starts[count] + pieces[count].length <= offset) count++;
      if (count < pieces.length) {
        if (count === 0) return;
        pieces.splice(0, count);
        starts.splice(0, count);
        return;
      }
      lists.shift();
    }
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
    const list = this.#lists[lastOf(this.#lists.length, (i) => this.#lists[i].starts[0] <= offset)];
    if (list === undefined) return null;
    const i = lastOf(list.starts.length, (k) => list.starts[k] <= offset);
    const bytes = list.pieces[i];
    const start = list.starts[i];
    return offset + length <= start + bytes.length ? { bytes, start } : null;
  }

  /** Calls `write` with each piece of a range: `size` bytes from offset `from` of `bytes`, which are to go to `at`. */
  #copy(
    offset: number,
    length: number,
    write: (bytes: Uint8Array, at: number, from: number, size: number) => void,
  ): void {
    let copied = 0;
    for (
      let l = lastOf(this.#lists.length, (i) => this.#lists[i].starts[0] <= offset);
      copied < length;
      l++
    ) {
      const { pieces, starts } = this.#lists[l];
      let i = lastOf(starts.length, (k) => starts[k] <= offset + copied);
      for (; i < pieces.length && copied < length; i++) {
        const from = offset + copied - starts[i];
        const size = Math.min(pieces[i].length - from, length - copied);
        write(pieces[i], copied, from, size);
        copied += size;
      }
    }
  }
}

/** The last of `count` indices for which `holds` does, where it holds for all up to some; 0 if there is none. */
function lastOf(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (holds(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
