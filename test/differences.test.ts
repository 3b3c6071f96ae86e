import { execFileSync } from "node:child_process";
import path from "node:path";
import vm from "node:vm";
import * as reference from "@msgpack/msgpack";
import * as ours from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { hex, join, repeat, str } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";
import { collect, collectUntilError, rejection, streamOf } from "./lib/streams.ts";

// Where we differ from @msgpack/msgpack 3.1.3 on purpose, numbered as in the table of MIGRATING.md. Each test shows
// what we do, and that @msgpack/msgpack does otherwise: when that is no longer so, the list must be shortened.

const { DecodeError, decode, Decoder, encode, Encoder } = ours;

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("1: lengths cannot lie", () => {
  // Arrays in arrays, each of which promises 33 million items: about 100 bytes.
  const bomb = `Uint8Array.from({ length: 100 }, (_, i) => [0xdd, 1, 0xff, 0xff, 0xff][i % 5])`;

  function run(name: string): string {
    const code = `
      const { decode } = require(${JSON.stringify(name)});
      try { decode(${bomb}); } catch (error) { console.log(error.name); }
    `;
    const root = path.join(import.meta.dirname, "..");
    try {
      return execFileSync(process.execPath, ["--max-old-space-size=128", "-e", code], {
        cwd: root,
        encoding: "utf8",
        stdio: "pipe",
      });
    } catch (error) {
      return `aborted with ${(error as { status?: number }).status ?? "a signal"}`;
    }
  }

  test("a few bytes that promise many items are a RangeError, not an abort of the process", {
    timeout: 30_000,
  }, () => {
    expect(run("./dist/index.cjs")).toBe("RangeError\n");
    expect(run("@msgpack/msgpack")).toMatch(/^aborted/);
  });

  test("every header is checked against the bytes at hand", () => {
    for (const [bytes, promised] of [
      ["dd00ffffff 01", "array"],
      ["df00ffffff 01 01", "map"],
      ["91 91 dc2000 01", "array within arrays"],
      ["92 dc0003 01 02 03", "arrays together"],
    ]) {
      const error = failure(() => decode(hex(bytes)));
      expect(error, promised).toBeInstanceOf(RangeError);
      expect(error, promised).toMatchObject({ code: "INSUFFICIENT_DATA" });
    }
  });
});

describe("2: a truncated stream rejects", () => {
  test("decodeMultiStream does not end as if all were there", async () => {
    const stream = () => streamOf([1, 2, 0xcd, 1]);
    const { items, error } = await collectUntilError(ours.decodeMultiStream(stream()));
    expect(items).toEqual([1, 2]);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
    const theirs = await collect(reference.decodeMultiStream(stream() as never));
    expect(theirs).toEqual([1, 2]);
  });

  test("nor does decodeArrayStream", async () => {
    const { items, error } = await collectUntilError(ours.decodeArrayStream(streamOf([0x93, 1])));
    expect(items).toEqual([1]);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
    expect(await collect(reference.decodeArrayStream(streamOf([0x93, 1]) as never))).toEqual([1]);
  });

  test("a RangeError of the user's codec comes through as it is", async () => {
    const mine = new RangeError("mine");
    const throwing = {
      tryToEncode: () => null,
      decode() {
        throw mine;
      },
    };
    const options = { extensionCodec: throwing };
    const stream = () => streamOf(hex("d40100"));
    expect(await rejection(ours.decodeAsync(stream(), options))).toBe(mine);
    expect(await rejection(collect(ours.decodeMultiStream(stream(), options)))).toBe(mine);
    const theirs = await rejection(reference.decodeAsync(stream() as never, options));
    expect(theirs).not.toBe(mine);
    expect(theirs.message).toContain("Insufficient data");
    const many = reference.decodeMultiStream<undefined>(stream() as never, options);
    expect(await collect(many)).toEqual([]);
  });
});

