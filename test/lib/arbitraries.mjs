// Random values for fast-check, as plain JavaScript: the runner without Vitest uses them, too.

import { encode } from "@msgpack/msgpack";
import fc from "fast-check";

/** @typedef {import("fast-check").Arbitrary<unknown>} Values */

/** Around each size at which a format, V8 or the library changes its ways. */
const EDGES = [1, 5, 7, 8, 15, 16, 27, 28, 30, 31, 32, 33, 52, 53, 63, 64, 1023].flatMap((bits) =>
  [2 ** bits - 1, 2 ** bits, 2 ** bits + 1].flatMap((number) => [number, -number]),
);

/** @type {import("fast-check").Arbitrary<number>} */
export const numbers = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -300, max: 300 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, -0, 0.5, -1.5, Number.NaN, Infinity, -Infinity, ...EDGES) },
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.float(),
);

const LENGTHS = [11, 12, 13, 31, 32, 33, 50, 51, 64, 65, 200, 201, 255, 256, 511, 512, 513, 2047, 2048, 2049];

const longTexts = fc
  .tuple(
    fc.constantFrom("a", "é", "€", "😀", "ab€", "aé😀"),
    fc.constantFrom(...LENGTHS),
    fc.string({ unit: "binary", maxLength: 3 }),
  )
  .map(([unit, length, end]) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end);

/**
 * Text of which @msgpack/msgpack makes what we make of it. Below 51 units (below 201 before version 3) it writes
 * lone surrogates as three bytes that are no UTF-8, and it drops a byte order mark of more than 200 bytes: such text is mended here.
 * @param {string} text
 */
function agreedText(text) {
  const isMended = text.length <= 200;
  const mended = isMended ? text.replace(/\p{Surrogate}/gu, "?") : text;
  return mended.startsWith("\ufeff") && Buffer.byteLength(mended) > 200 ? mended.slice(1) : mended;
}

/** @type {import("fast-check").Arbitrary<string>} */
export const texts = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ unit: "binary-ascii", maxLength: 16 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
    { weight: 1, arbitrary: longTexts },
    // Any units, lone surrogates among them.
    {
      weight: 1,
      arbitrary: fc
        .array(fc.integer({ min: 0xd7f0, max: 0xe00f }), { maxLength: 70 })
        .map((units) => String.fromCharCode(...units)),
    },
  )
  .map(agreedText);

/** Names that repeat from value to value, so that they are learned, and others that do not. */
export const keys = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        "id",
        "name",
        "",
        "0",
        "7",
        "42",
        "constructor",
        "prototype",
        "toString",
        "k",
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "a".repeat(64),
        "b".repeat(65),
        "é".repeat(32),
        "日本",
        "😀",
        '"',
        "\n",
        "\u2028",
      ),
    },
    { weight: 2, arbitrary: texts },
    { weight: 1, arbitrary: fc.integer({ min: -3, max: 2 ** 33 }).map(String) },
  )
  .filter((key) => key !== "__proto__");

/** @type {import("fast-check").Arbitrary<Date>} */
export const dates = fc.oneof(
  fc.date({ noInvalidDate: true }),
  fc
    .constantFrom(0, -1, 1, 999, 1000, 2 ** 32 * 1000, 2 ** 34 * 1000, 2 ** 34 * 1000 - 1, -8.64e15, 8.64e15)
    .map((milliseconds) => new Date(milliseconds)),
);

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom(0, 1, 31, 32, 255, 256, 257, 1000).map((length) => new Uint8Array(length).fill(length)),
);

/** Views of all kinds: each becomes its bytes. */
export const binaries = fc.oneof(
  bytes,
  bytes.map((view) => new DataView(view.buffer, view.byteOffset, view.byteLength)),
  bytes.map((view) => Buffer.from(view)),
  bytes.map((view) => Uint8ClampedArray.from(view)),
  fc.int16Array({ maxLength: 9 }),
  fc.uint32Array({ maxLength: 9 }),
  fc.float32Array({ maxLength: 9 }),
  fc.float64Array({ maxLength: 9 }),
  fc.bigInt64Array({ maxLength: 9 }),
);

/** @type {import("fast-check").Arbitrary<bigint>} */
export const bigints = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 1n, -1n, 2n ** 53n, -(2n ** 63n), 2n ** 63n, 2n ** 64n - 1n),
);

class Point {
  /**
   * @param {unknown} x
   * @param {unknown} y
   */
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  get inherited() {
    return 1;
  }
}

/** A few shapes that all runs have in common, so that they are learned and, after some dozen objects, compiled. */
const SHAPES = [
  ["id", "name", "tags"],
  ["id", "name"],
  ["name", "id"],
  ["id"],
  ["x", "y"],
  ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"],
  ["constructor", "prototype", "hasOwnProperty", "valueOf"],
  ["", "\0", '"', "'", "\\", "\n", "\u2028", "$" + "{x}", "*/"],
  ["é", "日本", "😀", "\ufeff"],
  ["b", "2", "a", "1"],
  ["k".repeat(64), "l".repeat(65), "é".repeat(32)],
];

