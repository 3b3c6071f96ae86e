import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import { Decoder, decode, decodeSegments, Encoder, encode, TypedArrayCodec } from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { damagedMessages, values } from "./lib/arbitraries.mjs";
import { hex, join, repeat, str } from "./lib/bytes.ts";
import { collectGarbage } from "./lib/collect.ts";
import { failure, isSame, outcome } from "./lib/reference.ts";

// Small messages are read and written in JavaScript; `decodeSegments` always goes through the tokenizer, so it tells what must
// come out.

const extensionCodec = new TypedArrayCodec();
const optionsToTry = [undefined, { extensionCodec }];

function check(bytes: Uint8Array, options?: (typeof optionsToTry)[number]): void {
  const expected = outcome(() => decodeSegments([bytes], options));
  const actual = outcome(() => decode(bytes, options));
  if ("error" in expected) {
    assert.ok("error" in actual, `${Buffer.from(bytes).toString("hex")} is decoded`);
    const { name, message, code, offset } = expected.error as Error & { code?: unknown; offset?: unknown };
    assert.deepEqual(
      { ...actual.error, name: actual.error.name, message: actual.error.message },
      { ...expected.error, name, message, ...(code === undefined ? {} : { code, offset }) },
    );
  } else {
    assert.ok("value" in actual, Buffer.from(bytes).toString("hex"));
    assert.ok(isSame(actual.value, expected.value), Buffer.from(bytes).toString("hex"));
  }
}

