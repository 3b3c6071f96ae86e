import { execFileSync } from "node:child_process";
import path from "node:path";
import * as reference from "@msgpack/msgpack";
import {
  Decoder,
  type DecoderOptions,
  decode,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  decodeSegments,
  decodeSingle,
  Encoder,
  type EncoderOptions,
  ExtData,
  encode,
  encodeInto,
  wasmMemoryBytes,
} from "msgpack-wasm/testing";
import { describe, expect, test } from "vitest";
import { hex, join, repeat } from "./lib/bytes.ts";
import { collectGarbage, usedBytes } from "./lib/collect.ts";
import { failure, outcome } from "./lib/reference.ts";
import { collect, piecesOf, rejection, streamOf, watched } from "./lib/streams.ts";

// What one call does is of no matter to the next, whatever the values do meanwhile.

const sample = {
  id: 1,
  name: "né",
  list: [{ id: 2, name: "b" }, null, true, -1.5, [1, 2, 3, 4, 5]],
  data: new Uint8Array(300),
};
const sampleBytes = encode(sample);

const boom = new Error("boom");
const throwing = {
  get a(): never {
    throw boom;
  },
};
const unsupported = () => 0;
const circular: unknown[] = [];
circular.push(circular);

describe("after every kind of error the same encoder works", () => {
  const filler = ["x".repeat(3000), Array(5000).fill(0.5), { a: { b: { c: new Uint8Array(400) } } }];
  const bad: Record<string, [unknown, EncoderOptions?]> = {
    "a getter that throws": [throwing],
    "a getter that throws in a plain object with keys before it": [
      {
        x: 1,
        y: [{ z: "text" }],
        get a() {
          throw boom;
        },
      },
    ],
    "a function": [unsupported],
    "a symbol": [Symbol("s")],
    "a bigint": [1n],
    "a bigint out of range": [2n ** 64n, { useBigInt64: true }],
    "an invalid date": [new Date(Number.NaN)],
    "too deep a value": [circular],
    "too deep a map": [new Map([[1, new Map([[2, [circular]]])]])],
    "a codec that throws": [
      {},
      {
        extensionCodec: {
          tryToEncode() {
            throw boom;
          },
          decode: () => null,
        },
      },
    ],
    "a position callback that throws": [
      new ExtData(1, () => {
        throw boom;
      }),
    ],
    "extension data that are none": [new ExtData(1, null as unknown as Uint8Array)],
    "a toString that throws": [
      Object.defineProperty(() => 0, Symbol.toStringTag, {
        get() {
          throw boom;
        },
      }),
    ],
    "a proxy that throws": [
      new Proxy(
        {},
        {
          ownKeys() {
            throw boom;
          },
        },
      ),
    ],
    "the end of the stack": [circular, { maxDepth: Number.POSITIVE_INFINITY }],
  };

  test.each(Object.entries(bad))("%s", (_, [value, options]) => {
    const encoder = new Encoder(options);
    const plain = new Encoder();
    const good = options?.extensionCodec === undefined ? encoder : plain;
    for (const whole of [value, [value], { k: value }, [filler, value], { filler, k: [1, { l: value }] }]) {
      for (const call of [
        () => encoder.encode(whole),
        () => encoder.encodeSharedRef(whole),
        () => encoder.encodeInto(whole, new Uint8Array(100_000)),
        () => encode(whole, options),
      ]) {
        expect(call).toThrow();
        expect(Buffer.compare(good.encode(sample), sampleBytes)).toBe(0);
        expect(Buffer.compare(encode(sample), sampleBytes)).toBe(0);
      }
    }
  });
});

