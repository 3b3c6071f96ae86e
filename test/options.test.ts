import * as reference from "@msgpack/msgpack";
import {
  DecodeError,
  Decoder,
  type DecoderOptions,
  decode,
  decodeAsync,
  Encoder,
  type EncoderOptions,
  ExtData,
  ExtensionCodec,
  type ExtensionCodecType,
  encode,
} from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { bigEndian, hex, join, repeat, str } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";
import { streamOf } from "./lib/streams.ts";

/** Options as JavaScript users may give them. */
function loosely(options: Record<string, unknown>): EncoderOptions & DecoderOptions {
  return options as EncoderOptions & DecoderOptions;
}

/** The bytes in hexadecimal, after a check that `@msgpack/msgpack` writes the same. */
function encoded(value: unknown, options?: EncoderOptions): string {
  const ours = Buffer.from(encode(value, options)).toString("hex");
  expect(ours).toBe(Buffer.from(reference.encode(value, options)).toString("hex"));
  expect(Buffer.from(new Encoder(options).encode(value)).toString("hex")).toBe(ours);
  return ours;
}

/** The value, after a check that `@msgpack/msgpack` reads the same. */
function decoded(bytes: Uint8Array, options?: DecoderOptions): unknown {
  const ours = decode(bytes, options);
  expect(ours).toStrictEqual(reference.decode(bytes, options));
  expect(new Decoder(options).decode(bytes)).toStrictEqual(ours);
  return ours;
}

/** The message of the error, which must be of the class that `@msgpack/msgpack` throws, and of no other. */
function refused(bytes: Uint8Array, options?: DecoderOptions): string {
  const ours = failure(() => decode(bytes, options));
  const theirs = failure(() => reference.decode(bytes, options));
  expect(ours.name).toBe(theirs.name);
  expect(ours instanceof DecodeError).toBe(theirs instanceof reference.DecodeError);
  return ours.message;
}