describe("what comes out is what the tokenizer reads", () => {
  test("of random values", () => {
    fc.assert(
      fc.property(values(), (value) => {
        for (const options of optionsToTry) check(reference.encode(value), options);
      }),
      { numRuns: 2000 },
    );
  });

  test("of damaged messages", () => {
    fc.assert(
      fc.property(damagedMessages, (bytes) => {
        for (const options of optionsToTry) check(bytes, options);
      }),
      { numRuns: 2000 },
    );
  });

  test("of random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        for (const options of optionsToTry) check(bytes, options);
      }),
      { numRuns: 5000 },
    );
  });

  test("of two bytes of any kind, and of their like behind a header", () => {
    for (let i = 0; i < 0x1_0000; i += 3) {
      const pair = [i >> 8, i & 255];
      check(Uint8Array.from(pair));
      if (i % 2 === 0) check(Uint8Array.of(0x93, 1, ...pair));
      if (i % 2 === 1) check(Uint8Array.of(0x81, 0xa1, ...pair));
    }
  });

  test.each([
    "7f",
    "e0",
    "ff",
    "cc80",
    "cdffff",
    "ce80000000",
    "ceffffffff",
    "d080",
    "d18000",
    "d280000000",
    "ca3fc00000",
    "cb3ff8000000000000",
    "cbfff8000000000000",
    "cf0020000000000001",
    "d3ffffffffffffffff",
    "c0",
    "c2",
    "c3",
    "a0",
    "a3616263",
    "d900",
    "d90161",
    "da000161",
    "ac616263646566676869 6a6b6c",
    "ad616263646566676869 6a6b6c6d",
    "c400",
    "c4020102",
    "c50001ff",
    "80",
    "90",
    "dc00020102",
    "de0001a16101",
    "8101a0",
    "81a161a162",
    "82a16101a16102",
    "82a162a0a13101",
    "81a95f5f70726f746f5f5f01",
    "81d9016101",
    "81c2c3",
    "d6ff00000001",
    "c7000100",
    "d40101",
  ])("of %s, whole and cut off", (text) => {
    const bytes = hex(text);
    for (let length = 0; length <= bytes.length; length++) {
      for (const options of optionsToTry) check(bytes.subarray(0, length), options);
    }
    check(join(bytes, [0xc0]));
  });

  test("of text: each sequence of two bytes and many of three and four, well formed or not", () => {
    for (let a = 0x7f; a < 0x100; a++) {
      for (const b of [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]) {
        check(Uint8Array.of(0xa2, a, b));
        for (const c of [0x41, 0x80, 0xbf, 0xc2]) {
          check(Uint8Array.of(0xa3, a, b, c));
          check(Uint8Array.of(0xa4, a, b, c, 0x80), undefined);
        }
      }
    }
    for (const text of [
      "é",
      "€",
      "😀",
      "日本語",
      "\ufeffa",
      "aé€😀b",
      "\u07ff\u0800\uffff\u{10000}\u{10ffff}",
    ]) {
      check(encode(text));
      expect(decode(encode([text, text]))).toStrictEqual([text, text]);
    }
  });

  const lengths = [31, 63, 64, 65, 127, 255, 256, 511, 512, 4095, 4096, 65_535, 65_536, 70_000];
  const texts = ["a", "\u00e9", "\u65e5", "a\u65e5", "\u{1f600}"].flatMap((part) =>
    lengths.map((length) => part.repeat(Math.ceil(length / part.length))),
  );

  test("of long text and binary data, alone and behind other such", () => {
    const bulk = new Uint8Array(5000).map((_, i) => i);
    for (const value of [...texts, ...lengths.map((length) => new Uint8Array(length).fill(length))]) {
      for (const decoder of [new Decoder(), new Decoder({ fatalUtf8: true })]) {
        assert.deepEqual(decoder.decode(reference.encode(value)), reference.decode(reference.encode(value)));
        // From now on the decoder takes messages to have such data.
        decoder.decode(reference.encode([bulk]));
        for (const message of [value, [1, value, { value }, bulk], Array.from({ length: 40 }, () => value)]) {
          const bytes = reference.encode(message);
          assert.deepEqual(decoder.decode(bytes), reference.decode(bytes));
        }
      }
    }
  });

  test("of long text that is malformed, and of what is cut or goes on", () => {
    for (const length of [65, 300, 5000]) {
      for (const bad of ["ff", "e697", "eda080", "c080", "f4908080"]) {
        const utf8 = join(repeat([0x61], length), hex(bad), "b");
        const bytes = str(utf8);
        for (const decoder of [new Decoder(), new Decoder()]) {
          decoder.decode(reference.encode(new Uint8Array(5000)));
          expect(decoder.decode(bytes)).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8));
        }
        const fatal = outcome(() => decode(bytes, { fatalUtf8: true }));
        expect("error" in fatal && fatal.error).toMatchObject({ code: "INVALID_UTF8", offset: 0 });
        check(bytes.subarray(0, -1));
        check(join(bytes, [0xc0]));
      }
    }
    for (const head of [0xc4, 0xc5, 0xc6, 0xd9, 0xda, 0xdb]) {
      for (let size = 0; size < 7; size++) check(join([head], repeat([1], size)));
    }
  });

  test("of integers of 64 bits", () => {
    for (const high of ["00000000", "00000001", "001fffff", "00200000", "7fffffff", "80000000", "ffffffff"]) {
      for (const low of ["00000000", "00000001", "80000000", "ffffffff"]) {
        for (const head of ["cf", "d3"]) {
          const bytes = hex(head + high + low);
          expect(decode(bytes)).toBe(reference.decode(bytes));
          for (const int64 of ["number", "bigint", "auto"] as const) {
            expect(decode(bytes, { int64 })).toBe(decodeSegments([bytes], { int64 }));
          }
        }
      }
    }
  });

  test("of typed arrays, at any base offset, wrong ones too", () => {
    const codec = [extensionCodec, new TypedArrayCodec({ views: "copy" })];
    const throwing = new TypedArrayCodec({ onMisaligned: "throw" });
    for (const array of [Float32Array.of(1, 2), Float64Array.of(), Int8Array.of(-1), BigInt64Array.of(5n)]) {
      const message = encode({ array, end: [1] }, { extensionCodec });
      for (let base = 0; base < 16; base++) {
        const bytes = join(new Uint8Array(base), message).subarray(base);
        for (const extensionCodec of codec) check(bytes, { extensionCodec });
        const [a, b] = [decode, (bytes: Uint8Array, options: object) => decodeSegments([bytes], options)].map(
          (read) => outcome(() => read(bytes, { extensionCodec: throwing })),
        );
        expect(Object.keys(a)).toEqual(Object.keys(b));
        if ("error" in a && "error" in b) expect({ ...a.error }).toEqual({ ...b.error });
      }
      for (let at = 0; at < message.length; at++) {
        for (const value of [0, 1, 2, 9, 255]) {
          const damaged = message.slice();
          damaged[at] = value;
          check(damaged, { extensionCodec });
        }
      }
    }
  });
});