describe("after every kind of error the same decoder works", () => {
  const bad: Record<string, [string, DecoderOptions?]> = {
    nothing: [""],
    "a cut header": ["92 cd01"],
    "a cut string": ["92 01 a56161"],
    "a cut map": ["82 a16101 a162"],
    "an array that lies": ["ddffffffff"],
    "the byte c1": ["82 a16101 a162 c1"],
    "extra bytes": ["82 a16101 a16202 00"],
    "a key of nil": ["82 a16101 c001"],
    __proto__: ["82 a16101 a95f5f70726f746f5f5f01"],
    "a long string": ["82 a16101 a162 a3616161", { maxStrLength: 2 }],
    "a deep array": ["91 91 91 01", { maxDepth: 2 }],
    "malformed text": ["92 a161 a1ff", { fatalUtf8: true }],
    "a timestamp of a wrong size": ["92 01 d4ff00"],
    "a codec that throws": [
      "92 01 d40100",
      {
        extensionCodec: {
          tryToEncode: () => null,
          decode() {
            throw boom;
          },
        },
      },
    ],
    "a converter that throws": [
      "92 01 82 a16101 c002",
      {
        mapKeyConverter(key) {
          if (key === null) throw boom;
          return key as string;
        },
      },
    ],
    "a converter that says __proto__": [
      "92 01 81 c002",
      { mapKeyConverter: (key) => (key === null ? "__proto__" : (key as string)) },
    ],
  };

  test.each(Object.entries(bad))("%s", async (_, [text, options]) => {
    const bytes = hex(text);
    const decoder = new Decoder(options);
    // Within all limits above.
    const good = hex("82 a16101 a162 92 c0 02");
    const value = { a: 1, b: [null, 2] };
    for (const message of [bytes, join([0x91], bytes), join(repeat([0x91], 300), bytes)]) {
      for (const call of [
        () => decoder.decode(message),
        () => decoder.decodeSegments(piecesOf(message, 2)),
        () => decode(message, options),
      ]) {
        expect(call).toThrow();
        expect(decoder.decode(good)).toStrictEqual(value);
        expect(decode(sampleBytes)).toStrictEqual(sample);
      }
      outcome(() => [...decoder.decodeMulti(message)]);
      outcome(() => decoder.decodeSingle(message));
      await rejection(decoder.decodeAsync(streamOf(...piecesOf(message, 3))));
      expect(decoder.decode(good)).toStrictEqual(value);
      expect(await decoder.decodeAsync(streamOf(...piecesOf(good, 3)))).toStrictEqual(value);
    }
  });
});

