import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as reference from "@msgpack/msgpack";
import {
  areWorkersQuiet,
  type DecodeError,
  Decoder,
  type DecoderOptions,
  decode,
  decodeAsync,
  decodeMulti,
  decodeSegments,
  decodeSingle,
  Encoder,
  ExtensionCodec,
  encode,
  wasmMemoryBytes,
} from "msgpack-wasm/testing";
import { describe, expect, test } from "vitest";
import { type HostileCase, hostileCases } from "../bench/hostile/cases.mjs";
import { type HostileValue, hostileValues, Marked } from "../bench/hostile/encodeCases.mjs";
import { measure, PLAIN } from "../bench/hostile/measure.mjs";
import { bigEndian, hex, join, repeat, str } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";
import { piecesOf, watched } from "./lib/streams.ts";

// What SECURITY.md promises, as far as it can be told without a clock.

const MEGABYTE = 2 ** 20;
/** Large enough that what a process takes beside it, or V8 leaves to be collected, is little of 64 times that. */
const MEASURED = 2 * MEGABYTE;
const messages = hostileCases.map((one): [string, HostileCase] => [one.name, one]);

describe("a message from a stranger", () => {
  test.each(messages)(
    "%s: is a value, or the error that it should be, where it should be",
    async (_, one) => {
      const bytes = one.make(100_000);
      const before = wasmMemoryBytes();
      const decoding = one.isStream
        ? decodeAsync(watched(piecesOf(bytes, 10_000)).stream)
        : Promise.resolve().then(() => decode(bytes));
      if (one.outcome === "a value") {
        await decoding;
      } else {
        const error: DecodeError = await decoding.then(
          () => expect.unreachable(),
          (thrown) => thrown,
        );
        expect(error.name).toBe(one.outcome === "INSUFFICIENT_DATA" ? "RangeError" : "DecodeError");
        expect(error.code).toBe(one.outcome);
        if (one.offset !== undefined) expect(error.offset).toBe(one.offset);
      }
      // The stack of what is open, at the most.
      expect(wasmMemoryBytes() - before).toBeLessThan(4 * MEGABYTE);
      expect(decode(encode({ still: ["works"] }))).toStrictEqual({ still: ["works"] });
    },
  );

  test.each(messages.filter(([, { isFixed }]) => !isFixed))(
    "%s: takes 8 MB more than plain JS takes for its value, and 64 bytes for each of its own",
    // How much garbage V8 has let lie at the peak is chance.
    { timeout: 300_000, retry: 2 },
    async (name, { outcome }) => {
      const [[ours], [plain]] = await Promise.all(
        ["msgpack-wasm", PLAIN].map((library) => measure(library, [name], MEASURED)),
      );
      expect(ours.outcome).toBe(outcome);
      const { peakBytes = Number.NaN, valueBytes = Number.NaN, messageBytes = Number.NaN } = ours;
      expect(peakBytes - (plain.peakBytes ?? Number.NaN)).toBeLessThan(8 * MEGABYTE);
      expect(peakBytes).toBeLessThan(64 * messageBytes + 8 * MEGABYTE);
      // Of that, chance has no part in what the value takes.
      expect(valueBytes).toBeLessThan(64 * messageBytes);
    },
  );

  test("makes twice as much work where it is twice as long", { timeout: 120_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      // What V8 has optimized or thrown away is not counted.
      "--no-opt",
      "--no-flush-bytecode",
      fileURLToPath(new URL("lib/countWork.mjs", import.meta.url)),
      "400000",
    ]);
    const counts = Object.entries(JSON.parse(stdout) as Record<string, [number, number]>);
    expect(counts.length).toBeGreaterThan(30);
    for (const [name, [once, twice]] of counts) {
      // Fewer maps are of a known shape once the tables are full, and larger integers have longer formats.
      expect(once, name).toBeGreaterThan(0);
      expect(twice, name).toBeLessThan(2.2 * once);
      // In characters of code, as they are in the bundle.
      expect(twice / 800_000, name).toBeLessThan(2000);
    }
  });
});

describe("a value from a stranger", () => {
  test.each(hostileValues.map((one): [string, HostileValue] => [one.name, one]))(
    "%s: makes a whole message, or the error that it should, and the instance works on",
    (_, { make, codec, outcome }) => {
      const extensionCodec = new ExtensionCodec();
      extensionCodec.register({
        type: 1,
        encode: (value) => (value instanceof Marked ? (codec?.(value) as Uint8Array) : null),
        decode: (data) => data,
      });
      const encoder = new Encoder({ extensionCodec });
      const value = make((inner) => encoder.encode(inner));
      if (outcome === "a message") {
        reference.decode(encoder.encode(value));
      } else {
        expect(failure(() => encoder.encode(value)).name).toBe(outcome);
      }
      expect(areWorkersQuiet()).toBe(true);
      expect(decode(encoder.encode({ still: ["works"] }))).toStrictEqual({ still: ["works"] });
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
  const laughs = hostileCases.filter(({ name, outcome }) => name.startsWith("maps") && outcome === "a value");
  const wasm = () => {
    for (const { make } of laughs) decode(make(MEGABYTE / 4));
    return wasmMemoryBytes();
  };
  expect(wasm()).toBe(wasm());
});
