import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import { DecodeError, Decoder, decode, ExtData, encode } from "msgpack-wasm";
import { describe, expect, test, vi } from "vitest";
import { bigEndian, hex, join, repeat } from "./lib/bytes.ts";
import { type CodecError, failure, outcome } from "./lib/reference.ts";
import { decoder, fail, sample, sampleBytes } from "./lib/survivor.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("a message that ends too early", () => {
  const messages: Record<string, Uint8Array> = {
    "one of everything": sampleBytes,
    "all number formats": hex(
      "9d 01 ff cc80 cd8000 ce80000000 cf8000000000000000 d080 d18000 d280000000 d38000000000000000 ca3f000000 cb3fe0000000000000 c0",
    ),
    "all string formats": hex("94 a26162 d9026162 da00026162 db000000026162"),
    "all binary formats": hex("93 c402 0102 c50002 0102 c600000002 0102"),
    "all extension formats": hex(
      `98 d405 01 d505 0102 d605 01020304 d705 ${"01".repeat(8)} d805 ${"01".repeat(16)} c70305 010203 c8000305 010203 c90000000305 010203`,
    ),
    "all timestamp formats": hex("93 d6ff 00000001 d7ff 0000000400000001 c70cff 00000001 0000000000000001"),
    "array formats": hex("92 dc0002 01 02 dd00000002 01 02"),
    "map formats": hex("93 82 a161 01 a162 02 de0002 a161 01 a162 02 df00000002 a161 01 a162 02"),
    "keys of all kinds": join(
      hex("86 01 c0 cb3fe0000000000000 c0 a0 c0 a3 e282ac c0 d941"),
      "k".repeat(65),
      hex("c0 d940"),
      "l".repeat(64),
      [0xc0],
    ),
    "long text and binary data": encode(["a".repeat(600), "é".repeat(300), new Uint8Array(700)]),
    "a run of numbers": encode(Array.from({ length: 40 }, (_, i) => (i < 20 ? i * 1000 : i / 7))),
    points: encode([[1.5, 2.5], [1.5], [1.5, 2.5, 3.5], [1.5, 2.5, 3.5, 4.5]]),
    records: encode(Array.from({ length: 20 }, (_, i) => ({ id: i, name: `n${i}`, tags: ["x"] }))),
    "nested deeply": join(repeat([0x91], 300), repeat(hex("81a161"), 300), [0xc0]),
  };

  test.each(Object.entries(messages))("%s, cut anywhere, is a RangeError that says so", (_, bytes) => {
    decoder.decode(bytes);
    let last: CodecError | undefined;
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.slice(0, length);
      const error = fail(cut);
      const context = `cut to ${length}: ${error.stack}`;
      assert.ok(error instanceof RangeError, context);
      assert.ok(!(error instanceof DecodeError), context);
      assert.equal(error.code, "INSUFFICIENT_DATA", context);
      assert.ok(typeof error.offset === "number" && error.offset >= 0 && error.offset <= length, context);
      // It says how many bytes are missing at the least: never more than there were.
      const missing = Number(/^Insufficient data: at least (\d+) more byte/.exec(error.message)?.[1]);
      assert.ok(missing >= 1 && missing <= bytes.length - length, context);
      assert.notEqual(error, last);
      last = error;
      // The same with the rest of the message right behind the view.
      assert.deepStrictEqual({ ...fail(bytes.subarray(0, length)) }, { ...error });
    }
  });

  test("without any byte", () => {
    for (const nothing of [
      new Uint8Array(0),
      new ArrayBuffer(0),
      new SharedArrayBuffer(0),
      [],
      Buffer.alloc(0),
    ]) {
      const error = failure(() => decoder.decode(nothing));
      expect(error).toBeInstanceOf(RangeError);
      expect(error).toMatchObject({ code: "INSUFFICIENT_DATA", offset: 0 });
    }
  });
});

describe("a message with something behind it", () => {
  test.each([
    ["0000", "Extra 1 of 2 byte(s) found at buffer[1]", 1],
    ["80c1c1c1", "Extra 3 of 4 byte(s) found at buffer[1]", 1],
    ["92 01 a161 c0", "Extra 1 of 5 byte(s) found at buffer[4]", 4],
  ])("%s is a RangeError", (bytes, message, offset) => {
    const error = fail(hex(bytes));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: "EXTRA_BYTES", offset });
    expect(error.message).toContain(message);
  });

  test("that is long, or begins behind binary data", () => {
    const long = join(encode(new Uint8Array(200_000)), new Uint8Array(100_000));
    expect(fail(long)).toMatchObject({ code: "EXTRA_BYTES", offset: 200_005 });
  });
});