describe("values that change while they are encoded", () => {
  /** Encodes with all options that take another way; what comes out must be one message. */
  function roundTrips(make: () => unknown): unknown[] {
    return [{}, { sortKeys: true }, { ignoreUndefined: true }, { maxDepth: 5 }].map((options) =>
      decode(encode(make(), options)),
    );
  }

  /** So much that what is before it has left the encoder's windows. */
  const large = Array.from({ length: 40_000 }, (_, i) => `text ${i}`);

  test.each([
    ["a small one", 0 as const],
    ["a large one", large],
  ])("a getter that adds keys to its object, %s: count and pairs agree", (_, more) => {
    const make = () => {
      const object: Record<string, unknown> = {
        first: 1,
        get grows() {
          for (let i = 0; i < 5; i++) this[`late ${i}`] = i;
          return 2;
        },
        more,
        last: 3,
      };
      return object;
    };
    const keys = ["first", "grows", "last", "more"];
    // Those that are added before the window's end may be in the message, as in any `for…in` loop.
    for (const value of roundTrips(make))
      expect(Object.keys(value as object)).toEqual(expect.arrayContaining(keys));
    expect(Object.keys(reference.decode(reference.encode(make())) as object).sort()).toEqual(keys);
  });

  test.each([
    ["a small one", 0 as const],
    ["a large one", large],
  ])("a getter that deletes keys of its object, %s: the rest is right", (_, more) => {
    const make = () => ({
      first: 1,
      more,
      get shrinks() {
        Reflect.deleteProperty(this, "zgone");
        return 2;
      },
      zgone: 4,
      last: 3,
    });
    for (const value of roundTrips(make)) {
      const { zgone, ...rest } = value as Record<string, unknown>;
      expect(zgone ?? null).toBeNull();
      expect(rest).toEqual({ first: 1, more, shrinks: 2, last: 3 });
    }
  });

  test("a getter that memoizes itself, as lazy properties do", () => {
    const make = () => ({
      get lazy() {
        Object.defineProperty(this, "lazy", { value: [1, 2], enumerable: true });
        return [1, 2];
      },
      large,
      after: 1,
    });
    for (const value of roundTrips(make)) expect(value).toEqual({ lazy: [1, 2], large, after: 1 });
  });

  test("arrays that grow and shrink: the count is that of the beginning, what is gone is nil", () => {
    for (const [change, expected] of [
      [(array: unknown[]) => array.push(9, 9), [1, { a: 1 }, 3, 4, 5]],
      [(array: unknown[]) => array.splice(3), [1, { a: 1 }, 3, null, null]],
      [(array: unknown[]) => array.splice(0), [1, { a: 1 }, null, null, null]],
    ] as const) {
      const make = () => {
        const array: unknown[] = [1, 2, 3, 4, 5];
        array[1] = {
          get a() {
            change(array);
            return 1;
          },
        };
        return [array, "after"];
      };
      for (const value of roundTrips(make)) expect(value).toEqual([expected, "after"]);
    }
  });

  test("arrays of numbers that become something else on the way", () => {
    const array: unknown[] = [1, 2, 3, 4, 5, 6, 7, 8];
    Object.defineProperty(array, 4, {
      enumerable: true,
      get() {
        array[5] = "text";
        array.length = 7;
        return 5.5;
      },
    });
    // Node keeps index 7: 4 cannot be deleted, but all behind it can.
    expect(decode(encode(array))).toEqual([1, 2, 3, 4, 5.5, "text", 7, null]);
  });

  test("binary data of up to 256 bytes are those of the moment they were met", () => {
    for (const size of [10, 256]) {
      const data = new Uint8Array(size).fill(1);
      const later = {
        get a() {
          data.fill(2);
          return 1;
        },
      };
      const [first] = decode(encode([data, later])) as Uint8Array[];
      expect(
        first.every((byte) => byte === 1),
        `${size} bytes`,
      ).toBe(true);
    }
  });

  test("longer buffers that are given away or made shorter on the way are an error", () => {
    for (const size of [257, 1000, 100_000]) {
      const data = new Uint8Array(size).fill(1);
      const later = {
        get a() {
          return structuredClone(data.buffer, { transfer: [data.buffer] }).byteLength;
        },
      };
      expect(() => encode([data, later])).toThrow("Binary data has changed its length while it was encoded");
      expect(encode([1])).toStrictEqual(hex("9101"));
    }
  });

  test("short buffers that are given away or made shorter on the way leave a whole message", () => {
    type Resizable = new (
      length: number,
      options: { maxByteLength: number },
    ) => ArrayBuffer & { resize(n: number): void };
    for (const size of [10, 256]) {
      const given = new Uint8Array(size).fill(1);
      const resized = new (ArrayBuffer as unknown as Resizable)(size, { maxByteLength: size * 2 });
      const view = new Uint8Array(resized);
      const later = {
        get a() {
          structuredClone(given.buffer, { transfer: [given.buffer] });
          resized.resize(3);
          return 1;
        },
      };
      const value = decode(encode([given, view, resized, later, "end"])) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
        unknown,
        unknown,
      ];
      expect(value.slice(0, 3).map((data) => (data as Uint8Array).length)).toEqual([size, size, size]);
      expect(value.slice(3)).toEqual([{ a: 1 }, "end"]);
    }
  });

  test("getters may encode and decode again, with the same instances", () => {
    const encoder = new Encoder();
    const decoder = new Decoder();
    const make = (depth: number): object => ({
      before: "x".repeat(100),
      get inner() {
        return depth === 0 ? "deepest" : decoder.decode(encoder.encode(make(depth - 1)));
      },
      after: [1, 2, 3],
    });
    let value = decoder.decode(encoder.encodeSharedRef(make(30))) as Record<string, unknown>;
    for (let i = 0; i < 30; i++) {
      expect([value.before, value.after]).toEqual(["x".repeat(100), [1, 2, 3]]);
      value = value.inner as Record<string, unknown>;
    }
    expect(value.inner).toBe("deepest");
  });

  test("each property and each item is read once, in order", () => {
    const reads: string[] = [];
    const watch = (object: object, name: string): unknown =>
      new Proxy(object, {
        get(target, key) {
          if (typeof key === "string") reads.push(`${name}.${key}`);
          return Reflect.get(target, key);
        },
      });
    class Thing {
      x = 1;
      y = 2;
    }
    const make = () => watch({ a: watch(["i", "j"], "list"), b: watch(new Thing(), "thing"), c: 0.5 }, "map");
    for (const options of [{}, { sortKeys: true }, { ignoreUndefined: true }]) {
      reads.length = 0;
      encode(make(), options);
      const values = reads.filter((read) => !/length|constructor|valueOf|toJSON/.test(read));
      expect(values.sort()).toEqual(["list.0", "list.1", "map.a", "map.b", "map.c", "thing.x", "thing.y"]);
    }
  });
});

