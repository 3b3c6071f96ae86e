/**
 * What a stranger might send: a message of some `size` bytes, or of those few that it takes.
 * @typedef {object} HostileCase
 * @property {string} name
 * @property {(size: number) => Uint8Array} make
 * @property {string} outcome "a value", or the code of the error here
 * @property {number} [offset] that of the error
 * @property {boolean} [isSlowToMake]
 * @property {boolean} [isFixed] whether the message is as short as it is, whatever `size`
 * @property {boolean} [isStream] whether it comes in pieces to `decodeAsync`
 * @property {(size: number) => unknown} [build] makes in plain JS what the message makes a decoder build, up to the error if
 *   there is one: what that takes is V8's
 */

const MEGABYTE = 2 ** 20;
/** @param {number} format @param {number} value */
const head32 = (format, value) => [
  format,
  value >>> 24,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
];

/**
 * An array of as many items as fit.
 * @param {number[]} item which may be several `values`
 * @param {(i: number) => unknown} value the i-th
 * @param {number} [values]
 * @returns {Pick<HostileCase, "make" | "build" | "outcome">}
 */
const arrayOf = (item, value, values = 1) => ({
  make(size) {
    const count = Math.floor(size / item.length);
    return repeated(head32(0xdd, count * values), item, count);
  },
  build: (size) => listOf(Math.floor(size / item.length) * values, value),
  outcome: "a value",
});

/** @param {number} count @param {(i: number) => unknown} value */
function listOf(count, value) {
  const list = new Array(count);
  for (let i = 0; i < count; i++) list[i] = value(i);
  return list;
}

/** @param {number} depth @param {(inner: unknown) => unknown} wrap */
function nested(depth, wrap) {
  /** @type {unknown} */
  let value = null;
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}

/** An array that has room for `count` items, and one of them. @param {number} count */
const begun = (count) => (/** @type {unknown} */ first) => {
  const list = new Array(count);
  list[0] = first;
  return list;
};

/** An object around another. @param {unknown} inner */
function around(inner) {
  /** @type {Record<string, unknown>} */
  const object = {};
  object.a = inner;
  return object;
}

/** An object with as many properties. @param {number} count @param {(i: number) => string | number} key */
function objectOf(count, key) {
  /** @type {Record<string, null>} */
  const object = {};
  for (let i = 0; i < count; i++) object[key(i)] = null;
  return object;
}

/** @param {number[]} before @param {number[]} item @param {number} count @param {number[]} [after] */
function repeated(before, item, count, after = []) {
  const bytes = new Uint8Array(before.length + item.length * count + after.length);
  bytes.set(before);
  for (let i = 0; i < count; i++) bytes.set(item, before.length + i * item.length);
  bytes.set(after, bytes.length - after.length);
  return bytes;
}

/**
 * `count` items one after another, each written by `write` from `at` on, which returns where it ends.
 * @param {number[]} before @param {number} count @param {number} most bytes of one
 * @param {(bytes: Uint8Array, at: number, i: number) => number} write
 */
function written(before, count, most, write) {
  const bytes = new Uint8Array(before.length + count * most);
  bytes.set(before);
  let at = before.length;
  for (let i = 0; i < count; i++) at = write(bytes, at, i);
  return bytes.slice(0, at);
}

/** A key of 4 letters, the same for no two numbers below 2^20. @param {Uint8Array} bytes @param {number} at @param {number} i */
function writeKey(bytes, at, i) {
  bytes[at++] = 0xa4;
  for (let k = 0; k < 4; k++) bytes[at++] = 0x41 + ((i >>> (5 * k)) & 31);
  return at;
}

/** The i-th of these keys. @param {number} i */
const keyText = (i) => String.fromCharCode(...[0, 1, 2, 3].map((k) => 0x41 + ((i >>> (5 * k)) & 31)));

/** V8 makes one piece of a string once it is looked into. @param {string} text */
function flat(text) {
  text.charCodeAt(0);
  return text;
}

/** The bytes that views look at. */
const shared = new ArrayBuffer(8);