describe("lengths that promise more than there is", () => {
  const headers = [
    ...["dd7fffffff", "dd01ffffff", "ddffffffff", "dd00000002", "dcffff", "dc0002", "9f", "91"],
    ...["df7fffffff", "df01ffffff", "dfffffffff", "df00000001", "deffff", "de0001", "8f", "81"],
    ...["db7fffffff", "dbffffffff", "db00000001", "daffff", "da0001", "d9ff", "d901", "bf", "a1"],
    ...["c67fffffff", "c6ffffffff", "c600000001", "c5ffff", "c4ff", "c401"],
    ...[
      "c97fffffff05",
      "c9ffffffff05",
      "c9ffffffffff",
      "c90000000105",
      "c8ffff05",
      "c7ff05",
      "d805",
      "d705",
      "d405",
    ],
  ];

  test.each(headers)("%s fails wherever it stands, and takes no memory", (header) => {
    const places: [Uint8Array, number][] = [
      [hex(header), 0],
      [join([0x91], hex(header)), 1],
      [join([0x92, 0xc0], hex(header)), 2],
      [join([0x81, 0xa1, 0x61], hex(header)), 3],
      [join(repeat([0x91], 400), hex(header)), 400],
      [join([0xdc, 0x01, 0x00], repeat([0xc0], 255), hex(header)), 258],
    ];
    const before = process.memoryUsage();
    for (const [bytes, offset] of places) {
      const error = fail(bytes);
      assert.ok(error instanceof RangeError, error.stack);
      assert.equal(error.code, "INSUFFICIENT_DATA");
      assert.equal(error.offset, offset);
      assert.match(error.message, /^Insufficient data/);
    }
    const after = process.memoryUsage();
    expect(after.heapTotal - before.heapTotal).toBeLessThan(64e6);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16e6);
    expect(after.rss - before.rss).toBeLessThan(128e6);
  });

  test.each(["dd7fffffff", "dd01ffffff", "df7fffffff", "df01ffffff", "dd00100000", "df00100000"])(
    "%s twenty times in one another is found at the first",
    (header) => {
      for (const between of ["", "a161"]) {
        const bytes = repeat(hex(between + header), 20);
        if (between !== "" && header.startsWith("dd")) continue;
        const before = process.memoryUsage().rss;
        expect(fail(bytes.subarray(between.length / 2))).toMatchObject({
          code: "INSUFFICIENT_DATA",
          offset: 0,
        });
        expect(process.memoryUsage().rss - before).toBeLessThan(128e6);
      }
    },
  );

  test("containers that promise all that is left, all of them, are found at the second", () => {
    const size = 1_000_000;
    const bytes = new Uint8Array(size).fill(0xc0);
    for (let at = 0; at + 5 <= 500; at += 5) bytes.set(join([0xdd], bigEndian(size - at - 5, 4)), at);
    const before = process.memoryUsage().rss;
    expect(fail(bytes)).toMatchObject({ code: "INSUFFICIENT_DATA", offset: 5 });
    expect(process.memoryUsage().rss - before).toBeLessThan(128e6);
  });

  test("a length that fits exactly is no lie", () => {
    expect(decoder.decode(hex("dd00000002 c0 c0"))).toEqual([null, null]);
    expect(decoder.decode(hex("92 dd00000002 c0 c0 c0"))).toEqual([[null, null], null]);
    expect(decoder.decode(hex("df00000001 a0 c0"))).toEqual({ "": null });
    expect(fail(hex("92 dd00000002 c0 c0"))).toMatchObject({ code: "INSUFFICIENT_DATA" });
  });
});

describe("the byte c1", () => {
  test.each([
    ["c1", 0],
    ["91 c1", 1],
    ["93 01 02 c1", 3],
    ["95 01 02 03 04 c1", 5],
    ["81 a161 c1", 3],
    ["81 c1 c0", 1],
    ["82 a161 c0 c1 c0", 4],
    ["92 c402c1c1 c1", 5],
  ])("%s is a DecodeError", (bytes, offset) => {
    const error = fail(hex(bytes));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toMatch(/^Unrecognized type byte: 0xc1/);
    expect(error).toMatchObject({ code: "UNKNOWN_FORMAT", offset });
  });

  test("far into a message has its true offset", () => {
    const start = encode(Array.from({ length: 70_000 }, (_, i) => `text ${i}`));
    start[start.length - 11] = 0xc1;
    const bytes = join(start.subarray(0, -10));
    expect(fail(join(bytes, repeat([0xc0], 50)))).toMatchObject({
      code: "UNKNOWN_FORMAT",
      offset: bytes.length - 1,
    });
  });

  test("in text and binary data means nothing", () => {
    expect(decoder.decode(hex("c402c1c1"))).toEqual(hex("c1c1"));
    expect(decoder.decode(hex("a2c1c1"))).toBe("\ufffd\ufffd");
  });
});