describe("proxies that throw at any trap", () => {
  const traps = [
    "get",
    "has",
    "ownKeys",
    "getOwnPropertyDescriptor",
    "getPrototypeOf",
    "isExtensible",
    "set",
    "defineProperty",
    "deleteProperty",
  ];
  const targets: Record<string, () => object> = {
    "a plain object": () => ({ a: 1, b: { c: 2 } }),
    "an array": () => [1, 2, 3, 4, 5, "a"],
    "an instance": () =>
      new (class Thing {
        a = 1;
      })(),
    "a Map": () => new Map([[1, 2]]),
    "a Uint8Array": () => new Uint8Array(3),
    "a Date": () => new Date(0),
    "an object without prototype": () => Object.assign(Object.create(null), { a: 1 }),
  };

  test.each(Object.entries(targets))("around %s", (_, make) => {
    for (const trap of traps) {
      for (const after of [0, 1, 2, 5]) {
        let count = 0;
        const original = Reflect[trap as keyof typeof Reflect] as (...parameters: unknown[]) => unknown;
        const proxy = new Proxy(make(), {
          [trap]: (...parameters: unknown[]) => {
            if (count++ >= after) throw boom;
            return original(...parameters);
          },
        });
        for (const options of [{}, { sortKeys: true }, { ignoreUndefined: true }]) {
          count = 0;
          const result = outcome(() => encode(["before", proxy, "after"], options));
          if ("error" in result) {
            // A proxy of a Date is an instance of Date that has no time: a TypeError of its own.
            const isDate = result.error instanceof TypeError && make() instanceof Date;
            expect(isDate ? boom : result.error).toBe(boom);
          } else {
            expect(decode(result.value as Uint8Array)).toHaveLength(3);
          }
          expect(Buffer.compare(encode(sample), sampleBytes)).toBe(0);
        }
      }
    }
  });

  test("revoked ones are a TypeError", () => {
    for (const target of [{}, [], new Map(), () => 0]) {
      const { proxy, revoke } = Proxy.revocable(target, {});
      revoke();
      expect(failure(() => encode([1, proxy]))).toBeInstanceOf(Error);
      expect(encode([1])).toStrictEqual(hex("9101"));
    }
  });

  test("proxies that lie about their keys leave a whole message", () => {
    let count = 0;
    const handler: ProxyHandler<Record<string, unknown>> = {
      ownKeys: () => (count++ % 2 === 0 ? ["a", "b"] : ["a", "b", "c"]),
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 1 }),
      get: (_, key) => (key === Symbol.toStringTag ? undefined : String(key)),
    };
    for (const options of [{}, { sortKeys: true }, { ignoreUndefined: true }]) {
      for (let i = 0; i < 4; i++) {
        const value = decode(encode([new Proxy({}, handler), 7], options)) as unknown[];
        expect(value[1]).toBe(7);
      }
    }
  });

  test("a Symbol.toStringTag that throws is read by nobody who encodes the object", () => {
    class Odd {
      x = 1;
      get [Symbol.toStringTag](): string {
        throw boom;
      }
    }
    expect(Buffer.from(reference.encode(new Odd())).toString("hex")).toBe("81a17801");
    expect(encode(new Odd())).toStrictEqual(hex("81a17801"));
  });
});

