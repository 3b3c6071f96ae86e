import type { DecodeMemory } from "./wasm/DecodeMemory.ts";

/** Where a message's bytes lie. Offsets count from its start. */
export interface Source {
  /** Bytes that are there. */
  readonly length: number;
  /** Copies up to `limit` bytes from `offset` on into the decoder's memory. Returns how many. */
  load(memory: DecodeMemory, offset: number, limit: number): number;
  /** A view of the caller's own memory where it is in one piece, else a copy. */
  view(offset: number, length: number): Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** A message in one piece. */
export class BufferSource implements Source {
  #bytes = NOTHING as Uint8Array;
  length = 0;

  set(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  /** Lets go of the caller's memory. */
  clear(): void {
    this.#bytes = NOTHING;
    this.length = 0;
  }

  load(memory: DecodeMemory, offset: number, limit: number): number {
    const { length } = this;
    if (offset === 0 && length <= limit) {
      memory.write(this.#bytes, 0);
      return length;
    }
    const end = Math.min(offset + limit, length);
    memory.write(this.#bytes.subarray(offset, end), 0);
    return end - offset;
  }

  view(offset: number, length: number): Uint8Array {
    return this.#bytes.subarray(offset, offset + length);
  }
}
