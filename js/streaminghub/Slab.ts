import { BufferPool } from "../BufferPool.ts";
import { MAX_SMALL, writeNumber, writeScalar } from "../smallFormats.ts";

const SLAB_BYTES = 8192;
/** Longer messages get buffers of their own. */
const MAX_SLICE = SLAB_BYTES / 8;

/** The array, two ids, the array of arguments, and four of them. */
const MAX_SHORT_CALL = 1 + 2 * 5 + 1 + 4 * MAX_SMALL;

/** No message has this id: what is written with it is a call without answer. */
export const NO_ANSWER = 0;

/** Where short messages are written. */
export class Slab extends BufferPool {
  constructor() {
    super(SLAB_BYTES, 0, MAX_SLICE);
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
    const start = this.reserve(MAX_SHORT_CALL);
    const { bytes } = this;
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
    return this.slice(start, at);
  }
}