describe("unusual objects", () => {
  const same = (value: unknown): void => {
    expect(Buffer.compare(encode(value), reference.encode(value))).toBe(0);
  };

  test("sparse arrays: holes are nil, at any size", () => {
    // biome-ignore lint/suspicious/noSparseArray: holes are what this is about
    expect(encode([, 1, , 2])).toStrictEqual(hex("94 c0 01 c0 02"));
    for (const length of [1, 5, 16, 1000, 65_535, 65_536]) {
      const array: unknown[] = new Array(length);
      same(array);
      array[length - 1] = 1.5;
      same(array);
      array[length >>> 1] = "x";
      same(array);
    }
  });

  test("holes are holes, even if the prototype has something there", () => {
    Object.defineProperty(Array.prototype, 1, { value: "inherited", configurable: true, writable: true });
    try {
      // biome-ignore lint/suspicious/noSparseArray: holes are what this is about
      same([0, , 2]);
    } finally {
      Reflect.deleteProperty(Array.prototype, 1);
    }
  });

  test("arrays with properties, and subclasses of Array", () => {
    same(Object.assign([1, 2], { extra: 3 }));
    class List extends Array<number> {}
    same(List.from([1, 2, 3, 4, 5]));
  });

  test("objects without prototype, instances, symbol keys, hidden and inherited properties", () => {
    class Base {
      inherited = 1;
      get computed() {
        return 2;
      }
    }
    class Derived extends Base {
      own = 3;
      #secret = 4;
      reveal() {
        return this.#secret;
      }
    }
    same(new Derived());
    same(Object.assign(Object.create(null), { a: 1, __proto: 2 }));
    same({ [Symbol("s")]: 1, a: 2 });
    same(Object.defineProperty({ a: 1 }, "hidden", { value: 2, enumerable: false }));
    same(Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }));
    same(Object.create(Object.create(null, { x: { value: 1, enumerable: true } })));
    same(Object.freeze({ a: Object.freeze([1]) }));
    same(JSON.parse('{"__proto__": 1, "a": 2}'));
    expect(() => encode({ toJSON: () => 1 })).toThrow("Unrecognized object: [object Function]");
  });

  test("an Object.prototype with an enumerable property is not encoded, and not in decoded objects", () => {
    Object.defineProperty(Object.prototype, "polluted", {
      value: 1,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    try {
      for (let i = 0; i < 3; i++) {
        same({ a: 1, b: { c: 2 } });
        same(sample);
        expect(Object.keys(decode(sampleBytes) as object)).toEqual(["id", "name", "list", "data"]);
      }
      expect(Object.hasOwn(decode(encode({ polluted: 5 })) as object, "polluted")).toBe(true);
    } finally {
      Reflect.deleteProperty(Object.prototype, "polluted");
    }
    same({ a: 1, b: { c: 2 } });
  });

  test("65,535 and 65,536 keys and elements", () => {
    for (const count of [65_535, 65_536]) {
      const object = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
      same(object);
      expect(Object.keys(decode(encode(object)) as object)).toHaveLength(count);
      same(Array.from({ length: count }, (_, i) => (i % 2 === 0 ? `k${i}` : i)));
    }
  });
});

test("results belong to their caller: what happens to them is of no matter", () => {
  const encoder = new Encoder();
  const [one, two] = [encoder.encode([1, 2, 3]), encoder.encode([4, 5, 6])];
  expect(one.buffer).not.toBe(two.buffer);
  one.fill(0xff);
  expect(two).toStrictEqual(hex("93040506"));
  expect(encode([1, 2, 3])).toStrictEqual(hex("93010203"));
  structuredClone(two.buffer, { transfer: [two.buffer] });
  expect(encoder.encode([7])).toStrictEqual(hex("9107"));
  const shared = encoder.encodeSharedRef([1]);
  structuredClone(shared.buffer, { transfer: [shared.buffer] });
  expect(encoder.encodeSharedRef([2])).toStrictEqual(hex("9102"));
  expect(encode([3])).toStrictEqual(hex("9103"));
});