describe("timestamps of a wrong size", () => {
  test.each([
    ["d4ff00", 1, 0],
    ["d5ff0000", 2, 0],
    ["91 c705ff0000000000", 5, 1],
    ["81 a161 c700ff", 0, 3],
    [`d8ff${"00".repeat(16)}`, 16, 0],
  ])("%s are a DecodeError", (bytes, size, offset) => {
    const error = fail(hex(bytes));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toContain(`Unrecognized data size for timestamp (expected 4, 8, or 12): ${size}`);
    expect(error).toMatchObject({ code: "EXTENSION", offset });
  });

  test.each([
    "d7ff ee6b2800 00000000",
    "d7ff fffffffc 00000000",
    "c70cff 3b9aca00 0000000000000000",
    "c70cff ffffffff 0000000000000000",
  ])("and %s, which has more than 999,999,999 nanoseconds", (bytes) => {
    const error = fail(hex(bytes));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error).toMatchObject({ code: "EXTENSION", offset: 0 });
  });
});

describe("more than the options allow", () => {
  test.each([
    ["maxStrLength", "a3616263", "UTF-8 byte length (3) > maxStrLength (2)"],
    ["maxStrLength", "81 a3616263 c0", "UTF-8 byte length (3) > maxStrLength (2)"],
    ["maxBinLength", "c403616263", "bin length (3) > maxBinLength (2)"],
    ["maxArrayLength", "93c0c0c0", "array length (3) > maxArrayLength (2)"],
    ["maxMapLength", "83 a161c0 a162c0 a163c0", "map length (3) > maxMapLength"],
    ["maxExtLength", "c70305616263", "ext length (3) > maxExtLength (2)"],
    ["maxBinLength", "c70305616263", "bin length (3) > maxBinLength (2)"],
  ])("%s: %s", (option, bytes, fragment) => {
    const error = fail(hex(bytes), { [option]: 2 });
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toContain(`Max length exceeded: ${fragment}`);
    expect(error).toMatchObject({ code: "MAX_LENGTH", offset: bytes.startsWith("81") ? 1 : 0 });
    expect(new Decoder({ [option]: 3 }).decode(hex(bytes))).toEqual(decode(hex(bytes)));
  });
});

describe("input that is no bytes", () => {
  const notBytes = (input: unknown): Uint8Array => input as Uint8Array;

  test.each([null, undefined])("%s is a TypeError", (input) => {
    expect(failure(() => decoder.decode(notBytes(input)))).toBeInstanceOf(TypeError);
    expect(failure(() => decode(notBytes(input)))).toBeInstanceOf(TypeError);
  });

  test.each([
    [{}],
    [5],
    [true],
    [Symbol("s")],
    [() => 0],
    [""],
    ["abc"],
    ["1"],
    [new Date(0)],
    [new Map()],
    [{ length: 1 }],
  ])("%o is what @msgpack/msgpack takes it for", (input) => {
    const ours = outcome(() => decoder.decode(notBytes(input)));
    const theirs = outcome(() => reference.decode(notBytes(input)));
    if ("error" in theirs) {
      expect(ours).toHaveProperty("error");
      expect(failure(() => decoder.decode(notBytes(input))).constructor).toBe(theirs.error.constructor);
    } else {
      expect(ours).toEqual(theirs);
    }
  });
});

describe("errors", () => {
  test("are a class of their own, with a name that is not enumerable", () => {
    const error = fail(hex("c1"));
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("DecodeError");
    expect(Object.keys(error).sort()).toEqual(["code", "offset"]);
    expect(String(error)).toMatch(/^DecodeError: Unrecognized type byte: 0xc1/);
    expect(error.stack).toContain("badInput.test");
    expect(new DecodeError("mine")).toMatchObject({ message: "mine", name: "DecodeError" });
  });

  test("do not change what comes after, however many there are", () => {
    const bad = [
      "c1",
      "",
      "dd7fffffff",
      "81c0c0",
      "81a95f5f70726f746f5f5fc0",
      "92c0",
      "0000",
      "d4ff00",
      "a261",
    ].map(hex);
    for (let i = 0; i < 20_000; i++) failure(() => decoder.decode(bad[i % bad.length]));
    expect(decoder.decode(sampleBytes)).toEqual(sample);
    expect(decode(hex("d40561"))).toEqual(new ExtData(5, hex("61")));
  });
});