/** What `Math.random` returns where the keys that collide are to collide, and the seed that comes of it. */
export const RANDOM = 0.5;
const SEED = RANDOM * 2 ** 32;

/**
 * Keys of 8 letters with the same hash, which nobody can make without the seed: `KeyTable::hash`, backwards.
 * @param {number} count
 */
function collidingKeys(count) {
  const mask = 2n ** 64n - 1n;
  const fold = (/** @type {bigint} */ value) => value ^ (value >> 32n);
  const seeded = ((BigInt(SEED) << 32n) | BigInt(SEED)) ^ 8n;
  const keys = [];
  for (let upper = 0n; keys.length < count; upper++) {
    const state = (upper << 32n) | 0x12345678n;
    const once = fold((fold(state) * 0x9cb4b2f8129337dbn) & mask);
    const key = (fold((once * 0x4f74430c22a54005n) & mask) ^ seeded) & mask;
    if ((key & 0x8080808080808080n) === 0n) keys.push(key);
  }
  return keys;
}

/** @param {number[]} bytes @returns {Pick<HostileCase, "make" | "isFixed">} */
const just = (bytes) => ({ make: () => Uint8Array.from(bytes), isFixed: true });

/** @type {HostileCase[]} */
export const hostileCases = [
  ...[0xdd, 0xdf, 0xdb, 0xc6].map((format, i) => ({
    name: `a header alone: ${["an array", "a map", "a string", "binary data"][i]} of 2^32 − 1`,
    ...just(head32(format, 2 ** 32 - 1)),
    outcome: "INSUFFICIENT_DATA",
    offset: 0,
  })),
  {
    name: "a header alone: an extension of 2^32 − 1",
    ...just([...head32(0xc9, 2 ** 32 - 1), 5]),
    outcome: "INSUFFICIENT_DATA",
    offset: 0,
  },
  {
    name: "headers that each promise all that is left",
    make(size) {
      return written([], Math.floor(size / 5), 5, (bytes, at) => {
        bytes.set(head32(0xdd, size - at - 5), at);
        return at + 5;
      });
    },
    outcome: "INSUFFICIENT_DATA",
    offset: 5,
  },
  {
    name: "headers that each promise half of what is left",
    make(size) {
      return written([], Math.floor(size / 5), 5, (bytes, at) => {
        bytes.set(head32(0xdd, (size - at) >> 1), at);
        return at + 5;
      });
    },
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "arrays in arrays, as deep as there are bytes",
    make: (size) => repeated([], [0x91], size - 1, [0xc0]),
    build: (size) => nested(size - 1, (inner) => [inner]),
    outcome: "a value",
  },
  {
    name: "maps in maps, as deep",
    make: (size) => repeated([], [0x81, 0xa1, 0x61], Math.floor(size / 3), [0xc0]),
    build: (size) => nested(Math.floor(size / 3), around),
    outcome: "a value",
  },
  {
    name: "arrays in arrays, each with another item to come, and no end",
    make: (size) => repeated([], [0x92], size),
    // Each reserves a byte behind all others.
    build: (size) => nested(size / 2, begun(2)),
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "the same, as a stream",
    isStream: true,
    make: (size) => repeated([], [0x92], size),
    build: (size) => nested(size, begun(2)),
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "arrays of 15 in arrays of 15, and no end, as a stream",
    isStream: true,
    make: (size) => repeated([], [0x9f], size),
    build: (size) => nested(size, begun(15)),
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "arrays of 15 in arrays of 15, 14 items in each, and no end, as a stream",
    isStream: true,
    make: (size) => repeated([], [0x9f, ...new Array(14).fill(0xc0)], Math.floor(size / 15)),
    build: (size) => nested(Math.floor(size / 15), begun(15)),
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "arrays in arrays, each with another item to come, and all the ends",
    make: (size) =>
      repeated([], [0x92], Math.floor(size / 2), new Array(Math.floor(size / 2) + 1).fill(0xc0)),
    build: (size) => nested(Math.floor(size / 2), (inner) => [inner, null]),
    outcome: "a value",
  },
  {
    name: "maps in maps, each with another pair to come, and no end",
    make: (size) => repeated([], [0x82, 0xa1, 0x61], Math.floor(size / 3)),
    // Each reserves two bytes.
    build: (size) => nested(Math.floor(size / 5), around),
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "maps in maps, each with another pair to come, and all the ends",
    make: (size) =>
      repeated(
        [],
        [0x82, 0xa0],
        Math.floor(size / 5),
        new Array(Math.floor(size / 5) + 1).fill([0xc0, 0xa1, 0x61]).flat().slice(0, -2),
      ),
    build: (size) => nested(Math.floor(size / 5), (inner) => Object.assign(around(inner), { b: null })),
    outcome: "a value",
  },
  {
    name: "maps in maps, and no end, as a stream",
    isStream: true,
    make: (size) => repeated([], [0x81, 0xa0], Math.floor(size / 2)),
    build: (size) => nested(Math.floor(size / 2), around),
    outcome: "INSUFFICIENT_DATA",
  },
  {
    name: "maps in maps, with small integers as keys",
    make: (size) => repeated([], [0x81, 9], Math.floor(size / 2), [0xc0]),
    build: (size) => nested(Math.floor(size / 2), (inner) => ({ 9: inner })),
    outcome: "a value",
  },
  { name: "empty arrays", ...arrayOf([0x90], () => []) },
  { name: "empty maps", ...arrayOf([0x80], () => ({})) },
  { name: "arrays of one", ...arrayOf([0x91, 0xc0], (i) => [i]) },
  {
    name: "maps of one pair with a small integer as key",
    ...arrayOf([0x81, 1, 0xc0], () => objectOf(1, () => 1)),
  },
  // Assigned to, V8 would give these room for 1552 properties.
  { name: "maps of one pair with an integer key", ...arrayOf([0x81, 127, 0xc0], () => ({ 127: null })) },
  {
    name: "maps of one pair with a larger integer as key",
    ...arrayOf([0x81, 0xcd, 3, 0xff, 0xc0], () => ({ 1023: null })),
  },
  {
    name: "maps of one pair with an integer as text for a key",
    ...arrayOf([0x81, 0xa4, 0x31, 0x30, 0x32, 0x33, 0xc0], () => ({ 1023: null })),
  },
  {
    name: "maps of integer keys, each as far behind the last as V8 makes room for",
    ...arrayOf(
      [0x84, 0xcd, 3, 0xff, 0xc0, 0xcd, 0x0a, 0, 0xc0, 0xcd, 0x10, 0, 0xc0, 0xcd, 0x13, 0x87, 0xc0],
      () => ({ 1023: null, 2560: null, 4096: null, 4999: null }),
    ),
  },
  { name: "maps of one pair", ...arrayOf([0x81, 0xa0, 0xc0], () => ({ "": null })) },
  { name: "empty strings", ...arrayOf([0xa0], () => "") },
  { name: "strings of one letter", ...arrayOf([0xa1, 0x61], () => "a") },
  { name: "strings of one malformed byte", ...arrayOf([0xa1, 0xff], () => String.fromCharCode(0xfffd)) },
  { name: "empty binary data", ...arrayOf([0xc4, 0], () => new Uint8Array(shared, 0, 0)) },
  {
    name: "extensions of one byte",
    ...arrayOf([0xd4, 5, 0], () => ({ type: 5, data: new Uint8Array(shared, 0, 1) })),
  },
  { name: "timestamps", ...arrayOf([0xd6, 0xff, 0, 0, 0, 1], () => new Date(1000)) },
  {
    name: "floats between other things",
    ...arrayOf([0xca, 0x3f, 0, 0, 1, 0xc0], (i) => (i % 2 === 0 ? 0.5 + i : null), 2),
  },
  {
    name: "maps, each with a key of its own",
    make: (size) =>
      written(head32(0xdd, Math.floor(size / 7)), Math.floor(size / 7), 7, (bytes, at, i) => {
        bytes[at] = 0x81;
        const end = writeKey(bytes, at + 1, i);
        bytes[end] = 0xc0;
        return end + 1;
      }),
    build: (size) => listOf(Math.floor(size / 7), (i) => objectOf(1, () => keyText(i))),
    outcome: "a value",
  },
  {
    name: "maps of 15 keys, each another choice of 32",
    make: (size) =>
      written(head32(0xdd, Math.floor(size / 46)), Math.floor(size / 46), 46, (bytes, at, i) => {
        bytes[at++] = 0x8f;
        for (let k = 0; k < 15; k++) {
          bytes[at++] = 0xa1;
          bytes[at++] = 0x41 + 2 * k + ((i >>> k) & 1);
          bytes[at++] = 0xc0;
        }
        return at;
      }),
    build: (size) =>
      listOf(Math.floor(size / 46), (i) =>
        objectOf(15, (k) => String.fromCharCode(0x41 + 2 * k + ((i >>> k) & 1))),
      ),
    outcome: "a value",
  },
  {
    name: "one map of as many keys as fit",
    make: (size) =>
      written(head32(0xdf, Math.floor(size / 6)), Math.floor(size / 6), 6, (bytes, at, i) => {
        const end = writeKey(bytes, at, i);
        bytes[end] = 0xc0;
        return end + 1;
      }),
    build: (size) => objectOf(Math.floor(size / 6), keyText),
    outcome: "a value",
  },
  {
    name: "one map of integer keys, far apart",
    make: (size) =>
      written(head32(0xdf, Math.floor(size / 6)), Math.floor(size / 6), 6, (bytes, at, i) => {
        bytes.set(head32(0xce, (i * 4093) >>> 0), at);
        bytes[at + 5] = 0xc0;
        return at + 6;
      }),
    build: (size) => objectOf(Math.floor(size / 6), (i) => (i * 4093) >>> 0),
    outcome: "a value",
  },
  {
    name: "one map with the same key again and again",
    make: (size) => repeated(head32(0xdf, Math.floor(size / 3)), [0xa1, 0x61, 0xc0], Math.floor(size / 3)),
    build: () => ({ a: null }),
    outcome: "a value",
  },
  {
    name: "maps of keys that collide, by someone who knows the seed",
    isSlowToMake: true,
    make(size) {
      const keys = collidingKeys(2048);
      const pairs = written([0xde, keys.length >> 8, keys.length & 255], keys.length, 10, (bytes, at, i) => {
        bytes[at] = 0xa8;
        new DataView(bytes.buffer).setBigUint64(at + 1, keys[i], true);
        bytes[at + 9] = 0xc0;
        return at + 10;
      });
      return repeated(
        head32(0xdd, Math.ceil(size / pairs.length)),
        [...pairs],
        Math.ceil(size / pairs.length),
      );
    },
    build(size) {
      const keys = collidingKeys(2048).map((key) => key.toString(36));
      return listOf(Math.ceil(size / (keys.length * 10)), () => objectOf(keys.length, (i) => keys[i]));
    },
    outcome: "a value",
  },
  {
    name: "one string",
    make: (size) => repeated(head32(0xdb, size), [0x61], size),
    build: (size) => flat("a".repeat(size)),
    outcome: "a value",
  },
  {
    name: "one string of malformed bytes",
    make: (size) => repeated(head32(0xdb, size), [0xff], size),
    build: (size) => flat("\ufffd".repeat(size)),
    outcome: "a value",
  },
  {
    name: "the key __proto__ behind all else",
    make: (size) =>
      repeated([0x92, ...head32(0xdd, size)], [0x01], size, [0x81, 0xa9, ...Buffer.from("__proto__"), 0x80]),
    build: (size) => [listOf(size, () => 1)],
    outcome: "FORBIDDEN_KEY",
  },
  {
    name: "a byte that is never used, behind all else",
    make: (size) => repeated(head32(0xdd, size + 1), [0x90], size, [0xc1]),
    build: (size) => listOf(size, () => []),
    outcome: "UNKNOWN_FORMAT",
  },
];

/** How large the messages are that are measured. */
export const SIZE = 4 * MEGABYTE;