describe("nothing is kept", () => {
  const errors: (() => unknown)[] = [
    () => encode(unsupported),
    () => encode([1, { a: [throwing] }]),
    () => encode(circular),
    () => encode([new Uint8Array(1000), "x".repeat(3000), Symbol("s")]),
    () =>
      encode([
        new ExtData(1, () => {
          throw boom;
        }),
      ]),
    () => encode([new Date(Number.NaN)]),
    () => encodeInto(sample, new Uint8Array(10)),
    () => encode(2n ** 70n, { useBigInt64: true }),
    () => decode([]),
    () => decode(sampleBytes.subarray(0, 40)),
    () => decode(hex("82 a16101 a162 c1")),
    () => decode(hex("0102")),
    () => decode(hex("81c001")),
    () => decode(hex("81a95f5f70726f746f5f5f01")),
    () => decode(hex("ddffffffff 01 02")),
    () => decode(sampleBytes, { maxStrLength: 1 }),
    () => decode(sampleBytes, { maxDepth: 0 }),
    () => decode(hex("92 a161 a1ff"), { fatalUtf8: true }),
    () => decode(hex("92 01 d4ff00")),
    () => decodeSingle(sampleBytes, 5000),
    () => decodeSegments([sampleBytes, [1]]),
    () => [...decodeMulti(hex("01 02 c1"))],
    () =>
      decode(hex("81c001"), {
        mapKeyConverter: () => {
          throw boom;
        },
      }),
    () => decode(join(repeat([0x91], 600), [0xc1])),
  ];

  async function grownAfter(work: () => Promise<void> | void): Promise<{ heap: number; wasm: number }> {
    await work();
    const [heap, wasm] = [await usedBytes(), wasmMemoryBytes()];
    await work();
    return { heap: (await usedBytes()) - heap, wasm: wasmMemoryBytes() - wasm };
  }

  test("after 100,000 errors of every kind heap and wasm memory are where they were", {
    timeout: 60_000,
  }, async () => {
    const grown = await grownAfter(() => {
      for (let i = 0; i < 50_000; i++) outcome(errors[i % errors.length]);
    });
    expect(grown.wasm).toBe(0);
    expect(grown.heap).toBeLessThan(2_000_000);
  });

  test("nor after 5,000 streams that failed, ended early, or were left", { timeout: 60_000 }, async () => {
    const grown = await grownAfter(async () => {
      for (let i = 0; i < 500; i++) {
        await rejection(decodeAsync(streamOf([0x92], [1], [0xc1])));
        await rejection(decodeAsync(streamOf([0x92], [1])));
        await rejection(decodeAsync(watched([[0x92]], boom).stream));
        await rejection(collect(decodeMultiStream(streamOf([1, 0x92], [0xc1]))));
        for await (const value of decodeMultiStream(streamOf([1, 2, 0x92], [3]))) if (value === 2) break;
      }
    });
    expect(grown.wasm).toBe(0);
    expect(grown.heap).toBeLessThan(2_000_000);
  });

  test("nor after values that were fine", { timeout: 60_000 }, async () => {
    const values = [sample, Array(3000).fill("text"), { a: new Uint8Array(100_000) }, "é".repeat(50_000)];
    const grown = await grownAfter(() => {
      for (let i = 0; i < 300; i++) {
        for (const value of values) decode(encode(value));
        encode({ [`key ${Math.random()}`]: 1 });
        decode(encode({ [`key ${Math.random()}`]: { [`k${Math.random()}`]: 2 } }));
      }
    });
    expect(grown.wasm).toBe(0);
    expect(grown.heap).toBeLessThan(6_000_000);
  });

  /** Whether the object that `use` was given can be collected after it. */
  async function isReleased(make: () => object, use: (object: object) => unknown): Promise<boolean> {
    const reference = await (async () => {
      const object = make();
      await use(object);
      return new WeakRef(object);
    })();
    await collectGarbage();
    return reference.deref() === undefined;
  }

  const message = () => encode([new Uint8Array(100_000), "text", { a: [1] }]).buffer as object;
  const uses: Record<string, [() => object, (object: object) => unknown]> = {
    decode: [message, (buffer) => void decode(buffer as ArrayBuffer)],
    "a decode that fails": [
      message,
      (buffer) => void outcome(() => decode(new Uint8Array(buffer as ArrayBuffer, 0, 50))),
    ],
    decodeSingle: [message, (buffer) => void decodeSingle(buffer as ArrayBuffer)],
    decodeSegments: [message, (buffer) => void decodeSegments([buffer as ArrayBuffer])],
    decodeMulti: [message, (buffer) => void [...decodeMulti(buffer as ArrayBuffer)]],
    decodeAsync: [message, async (buffer) => void (await decodeAsync(streamOf(buffer as ArrayBuffer)))],
    decodeMultiStream: [
      message,
      async (buffer) => void (await collect(decodeMultiStream(streamOf(buffer as ArrayBuffer)))),
    ],
    "encode of binary data": [() => new ArrayBuffer(100_000), (buffer) => void encode([buffer])],
    "encode of an object": [() => ({ a: { b: [1, 2] } }), (object) => void encode({ object })],
    "encode of a Map": [() => new Map([["a", 1]]), (map) => void encode({ map })],
    "an encode that fails": [
      () => ({ a: { b: [1, unsupported] } }),
      (object) => void outcome(() => encode({ object })),
    ],
    "an encode that fails behind binary data": [
      () => new ArrayBuffer(100_000),
      (buffer) => void outcome(() => encode([buffer, unsupported])),
    ],
    encodeInto: [() => new Uint8Array(100_000), (target) => void encodeInto([1, 2], target as Uint8Array)],
    "the context of a codec": [
      () => ({ large: new Uint8Array(1000) }),
      (context) => {
        const extensionCodec = { tryToEncode: () => null, decode: () => null };
        encode<object>([], { extensionCodec, context });
        decode<object>(hex("d40100"), { extensionCodec, context });
      },
    ],
    "a codec, a converter": [
      () => ({ tryToEncode: () => null, decode: () => null }),
      (codec) => {
        const extensionCodec = codec as { tryToEncode(): null; decode(): null };
        encode([], { extensionCodec });
        decode(hex("d40100"), { extensionCodec });
      },
    ],
  };

  test.each(Object.entries(uses))("%s: what it was given can be collected", async (_, [make, use]) => {
    expect(await isReleased(make, use)).toBe(true);
  });

  test("long keys are not kept, however many there are", async () => {
    const before = await usedBytes();
    for (let i = 0; i < 60; i++) {
      const key = `${i}`.padEnd(500_000, "k");
      for (let j = 0; j < 3; j++) decode(encode({ [key]: 1 }));
    }
    expect((await usedBytes()) - before).toBeLessThan(5_000_000);
  });
});

