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

/** A place in a message, as the share of it that stands before. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const insertion = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x80, 0x81, 0x90, 0x91, 0xa1, 0xc1, 0xdc, 0xde)),
  { maxLength: 3 },
);

const flip = fc.record({ at: place, flip: fc.integer({ min: 0, max: 7 }) });

const damage = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ at: place, remove: fc.integer({ min: 0, max: 3 }), insert: insertion }),
  },
  { weight: 2, arbitrary: flip },
  { weight: 1, arbitrary: fc.record({ cut: place }) },
  // A part goes away, comes again, or comes from another message.
  { weight: 1, arbitrary: fc.record({ at: place, remove: fc.integer({ min: 1, max: 80 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      at: place,
      from: place,
      length: fc.integer({ min: 1, max: 80 }),
      ofOther: fc.boolean(),
    }),
  },
);

/**
 * @typedef {object} Damage
 * @property {number} [at]
 * @property {number} [remove]
 * @property {readonly number[]} [insert]
 * @property {number} [flip] a bit
 * @property {number} [cut]
 * @property {number} [from]
 * @property {number} [length]
 * @property {boolean} [ofOther]
 */

/**
 * @param {number[]} bytes
 * @param {ArrayLike<number>} other
 * @param {Damage} damage
 */
function damageOnce(bytes, other, { at = 0, remove = 0, insert = [], flip, cut, from, length = 0, ofOther }) {
  const index = Math.floor(at * bytes.length);
  if (flip !== undefined) {
    if (bytes.length > 0) bytes[index] ^= 1 << flip;
  } else if (cut !== undefined) {
    bytes.length = Math.floor(cut * bytes.length);
  } else if (from !== undefined) {
    const source = ofOther ? Array.from(other) : bytes;
    const start = Math.floor(from * source.length);
    bytes.splice(index, 0, ...source.slice(start, start + length));
  } else {
    bytes.splice(index, remove, ...insert);
  }
}

/**
 * Messages with bits flipped, with bytes replaced, put in, taken out, or cut off, and with parts that come twice or
 * belong to another message.
 * @param {import("fast-check").Arbitrary<ArrayLike<number>>} messages
 */
export function damaged(messages) {
  // After a flipped bit alone, it is often a message still.
  const damages = fc.oneof(
    fc.array(flip, { minLength: 1, maxLength: 2 }),
    fc.array(damage, { minLength: 1, maxLength: 3 }),
  );
  return fc.tuple(messages, messages, damages).map(([message, other, damages]) => {
    const bytes = Array.from(message);
    for (const each of damages) damageOnce(bytes, other, each);
    return Uint8Array.from(bytes);
  });
}

export const damagedMessages = damaged(values().map((value) => encode(value)));

/** A header and what it needs, mostly; the lengths are small. */
function tokens() {
  /**
   * @param {number[]} header
   * @param {number} length
   */
  const payload = (header, length) =>
    fc
      .uint8Array({ minLength: length, maxLength: length, max: 0x7f })
      .map((data) => Buffer.from([...header, ...data]));
  const small = fc.integer({ min: 0, max: 6 });
  return fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 255 }).map((byte) => Buffer.from([byte])) },
    { weight: 4, arbitrary: fc.integer({ min: 0x80, max: 0x83 }).map((byte) => Buffer.from([byte])) },
    { weight: 4, arbitrary: fc.integer({ min: 0x90, max: 0x96 }).map((byte) => Buffer.from([byte])) },
    { weight: 3, arbitrary: fc.constantFrom(0xc0, 0xc2, 0xc3, 1, 0xff).map((byte) => Buffer.from([byte])) },
    { weight: 4, arbitrary: small.chain((length) => payload([0xa0 + length], length)) },
    { weight: 1, arbitrary: small.chain((length) => payload([0xd9, length], length)) },
    { weight: 1, arbitrary: small.chain((length) => payload([0xda, 0, length], length)) },
    { weight: 1, arbitrary: small.chain((length) => payload([0xdb, 0, 0, 0, length], length)) },
    { weight: 1, arbitrary: small.chain((length) => payload([0xc4, length], length)) },
    { weight: 1, arbitrary: small.chain((length) => payload([0xc7, length, 5], length)) },
    { weight: 1, arbitrary: small.map((count) => Buffer.from([0xdc, 0, count])) },
    { weight: 1, arbitrary: small.map((count) => Buffer.from([0xde, 0, count])) },
    { weight: 1, arbitrary: small.map((count) => Buffer.from([0xdd, 0, 0, 0, count])) },
    { weight: 1, arbitrary: small.map((count) => Buffer.from([0xdf, 0, 0, 0, count])) },
    // Numbers, and extensions of fixed size.
    ...[0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd3].map((byte) => ({
      weight: 1,
      arbitrary: payload([byte], [4, 8, 1, 2, 4, 8, 1, 2, 4, 8][byte - 0xca]),
    })),
    ...[0xd4, 0xd5, 0xd6, 0xd7, 0xd8].map((byte, i) => ({
      weight: 1,
      arbitrary: payload([byte, 7], 2 ** i),
    })),
    { weight: 1, arbitrary: payload([0xd6, 0xff], 4) },
    { weight: 1, arbitrary: payload([0xd7, 0xff], 8) },
    { weight: 1, arbitrary: payload([0xc7, 12, 0xff], 12) },
    { weight: 1, arbitrary: texts.map((text) => Buffer.from(encode(text))) },
  );
}

/** What looks like MessagePack, and often is. */
export const tokenRows = fc
  .array(tokens(), { maxLength: 24 })
  .map((parts) => Uint8Array.from(Buffer.concat(parts)));