describe("what is written is what the emitter writes", () => {
  /** What an encoder writes that has just written something small, and one that has not. */
  function check(
    value: unknown,
    options?: { extensionCodec?: TypedArrayCodec; maxDepth?: number },
    offset = 0,
  ): void {
    const [small, large] = [[1], Array(100).fill(1)].map((first) => {
      const encoder = new Encoder(options);
      encoder.encode(first);
      return outcome(() => {
        const target = new Uint8Array(20_000);
        const end = encoder.encodeInto(value, target, offset);
        return target.subarray(offset, end);
      });
    });
    if ("error" in large) {
      expect((small as { error: Error }).error.message).toBe(large.error.message);
    } else {
      assert.ok("value" in small && isSame(small.value, large.value));
      if (offset === 0) assert.ok(isSame(new Encoder(options).encode(value), large.value));
    }
  }

  test("of random values", () => {
    fc.assert(
      fc.property(values(), (value) => {
        check(value);
        check([value, { a: value }, value], { extensionCodec });
      }),
      { numRuns: 2000 },
    );
  });

  test("wherever it comes to be too long", () => {
    for (const item of [
      "a",
      1000,
      -1,
      1.5,
      null,
      true,
      "é",
      [],
      {},
      [7],
      { k: 7 },
      "x".repeat(31),
      "x".repeat(32),
    ]) {
      for (let count = 0; count <= 15; count++) {
        check(Array(count).fill(item));
        check([Array(count).fill(item), item, { key: Array(count).fill(item), other: item }]);
      }
    }
  });

  test("of text and numbers at the edges of formats", () => {
    const units = [
      "a",
      "\u007f",
      "\u0080",
      "\u07ff",
      "\u0800",
      "\ud7ff",
      "\ud800",
      "\udfff",
      "\ue000",
      "\uffff",
      "😀",
    ];
    for (const unit of units) {
      for (const length of [1, 2, 9, 10, 11, 30, 31, 32]) {
        check(unit.repeat(length));
        check({ [unit.repeat(length)]: unit });
      }
      for (const length of [33, 84, 85, 86, 127, 128, 254, 255, 256]) {
        check(unit.repeat(length));
        check([1, unit.repeat(length), "a", { a: unit.repeat(length) }]);
      }
    }
    for (const bits of [0, 5, 7, 8, 15, 16, 27, 31, 32, 52, 53, 63, 64]) {
      for (const number of [2 ** bits - 1, 2 ** bits, 2 ** bits + 1, 2 ** bits + 0.5]) {
        check(number);
        check([-number, number]);
      }
    }
    check([
      -0,
      Number.NaN,
      Infinity,
      -Infinity,
      5e-324,
      new Float64Array(new BigInt64Array([-1n]).buffer)[0],
    ]);
  });

  test("of typed arrays, wherever they stand", () => {
    for (const length of [0, 1, 64, 65, 256, 257, 1000]) {
      for (let offset = 0; offset < 16; offset++) {
        for (const array of [new Float32Array(length), new Float64Array(length), new Uint8Array(length)]) {
          array.fill(3);
          check({ array }, { extensionCodec }, offset);
          check(["x".repeat(offset), array, 1, array, "x".repeat(40), array], { extensionCodec }, offset);
        }
      }
    }
    check(
      [new Float32Array(20), [new Float64Array(40)]],
      { extensionCodec: new TypedArrayCodec({ align: 128 }) },
      5,
    );
  });

  test("of objects that are not plain", () => {
    class Point {
      x = 1;
    }
    const inherits = Object.create({ y: 1 });
    inherits.x = 1;
    const bare = Object.assign(Object.create(null), { x: 1 });
    for (const object of [new Point(), inherits, bare, { constructor: 1 }, new Map([[1, 2]]), new Set([1])])
      check(object);
    check({ x: { y: new Date(1000) }, z: new ArrayBuffer(3) });
    check([new Proxy({ a: 1 }, {}), new Proxy([1, 2], {}), Object("boxed"), undefined, Symbol.iterator]);
  });

  test("down to the depth that is allowed", () => {
    for (let depth = 2; depth < 6; depth++) {
      for (const value of [[[[[1]]]], { a: { a: { a: {} } } }, [{ a: [] }]])
        check(value, { maxDepth: depth });
    }
    const circular: unknown[] = [];
    circular.push(circular);
    expect(failure(() => encode(circular)).message).toMatch(/^Too deep objects in depth 101/);
    expect(encode([1])).toStrictEqual(hex("9101"));
  });

  test("of getters that encode, throw, and make memory grow", () => {
    const reentrant = {
      get a() {
        return encode([encode({ b: "x".repeat(3_000_000) }).length, 7]);
      },
    };
    expect(encode([1, reentrant, 2])).toStrictEqual(reference.encode([1, { a: reentrant.a }, 2]));
    const throwing = {
      get a(): never {
        throw new Error("as it was asked to");
      },
    };
    for (let i = 0; i < 20; i++) {
      expect(failure(() => encode([1, throwing])).message).toBe("as it was asked to");
      expect(encode([1, "a"])).toStrictEqual(hex("9201a161"));
    }
  });
});

