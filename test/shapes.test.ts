import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import * as reference from "@msgpack/msgpack";
import { decode, ExtensionCodec, encode } from "msgpack-wasm";
import { describe, test, vi } from "vitest";
import { bigEndian, join, str } from "./lib/bytes.ts";

vi.setConfig({ testTimeout: 60_000 });

// Maps with the same keys are recognised, and objects of some dozens of them are made by compiled code. Nobody may be
// able to tell, whatever the keys.

/** More than it takes until a shape is compiled. */
const MANY = 150;

function checkBothWays(value: unknown): void {
  const bytes = encode(value);
  assert.ok(isDeepStrictEqual(bytes, reference.encode(value).slice()), "other bytes than @msgpack/msgpack");
  const decoded = decode(bytes);
  assert.ok(isDeepStrictEqual(decoded, reference.decode(bytes)), "another value than @msgpack/msgpack");
  assert.ok(JSON.stringify(decoded) === JSON.stringify(reference.decode(bytes)), "another order of keys");
}

/** A map with these encoded keys, and values that count up. */
function mapOf(keys: (string | Uint8Array)[]): Uint8Array {
  const encoded = keys.map((key) => (typeof key === "string" ? encode(key) : key));
  return join([0xde], bigEndian(keys.length, 2), ...encoded.map((key, i) => join(key, encode(i))));
}

describe("objects", () => {
  test("of one shape, again and again", () => {
    const records = Array.from({ length: 1000 }, (_, i) => ({
      id: i,
      name: `n${i}`,
      tags: [i, "t"],
      nested: { id: -i },
    }));
    for (let i = 0; i < 3; i++) checkBothWays(records);
    for (const record of records.slice(0, MANY)) checkBothWays(record);
  });

  test("of shapes that alternate", () => {
    const records = Array.from(
      { length: 1200 },
      (_, i) =>
        [
          { kind: "a", x: i },
          { kind: "b", y: i, z: null },
          { x: i, kind: "c" },
          { kind: "a" },
          {},
          { z: { kind: i } },
        ][i % 6],
    );
    for (let i = 0; i < 3; i++) checkBothWays(records);
  });

  test("that grow by a key at a time, and shrink", () => {
    const records = Array.from({ length: 400 }, (_, i) => {
      const count = i < 200 ? i % 140 : (400 - i) % 140;
      return Object.fromEntries(Array.from({ length: count }, (_, k) => [`grown${k}`, k + i]));
    });
    for (let i = 0; i < 3; i++) checkBothWays(records);
  });

  test("that share the first of their keys", () => {
    const records = Array.from({ length: 1500 }, (_, i) => ({
      common: 1,
      shared: i,
      [`own${i % 11}`]: i,
      last: { common: [], [`deep${i % 7}`]: "x" },
    }));
    for (let i = 0; i < 3; i++) checkBothWays(records);
  });

  test("with the same keys in another order stay apart", () => {
    const names = ["a", "b", "c", "d"];
    const records = Array.from({ length: 800 }, (_, i) =>
      Object.fromEntries([0, 1, 2, 3].map((k) => [names[(k * (i % 2 === 0 ? 1 : 3) + i) % 4], k])),
    );
    for (let i = 0; i < 3; i++) checkBothWays(records);
    const decoded = decode(encode(records)) as object[];
    assert.deepStrictEqual(decoded.map(Object.keys), records.map(Object.keys));
  });

  test("decoded from one shape are independent of one another", () => {
    const bytes = encode(Array.from({ length: MANY }, () => ({ a: 1, list: [], map: {} })));
    const objects = decode(bytes) as { a: number; list: unknown[]; map: Record<string, unknown> }[];
    objects[0].a = 2;
    objects[0].list.push(1);
    objects[0].map.k = 1;
    assert.deepStrictEqual(objects[1], { a: 1, list: [], map: {} });
    assert.deepStrictEqual(
      decode(bytes),
      Array.from({ length: MANY }, () => ({ a: 1, list: [], map: {} })),
    );
  });

  test("are plain, extensible, and their properties ordinary", () => {
    const bytes = encode({ a: 1, b: 2 });
    for (let i = 0; i < MANY; i++) {
      const object = decode(bytes) as Record<string, unknown>;
      assert.equal(Object.getPrototypeOf(object), Object.prototype);
      assert.deepStrictEqual(Object.getOwnPropertyDescriptor(object, "a"), {
        value: 1,
        writable: true,
        enumerable: true,
        configurable: true,
      });
      assert.ok(Object.isExtensible(object));
    }
  });

  test("that hold objects of their own shape, to any depth", () => {
    let tree: object = { left: null, right: null };
    for (let i = 0; i < 60; i++) tree = { left: i % 2 === 0 ? tree : null, right: i % 2 === 0 ? null : tree };
    for (let i = 0; i < MANY; i++) assert.deepStrictEqual(decode(encode(tree)), tree);
  });
});

