import { inspect, isDeepStrictEqual } from "node:util";

/** A result that is not what it must be. */
export class Mistake extends Error {
  /** @override */
  static name = "Mistake";
}

/**
 * What an error must be: that very one, or one of a class, with these properties.
 * @typedef {Error | { class: Function, code?: string, offset?: number, message?: RegExp }} ExpectedError
 */

/** Sees that results are what they must be, and counts them. */
export class Checks {
  /** Results that were right. */
  verified = 0;
  /** How many of them were errors. */
  errors = 0;

  /**
   * @param {Uint8Array | ArrayBuffer} actual
   * @param {Uint8Array | ArrayBuffer} expected
   * @throws Mistake
   */
  bytes(actual, expected) {
    const [mine, theirs] = [actual, expected].map((bytes) =>
      bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes),
    );
    if (Buffer.compare(mine, theirs) !== 0) throw new Mistake(byteDifference(mine, theirs));
    this.verified++;
  }

  /**
   * Values of any depth, with their prototypes.
   * @param {unknown} actual
   * @param {unknown} expected
   * @throws Mistake
   */
  value(actual, expected) {
    if (!isDeepStrictEqual(actual, expected)) throw new Mistake(difference(actual, expected));
    this.verified++;
  }

  /**
   * @param {() => unknown} call
   * @param {ExpectedError} expected
   * @returns {Error} what it throws
   * @throws Mistake
   */
  failure(call, expected) {
    let value;
    try {
      value = call();
    } catch (error) {
      return this.error(error, expected);
    }
    throw new Mistake(difference(value, expected));
  }

  /**
   * @param {Promise<unknown>} promise
   * @param {ExpectedError} expected
   * @throws Mistake
   */
  async rejection(promise, expected) {
    let value;
    try {
      value = await promise;
    } catch (error) {
      this.error(error, expected);
      return;
    }
    throw new Mistake(difference(value, expected));
  }

  /**
   * @param {unknown} actual
   * @param {ExpectedError} expected
   * @returns {Error}
   * @throws Mistake
   */
  error(actual, expected) {
    if (!isExpected(actual, expected)) throw new Mistake(difference(actual, expected), { cause: actual });
    this.verified++;
    this.errors++;
    return /** @type {Error} */ (actual);
  }
}

/**
 * @param {unknown} actual
 * @param {ExpectedError} expected
 */
function isExpected(actual, expected) {
  if (expected instanceof Error) return actual === expected;
  if (!(actual instanceof Error) || actual.constructor !== expected.class) return false;
  const { code, offset } = /** @type {{ code?: unknown, offset?: unknown }} */ (actual);
  if (expected.code !== undefined && code !== expected.code) return false;
  if (expected.offset !== undefined && offset !== expected.offset) return false;
  return expected.message?.test(actual.message) ?? true;
}

/**
 * @param {unknown} actual
 * @param {unknown} expected
 */
function difference(actual, expected) {
  const [mine, theirs] = [actual, expected].map((value) =>
    (typeof value === "string" ? value : inspect(value, { depth: 12, maxArrayLength: 200 })).slice(0, 4000),
  );
  return `${mine}\nis not what it must be:\n${theirs}`;
}

/**
 * @param {Uint8Array} actual
 * @param {Uint8Array} expected
 */
function byteDifference(actual, expected) {
  const at = expected.findIndex((byte, i) => byte !== actual[i]);
  const first = at === -1 ? expected.length : at;
  const [mine, theirs] = [actual, expected].map(
    (bytes) =>
      `${bytes.length} byte(s), from ${first} on ${Buffer.from(bytes.subarray(first, first + 200)).toString("hex")}`,
  );
  return difference(mine, theirs);
}
