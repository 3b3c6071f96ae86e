import {
  type DecodeError,
  Decoder,
  type DecoderOptions,
  decode,
  decodeMulti,
  decodeSegments,
  decodeSingle,
  ExtensionCodec,
  encode,
  wasmMemoryBytes,
} from "msgpack-wasm/testing";
import { describe, expect, test } from "vitest";
import { type HostileCase, hostileCases } from "../bench/hostile/cases.mjs";
import { measure } from "../bench/hostile/measure.mjs";
import { bigEndian, hex, join, repeat, str } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";

// What SECURITY.md promises, as far as it can be told without a clock.

const MEGABYTE = 2 ** 20;
const messages = hostileCases.map((one): [string, HostileCase] => [one.name, one]);

describe("a message from a stranger", () => {
  test.each(messages)("%s: is a value, or the error that it should be, where it should be", (_, one) => {
    const bytes = one.make(100_000);
    const before = wasmMemoryBytes();
    if (one.outcome === "a value") {
      decode(bytes);
    } else {
      const error = failure(() => decode(bytes)) as DecodeError;
      expect(error.name).toBe(one.outcome === "INSUFFICIENT_DATA" ? "RangeError" : "DecodeError");
      expect(error.code).toBe(one.outcome);
      if (one.offset !== undefined) expect(error.offset).toBe(one.offset);
    }
    // The stack of what is open, at the most.
    expect(wasmMemoryBytes() - before).toBeLessThan(4 * MEGABYTE);
    expect(decode(encode({ still: ["works"] }))).toStrictEqual({ still: ["works"] });
  });

  test.each(messages)(
    "%s: takes 64 times its bytes and 8 MB at the most",
    { timeout: 300_000 },
    async (name) => {
      const { outcome, messageBytes = 0, peakBytes } = await measure("msgpack-wasm", name, MEGABYTE);
      expect(outcome).toBe(hostileCases.find((one) => one.name === name)?.outcome);
      expect(peakBytes).toBeLessThan(64 * messageBytes + 8 * MEGABYTE);
    },
  );
});

describe("lengths that lie", () => {
  /** By the bytes of the length: the first byte, and what stands behind the length. */
  const formats: Record<number, [string, number, number[]][]> = {
    1: [
      ["str 8", 0xd9, []],
      ["bin 8", 0xc4, []],
      ["ext 8", 0xc7, [1]],
    ],
    2: [
      ["str 16", 0xda, []],
      ["bin 16", 0xc5, []],
      ["ext 16", 0xc8, [1]],
      ["array 16", 0xdc, []],
      ["map 16", 0xde, []],
    ],
    4: [
      ["str 32", 0xdb, []],
      ["bin 32", 0xc6, []],
      ["ext 32", 0xc9, [1]],
      ["array 32", 0xdd, []],
      ["map 32", 0xdf, []],
    ],
  };
  const all = Object.entries(formats).flatMap(([size, list]) =>
    list.map(([name, byte, type]): [string, number, number, number[]] => [name, Number(size), byte, type]),
  );

  test.each(all)(
    "%s: the largest, the smallest that is too large, and one that fits",
    (_, size, byte, type) => {
      const isMap = byte === 0xde || byte === 0xdf;
      const content = isMap ? join(str([0x61]), [1], str([0x62]), [2]) : [1, 2];
      const most = isMap ? 2 : content.length;
      const message = (length: number) => join([0x92, 7, byte], bigEndian(length, size), type, content);
      expect(decode(message(most))).toHaveLength(2);
      for (const length of [most + 1, 2 ** (8 * size - 1), 2 ** (8 * size) - 1]) {
        for (const run of [
          () => decode(message(length)),
          () => decodeSingle(message(length)),
          () => decodeSegments([message(length)]),
          () => [...decodeMulti(message(length))],
          () => decode(message(length), { useMap: true }),
          () => decode(message(length), { rawStrings: true }),
        ]) {
          // A map whose second pair is missing may be found out there.
          expect(failure(run)).toMatchObject({ name: "RangeError", code: "INSUFFICIENT_DATA" });
        }
      }
    },
  );
});

describe("no key reaches a prototype", () => {
  const proto = str(new TextEncoder().encode("__proto__"));
  const polluted = join([0x81], str(new TextEncoder().encode("polluted")), [0xc3]);
  const extensionCodec = new ExtensionCodec();
  extensionCodec.register({ type: 1, encode: () => null, decode: () => "__proto__" });

  const ways: Record<string, [Uint8Array, DecoderOptions]> = {
    "as a key": [join([0x81], proto, polluted), {}],
    "in a long header": [join([0x81, 0xdb], bigEndian(9, 4), "__proto__", polluted), {}],
    "from a keyDecoder": [
      join([0x81], str([0x78]), polluted),
      { keyDecoder: { canBeCached: () => true, decode: () => "__proto__" } },
    ],
    "from a mapKeyConverter": [join([0x81], str([0x78]), polluted), { mapKeyConverter: () => "__proto__" }],
    "from a mapKeyConverter that returns an object": [
      join([0x81], str([0x78]), polluted),
      { mapKeyConverter: () => ({ toString: () => "__proto__" }) as unknown as string },
    ],
    "from a mapKeyConverter that returns an array": [
      join([0x81], str([0x78]), polluted),
      { mapKeyConverter: () => ["__proto__"] as unknown as string },
    ],
    "as an extension": [join([0x81], hex("d40100"), polluted), { extensionCodec }],
    "as an extension, to a mapKeyConverter": [
      join([0x81], hex("d40100"), polluted),
      { extensionCodec, mapKeyConverter: (key) => key as string },
    ],
    "with raw strings": [join([0x81], proto, polluted), { rawStrings: true }],
  };

  test.each(Object.entries(ways))("%s", (_, [pair, options]) => {
    const decoder = new Decoder(options);
    for (const depth of [0, 1, 300]) {
      for (let i = 0; i < 4; i++) {
        const error = failure(() => decoder.decode(join(repeat([0x91], depth), pair)));
        expect(error).toMatchObject({ name: "DecodeError", code: "FORBIDDEN_KEY" });
      }
    }
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("in a Map it is a key like any, and so are constructor and prototype everywhere", () => {
    const map = decode(join([0x81], proto, polluted), { useMap: true }) as Map<unknown, unknown>;
    expect(Object.getPrototypeOf(map)).toBe(Map.prototype);
    expect(map.get("__proto__")).toBeInstanceOf(Map);
    for (const key of ["constructor", "prototype", "hasOwnProperty", "toString", "__defineGetter__"]) {
      const bytes = join([0x81], str(new TextEncoder().encode(key)), polluted);
      for (const depth of [0, 300]) {
        let value = decode(join(repeat([0x91], depth), bytes)) as Record<string, unknown>;
        for (let i = 0; i < depth; i++) value = (value as unknown as Record<string, unknown>[])[0];
        expect(Object.keys(value)).toStrictEqual([key]);
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
        expect(Reflect.get({}, "polluted")).toBeUndefined();
      }
    }
  });
});

test("what is decoded of a billion laughs of shapes does not stay in the tables", () => {
  const laughs = hostileCases.filter(({ name }) => name.startsWith("maps"));
  const wasm = () => {
    for (const { make } of laughs) decode(make(MEGABYTE));
    return wasmMemoryBytes();
  };
  expect(wasm()).toBe(wasm());
});