describe("more keys and shapes than are remembered", () => {
  test("thousands of shapes, then the first ones again", () => {
    const shapes = Array.from({ length: 6000 }, (_, i) => ({
      [`shape${i}`]: i,
      common: { [`inner${i % 5000}`]: null },
    }));
    for (let i = 0; i < 4; i++) {
      checkBothWays(shapes);
      checkBothWays(shapes.slice(0, 100));
    }
  });

  test("thousands of keys in maps of many keys", () => {
    const maps = Array.from({ length: 100 }, (_, m) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`map ${m} key ${k}`, k])),
    );
    for (let i = 0; i < 4; i++) checkBothWays(maps);
  });

  test("long keys, more than are kept", () => {
    const objects = Array.from({ length: 2500 }, (_, i) => ({
      [`${"k".repeat(59)}${i}`]: i,
      [`é${"l".repeat(50)}${i}`]: i,
    }));
    for (let i = 0; i < 4; i++) checkBothWays(objects);
  });

  test("and learning anew does not confuse the old with the new", () => {
    const generation = (g: number) =>
      Array.from({ length: 3000 }, (_, i) => ({
        [`generation${g}`]: i,
        [`g${g}k${i % 1000}`]: [i],
        id: i,
        [`k${i}`]: g,
      }));
    for (let g = 0; g < 8; g++) {
      const records = generation(g);
      const bytes = encode(records);
      assert.ok(isDeepStrictEqual(bytes, reference.encode(records).slice()), `generation ${g}`);
      for (let i = 0; i < 2; i++) assert.ok(isDeepStrictEqual(decode(bytes), records), `generation ${g}`);
      for (const record of records.slice(0, 2000))
        assert.ok(isDeepStrictEqual(decode(encode(record)), record));
    }
    const known = Array.from({ length: MANY }, (_, i) => ({ id: i, name: "n" }));
    checkBothWays(known);
  });

  test("a dictionary of 100,000 keys, and the same again", () => {
    const dictionary = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`entry ${i}`, { id: i, name: `n${i}` }]),
    );
    checkBothWays(dictionary);
    const again = decode(encode(dictionary)) as object;
    assert.ok(isDeepStrictEqual(again, dictionary));
    assert.ok(isDeepStrictEqual(Object.keys(again), Object.keys(dictionary)));
  });

  test("30,000 dictionaries of keys that never repeat", () => {
    for (let i = 0; i < 30_000; i++) {
      const dictionary = { [`once ${i}`]: i, [`only ${i}`]: null };
      assert.deepStrictEqual(decode(encode(dictionary)), dictionary);
    }
  });
});

