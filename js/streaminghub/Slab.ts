import type { Walker } from "../Walker.ts";

const SLAB_BYTES = 8192;
/** Longer messages get buffers of their own. */
const MAX_SLICE = SLAB_BYTES / 8;

/**
 * Short messages are slices of larger buffers: a buffer of its own costs V8 more memory than such a message
 * has (224 bytes instead of 96, Node 20), and more time.
 */
export class Slab {
  #bytes = new Uint8Array(0);
  #at = 0;

  /** The message that a walker has written. */
  take(walker: Walker): Uint8Array<ArrayBuffer> {
    const { size } = walker;
    if (size > MAX_SLICE) return walker.take();
    if (this.#at + size > this.#bytes.length) {
      this.#bytes = new Uint8Array(SLAB_BYTES);
      this.#at = 0;
    }
    const start = this.#at;
    this.#at = start + size;
    walker.writeTo(this.#bytes, start);
    return new Uint8Array(this.#bytes.buffer, start, size);
  }
}