describe("keys", () => {
  test("more of them at one place than are told apart, again and again", () => {
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 300; i++) check(encode({ [`k${i}`]: i, same: [{ [`j${i % 20}`]: null }] }));
    }
  });

  test("more of them than are kept", () => {
    for (let i = 0; i < 5000; i++) {
      const value = {
        [`a${i % 8}`]: 1,
        [`b${(i >> 3) % 8}`]: 2,
        [`c${(i >> 6) % 8}`]: 3,
        [`d${(i >> 9) % 8}`]: 4,
      };
      assert.deepStrictEqual(decode(encode(value)), value);
    }
  });

  test("whether the object is made by compiled code or not", () => {
    const value = { id: 1, "a b": "x", "1": 2, "'\"\\\u2028": null, constructor: 1, toString: [1.5] };
    const bytes = encode(value);
    for (let i = 0; i < 200; i++) assert.deepStrictEqual(decode(bytes), value);
    expect(Object.keys(decode(bytes) as object)).toStrictEqual(Object.keys(value));
  });

  test("of which one comes twice: the last counts", () => {
    const bytes = hex("82a16101a16102");
    for (let i = 0; i < 100; i++) assert.deepStrictEqual(decode(bytes), { a: 2 });
  });

  test("__proto__ is refused, however often", () => {
    for (let i = 0; i < 100; i++) {
      expect(failure(() => decode(hex("81a95f5f70726f746f5f5f80")))).toMatchObject({ code: "FORBIDDEN_KEY" });
    }
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  });
});

test("options that say what values become are kept", () => {
  expect(new Decoder({ rawStrings: true }).decode(hex("a161"))).toStrictEqual(hex("61"));
  expect(new Decoder({ useMap: true }).decode(hex("80"))).toStrictEqual(new Map());
  expect(new Decoder({ mapKeyConverter: (key) => `_${key}` }).decode(hex("81a16101"))).toStrictEqual({
    _a: 1,
  });
  const limits = {
    maxStrLength: 1,
    maxBinLength: 1,
    maxArrayLength: 1,
    maxMapLength: 1,
    maxExtLength: 1,
    maxDepth: 1,
  };
  const tooLong = {
    maxStrLength: "a26161",
    maxBinLength: "c4020000",
    maxArrayLength: "920101",
    maxMapLength: "82a16101a16201",
    maxExtLength: "d5010000",
    maxDepth: "919190",
  };
  for (const [option, bytes] of Object.entries(tooLong)) {
    expect(failure(() => new Decoder({ [option]: limits.maxDepth }).decode(hex(bytes))).name).toBe(
      "DecodeError",
    );
  }
});

test("binary data are views of what was given", () => {
  const bytes = Buffer.from("c403010203", "hex");
  const view = decode(bytes) as Uint8Array;
  expect(view.buffer).toBe(bytes.buffer);
  expect([...view]).toEqual([1, 2, 3]);
  const shared = new Uint8Array(new SharedArrayBuffer(25));
  shared.set(encode("text of 24 characters .."));
  expect(decode(shared)).toBe("text of 24 characters ..");
});

test("values of a map that is cut off are let go", async () => {
  const weak = (() => {
    const message = join([0x82, 0xa1, 0x61, 0xc4, 4], repeat([7], 4), [0xa1]);
    for (let i = 0; i < 5; i++) failure(() => decode(message));
    return new WeakRef(message.buffer);
  })();
  await collectGarbage();
  expect(weak.deref()).toBe(undefined);
});
