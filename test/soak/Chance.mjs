import fc from "fast-check";
import { random } from "../../bench/suite/values.mjs";

/** What a seed decides. The same seed makes the same decisions. */
export class Chance {
  #next;

  /** @param {number} seed */
  constructor(seed) {
    this.#next = random(seed);
  }

  /**
   * An integer from 0 on.
   * @param {number} below
   */
  integer(below) {
    return Math.floor(this.#next() * below);
  }

  /** @param {number} n */
  isOneIn(n) {
    return this.integer(n) === 0;
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return list[this.integer(list.length)];
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T[]}
   */
  shuffled(list) {
    const items = [...list];
    for (let i = items.length - 1; i > 0; i--) {
      const other = this.integer(i + 1);
      [items[i], items[other]] = [items[other], items[i]];
    }
    return items;
  }

  /**
   * @template T
   * @param {import("fast-check").Arbitrary<T>} arbitrary
   * @param {number} count
   * @returns {T[]}
   */
  sample(arbitrary, count) {
    return fc.sample(arbitrary, { numRuns: count, seed: this.integer(2 ** 31) });
  }

  /**
   * Copies of the pieces of a message that is cut anywhere: some are empty, some a byte long.
   * @param {Uint8Array} bytes
   * @returns {Uint8Array[]}
   */
  cut(bytes) {
    const longest = this.pick([2, 20, 300, 5000, 100_000]);
    const pieces = [];
    for (let at = 0; at < bytes.length; ) {
      // A long message in pieces of a byte would be all that there is to a run.
      const size = this.integer(Math.max(longest, bytes.length >> 9) + 1);
      pieces.push(bytes.slice(at, at + size));
      at += size;
    }
    return pieces;
  }
}
