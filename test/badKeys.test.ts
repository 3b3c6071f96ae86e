import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import { DecodeError, encode } from "msgpack-wasm";
import { describe, expect, test, vi } from "vitest";
import { bigEndian, hex, join, repeat, str } from "./lib/bytes.ts";
import { decoder, fail } from "./lib/survivor.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("the byte that is no format, in place of a key", () => {
  test.each([
    ["an array of arrays", "92 9101 9102"],
    ["an array of strings", "92 a161 a162"],
    ["a map", "81 a16105"],
    ["a number", "07"],
  ])("behind a key that is known, and %s, is the error", (_, value) => {
    const filler = str(repeat([0x61], 70));
    const key = str([0x63, 0x31, 0x6b]);
    for (let i = 0; i < 3; i++) decoder.decode(join([0x92], filler, [0x81], key, [1]));
    const start = join([0x92], filler, [0x88], key, hex(value));
    const error = fail(join(start, [0xc1], repeat([1], 16)));
    assert.equal(error.code, "UNKNOWN_FORMAT");
    assert.equal(error.offset, start.length);
  });
});

describe("the key __proto__", () => {
  const proto = hex("a9 5f5f70726f746f5f5f");
  const pair = join(proto, hex("81 a8"), "polluted", [0xc3]);

  function expectForbidden(bytes: Uint8Array, offset: number): void {
    const error = fail(bytes);
    assert.ok(error instanceof DecodeError, error.stack);
    assert.match(error.message, /^The key __proto__ is not allowed/);
    assert.equal(error.code, "FORBIDDEN_KEY");
    assert.equal(error.offset, offset);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  }

  test("is refused as the first key, and at every other place", () => {
    for (let before = 0; before < 20; before++) {
      const keys = Array.from({ length: before }, (_, i) => join(str([0x61 + i]), [0xc0]));
      const start = join([0xde], bigEndian(before + 1, 2), ...keys);
      // At the second sight, the keys before it are known.
      for (let i = 0; i < 4; i++) expectForbidden(join(start, pair), start.length);
    }
  });

  test("is refused behind keys that are not of a known shape", () => {
    const start = join([0x83], encode(`unheard of ${Math.random()}`), [0xc0], [0x05, 0xc0]);
    expectForbidden(join(start, pair), start.length);
    const long = join([0x82], encode("k".repeat(65)), [0xc0]);
    expectForbidden(join(long, pair), long.length);
  });

  test("is refused in dictionaries", () => {
    for (const count of [127, 128, 129, 70_000]) {
      const keys = Array.from({ length: count - 1 }, (_, i) => join(encode(`key ${i}`), [0xc0]));
      const start = join([0xdf], bigEndian(count, 4), ...keys);
      expectForbidden(join(start, pair), start.length);
    }
  });

  test("is refused deep in a message", () => {
    for (const depth of [255, 256, 257, 1000]) {
      const start = join(repeat(hex("81 a16b"), depth), [0x81]);
      expectForbidden(join(start, pair), start.length);
    }
  });

  test("is refused behind a longer header than it needs", () => {
    for (const header of ["d909", "da0009", "db00000009"]) {
      for (let i = 0; i < 3; i++) expectForbidden(join([0x81], hex(header), "__proto__", [0x80]), 1);
    }
  });

  test("is refused in a map of several windows", () => {
    const start = join([0x82], hex("a16b"), encode("x".repeat(200_000)));
    expectForbidden(join(start, pair), start.length);
  });

  test("is an ordinary string as a value", () => {
    expect(decoder.decode(proto)).toBe("__proto__");
    expect(decoder.decode(encode({ k: "__proto__", v: ["__proto__"] }))).toEqual({
      k: "__proto__",
      v: ["__proto__"],
    });
  });

  test("has neighbours that are allowed", () => {
    for (const key of [
      "__proto",
      "_proto__",
      "__proto__ ",
      "__PROTO__",
      "__proto_\ufffd",
      "constructor",
      "prototype",
    ]) {
      for (let i = 0; i < 3; i++)
        expect(Object.entries(decoder.decode(encode({ [key]: 1 })) as object)).toEqual([[key, 1]]);
    }
    expect(Object.keys(decoder.decode(join([0x81], str(join("__proto_", [0xff])), [1])) as object)).toEqual([
      "__proto_\ufffd",
    ]);
  });
});

describe("a key that is neither string nor number", () => {
  const keys: [string, string, string][] = [
    ["nil", "c0", "object"],
    ["false", "c2", "boolean"],
    ["true", "c3", "boolean"],
    ["bin", "c40161", "object"],
    ["empty array", "90", "object"],
    ["array", "9101", "object"],
    ["empty map", "80", "object"],
    ["map", "81a16101", "object"],
    ["ext", "d40501", "object"],
    ["ext 8", "c7010501", "object"],
    ["timestamp", "d6ff00000000", "object"],
  ];

  test.each(keys)("%s is a DecodeError that says what it is", (_, key, type) => {
    const places: [Uint8Array, number][] = [
      [join([0x81], hex(key), [0xc0]), 1],
      [join([0x82], hex("a161 c0"), hex(key), [0xc0]), 4],
      [join([0x82], hex("05 c0"), hex(key), [0xc0]), 3],
      [
        join(
          [0xde],
          bigEndian(200, 2),
          ...Array.from({ length: 199 }, (_, i) => hex(`cd${1000 + i} c0`)),
          hex(key),
          [0xc0],
        ),
        799,
      ],
      [join(repeat([0x91], 300), [0x81], hex(key), [0xc0]), 301],
    ];
    for (const [bytes, offset] of places) {
      for (let i = 0; i < 3; i++) {
        const error = fail(bytes);
        assert.ok(error instanceof DecodeError, error.stack);
        assert.match(error.message, new RegExp(`^The type of key must be string or number but ${type}`));
        assert.equal(error.code, "KEY_TYPE");
        assert.equal(error.offset, offset);
      }
    }
  });

  test.each(["cf0000000000000001", "d30000000000000001", "cfffffffffffffffff", "d3ffffffffffffffff"])(
    "%s is a number, but a bigint is none",
    (key) => {
      const bytes = join([0x81], hex(key), [0xc0]);
      const number = reference.decode(bytes);
      expect(decoder.decode(bytes)).toEqual(number);
      const error = fail(bytes, { useBigInt64: true });
      expect(error).toBeInstanceOf(DecodeError);
      expect(error.message).toMatch(/^The type of key must be string or number but bigint/);
      expect(error).toMatchObject({ code: "KEY_TYPE" });
    },
  );

  test("numbers of all formats are keys", () => {
    const bytes = hex(
      "89 00 c0 ff c0 cc80 c0 cdffff c0 ceffffffff c0 d080 c0 d18000 c0 d280000000 c0 cb3ff8000000000000 c0",
    );
    const value = decoder.decode(bytes) as object;
    expect(Object.keys(value)).toEqual([
      "0",
      "128",
      "65535",
      "-1",
      "4294967295",
      "-128",
      "-32768",
      "-2147483648",
      "1.5",
    ]);
    expect(value).toEqual(reference.decode(bytes));
  });
});
