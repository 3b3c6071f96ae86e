import { MAX_SMALL, writeNumber, writeScalar } from "../smallFormats.ts";
import type { Walker } from "../Walker.ts";

const SLAB_BYTES = 8192;
/** Longer messages get buffers of their own. */
const MAX_SLICE = SLAB_BYTES / 8;

/** The array, two ids, the array of arguments, and four of them. */
const MAX_SHORT_CALL = 1 + 2 * 5 + 1 + 4 * MAX_SMALL;

/** No message has this id: what is written with it is a call without answer. */
export const NO_ANSWER = 0;

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
    const start = this.#reserve(size);
    walker.writeTo(this.#bytes, start);
    return this.#slice(start, start + size);
  }

  /**
   * A call with up to four arguments, as `writeCall` has them; or null if these are not all short scalars, whose way
   * through a walker takes longer than writing them.
   */
  shortCall(
    messageId: number,
    methodId: Uint8Array,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    d: unknown,
  ): Uint8Array<ArrayBuffer> | null {
    const start = this.#reserve(MAX_SHORT_CALL);
    const bytes = this.#bytes;
    let at = start + 1;
    if (messageId === NO_ANSWER) {
      bytes[start] = 0x92;
    } else {
      bytes[start] = 0x93;
      at = writeNumber(bytes, at, messageId);
    }
    for (let i = 0; i < methodId.length; i++) bytes[at++] = methodId[i];
    if (count === 0) {
      bytes[at++] = 0xc0;
    } else {
      if (count > 1) bytes[at++] = 0x90 | count;
      at = writeScalar(bytes, at, a);
      if (count > 1 && at > 0) at = writeScalar(bytes, at, b);
      if (count > 2 && at > 0) at = writeScalar(bytes, at, c);
      if (count > 3 && at > 0) at = writeScalar(bytes, at, d);
      if (at < 0) return null;
    }
    return this.#slice(start, at);
  }

  /** Returns where so many bytes are free. */
  #reserve(size: number): number {
    if (this.#at + size > this.#bytes.length) {
      this.#bytes = new Uint8Array(SLAB_BYTES);
      this.#at = 0;
    }
    return this.#at;
  }

  #slice(start: number, end: number): Uint8Array<ArrayBuffer> {
    this.#at = end;
    return new Uint8Array(this.#bytes.buffer, start, end - start);
  }
}