describe("what is begun and left costs no more than it must", () => {
  /** In a process of its own: if this goes wrong, all else there goes wrong with it. */
  function run(code: string): string {
    const root = path.join(import.meta.dirname, "..");
    const program = `
      import * as M from ${JSON.stringify(path.join(root, "build/testing.js"))};
      async function work() { ${code} }
      try {
        await work();
        console.log(JSON.stringify(M.decode(M.encode({ fine: [1, "a"] }))), M.wasmMemoryBytes() < 300e6 ? "small" : M.wasmMemoryBytes());
      } catch (error) {
        console.log(String(error));
      }
    `;
    return execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
      encoding: "utf8",
    });
  }

  test("the first value of decodeMulti, taken 10,000 times, the rest left alone", { timeout: 60_000 }, () => {
    expect(run("for (let i = 0; i < 10_000; i++) M.decodeMulti([1, 2, 3]).next();")).toBe(
      '{"fine":[1,"a"]} small\n',
    );
  });

  test("5,000 streams that wait in the middle of a message, as of as many connections", {
    timeout: 60_000,
  }, () => {
    const code = `
      const ends = [];
      const reads = [];
      for (let i = 0; i < 5000; i++) {
        reads.push(M.decodeAsync((async function* () {
          yield [0x92, 0xa1];
          await new Promise((resolve) => ends.push(resolve));
          yield [0x61, i & 127];
        })()));
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
      for (const end of ends) end();
      const values = await Promise.all(reads);
      if (!values.every(([a, n], i) => a === "a" && n === (i & 127))) throw new Error("wrong values");
    `;
    expect(run(code)).toBe('{"fine":[1,"a"]} small\n');
  });

  test("calls within calls, 100 deep", { timeout: 60_000 }, () => {
    const code = `
      let depth = 0;
      const extensionCodec = {
        tryToEncode: (value) => value.deeper ? { type: 1, data: M.encode({ deeper: depth++ < 100 }, { extensionCodec }) } : null,
        decode: (data) => M.decode(data, { extensionCodec }),
      };
      for (let i = 0; i < 5; i++) {
        depth = 0;
        M.decode(M.encode({ deeper: true }, { extensionCodec }), { extensionCodec });
      }
    `;
    expect(run(code)).toBe('{"fine":[1,"a"]} small\n');
  });
});