describe("encoder options", () => {
  const sample = { b: [1, -1, 2 ** 40, 1.5, "é"], a: undefined };

  test.each([
    "extensionCodec",
    "context",
    "useBigInt64",
    "int64",
    "maxDepth",
    "initialBufferSize",
    "sortKeys",
    "forceFloat32",
    "ignoreUndefined",
    "forceIntegerToFloat",
  ])("%s: null and undefined mean the default", (name) => {
    const bytes = encode(sample);
    expect(encode(sample, loosely({ [name]: null }))).toStrictEqual(bytes);
    expect(encode(sample, loosely({ [name]: undefined }))).toStrictEqual(bytes);
  });

  test("none, null, undefined and an empty object are the same", () => {
    const bytes = encode(sample);
    expect(encode(sample, undefined)).toStrictEqual(bytes);
    expect(encode(sample, {})).toStrictEqual(bytes);
    expect(encode(sample, null as unknown as EncoderOptions)).toStrictEqual(bytes);
    expect(new Encoder(null as unknown as EncoderOptions).encode(sample)).toStrictEqual(bytes);
  });

  test("unknown ones are ignored", () => {
    expect(encode(sample, loosely({ sortKey: true, forceFloat64: true }))).toStrictEqual(encode(sample));
  });

  test("all are read once, in the constructor", () => {
    const reads: Record<string, number> = {};
    const options = new Proxy<EncoderOptions & Record<string, unknown>>(
      { sortKeys: true, ignoreUndefined: true, maxDepth: 3 },
      {
        get(target, name) {
          reads[String(name)] = (reads[String(name)] ?? 0) + 1;
          return Reflect.get(target, name);
        },
      },
    );
    const encoder = new Encoder(options);
    const readByConstructor = { ...reads };
    expect(new Set(Object.values(reads))).toEqual(new Set([1]));
    encoder.encode({ b: [1], a: undefined });
    encoder.encodeSharedRef({ b: [1], a: undefined });
    encoder.encodeInto({ b: [1], a: undefined }, new Uint8Array(100));
    expect(reads).toEqual(readByConstructor);
  });

  test("what happens to the options object later is of no matter", () => {
    const options = { sortKeys: true, maxDepth: 2 };
    const encoder = new Encoder(options);
    options.sortKeys = false;
    options.maxDepth = 0;
    expect(encoder.encode({ b: 1, a: 2 })).toStrictEqual(encode({ a: 2, b: 1 }));
  });

  test("instances do not share them", () => {
    const [sorted, floats, plain] = [
      new Encoder({ sortKeys: true }),
      new Encoder({ forceIntegerToFloat: true, forceFloat32: true }),
      new Encoder(),
    ];
    for (let i = 0; i < 3; i++) {
      expect(sorted.encode({ b: 1, a: 2 })).toStrictEqual(hex("82 a161 02 a162 01"));
      expect(floats.encode({ b: 1, a: 2 })).toStrictEqual(hex("82 a162 ca3f800000 a161 ca40000000"));
      expect(plain.encode({ b: 1, a: 2 })).toStrictEqual(hex("82 a162 01 a161 02"));
    }
  });

  describe("useBigInt64", () => {
    test("is off: bigints are refused", () => {
      expect(() => encode(1n)).toThrow("Unrecognized object: [object BigInt]");
      expect(() => encode([{ a: 1n }], { useBigInt64: false })).toThrow(
        "Unrecognized object: [object BigInt]",
      );
    });

    test("on, bigints take nine bytes, small ones too", () => {
      const options = { useBigInt64: true };
      expect(encoded(0n, options)).toBe("cf0000000000000000");
      expect(encoded(1n, options)).toBe("cf0000000000000001");
      expect(encoded(-1n, options)).toBe("d3ffffffffffffffff");
      expect(encoded(2n ** 63n, options)).toBe("cf8000000000000000");
      expect(encoded(2n ** 64n - 1n, options)).toBe("cfffffffffffffffff");
      expect(encoded(-(2n ** 63n), options)).toBe("d38000000000000000");
    });

    test.each([
      2 ** 31 - 1,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      2 ** 32 + 1,
      2 ** 53 - 1,
      2 ** 53,
      -(2 ** 31) + 1,
      -(2 ** 31),
      -(2 ** 31) - 1,
      1 - 2 ** 53,
    ])("on, the number %d is a float if it needs more than 32 bits", (number) => {
      const isInteger = number >= -(2 ** 31) && number < 2 ** 32;
      for (const forceFloat32 of [false, true]) {
        const text = encoded(number, { useBigInt64: true, forceFloat32 });
        if (isInteger) {
          expect(text).toMatch(/^(ce|d2)/);
        } else {
          expect(text).toMatch(forceFloat32 ? /^ca.{8}$/ : /^cb.{16}$/);
        }
        // The same behind other numbers, where runs of them are handled together.
        encoded(Array(10).fill(number), { useBigInt64: true, forceFloat32 });
      }
    });

    test("on, bigints are none of the business of forceIntegerToFloat and the codec", () => {
      const extensionCodec = {
        tryToEncode(object: unknown) {
          if (typeof object === "bigint") throw new Error("asked");
          return null;
        },
        decode: () => null,
      };
      const options = { useBigInt64: true, forceIntegerToFloat: true, forceFloat32: true, extensionCodec };
      expect(encoded([5n, 5], options)).toBe("92cf0000000000000005ca40a00000");
    });
  });

  describe("maxDepth", () => {
    const nested = (levels: number, inner: unknown): unknown => {
      let value = inner;
      for (let i = 0; i < levels; i++) value = [value];
      return value;
    };
    const nestedMaps = (levels: number, inner: unknown): unknown => {
      let value = inner;
      for (let i = 0; i < levels; i++) value = { a: value };
      return value;
    };

    test("is 100: so many containers, the innermost empty, or one less around a value", () => {
      for (const nest of [nested, nestedMaps]) {
        encoded(nest(99, []));
        encoded(nest(99, 1));
        encoded(nest(99, {}));
        expect(() => encode(nest(100, []))).toThrow("Too deep objects in depth 101");
        expect(() => encode(nest(100, 1))).toThrow("Too deep objects in depth 101");
        expect(() => reference.encode(nest(100, 1))).toThrow("Too deep objects in depth 101");
      }
    });

    test.each([1, 2, 3, 50])("%d counts the root", (maxDepth) => {
      for (const nest of [nested, nestedMaps]) {
        encoded(nest(maxDepth - 1, null), { maxDepth });
        encoded(nest(maxDepth - 1, []), { maxDepth });
        expect(() => encode(nest(maxDepth, null), { maxDepth })).toThrow(
          `Too deep objects in depth ${maxDepth + 1}`,
        );
        expect(() => reference.encode(nest(maxDepth, null), { maxDepth })).toThrow(
          `Too deep objects in depth ${maxDepth + 1}`,
        );
      }
    });

    test.each([0, -1])("%d refuses everything", (maxDepth) => {
      for (const value of [null, 1, "a", [], {}, new Date(0)]) {
        expect(() => encode(value, { maxDepth })).toThrow("Too deep objects in depth 1");
        expect(() => reference.encode(value, { maxDepth })).toThrow("Too deep objects in depth 1");
      }
    });

    test("between two integers it is the lower", () => {
      expect(() => reference.encode([1], { maxDepth: 1.5 })).toThrow("Too deep objects in depth 2");
      expect(() => encode([1], { maxDepth: 1.5 })).toThrow("Too deep objects in depth 2");
    });

    test("higher than the default, more containers go", () => {
      encoded(nested(499, 1), { maxDepth: 500 });
      expect(() => encode(nested(500, 1), { maxDepth: 500 })).toThrow("Too deep objects in depth 501");
    });

    test("holds for all kinds of containers", () => {
      class Node {
        child: unknown = 1;
      }
      const options = { maxDepth: 1 };
      expect(() => encode(new Node(), options)).toThrow("Too deep objects in depth 2");
      expect(() => encode(new Map([[1, 2]]), options)).toThrow("Too deep objects in depth 2");
      expect(() => encode(new Set([1]), options)).toThrow("Too deep objects in depth 2");
      expect(() => encode({ a: 1 }, { ...options, sortKeys: true })).toThrow("Too deep objects in depth 2");
      expect(() => encode({ a: 1 }, { ...options, ignoreUndefined: true })).toThrow(
        "Too deep objects in depth 2",
      );
      expect(encode(new Map(), options)).toStrictEqual(hex("80"));
      expect(encode(new Set(), options)).toStrictEqual(hex("90"));
      expect(encode(new Uint8Array(1), options)).toStrictEqual(hex("c40100"));
    });

    test("properties left out by ignoreUndefined are none", () => {
      for (const sortKeys of [false, true]) {
        const options = { maxDepth: 2, ignoreUndefined: true, sortKeys };
        encoded([{ a: undefined }], options);
        encoded({ a: { b: undefined, c: undefined } }, options);
        expect(() => encode([{ a: undefined, b: 1 }], options)).toThrow("Too deep objects in depth 3");
      }
    });

    test("keeps circular references from going on for ever", () => {
      const array: unknown[] = [];
      array.push(array);
      const object: Record<string, unknown> = {};
      object.self = { list: [object] };
      const map = new Map<unknown, unknown>();
      map.set("self", map);
      const set = new Set<unknown>();
      set.add(set);
      for (const value of [array, object, map, set]) {
        expect(() => encode(value)).toThrow("Too deep objects in depth 101");
      }
    });

    test("Infinity leaves that to the stack, and the encoder works afterwards", () => {
      const array: unknown[] = [];
      array.push(array);
      const encoder = new Encoder({ maxDepth: Number.POSITIVE_INFINITY });
      for (let i = 0; i < 3; i++) {
        expect(() => encoder.encode(array)).toThrow(RangeError);
        expect(encoder.encode([1])).toStrictEqual(hex("9101"));
      }
    });
  });

  describe("initialBufferSize", () => {
    test("is 2048, and no bound", () => {
      expect(new Encoder().encodeSharedRef(1).buffer.byteLength).toBe(2048);
      expect(new Encoder().encodeSharedRef("a".repeat(3000))).toHaveLength(3003);
    });

    test.each([0, 1, 2, 3, 4, 5, 1.5])("%d is enough for any message", (initialBufferSize) => {
      const encoder = new Encoder({ initialBufferSize });
      for (const value of [1, [1, 2, 3], "a".repeat(100), { a: new Uint8Array(1000) }, 1]) {
        expect(encoder.encodeSharedRef(value)).toStrictEqual(encode(value));
        expect(encoder.encode(value)).toStrictEqual(encode(value));
      }
    });

    test("NaN is 0, as for ArrayBuffer", () => {
      const encoder = new Encoder({ initialBufferSize: Number.NaN });
      expect(encoder.encodeSharedRef([1, 2])).toStrictEqual(hex("920102"));
    });

    test("a negative one is a RangeError of the constructor", () => {
      expect(() => new reference.Encoder({ initialBufferSize: -1 })).toThrow(RangeError);
      expect(() => new Encoder({ initialBufferSize: -1 })).toThrow(RangeError);
      expect(() => encode(1, { initialBufferSize: -1 })).toThrow(RangeError);
    });

    test("the shared buffer grows and stays", () => {
      const encoder = new Encoder({ initialBufferSize: 4 });
      const { buffer } = encoder.encodeSharedRef([1, 2, 3]);
      expect(encoder.encodeSharedRef([4]).buffer).toBe(buffer);
      const grown = encoder.encodeSharedRef(new Uint8Array(100)).buffer;
      expect(grown).not.toBe(buffer);
      expect(grown.byteLength).toBeGreaterThanOrEqual(102);
      expect(encoder.encodeSharedRef([4]).buffer).toBe(grown);
    });
  });

  describe("sortKeys", () => {
    test("is off: the order is that of Object.keys", () => {
      expect(encoded({ b: 1, a: 2, 1: 3 })).toBe("83a13103a16201a16102");
    });

    test("on, keys stand in the order of their UTF-16 units, in every map", () => {
      expect(encoded({ b: 1, a: { d: 1, c: 2 } }, { sortKeys: true })).toBe("82a16182a16302a16401a16201");
      expect(encoded({ 9: 1, 10: 2 }, { sortKeys: true })).toBe("82a2313002a13901");
      // U+1F600 is before U+FFFD by units, but after it by bytes of UTF-8.
      expect(encoded({ "\ufffd": 1, "😀": 2, "": 3, é: 4, z: 5, Z: 6 }, { sortKeys: true })).toBe(
        "86a003a15a06a17a05a2c3a904a4f09f988002a3efbfbd01",
      );
    });

    test("on, equal objects are equal bytes", () => {
      const names = Array.from({ length: 40 }, (_, i) => `key${(i * 17) % 40}`);
      const forward = Object.fromEntries(names.map((name) => [name, name]));
      const backward = Object.fromEntries(names.reverse().map((name) => [name, name]));
      expect(encoded(forward, { sortKeys: true })).toBe(encoded(backward, { sortKeys: true }));
    });
  });

  describe("forceFloat32", () => {
    test("is off: floats have 64 bits", () => {
      expect(encoded(1.5)).toBe("cb3ff8000000000000");
    });

    test("on, all that goes as a float has 32", () => {
      const options = { forceFloat32: true };
      expect(encoded(1.5, options)).toBe("ca3fc00000");
      expect(encoded(0.1, options)).toBe("ca3dcccccd");
      expect(encoded(Number.NaN, options)).toBe("ca7fc00000");
      expect(encoded(1e300, options)).toBe("ca7f800000");
      expect(encoded(-1e300, options)).toBe("caff800000");
      expect(encoded(1e-300, options)).toBe("ca00000000");
      expect(encoded(2 ** 53, options)).toBe("ca5a000000");
      expect(encoded(1, options)).toBe("01");
      expect(encoded([0.5, 1.5, 2.5, 3.5, 1, 2, 2 ** 60], options)).toMatch(/^97ca3f000000ca/);
    });
  });

  describe("forceIntegerToFloat", () => {
    test("is off: integers take the smallest format, and -0 is 0", () => {
      expect(encoded([1, -0, 256])).toBe("930100cd0100");
    });

    test("on, all numbers are floats, and -0 keeps its sign", () => {
      const options = { forceIntegerToFloat: true };
      expect(encoded(1, options)).toBe("cb3ff0000000000000");
      expect(encoded(-0, options)).toBe("cb8000000000000000");
      expect(encoded(2 ** 31, options)).toBe("cb41e0000000000000");
      expect(encoded([1, 2, 3, 4, 5, "a", 6], options)).toMatch(/^97(cb.{16}){5}a161cb.{16}$/);
      expect(encoded(1, { ...options, forceFloat32: true })).toBe("ca3f800000");
      expect(encoded(-0, { ...options, forceFloat32: true })).toBe("ca80000000");
    });
  });

  describe("ignoreUndefined", () => {
    test("is off: undefined is nil", () => {
      expect(encoded({ a: undefined, b: 1 })).toBe("82a161c0a16201");
    });

    test("on, properties are left out, but not items or the root", () => {
      const options = { ignoreUndefined: true };
      expect(encoded({ a: undefined, b: 1, c: null }, options)).toBe("82a16201a163c0");
      expect(encoded({ a: undefined }, options)).toBe("80");
      expect(encoded([undefined, { a: [undefined] }], options)).toBe("92c081a16191c0");
      expect(encoded(undefined, options)).toBe("c0");
      expect(encoded({ b: 1, a: undefined, "": 2 }, { ...options, sortKeys: true })).toBe("82a002a16201");
    });

    test("on, the count is that of what is kept, around 16 and 65,536 properties", () => {
      for (const kept of [15, 16, 65_535, 65_536]) {
        const object: Record<string, unknown> = {};
        for (let i = 0; i < kept; i++) {
          object[`k${i}`] = 1;
          if (i % 7 === 0) object[`u${i}`] = undefined;
        }
        const bytes = encode(object, { ignoreUndefined: true });
        expect(Object.keys(decode(bytes) as object)).toHaveLength(kept);
        expect(Buffer.compare(bytes, reference.encode(object, { ignoreUndefined: true }))).toBe(0);
      }
    });
  });

  describe("extensionCodec and context", () => {
    test("the codec is the one that knows the timestamp, and there is no context", () => {
      const bytes = encode(new Date(1000));
      expect(encode(new Date(1000), { extensionCodec: ExtensionCodec.defaultCodec })).toStrictEqual(bytes);
      expect(bytes).toStrictEqual(hex("d6ff 00000001"));
    });

    test.each([0, "", false, null, Symbol("s"), { a: 1 }])("the context %s comes as it is", (context) => {
      const seen: unknown[] = [];
      const extensionCodec = {
        tryToEncode(_: unknown, context: unknown) {
          seen.push(context);
          return null;
        },
        decode: (_data: Uint8Array, _type: number, context: unknown) => context,
      };
      encode([], loosely({ extensionCodec, context }));
      expect(seen).toEqual([context]);
      expect(decode(hex("d40100"), loosely({ extensionCodec, context }))).toBe(context);
    });

    test("without one, the codec gets undefined", () => {
      const seen: unknown[] = [];
      const extensionCodec: ExtensionCodecType<undefined> = {
        tryToEncode(_, context) {
          seen.push(context);
          return null;
        },
        decode: (_data, _type, context) => seen.push(context),
      };
      encode([], { extensionCodec });
      decode(hex("d40100"), { extensionCodec });
      expect(seen).toEqual([undefined, undefined]);
    });
  });

  describe('int64: "auto"', () => {
    test("is off: bigints are refused", () => {
      expect(() => encode(1n, loosely({ int64: "number" }))).toThrow("Unrecognized object: [object BigInt]");
    });

    test("goes before useBigInt64 for bigints, which still rules numbers", () => {
      const both: EncoderOptions = { int64: "auto", useBigInt64: true };
      expect(encode([1n, 2 ** 40], both)).toStrictEqual(hex("92 01 cb4270000000000000"));
      expect(encode([1n, 2 ** 40], { int64: "auto" })).toStrictEqual(hex("92 01 cf0000010000000000"));
    });
  });
});