/**
 * @param {readonly string[]} names
 * @param {Values} value
 */
function recordsOf(names, value) {
  return fc.tuple(...names.map(() => value)).map((values) => {
    /** @type {Record<string, unknown>} */
    const object = {};
    names.forEach((name, i) => {
      object[name] = values[i];
    });
    return object;
  });
}

/**
 * Whatever @msgpack/msgpack encodes as we do.
 * @param {{ bigint?: boolean, unsupported?: boolean }} [kinds] `bigint`: only `useBigInt64` takes them. `unsupported`:
 * what has no format, too.
 * @returns {Values}
 */
export function values({ bigint = false, unsupported = false } = {}) {
  const scalars = fc.oneof(
    { weight: 4, arbitrary: numbers },
    { weight: 4, arbitrary: texts },
    { weight: 2, arbitrary: fc.constantFrom(null, undefined, true, false) },
    { weight: 1, arbitrary: dates },
    { weight: 1, arbitrary: binaries },
    ...(bigint ? [{ weight: 2, arbitrary: bigints }] : []),
    ...(unsupported ? [{ weight: 1, arbitrary: fc.constantFrom(() => 0, Symbol("s"), 1n) }] : []),
  );
  const { value } = fc.letrec((/** @type {(name: string) => Values} */ tie) => {
    const value = tie("value");
    return {
      value: fc.oneof(
        { maxDepth: 5, depthIdentifier: "value" },
        { weight: 3, arbitrary: scalars },
        { weight: 2, arbitrary: tie("array") },
        { weight: 2, arbitrary: tie("map") },
      ),
      array: fc.oneof(
        { weight: 3, arbitrary: fc.array(value, { maxLength: 8, depthIdentifier: "value" }) },
        // Runs of numbers, whole or broken.
        { weight: 2, arbitrary: fc.array(numbers, { maxLength: 80 }) },
        {
          weight: 1,
          arbitrary: fc.tuple(fc.array(numbers, { maxLength: 40 }), value).map(([run, end]) => [...run, end]),
        },
        { weight: 1, arbitrary: fc.sparseArray(value, { maxLength: 20, depthIdentifier: "value" }) },
        // Points and pairs.
        { weight: 1, arbitrary: fc.array(fc.array(fc.double(), { maxLength: 5 }), { maxLength: 12 }) },
        // Records of one shape, and of several that alternate.
        {
          weight: 3,
          arbitrary: fc.oneof(
            ...SHAPES.map((names) => fc.array(recordsOf(names, scalars), { maxLength: 12 })),
          ),
        },
        {
          weight: 1,
          arbitrary: fc.array(fc.oneof(...SHAPES.map((names) => recordsOf(names, value))), { maxLength: 4 }),
        },
      ),
      map: fc.oneof(
        { weight: 3, arbitrary: fc.oneof(...SHAPES.slice(0, 5).map((names) => recordsOf(names, value))) },
        {
          weight: 3,
          arbitrary: fc
            .array(fc.tuple(keys, value), { maxLength: 8, depthIdentifier: "value" })
            .map((pairs) => Object.fromEntries(pairs)),
        },
        {
          weight: 1,
          arbitrary: fc
            .array(fc.tuple(keys, value), { maxLength: 4, depthIdentifier: "value" })
            .map((pairs) => Object.assign(Object.create(null), Object.fromEntries(pairs))),
        },
        { weight: 1, arbitrary: fc.tuple(value, value).map(([x, y]) => new Point(x, y)) },
        {
          weight: 1,
          arbitrary: fc
            .uniqueArray(keys, { minLength: 15, maxLength: 40 })
            .map((names) => Object.fromEntries(names.map((name, i) => [name, i]))),
        },
      ),
    };
  });
  return /** @type {Values} */ (value);
}

const damage = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  remove: fc.integer({ min: 0, max: 3 }),
  insert: fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0x80, 0x81, 0x90, 0x91, 0xa1, 0xc1, 0xdc, 0xde),
    ),
    { maxLength: 3 },
  ),
});

/**
 * Messages with some bytes replaced, put in, or cut off.
 * @param {import("fast-check").Arbitrary<ArrayLike<number>>} messages
 */
export function damaged(messages) {
  return fc.tuple(messages, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([message, damages]) => {
    const bytes = Array.from(message);
    for (const { at, remove, insert } of damages)
      bytes.splice(Math.floor(at * bytes.length), remove, ...insert);
    return Uint8Array.from(bytes);
  });
}

export const damagedMessages = damaged(values().map((value) => encode(value)));