describe("3: decodeArrayStream reads arrays, and nothing but arrays", () => {
  test("a header cut by a chunk works", async () => {
    const stream = () => streamOf([0xdc, 0], [2, 5, 6]);
    expect(await collect(ours.decodeArrayStream(stream()))).toEqual([5, 6]);
    const theirs = await collectUntilError(reference.decodeArrayStream(stream() as never));
    expect(theirs.error).toBeInstanceOf(RangeError);
  });

  test("an empty first chunk does no harm", async () => {
    const stream = () => streamOf([], [0x91, 5]);
    expect(await collect(ours.decodeArrayStream(stream()))).toEqual([5]);
    expect((await collectUntilError(reference.decodeArrayStream(stream() as never))).error).toBeInstanceOf(
      RangeError,
    );
  });

  test.each(["05", "81a16101"])("the root %s is a DecodeError", async (root) => {
    const { error } = await collectUntilError(ours.decodeArrayStream(streamOf(hex(root))));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error).toMatchObject({ code: "ROOT_TYPE" });
    const theirs = await collectUntilError(reference.decodeArrayStream(streamOf(hex(root)) as never));
    expect(theirs.error).not.toBeInstanceOf(reference.DecodeError);
  });

  test.each([
    ["of the same chunk", [[0x92, 5, 6, 7]], [5, 6]],
    ["behind an empty array", [[0x90, 7]], [7]],
  ])("bytes behind the array, %s, are a RangeError", async (_, chunks, theirItems) => {
    const { error } = await collectUntilError(ours.decodeArrayStream(streamOf(...chunks)));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: "EXTRA_BYTES" });
    const theirs = await collectUntilError(reference.decodeArrayStream(streamOf(...chunks) as never));
    expect(theirs).toEqual({ items: theirItems, error: null });
  });
});

describe("4: after any error an instance starts clean", () => {
  test("after a failed decodeAsync, too", async () => {
    const decoder = new Decoder();
    await rejection(decoder.decodeAsync(streamOf([0x92, 7])));
    expect(await decoder.decodeAsync(streamOf([0xc3]))).toBe(true);
    const theirs = new reference.Decoder();
    await rejection(theirs.decodeAsync(streamOf([0x92, 7]) as never));
    expect(await theirs.decodeAsync(streamOf([0xc3]) as never)).toEqual([7, true]);
  });

  test("every option holds in a decoder that is called again by its own codec", () => {
    for (const [library, expected] of [
      [ours, { "<a>": { "<b>": 1 } }],
      [reference, { "<a>": { b: 1 } }],
    ] as const) {
      const decoder: { decode(bytes: Uint8Array): unknown } = new library.Decoder({
        mapKeyConverter: (key: unknown) => `<${key}>`,
        extensionCodec: { tryToEncode: () => null, decode: (data: Uint8Array) => decoder.decode(data) },
      });
      expect(decoder.decode(join(hex("81a161 c70401"), hex("81a16201")))).toEqual(expected);
    }
  });
});

describe("5: text has one rule at every length", () => {
  test("malformed UTF-8 becomes U+FFFD as the WHATWG says", () => {
    for (const malformed of ["ff", "c080", "eda080", "e382", "f0808080"].map(hex)) {
      const text = new TextDecoder("utf-8").decode(malformed);
      for (const filler of [0, 10, 190, 300, 3000]) {
        expect(decode(str(join(repeat([0x61], filler), malformed)))).toBe("a".repeat(filler) + text);
      }
      expect(reference.decode(str(malformed))).not.toBe(text);
    }
  });

  test("a string never reads the bytes behind it", () => {
    const bytes = hex("92 a1e3 a24142");
    expect(decode(bytes)).toEqual(["\ufffd", "AB"]);
    expect(reference.decode(bytes)).toEqual(["㢁", "AB"]);
  });

  test("a byte order mark stays", () => {
    for (const length of [1, 50, 200, 201, 1000]) {
      const text = `\ufeff${"a".repeat(length)}`;
      expect(decode(encode(text))).toBe(text);
      expect(decode(encode({ [text]: 1 }))).toEqual({ [text]: 1 });
    }
    expect(reference.decode(reference.encode(`\ufeff${"a".repeat(300)}`))).toBe("a".repeat(300));
  });

  test("lone surrogates are encoded as U+FFFD", () => {
    for (const [filler, surrogate] of [
      [0, "\ud800"],
      [5, "\udc00"],
      [60, "\ud800"],
      [3000, "\udfff"],
    ] as const) {
      const text = "a".repeat(filler) + surrogate;
      expect(hexOf(encode(text))).toMatch(/efbfbd$/);
      expect(hexOf(encode({ [text]: 0 }))).toMatch(/efbfbd00$/);
    }
    expect(hexOf(reference.encode("\ud800"))).toBe("a3eda080");
    expect(hexOf(reference.encode(`${"a".repeat(60)}\ud800`))).toMatch(/efbfbd$/);
  });

  test("fatalUtf8 throws instead", () => {
    expect(failure(() => decode(hex("a1ff"), { fatalUtf8: true }))).toMatchObject({ code: "INVALID_UTF8" });
    const options = { fatalUtf8: true } as reference.DecoderOptions;
    expect(() => reference.decode(hex("a1ff"), options)).not.toThrow();
  });
});