describe("decoder options", () => {
  const sample = encode({ a: [1, "é", new Uint8Array(2), null], b: new Date(0) });

  test.each([
    "extensionCodec",
    "context",
    "useBigInt64",
    "int64",
    "rawStrings",
    "fatalUtf8",
    "maxStrLength",
    "maxBinLength",
    "maxArrayLength",
    "maxMapLength",
    "maxExtLength",
    "maxDepth",
    "maxElements",
    "onUnknownExtension",
    "profile",
    "copy",
    "useMap",
    "mapKeyConverter",
    "keyDecoder",
  ])("%s: null and undefined mean the default", (name) => {
    const value = decode(sample);
    expect(decode(sample, loosely({ [name]: null }))).toStrictEqual(value);
    expect(decode(sample, loosely({ [name]: undefined }))).toStrictEqual(value);
  });

  test("none, null, undefined and an empty object are the same", () => {
    const value = decode(sample);
    expect(decode(sample, undefined)).toStrictEqual(value);
    expect(decode(sample, {})).toStrictEqual(value);
    expect(decode(sample, null as unknown as DecoderOptions)).toStrictEqual(value);
    expect(new Decoder(null as unknown as DecoderOptions).decode(sample)).toStrictEqual(value);
  });

  test("all are read once, in the constructor", async () => {
    const reads: Record<string, number> = {};
    const options = new Proxy<DecoderOptions & Record<string, unknown>>(
      { useBigInt64: true, maxStrLength: 10, rawStrings: true },
      {
        get(target, name) {
          reads[String(name)] = (reads[String(name)] ?? 0) + 1;
          return Reflect.get(target, name);
        },
      },
    );
    const decoder = new Decoder(options);
    const readByConstructor = { ...reads };
    expect(new Set(Object.values(reads))).toEqual(new Set([1]));
    decoder.decode(sample);
    [...decoder.decodeMulti(sample)];
    await decoder.decodeAsync(streamOf(sample));
    expect(reads).toEqual(readByConstructor);
  });

  test("what happens to the options object later is of no matter", () => {
    const options = { maxStrLength: 1, rawStrings: true };
    const decoder = new Decoder(options);
    options.maxStrLength = 0;
    options.rawStrings = false;
    expect(decoder.decode(hex("81a161a141"))).toStrictEqual({ a: hex("41") });
  });

  test("instances do not share them", () => {
    const [raw, big, maps] = [
      new Decoder({ rawStrings: true }),
      new Decoder({ useBigInt64: true }),
      new Decoder({ useMap: true }),
    ];
    const bytes = hex("81 a161 92 a162 cf0000000000000001");
    for (let i = 0; i < 3; i++) {
      expect(raw.decode(bytes)).toStrictEqual({ a: [hex("62"), 1] });
      expect(big.decode(bytes)).toStrictEqual({ a: ["b", 1n] });
      expect(maps.decode(bytes)).toStrictEqual(new Map([["a", ["b", 1]]]));
    }
  });

  describe("useBigInt64", () => {
    const formats = hex(
      "9a 01 ff cc01 cd0001 ce00000001 cf0000000000000001 d001 d20000 0001 d3ffffffffffffffff cfffffffffffffffff",
    );

    test("is off: all are numbers, rounded beyond 2^53", () => {
      expect(decoded(formats)).toStrictEqual([1, -1, 1, 1, 1, 1, 1, 1, -1, 2 ** 64]);
      expect(decoded(hex("cf0020000000000001"))).toBe(2 ** 53);
      expect(decoded(hex("d38000000000000000"))).toBe(-(2 ** 63));
    });

    test("on, the two 64-bit formats are bigints whatever their value, the others numbers", () => {
      const options = { useBigInt64: true };
      expect(decoded(formats, options)).toStrictEqual([1, -1, 1, 1, 1, 1n, 1, 1, -1n, 2n ** 64n - 1n]);
    });

    test("on, 64-bit keys are refused by their type", () => {
      for (const key of ["cf0000000000000001", "d3ffffffffffffffff"]) {
        const bytes = hex(`81 ${key} 01`);
        expect(refused(bytes, { useBigInt64: true })).toContain(
          "The type of key must be string or number but bigint",
        );
        // Without it they are numbers like others.
        decoded(bytes);
      }
    });

    test("int64 goes before it", () => {
      const bytes = hex("cf0000000000000001");
      expect(decode(bytes, { useBigInt64: true, int64: "number" })).toBe(1);
      expect(decode(bytes, { useBigInt64: false, int64: "bigint" })).toBe(1n);
      expect(decode(bytes, { useBigInt64: true, int64: "auto" })).toBe(1);
    });
  });

  describe("rawStrings", () => {
    test("is off", () => {
      expect(decoded(hex("a161"))).toBe("a");
    });

    test("on, strings are views of the input, keys stay strings", () => {
      const bytes = join(hex("81 a161 92 a3626364"), str(repeat([0x65], 1000)));
      const value = decoded(bytes, { rawStrings: true }) as { a: Uint8Array[] };
      expect(value.a[0]).toStrictEqual(hex("626364"));
      expect(value.a[0].buffer).toBe(bytes.buffer);
      expect(value.a[1].buffer).toBe(bytes.buffer);
    });

    test("on, it is maxBinLength that counts, except for keys", () => {
      const bytes = hex("81 a26161 a26262");
      decoded(bytes, { rawStrings: true, maxBinLength: 2 });
      decoded(hex("81 a161 a26262"), { rawStrings: true, maxStrLength: 1 });
      expect(refused(bytes, { rawStrings: true, maxBinLength: 1 })).toContain(
        "Max length exceeded: bin length (2) > maxBinLength (1)",
      );
      expect(refused(bytes, { rawStrings: true, maxStrLength: 1 })).toContain(
        "Max length exceeded: UTF-8 byte length (2) > maxStrLength (1)",
      );
      decoded(hex("81 a26161 01"), { rawStrings: true, maxBinLength: 1 });
    });

    test("on, empty strings are bytes like others, behind keys that are new too", () => {
      for (let i = 0; i < 3; i++) {
        const value = { [`new ${i}`]: "", [`newer ${i}`]: ["", "a", ""], filler: "b".repeat(40) };
        const bytes = reference.encode([1, value, ""]);
        decoded(bytes, { rawStrings: true });
        decoded(bytes, { rawStrings: true, mapKeyConverter: String });
      }
    });

    test("on, malformed text is no matter, whatever fatalUtf8 says", () => {
      expect(decode(hex("a2ffc0"), { rawStrings: true, fatalUtf8: true })).toStrictEqual(hex("ffc0"));
    });
  });

  describe("limits", () => {
    const sizes = [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536];
    const fixext = [0xd4, 0xd5, 0xd6, 0xd7, 0xd8];
    const header = (size: number, [small, byte, two, four]: readonly [number, number, number, number]) =>
      size < (small === 0xa0 ? 32 : small === 0 ? 0 : 16)
        ? [small | size]
        : size < 256 && byte !== 0
          ? [byte, size]
          : size < 65_536
            ? [two, ...bigEndian(size, 2)]
            : [four, ...bigEndian(size, 4)];
    const ext = (size: number) => {
      const exponent = Math.log2(size);
      const head =
        Number.isInteger(exponent) && exponent <= 4
          ? [fixext[exponent]]
          : header(size, [0, 0xc7, 0xc8, 0xc9]);
      return join(head, [5], new Uint8Array(size));
    };
    const kinds = {
      maxStrLength: {
        text: (size: number, limit: number) => `UTF-8 byte length (${size}) > maxStrLength (${limit})`,
        make: (size: number) => str(repeat([0x61], size)),
      },
      maxBinLength: {
        text: (size: number, limit: number) => `bin length (${size}) > maxBinLength (${limit})`,
        make: (size: number) => join(header(size, [0, 0xc4, 0xc5, 0xc6]), new Uint8Array(size)),
      },
      maxArrayLength: {
        text: (size: number, limit: number) => `array length (${size}) > maxArrayLength (${limit})`,
        make: (size: number) => join(header(size, [0x90, 0, 0xdc, 0xdd]), new Uint8Array(size)),
      },
      maxMapLength: {
        text: (size: number, limit: number) => `map length (${size}) > maxMapLength (${limit})`,
        make: (size: number) => join(header(size, [0x80, 0, 0xde, 0xdf]), new Uint8Array(size * 2)),
      },
      maxExtLength: {
        text: (size: number, limit: number) => `ext length (${size}) > maxExtLength (${limit})`,
        make: ext,
      },
    };

    describe.each(Object.entries(kinds))("%s", (name, { make, text }) => {
      test.each(sizes)("lets %d through if it is as much or more, and no more than it", (size) => {
        const bytes = make(size);
        for (const limit of [size, size + 1, 2 ** 32 - 1, 2 ** 32, Number.POSITIVE_INFINITY]) {
          expect(() => decode(bytes, { [name]: limit }), `limit ${limit}`).not.toThrow();
        }
        if (size === 0) return;
        const message = refused(bytes, { [name]: size - 1 });
        expect(message).toContain(`Max length exceeded: ${text(size, size - 1)}`);
        expect(refused(bytes, { [name]: 0 })).toContain(text(size, 0));
      });

      test("is 2^32 - 1, which the formats cannot exceed", () => {
        expect(() => decode(make(70_000))).not.toThrow();
      });

      test("is a matter of the header: what it promises need not be there", () => {
        const bytes = make(300);
        expect(refused(bytes.subarray(0, 5), { [name]: 299 })).toContain(text(300, 299));
      });

      test("holds in containers and for streams", async () => {
        const bytes = join([0x91, 0x81, 0xa0], make(40));
        expect(failure(() => decode(bytes, { [name]: 39 }))).toMatchObject({
          code: "MAX_LENGTH",
          offset: 3,
        });
        const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
        await expect(decodeAsync(streamOf(...pieces), { [name]: 39 })).rejects.toThrow(text(40, 39));
        await expect(decodeAsync(streamOf(...pieces), { [name]: 40 })).resolves.toBeDefined();
      });

      test("below 0 refuses all there is of its kind", () => {
        expect(failure(() => decode(make(0), { [name]: -1 })).message).toContain(text(0, -1));
      });

      test("NaN is no limit, as in @msgpack/msgpack", () => {
        const bytes = make(5);
        expect(() => reference.decode(bytes, { [name]: Number.NaN })).not.toThrow();
        expect(() => decode(bytes, { [name]: Number.NaN })).not.toThrow();
      });
    });

    test("maxStrLength counts bytes of UTF-8, and holds for keys", () => {
      expect(decoded(hex("a2c3a9"), { maxStrLength: 2 })).toBe("é");
      expect(refused(hex("a2c3a9"), { maxStrLength: 1 })).toContain("(2) > maxStrLength (1)");
      expect(refused(hex("81 a26161 01"), { maxStrLength: 1 })).toContain("(2) > maxStrLength (1)");
      // Whether the key is known by now or not.
      decode(hex("81 a26161 01"));
      decode(hex("81 a26161 01"));
      expect(refused(hex("81 a26161 01"), { maxStrLength: 1 })).toContain("(2) > maxStrLength (1)");
      expect(decoded(hex("81 a26161 01"), { maxStrLength: 2 })).toStrictEqual({ aa: 1 });
    });

    test("extensions are bound by maxBinLength, too, timestamps among them", () => {
      expect(refused(ext(3), { maxBinLength: 2 })).toContain("bin length (3) > maxBinLength (2)");
      expect(refused(ext(3), { maxExtLength: 2, maxBinLength: 1 })).toContain(
        "ext length (3) > maxExtLength (2)",
      );
      expect(refused(hex("d6ff00000001"), { maxBinLength: 1 })).toContain("bin length (4)");
      expect(refused(hex("d6ff00000001"), { maxExtLength: 3 })).toContain("ext length (4)");
      expect(decoded(hex("d6ff00000001"), { maxExtLength: 4, maxBinLength: 4 })).toStrictEqual(
        new Date(1000),
      );
    });
  });

  describe("keyDecoder", () => {
    const bytes = join(hex("83 a161 01"), str(repeat([0x62], 20)), hex("02 05 a163"));

    test("is asked for string keys of the lengths that it takes, and for nothing else", () => {
      const asked: number[] = [];
      const keys: string[] = [];
      const keyDecoder = {
        canBeCached(length: number) {
          asked.push(length);
          return length < 16;
        },
        decode(bytes: Uint8Array, offset: number, length: number) {
          const key = Buffer.from(bytes.subarray(offset, offset + length)).toString();
          keys.push(key);
          return key.toUpperCase();
        },
      };
      expect(decode(bytes, { keyDecoder })).toStrictEqual({ A: 1, [`${"b".repeat(20)}`]: 2, 5: "c" });
      expect(asked).toEqual([1, 20]);
      expect(keys).toEqual(["a"]);
      expect(decoded(bytes, { keyDecoder })).toStrictEqual(decode(bytes, { keyDecoder }));
    });

    test("null: keys are decoded without it", () => {
      expect(decoded(bytes, { keyDecoder: null })).toStrictEqual(decode(bytes));
    });

    test("its keys are checked, and converted", () => {
      const keyDecoder = { canBeCached: () => true, decode: () => "__proto__" };
      expect(refused(hex("81a16101"), { keyDecoder })).toContain("The key __proto__ is not allowed");
      const fine = { canBeCached: () => true, decode: () => "x" };
      const mapKeyConverter = (key: unknown) => `<${key}>`;
      expect(decoded(hex("81a16101"), { keyDecoder: fine, mapKeyConverter })).toStrictEqual({ "<x>": 1 });
    });

    test("maxStrLength goes before it", () => {
      const keyDecoder = { canBeCached: () => true, decode: () => "x" };
      expect(refused(hex("81 a26161 01"), { keyDecoder, maxStrLength: 1 })).toContain("maxStrLength");
    });

    test("works with rawStrings, useMap and streams", async () => {
      const keyDecoder = { canBeCached: () => true, decode: () => "x" };
      expect(decode(hex("81a161a162"), { keyDecoder, rawStrings: true })).toStrictEqual({ x: hex("62") });
      expect(decode(hex("81a161a162"), { keyDecoder, useMap: true })).toStrictEqual(new Map([["x", "b"]]));
      const pieces = [...hex("91 81 a161 a162")].map((byte) => [byte]);
      expect(await decodeAsync(streamOf(...pieces), { keyDecoder })).toStrictEqual([{ x: "b" }]);
    });

    test("an error of it comes through as it is", () => {
      const error = new Error("no key");
      const keyDecoder = {
        canBeCached: () => true,
        decode() {
          throw error;
        },
      };
      expect(failure(() => decode(hex("9181a16101"), { keyDecoder }))).toBe(error);
    });
  });

  describe("mapKeyConverter", () => {
    test("by default strings and numbers are keys, and nothing else", () => {
      expect(decoded(hex("84 a161 01 05 02 ff 03 cb3ff8000000000000 04"))).toStrictEqual({
        a: 1,
        5: 2,
        "-1": 3,
        "1.5": 4,
      });
      const others = {
        object: ["c0", "90", "80", "c40100", "d40100", "d6ff00000000"],
        boolean: ["c2", "c3"],
      };
      for (const [type, keys] of Object.entries(others)) {
        for (const key of keys) {
          expect(refused(hex(`81 ${key} 01`)), key).toContain(
            `The type of key must be string or number but ${type}`,
          );
        }
      }
    });

    test("is called with every key as it was decoded, in order", () => {
      const keys: unknown[] = [];
      const mapKeyConverter = (key: unknown) => {
        keys.push(key);
        return keys.length;
      };
      const bytes = hex("87 a161 01 05 02 c0 03 c3 04 9101 05 81a16201 06 d6ff00000001 07");
      const value = decoded(bytes, { mapKeyConverter: (key) => JSON.stringify(key) });
      expect(value).toStrictEqual({
        '"a"': 1,
        5: 2,
        null: 3,
        true: 4,
        "[1]": 5,
        '{"\\"b\\"":1}': 6,
        '"1970-01-01T00:00:01.000Z"': 7,
      });
      decode(bytes, { mapKeyConverter });
      expect(keys).toStrictEqual(["a", 5, null, true, [1], "b", { 6: 1 }, new Date(1000)]);
    });

    test("gets bigints with useBigInt64", () => {
      const options = { useBigInt64: true, mapKeyConverter: (key: unknown) => `${typeof key} ${key}` };
      expect(decoded(hex("81 cf0000000000000001 02"), options)).toStrictEqual({ "bigint 1": 2 });
    });

    test("comes after the check for __proto__", () => {
      const options = { mapKeyConverter: () => "fine" };
      expect(refused(join(hex("81"), str(Buffer.from("__proto__")), [1]), options)).toContain(
        "The key __proto__ is not allowed",
      );
    });

    test("an error of it comes through as it is, and the decoder works afterwards", () => {
      const error = new TypeError("no such key");
      const decoder = new Decoder({
        mapKeyConverter(key) {
          if (key === "bad") throw error;
          return key as string;
        },
      });
      expect(failure(() => decoder.decode(hex("92 81a16101 81a362616401")))).toBe(error);
      expect(decoder.decode(hex("81a16101"))).toStrictEqual({ a: 1 });
    });

    test("works at any depth and from streams", async () => {
      const bytes = join(repeat(hex("81c0"), 300), [1]);
      let value: unknown = decode(bytes, { mapKeyConverter: String });
      for (let i = 0; i < 300; i++) value = (value as Record<string, unknown>).null;
      expect(value).toBe(1);
      const pieces = [...hex("92 81c301 81c202")].map((byte) => [byte]);
      expect(await decodeAsync(streamOf(...pieces), { mapKeyConverter: String })).toStrictEqual([
        { true: 1 },
        { false: 2 },
      ]);
    });
  });

  describe("fatalUtf8", () => {
    const lengths = [3, 30, 250, 600, 3000];

    test.each(lengths)("is off: malformed text of %d bytes has U+FFFD in it", (length) => {
      const text = join(repeat([0x61], length - 1), [0xff]);
      expect(decode(str(text))).toBe(`${"a".repeat(length - 1)}\ufffd`);
    });

    test.each(lengths)("on, malformed text of %d bytes is an error, as a value and as a key", (length) => {
      const text = str(join(repeat([0x61], length - 1), [0xff]));
      const decoder = new Decoder({ fatalUtf8: true });
      for (const [bytes, offset] of [
        [text, 0],
        [join([0x92, 1], text), 2],
        [join([0x81], text, [1]), 1],
      ] as const) {
        const error = failure(() => decoder.decode(bytes));
        expect(error).toBeInstanceOf(DecodeError);
        expect(error).toMatchObject({ code: "INVALID_UTF8", offset });
      }
      expect(decoder.decode(str(repeat([0x61], length)))).toBe("a".repeat(length));
    });

    test("on, it holds for keys where keyDecoder, mapKeyConverter or useMap are set, too", () => {
      const bytes = hex("81 a2ff61 01");
      for (const options of [
        { useMap: true },
        { mapKeyConverter: String },
        { keyDecoder: { canBeCached: () => false, decode: () => "" } },
      ]) {
        expect(
          failure(() => decode(bytes, { ...options, fatalUtf8: true })),
          Object.keys(options)[0],
        ).toMatchObject({ code: "INVALID_UTF8" });
      }
    });
  });

  describe("maxDepth", () => {
    test.each([0, 1, 2, 100, 300])("%d: so many containers around a value", (maxDepth) => {
      for (const open of [[0x91], hex("81a161")]) {
        const fine = join(repeat(open, maxDepth), [1]);
        expect(() => decode(fine, { maxDepth })).not.toThrow();
        const error = failure(() => decode(join(repeat(open, maxDepth + 1), [1]), { maxDepth }));
        expect(error).toBeInstanceOf(DecodeError);
        expect(error).toMatchObject({ code: "MAX_DEPTH", offset: maxDepth * open.length });
        expect(error.message).toContain("Too deep objects in depth");
        expect(error.message).toContain(`maxDepth is ${maxDepth}`);
      }
    });

    test("there is none by default", () => {
      expect(() => decode(join(repeat([0x91], 100_000), [1]))).not.toThrow();
    });

    test("0 lets scalars through, and no container", () => {
      expect(decode(hex("a161"), { maxDepth: 0 })).toBe("a");
      for (const container of ["90", "80"]) {
        expect(failure(() => decode(hex(container), { maxDepth: 0 }))).toMatchObject({ code: "MAX_DEPTH" });
      }
    });
  });

  test("useMap is off: maps are plain objects, and unknown extensions ExtData", () => {
    const value = decode(hex("81 a161 d40500")) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value.a).toStrictEqual(new ExtData(5, hex("00")));
  });
});
