import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import { decode, decodeAsync, decodeMulti, encode } from "msgpack-wasm";
import { describe, expect, test, vi } from "vitest";
import { bigEndian, join, repeat } from "./lib/bytes.ts";
import { piecesOf, streamOf } from "./lib/streams.ts";

// Empty maps, and those whose keys V8 counts among the items of an array: they are made in ways of their own, of which
// nobody may see anything but the memory that they take (hostile.test.ts).

vi.setConfig({ testTimeout: 60_000 });

/** More than the small reader takes, so that the rest goes the other way. */
const filler = encode("x".repeat(100));

/** Decodes a value by each of the ways that it can come, often enough for its keys to be learned. */
async function decodedEachWay(bytes: Uint8Array): Promise<unknown[]> {
  const deep = join(repeat([0x91], 300), bytes);
  const beside = join([0x92], bytes, filler);
  const values: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    values.push(decode(bytes), (decode(beside) as unknown[])[0], ...decodeMulti(join(bytes, bytes)));
    values.push(inner(decode(deep)));
    for (const size of [1, 7]) values.push(await decodeAsync(streamOf(...piecesOf(bytes, size))));
    values.push(inner(await decodeAsync(streamOf(...piecesOf(deep, 100)))));
  }
  return values;
}

function inner(value: unknown): unknown {
  let at = value;
  for (let i = 0; i < 300; i++) at = (at as unknown[])[0];
  return at;
}

/** Numbers in a format that holds all of them, and text. */
function keyBytes(key: number | string): Uint8Array {
  return typeof key === "number" && key >= 0 && key < 2 ** 32 && Number.isInteger(key)
    ? join([0xce], bigEndian(key, 4))
    : reference.encode(key);
}

function mapOf(keys: readonly (number | string)[]): Uint8Array {
  const pairs = keys.map((key, i) => join(keyBytes(key), [i & 127]));
  return join([0xde], bigEndian(keys.length, 2), ...pairs);
}

async function check(keys: readonly (number | string)[]): Promise<void> {
  const bytes = mapOf(keys);
  const expected = reference.decode(bytes) as object;
  for (const value of await decodedEachWay(bytes)) {
    assert.deepStrictEqual(value, expected);
    assert.deepStrictEqual(Reflect.ownKeys(value as object), Reflect.ownKeys(expected));
  }
}

describe("a map without pairs", () => {
  test("is an object like any, wherever it comes from", async () => {
    for (const value of await decodedEachWay(Uint8Array.of(0x80))) {
      const empty = value as Record<string, unknown>;
      expect(empty).toStrictEqual({});
      expect(empty.constructor).toBe(Object);
      expect(Object.getPrototypeOf(empty)).toBe(Object.prototype);
      expect(Object.prototype.toString.call(empty)).toBe("[object Object]");
      expect(Reflect.ownKeys(empty)).toStrictEqual([]);
      expect(JSON.stringify([empty])).toBe("[{}]");
      expect({ ...empty, a: 1 }).toStrictEqual({ a: 1 });
      expect(structuredClone(empty)).toStrictEqual({});
      expect(encode(empty)).toStrictEqual(Uint8Array.of(0x80));
      for (let i = 0; i < 40; i++) empty[`p${i}`] = i;
      expect(empty).toStrictEqual(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, i])));
      expect(encode(empty)).toStrictEqual(reference.encode(empty).slice());
    }
  });
});

describe("a map with integers as keys", () => {
  const edges = [0, 1, 2, 9, 10, 14, 15, 16, 17, 31, 32, 33, 1023, 1024, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1];
  const large = [2 ** 29, 2 ** 31, 2 ** 32 - 3, 2 ** 32 - 2, 2 ** 32 - 1];
  const others = [
    -1,
    -0,
    0.5,
    1e21,
    Number.NaN,
    Infinity,
    2 ** 32,
    "",
    "a",
    "00",
    "05",
    "1e3",
    "0x10",
    " 1",
    "1 ",
    "½",
  ];

  test.each([...edges, ...large, ...others])("of which %s is the only one", async (key) => {
    await check([key]);
    await check([`${key}`]);
  });

  test("has them in their order, whatever else there is", async () => {
    for (const key of [...edges, ...large, ...others]) {
      await check([key, "a"]);
      await check(["a", key]);
      await check([3, key, 1]);
      await check([key, `${key}`, key]);
      await check([2 ** 20, key]);
      await check([key, 2 ** 20, 40]);
    }
  });

  test("can be changed like any", () => {
    for (const keys of [[1], [20], [1, 2], [1, 1000], [1000, "a"]]) {
      const object = decode(mapOf(keys)) as Record<PropertyKey, unknown>;
      const expected = reference.decode(mapOf(keys)) as Record<PropertyKey, unknown>;
      for (const one of [object, expected]) {
        for (let i = 0; i < 300; i += 3) one[i] = i;
        one.name = "x";
        delete one[keys[0]];
      }
      assert.deepStrictEqual(object, expected);
      assert.deepStrictEqual(Reflect.ownKeys(object), Reflect.ownKeys(expected));
    }
  });

  test("is what it is, for as many as there are, dense or far apart", async () => {
    for (const count of [1, 2, 3, 7, 8, 9, 15, 16, 17, 18, 19, 20, 100, 2000]) {
      for (const step of [1, 2, 3, 1000]) {
        const keys = Array.from({ length: count }, (_, i) => i * step);
        await check(keys);
        await check(keys.map(String));
        await check(keys.reverse());
      }
    }
  });

  test("at random", async () => {
    const key = fc.oneof(
      { weight: 4, arbitrary: fc.nat(40) },
      { weight: 2, arbitrary: fc.nat(5000) },
      { weight: 1, arbitrary: fc.integer({ min: -5, max: 2 ** 32 }) },
      { weight: 1, arbitrary: fc.constantFrom(...edges, ...large, ...others) },
    );
    const keys = fc.array(fc.oneof(key, key.map(String)), { maxLength: 40 });
    await fc.assert(fc.asyncProperty(keys, check), { numRuns: 300 });
  });

  test("made by a mapKeyConverter, or symbols made by one", () => {
    const symbol = Symbol("key");
    for (const bytes of [
      join([0x81], keyBytes("k"), [7]),
      join([0x82], keyBytes("k"), [7], keyBytes("l"), [8]),
    ]) {
      for (const key of [5, 500, "5", "500", symbol] as (string | number)[]) {
        for (const depth of [0, 300]) {
          let value = decode(join(repeat([0x91], depth), bytes), { mapKeyConverter: () => key });
          for (let i = 0; i < depth; i++) value = (value as unknown[])[0];
          expect(value).toStrictEqual({ [key]: bytes[0] === 0x81 ? 7 : 8 });
        }
      }
    }
  });
});