describe("6: each property and element is read once", () => {
  test("a getter that changes its mind cannot part the count from the pairs", () => {
    const reads = (): { a: number | undefined } & Record<string, unknown> => {
      let count = 0;
      return {
        get a() {
          return count++ === 0 ? undefined : 1;
        },
        get b() {
          return 2;
        },
      };
    };
    expect(decode(encode(reads(), { ignoreUndefined: true }))).toEqual({ b: 2 });
    const theirs = reference.encode(reads(), { ignoreUndefined: true });
    expect(() => reference.decode(theirs)).toThrow();
    let count = 0;
    const object = {
      get x() {
        return count++;
      },
    };
    for (const options of [{}, { ignoreUndefined: true }, { sortKeys: true }]) {
      count = 0;
      encode(object, options);
      expect(count, JSON.stringify(options)).toBe(1);
    }
    count = 0;
    reference.encode(object, { ignoreUndefined: true });
    expect(count).toBe(2);
  });

  test("an array that changes while it is encoded is one of as many items as at first", () => {
    const growing = (): unknown[] => {
      const array: unknown[] = [
        {
          get a() {
            array.push(9);
            return 1;
          },
        },
      ];
      return array;
    };
    expect(decode(encode(growing()))).toEqual([{ a: 1 }]);
    expect(() => reference.decode(reference.encode(growing()))).toThrow(RangeError);
  });
});

describe("7: objects of other realms work", () => {
  test("an ArrayBuffer, to be decoded and to be encoded", () => {
    const buffer = vm.runInNewContext("new Uint8Array([0x91, 5]).buffer");
    expect(decode(buffer)).toEqual([5]);
    expect(hexOf(encode(buffer))).toBe("c4029105");
    expect(() => reference.decode(buffer)).toThrow(RangeError);
    expect(hexOf(reference.encode(buffer))).toBe("80");
  });

  test("a Date", () => {
    const date = vm.runInNewContext("new Date(1000)");
    expect(hexOf(encode(date))).toBe("d6ff00000001");
    expect(hexOf(reference.encode(date))).toBe("80");
  });

  test("views, arrays and plain objects, as before", () => {
    const view = vm.runInNewContext("new Uint8Array([0x91, 5])");
    expect(decode(view)).toEqual([5]);
    expect(reference.decode(view)).toEqual([5]);
    const object = vm.runInNewContext("({ a: [1, { b: null }], v: new DataView(new ArrayBuffer(2)) })");
    expect(hexOf(encode(object))).toBe(hexOf(reference.encode(object)));
  });
});

describe("8: what MessagePack cannot hold is an error", () => {
  test.each([2n ** 64n, -(2n ** 63n) - 1n])("the bigint %d is a RangeError", (value) => {
    expect(failure(() => encode(value, { useBigInt64: true }))).toBeInstanceOf(RangeError);
    expect(() => reference.encode(value, { useBigInt64: true })).not.toThrow();
  });

  test.each([128, -129, 1.5, Number.NaN, 1000])(
    "the extension type %d is a RangeError of register",
    (type) => {
      const entry = { type, encode: () => null, decode: () => null };
      expect(failure(() => new ours.ExtensionCodec().register(entry))).toBeInstanceOf(RangeError);
      expect(() => new reference.ExtensionCodec().register(entry)).not.toThrow();
    },
  );

  test("an invalid Date is a RangeError", () => {
    expect(failure(() => encode(new Date(Number.NaN)))).toBeInstanceOf(RangeError);
    expect(reference.decode(reference.encode(new Date(Number.NaN)))).toEqual(new Date(0));
  });

  test("nanoseconds above 999,999,999 are a DecodeError", () => {
    const bytes = hex("d7ff ee6b280000000000");
    expect(failure(() => decode(bytes))).toBeInstanceOf(DecodeError);
    expect(reference.decode(bytes)).toEqual(new Date(1000));
  });
});