describe("keys", () => {
  const peculiar = [
    ["constructor", "prototype", "toString", "valueOf", "hasOwnProperty"],
    ["__defineGetter__", "__lookupSetter__", "isPrototypeOf", "toJSON", "then"],
    ["", " ", "\t", "\n", "\r", "\0", "\x7f", "\x1f"],
    ['"', "'", "`", "\\", '\\"', '"}', '":1,"x', "*/", "//", "/*", "$" + "{x}"],
    ["\u2028", "\u2029", "\ufeff", "\ufffd", "\u00a0", "\u200b"],
    ["é", "日本", "😀", "e\u0301", "ß", "ﬀ"],
    [
      "values",
      "arguments",
      "this",
      "return",
      "get",
      "set",
      "async",
      "static",
      "new",
      "undefined",
      "null",
      "NaN",
    ],
    ["get a", "set b", "async c", "*d", "[e]", "...f", "#g", "a-b", "a b", "1a"],
    ["</script>", "<!--", "-->", "process.exit(1)", "}}while(1){{", "__proto", "proto__"],
  ];

  test.each(peculiar)("such as %j are ordinary ones", (...keys) => {
    const record = Object.fromEntries(keys.map((key, i) => [key, i]));
    const records = Array.from({ length: MANY }, () => record);
    for (let i = 0; i < 3; i++) checkBothWays(records);
    for (const decoded of decode(encode(records)) as object[]) {
      assert.deepStrictEqual(Object.entries(decoded), Object.entries(record));
      assert.equal(Object.getPrototypeOf(decoded), Object.prototype);
    }
    for (const key of keys) {
      for (let i = 0; i < MANY; i++) {
        const decoded = decode(encode({ [key]: i })) as object;
        assert.deepStrictEqual(Object.entries(decoded), [[key, i]]);
      }
    }
  });

  test("that are integers come first, in order, as JavaScript has it", () => {
    const keys = ["b", "10", "2", "a", "0", "01", "-1", "1.5", "4294967294", "4294967295", "1e3"];
    const bytes = join([0xdc], bigEndian(MANY, 2), ...Array.from({ length: MANY }, () => mapOf(keys)));
    const order = ["0", "2", "10", "4294967294", "b", "a", "01", "-1", "1.5", "4294967295", "1e3"];
    for (const object of decode(bytes) as Record<string, unknown>[]) {
      assert.deepStrictEqual(Object.keys(object), order);
      assert.deepStrictEqual(object, Object.fromEntries(keys.map((key, i) => [key, i])));
    }
    checkBothWays(decode(bytes));
  });

  test("given twice keep the last value, and the place of the first", () => {
    const cases = [
      ["a", "a"],
      ["a", "b", "a"],
      ["a", "a", "b", "b", "a"],
      ["1", "0", "1"],
      ["constructor", "x", "constructor"],
    ];
    for (const keys of cases) {
      const map = mapOf(keys);
      const expected = Object.fromEntries(keys.map((key) => [key, keys.lastIndexOf(key)]));
      for (let i = 0; i < MANY; i++) {
        const decoded = decode(map) as object;
        assert.deepStrictEqual(decoded, expected);
        assert.deepStrictEqual(Object.keys(decoded), Object.keys(expected));
      }
      assert.deepStrictEqual(decode(map), reference.decode(map));
    }
  });

  test("that are different bytes but the same text are the same key", () => {
    const bytes = join([0x83], str([0xff]), [1], str([0xfe]), [2], encode("\ufffd"), [3]);
    for (let i = 0; i < MANY; i++) assert.deepStrictEqual(decode(bytes), { "\ufffd": 3 });
  });

  test("that are numbers become property names", () => {
    const bytes = join([0x84], encode("a"), [1], [5], [2], encode(-1.5), [3], encode("5"), [4]);
    for (let i = 0; i < MANY; i++) assert.deepStrictEqual(decode(bytes), { a: 1, "5": 4, "-1.5": 3 });
  });

  test("behind any header are the same", () => {
    const headers: ((length: number) => number[])[] = [
      (length) => [0xa0 | length],
      (length) => [0xd9, length],
      (length) => [0xda, 0, length],
      (length) => [0xdb, 0, 0, 0, length],
    ];
    for (let i = 0; i < MANY; i++) {
      for (const header of headers) {
        const bytes = join([0x82], header(2), "id", [1], header(4), "name", [2]);
        assert.deepStrictEqual(decode(bytes), { id: 1, name: 2 });
      }
    }
  });
});

describe("calls within calls learn of the same keys", () => {
  let serial = 0;
  const fresh = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      [`nested ${serial++}`]: i,
      id: i,
      common: { [`k${i % 50}`]: [] },
    }));

  test("when a getter encodes and decodes", () => {
    for (let i = 0; i < 6; i++) {
      const inner: unknown[] = [];
      const nest = (count: number) => {
        const records = fresh(count);
        const bytes = encode([records, records, records]);
        inner.push(isDeepStrictEqual(decode(bytes), [records, records, records]));
        return records.length;
      };
      const outer = Array.from({ length: 5 }, (_, k) => ({
        id: k,
        get first() {
          return nest(900);
        },
        common: { k1: k, [`outer ${i}`]: 0 },
        get last() {
          return nest(3);
        },
      }));
      const expected = outer.map(({ id, common }) => ({ id, first: 900, common, last: 3 }));
      inner.length = 0;
      assert.deepStrictEqual(decode(encode(outer)), expected);
      assert.deepStrictEqual(inner, new Array(10).fill(true));
    }
  });

  test("when an extension encodes and decodes, at any depth", () => {
    class Box {
      readonly content: unknown;
      constructor(content: unknown) {
        this.content = content;
      }
    }
    const extensionCodec = new ExtensionCodec();
    const options = { extensionCodec };
    extensionCodec.register({
      type: 1,
      encode: (object) => (object instanceof Box ? encode(object.content, options) : null),
      decode: (data) => new Box(decode(data, options)),
    });
    let value: unknown = fresh(100);
    for (let i = 0; i < 12; i++) {
      value = [
        { id: i, box: new Box(value), common: fresh(200) },
        new Box({ id: i }),
        { id: i, box: null, common: [] },
      ];
    }
    for (let i = 0; i < 5; i++) assert.ok(isDeepStrictEqual(decode(encode(value, options), options), value));
  });
});