describe("9: a mapKeyConverter cannot reach the prototype", () => {
  const bytes = hex("81 a161 81 a162 01");

  test("__proto__ from it is a DecodeError", () => {
    const options = { mapKeyConverter: (key: unknown) => (key === "a" ? "__proto__" : (key as string)) };
    const error = failure(() => decode(bytes, options));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toContain("The key __proto__ is not allowed");
    const theirs = reference.decode(bytes, options) as object;
    expect(Object.getPrototypeOf(theirs)).toEqual({ b: 1 });
  });

  test("an object that reads as __proto__ does not, either", () => {
    const options = {
      mapKeyConverter: (key: unknown) =>
        key === "a" ? ({ toString: () => "__proto__" } as unknown as string) : (key as string),
    };
    let value: unknown = {};
    try {
      value = decode(bytes, options);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("constructor and prototype are ordinary own keys", () => {
    const message = encode({ constructor: 1, prototype: 2, toString: 3 });
    const value = decode(message) as object;
    expect(Object.entries(value)).toEqual([
      ["constructor", 1],
      ["prototype", 2],
      ["toString", 3],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(reference.decode(message) as object)).toEqual(Object.keys(value));
  });
});

describe("10: what was encoded as an empty map is not lost", () => {
  test.each([
    ["a Map", new Map([[1, 2]]), "810102"],
    ["a Set", new Set([1, 2]), "920102"],
    ["an ArrayBuffer", Uint8Array.of(1, 2).buffer, "c4020102"],
    ["a SharedArrayBuffer", new SharedArrayBuffer(2), "c4020000"],
    ["a Number object", Object(5), "05"],
    ["a Boolean object", Object(true), "c3"],
  ])("%s", (_, value, bytes) => {
    expect(hexOf(encode(value))).toBe(bytes);
    expect(hexOf(reference.encode(value))).toBe("80");
  });

  test("a String object, which was a map of its characters", () => {
    expect(hexOf(encode(Object("ab")))).toBe("a26162");
    expect(hexOf(reference.encode(Object("ab")))).toBe("82a130a161a131a162");
  });

  test("RegExp, Error and Promise objects are still empty maps", () => {
    for (const value of [/a/, new Error("e"), Promise.resolve(1)]) {
      expect(hexOf(encode(value))).toBe("80");
      expect(hexOf(reference.encode(value))).toBe("80");
    }
  });
});

describe("11: errors say what and where, and keep the words that users match on", () => {
  const decoding: [string, string, ours.DecoderOptions, RegExp, string, number][] = [
    ["too little", "9201", {}, /Insufficient data.*1 more byte/, "INSUFFICIENT_DATA", 0],
    ["no bytes at all", "", {}, /Insufficient data/, "INSUFFICIENT_DATA", 0],
    [
      "too much",
      "01 02 03",
      {},
      /^Extra 2 of 3 byte\(s\) found at buffer\[1\].*decodeMulti/,
      "EXTRA_BYTES",
      1,
    ],
    ["the byte c1", "91c1", {}, /^Unrecognized type byte: 0xc1/, "UNKNOWN_FORMAT", 1],
    [
      "a key of nil",
      "81c001",
      {},
      /^The type of key must be string or number but object.*mapKeyConverter/,
      "KEY_TYPE",
      1,
    ],
    [
      "a key of true",
      "81c301",
      {},
      /^The type of key must be string or number but boolean.*useMap/,
      "KEY_TYPE",
      1,
    ],
    ["__proto__", "81a95f5f70726f746f5f5f01", {}, /^The key __proto__ is not allowed/, "FORBIDDEN_KEY", 1],
    [
      "a long string",
      "a26161",
      { maxStrLength: 1 },
      /^Max length exceeded: UTF-8 byte length \(2\) > maxStrLength \(1\)/,
      "MAX_LENGTH",
      0,
    ],
    [
      "long binary data",
      "c4020000",
      { maxBinLength: 1 },
      /^Max length exceeded: bin length \(2\) > maxBinLength \(1\)/,
      "MAX_LENGTH",
      0,
    ],
    [
      "a long array",
      "920000",
      { maxArrayLength: 1 },
      /^Max length exceeded: array length \(2\) > maxArrayLength \(1\)/,
      "MAX_LENGTH",
      0,
    ],
    [
      "a large map",
      "8200000101",
      { maxMapLength: 1 },
      /^Max length exceeded: map length \(2\) > maxMapLength/,
      "MAX_LENGTH",
      0,
    ],
    [
      "a long extension",
      "d5010000",
      { maxExtLength: 1 },
      /^Max length exceeded: ext length \(2\) > maxExtLength \(1\)/,
      "MAX_LENGTH",
      0,
    ],
    [
      "a timestamp of 1 byte",
      "91d4ff00",
      {},
      /^Unrecognized data size for timestamp \(expected 4, 8, or 12\): 1/,
      "EXTENSION",
      1,
    ],
  ];

  test.each(decoding)("%s", (_, bytes, options, message, code, offset) => {
    const error = failure(() => decode(hex(bytes), options));
    const theirs = failure(() => reference.decode(hex(bytes), options));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code, offset });
    expect(error.name).toBe(theirs.name);
    // Theirs have a code only where it is Node's own, and never an offset.
    expect(theirs.offset).toBeUndefined();
    expect(theirs.code).not.toBe(code);
  });

  test("the root of an array stream", async () => {
    const { error } = await collectUntilError(ours.decodeArrayStream(streamOf([0xc0])));
    expect(error?.message).toMatch(/^Unrecognized array type byte: 0xc0/);
    expect(error).toMatchObject({ code: "ROOT_TYPE", offset: 0 });
    const theirs = await collectUntilError(reference.decodeArrayStream(streamOf([0xc0]) as never));
    expect(theirs.error?.message).toMatch(/^Unrecognized array type byte: 0xc0/);
    expect(theirs.error?.code).toBeUndefined();
  });

  test("depth, and values without a format", () => {
    for (const { encode } of [ours, reference]) {
      expect(() => encode([[1]], { maxDepth: 2 })).toThrow(/Too deep objects in depth 3/);
      expect(() => encode(() => 0)).toThrow(/Unrecognized object: \[object Function\]/);
      expect(() => encode([1n])).toThrow(/Unrecognized object: \[object BigInt\]/);
    }
    expect(() => encode([1n])).toThrow(/useBigInt64|int64/);
    expect(() => encode([[1]], { maxDepth: 2 })).toThrow(/maxDepth/);
  });

  test("each error is an object of its own", () => {
    const insufficient = (decode: (bytes: Uint8Array) => unknown) => failure(() => decode(hex("a56161")));
    expect(insufficient(decode)).not.toBe(insufficient(decode));
    expect(insufficient(reference.decode)).toBe(insufficient(reference.decode));
  });
});

test("12: long binary data are read at the end of the call", () => {
  for (const [encode, read] of [
    [ours.encode, 2],
    [reference.encode, 1],
  ] as const) {
    const data = new Uint8Array(257).fill(1);
    const later = {
      get a() {
        data.fill(2);
        return 0;
      },
    };
    expect((reference.decode(encode([data, later])) as [Uint8Array])[0]).toStrictEqual(
      new Uint8Array(257).fill(read),
    );
  }
});

test("13: of several faults, those of a header come first", () => {
  const lyingLengthThenC1 = hex("93c1");
  expect(failure(() => decode(lyingLengthThenC1))).toMatchObject({ code: "INSUFFICIENT_DATA", offset: 0 });
  expect(failure(() => reference.decode(lyingLengthThenC1)).message).toMatch(/^Unrecognized type byte: 0xc1/);
  const truncatedArrayAsKey = hex("8192c0c0");
  expect(failure(() => decode(truncatedArrayAsKey))).toMatchObject({ code: "KEY_TYPE", offset: 1 });
  expect(failure(() => reference.decode(hex("8192c0")))).toBeInstanceOf(RangeError);
});

test("14: values of a stream are read ahead of the one that is asked for", () => {
  for (const [{ ExtensionCodec, decodeMulti }, atFirst] of [
    [ours, 3],
    [reference, 1],
  ] as const) {
    let calls = 0;
    const extensionCodec = new ExtensionCodec();
    extensionCodec.register({ type: 1, encode: () => null, decode: () => ++calls });
    const values = decodeMulti(hex("d40100 d40100 d40100 c1"), { extensionCodec });
    expect([values.next().value, calls]).toStrictEqual([1, atFirst]);
    expect([values.next().value, values.next().value]).toStrictEqual([2, 3]);
    expect(() => values.next()).toThrow(/0xc1/);
  }
});

test("the stack of an error leads to the line that called", () => {
  for (const call of [
    () => decode(hex("92a161")),
    () => decode(hex("c1")),
    () => encode([() => 0]),
    () => encode({ a: [1n] }),
  ]) {
    expect(failure(call).stack).toContain("differences.test");
  }
});

test("encode fills its buffer, and starts at its beginning", () => {
  const { buffer, byteOffset, length } = encode([1, 2, 3]);
  expect([buffer.byteLength, byteOffset, length]).toEqual([4, 0, 4]);
  expect(reference.encode([1, 2, 3]).buffer.byteLength).toBe(2048);
  expect(new Encoder().encode([1, 2, 3]).buffer.byteLength).toBe(4);
});
