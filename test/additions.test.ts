import vm from "node:vm";
import {
  DecodeError,
  Decoder,
  type DecoderOptions,
  decode,
  decodeAsync,
  decodeSegments,
  decodeSingle,
  Encoder,
  ExtData,
  ExtensionCodec,
  encode,
  encodeInto,
  TypedArrayCodec,
} from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { hex, join, repeat, str } from "./lib/bytes.ts";
import { bytesCopied } from "./lib/copies.ts";
import { failure } from "./lib/reference.ts";
import { piecesOf, streamOf } from "./lib/streams.ts";

// What @msgpack/msgpack does not have.

const sample = {
  id: 1,
  name: "né€😀",
  list: [{ id: 2, name: "b" }, { id: 3, name: "c" }, null, true, -1.5, [1, 2, 3, 4, 5]],
  data: Uint8Array.of(1, 2, 3),
  at: new Date(1500),
  big: [2 ** 40, 0.1, -300, 70_000],
  ext: new ExtData(5, Uint8Array.of(9, 9, 9)),
  long: "x".repeat(40),
};

describe("decodeSingle", () => {
  test("gives the value and where the next begins", () => {
    const bytes = hex("01 92 02 03 a161 80");
    let offset = 0;
    const values: unknown[] = [];
    while (offset < bytes.length) {
      const { value, nextOffset } = decodeSingle(bytes, offset);
      values.push(value);
      offset = nextOffset;
    }
    expect(values).toStrictEqual([1, [2, 3], "a", {}]);
    expect(offset).toBe(bytes.length);
    expect(decodeSingle(bytes)).toStrictEqual({ value: 1, nextOffset: 1 });
  });

  test("does not care about what is before the value and behind it", () => {
    const message = encode(sample);
    for (const noise of [0, 1, 3, 1000, 100_000]) {
      const bytes = join(repeat([0xc1], noise), message, repeat([0xc1], noise));
      const { value, nextOffset } = decodeSingle(bytes, noise);
      expect(value).toStrictEqual(sample);
      expect(nextOffset).toBe(noise + message.length);
    }
  });

  test("walks through many values, of every length", () => {
    const values = Array.from({ length: 3000 }, (_, i) => [
      i,
      "x".repeat(i % 300),
      { [`key${i % 50}`]: i / 3 },
    ]);
    const bytes = join(...values.map((value) => encode(value)));
    const decoder = new Decoder();
    let offset = 0;
    for (const expected of values) {
      const { value, nextOffset } = decoder.decodeSingle(bytes, offset);
      expect(value).toEqual(expected);
      offset = nextOffset;
    }
    expect(offset).toBe(bytes.length);
  });

  test("binary data are views of the buffer", () => {
    const bytes = hex("c1 91 c403 010203 c1");
    const { value } = decodeSingle(bytes, 1);
    const [data] = value as Uint8Array[];
    expect(data).toStrictEqual(hex("010203"));
    expect(data.buffer).toBe(bytes.buffer);
    expect(data.byteOffset).toBe(4);
  });

  test("offsets count from the start of what it was given, be that a view", () => {
    const bytes = join([0xff, 0xff], [1, 0xa1, 0x61, 0xff]);
    const view = new DataView(bytes.buffer, 2, 3);
    expect(decodeSingle(view, 1)).toStrictEqual({ value: "a", nextOffset: 3 });
    expect(decodeSingle([1, 0xa1, 0x61], 1)).toStrictEqual({ value: "a", nextOffset: 3 });
    expect(decodeSingle(hex("01a161").buffer, 1)).toStrictEqual({ value: "a", nextOffset: 3 });
  });

  test("takes options, and instances keep theirs", () => {
    const bytes = hex("00 a161");
    expect(decodeSingle(bytes, 1, { rawStrings: true })).toStrictEqual({ value: hex("61"), nextOffset: 3 });
    expect(new Decoder({ rawStrings: true }).decodeSingle(bytes, 1)).toStrictEqual({
      value: hex("61"),
      nextOffset: 3,
    });
  });

  test.each([-1, 4, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("the offset %d is a RangeError", (offset) => {
    const error = failure(() => decodeSingle(hex("01 02 03"), offset));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain(String(offset));
  });

  test("a value that is not all there is a RangeError, at its true offset", () => {
    const message = encode(sample);
    for (let length = 0; length < message.length; length++) {
      const error = failure(() => decodeSingle(join([1, 2, 3], message.subarray(0, length)), 3));
      expect(error).toBeInstanceOf(RangeError);
      expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
      expect(error.offset).toBeGreaterThanOrEqual(3);
      expect(error.offset).toBeLessThanOrEqual(3 + length);
    }
    expect(failure(() => decodeSingle(hex("0102"), 2))).toMatchObject({
      code: "INSUFFICIENT_DATA",
      offset: 2,
    });
    expect(failure(() => decodeSingle(hex("01 92 01 c1"), 1))).toMatchObject({
      code: "UNKNOWN_FORMAT",
      offset: 3,
    });
  });

  test("other errors are those of decode", () => {
    expect(failure(() => decodeSingle(hex("ff 81c001"), 1))).toMatchObject({ code: "KEY_TYPE", offset: 2 });
    expect(() => decodeSingle(null as unknown as Uint8Array)).toThrow(TypeError);
  });
});

describe("encodeInto", () => {
  const message = encode(sample);

  test("writes the message, and says where it ends", () => {
    for (const offset of [0, 1, 7, 100]) {
      const target = new Uint8Array(offset + message.length + 5).fill(0xee);
      expect(encodeInto(sample, target, offset)).toBe(offset + message.length);
      expect(target.subarray(offset, offset + message.length)).toStrictEqual(message);
      expect(target.subarray(0, offset).every((byte) => byte === 0xee)).toBe(true);
      expect(target.subarray(offset + message.length).every((byte) => byte === 0xee)).toBe(true);
    }
  });

  test("puts one message behind the other", () => {
    const target = new Uint8Array(100);
    let end = 0;
    for (const value of [1, [2, 3], "a", {}]) end = encodeInto(value, target, end);
    expect(target.subarray(0, end)).toStrictEqual(hex("01 920203 a161 80"));
  });

  test("without an offset it begins at 0", () => {
    const target = new Uint8Array(3);
    expect(encodeInto([1, 2], target)).toBe(3);
    expect(target).toStrictEqual(hex("920102"));
    expect(new Encoder().encodeInto(7, target)).toBe(1);
    expect(target).toStrictEqual(hex("070102"));
  });

  test("fills the target to its last byte", () => {
    for (const value of [
      null,
      1,
      "é".repeat(3000),
      new Uint8Array(5000),
      [new Uint8Array(300), "x"],
      sample,
    ]) {
      const expected = encode(value);
      const target = new Uint8Array(expected.length);
      expect(encodeInto(value, target)).toBe(expected.length);
      expect(Buffer.compare(target, expected)).toBe(0);
    }
  });

  test("stays within a view", () => {
    const whole = new Uint8Array(20).fill(0xee);
    const view = whole.subarray(5, 10);
    expect(encodeInto([1, 2], view, 2)).toBe(5);
    expect(whole).toStrictEqual(join(repeat([0xee], 7), hex("920102"), repeat([0xee], 10)));
    expect(() => encodeInto([1, 2], view, 3)).toThrow(RangeError);
    expect(whole).toStrictEqual(join(repeat([0xee], 7), hex("920102"), repeat([0xee], 10)));
  });

  test("takes a Buffer, and shared memory", () => {
    const buffer = Buffer.alloc(10);
    expect(encodeInto("ab", buffer, 1)).toBe(4);
    expect(buffer.toString("latin1", 1, 4)).toBe("\xa2ab");
    const shared = new Uint8Array(new SharedArrayBuffer(10));
    expect(encodeInto(sample.list, new Uint8Array(new SharedArrayBuffer(200)))).toBe(
      encode(sample.list).length,
    );
    expect(encodeInto("ab", shared)).toBe(3);
    expect([...shared.subarray(0, 3)]).toEqual([0xa2, 0x61, 0x62]);
  });

  describe("without room enough", () => {
    const values: Record<string, unknown> = {
      "a number": 1.5,
      "long text": "é".repeat(5000),
      "long binary data": [1, new Uint8Array(100_000), 2],
      "one of everything": sample,
      "more than a window": Array.from({ length: 50_000 }, (_, i) => `text ${i}`),
      "an extension that asks for its position": [1, new ExtData(1, () => new Uint8Array(50))],
    };

    test.each(Object.entries(values))("for %s is a RangeError that names the bytes needed", (_, value) => {
      const needed = encode(value).length;
      for (const offset of [0, 3]) {
        for (const room of [0, 1, needed - 1]) {
          const target = new Uint8Array(offset + room).fill(0xee);
          const error = failure(() => encodeInto(value, target, offset));
          expect(error).toBeInstanceOf(RangeError);
          expect(error.message).toContain(`${needed} byte(s)`);
          expect(target.every((byte) => byte === 0xee)).toBe(true);
        }
        expect(encodeInto(value, new Uint8Array(offset + needed), offset)).toBe(offset + needed);
      }
    });
  });

  test("leaves the target as it was after any other error, too", () => {
    const target = new Uint8Array(200_000).fill(0xee);
    const extensionCodec = new ExtensionCodec();
    extensionCodec.register({
      type: 1,
      encode(input) {
        if (input instanceof Set) throw new Error("no sets");
        return null;
      },
      decode: () => null,
    });
    const before = ["x".repeat(70_000), new Uint8Array(50_000), Array(5000).fill(1)];
    const getter = {
      get a() {
        throw new Error("no");
      },
    };
    for (const bad of [() => 0, new Set(), getter, new Date(Number.NaN), 1n]) {
      expect(() => encodeInto([before, bad], target, 5, { extensionCodec })).toThrow(Error);
      expect(target.every((byte) => byte === 0xee)).toBe(true);
    }
  });

  test.each([-1, 11, 1.5, Number.NaN])("the offset %d is a RangeError", (offset) => {
    const target = new Uint8Array(10);
    expect(failure(() => encodeInto(1, target, offset))).toBeInstanceOf(RangeError);
    expect(target).toStrictEqual(new Uint8Array(10));
  });

  test("an offset at the very end is one without room", () => {
    expect(failure(() => encodeInto(1, new Uint8Array(10), 10)).message).toContain("1 byte(s)");
  });

  test("takes options, and instances keep theirs", () => {
    const target = new Uint8Array(20);
    expect(encodeInto({ b: 1, a: 2 }, target, 0, { sortKeys: true })).toBe(7);
    expect(target.subarray(0, 7)).toStrictEqual(hex("82 a161 02 a162 01"));
    expect(new Encoder({ forceFloat32: true }).encodeInto(1.5, target, 1)).toBe(6);
  });

  test("encodes data that lie in the target itself as they were", () => {
    for (const size of [10, 200, 300, 1000]) {
      const target = Uint8Array.from({ length: 1200 }, (_, i) => i * 7);
      const data = target.subarray(0, size);
      const expected = encode([1, data]);
      const end = encodeInto([1, data], target);
      expect(Buffer.compare(target.subarray(0, end), expected), `${size} bytes`).toBe(0);
    }
  });

  test("works inside an extension codec, and with one", () => {
    const scratch = new Uint8Array(1000);
    const codec = new ExtensionCodec();
    codec.register({
      type: 1,
      encode: (input) =>
        input instanceof Set
          ? scratch.subarray(0, encodeInto([...input], scratch, 0, { extensionCodec: codec }))
          : null,
      decode: (data) => new Set(decode(data, { extensionCodec: codec }) as unknown[]),
    });
    const value = [new Set([1, "a"]), "x", new Set(["y".repeat(500)])];
    const target = new Uint8Array(2000);
    const end = encodeInto(value, target, 3, { extensionCodec: codec });
    expect(decode(target.subarray(3, end), { extensionCodec: codec })).toStrictEqual(value);
  });
});

describe("decodeSegments", () => {
  const messages: Record<string, Uint8Array> = {
    "one of everything": encode(sample),
    "all number formats": hex(
      "9d 01 ff cc80 cd8000 ce80000000 cf8000000000000000 d080 d18000 d280000000 d38000000000000000 ca3f000000 cb3fe0000000000000 c0",
    ),
    "all string formats": hex("94 a26162 d9026162 da00026162 db000000026162"),
    "all binary and extension formats": hex(
      `99 c402 0102 c50002 0102 c600000002 0102 d405 01 d805 ${"01".repeat(16)} c70305 010203 c8000305 010203 c90000000305 010203 d6ff00000001`,
    ),
    "array and map formats": hex("95 dc0002 01 02 dd00000002 01 02 de0001 a161 01 df00000001 a162 02 80"),
    "keys of all kinds": hex("85 01 c0 cb3fe0000000000000 c0 a0 c0 a3 e282ac c0 d90161 c0"),
    "nested deeply": join(repeat(hex("9181a161"), 60), [0xc0]),
    "a long string and binary data": encode(["é€".repeat(120), new Uint8Array(300)]),
    "a run of numbers": encode(Array.from({ length: 40 }, (_, i) => (i < 20 ? i * 1000 : i / 7))),
  };

  describe.each(Object.entries(messages))("a message with %s", (_, bytes) => {
    const value = decode(bytes);

    test("cut in two at every byte", () => {
      for (let at = 0; at <= bytes.length; at++) {
        expect(decodeSegments([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toStrictEqual(
          value,
        );
      }
    });

    test("cut in three at every two bytes", () => {
      const end = Math.min(bytes.length, 60);
      for (let one = 0; one <= end; one++) {
        for (let two = one; two <= end; two++) {
          const segments = [bytes.subarray(0, one), bytes.subarray(one, two), bytes.subarray(two)];
          const result = decodeSegments(segments);
          if (one % 7 === 0) expect(result, `cut at ${one} and ${two}`).toStrictEqual(value);
        }
      }
    });

    test.each([1, 2, 3, 5, 7, 11])("in pieces of %d bytes", (size) => {
      expect(decodeSegments(piecesOf(bytes, size))).toStrictEqual(value);
      const shared = new Uint8Array(bytes.length + 10);
      shared.set(bytes, 5);
      const views: Uint8Array[] = [];
      for (let at = 5; at < bytes.length + 5; at += size) {
        views.push(shared.subarray(at, Math.min(at + size, bytes.length + 5)));
      }
      expect(decodeSegments(views)).toStrictEqual(value);
    });

    test("cut off anywhere is a RangeError", () => {
      for (let length = 0; length < bytes.length; length++) {
        const half = length >>> 1;
        const error = failure(() => decodeSegments([bytes.subarray(0, half), bytes.subarray(half, length)]));
        expect(error).toBeInstanceOf(RangeError);
        expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
      }
    });
  });

  test("chunks may be of any kind and any number, empty ones too", () => {
    const chunks = [
      [0x93],
      [],
      hex("01").buffer,
      new DataView(hex("a2").buffer),
      Buffer.from("a"),
      new Uint8Array(0),
      hex("62c3"),
    ];
    expect(decodeSegments(chunks)).toStrictEqual([1, "ab", true]);
    expect(decodeSegments(new Set(chunks))).toStrictEqual([1, "ab", true]);
    function* generated() {
      yield [0x91];
      yield [5];
    }
    expect(decodeSegments(generated())).toStrictEqual([5]);
    expect(failure(() => decodeSegments([]))).toMatchObject({ code: "INSUFFICIENT_DATA", offset: 0 });
    expect(failure(() => decodeSegments([[], []]))).toMatchObject({ code: "INSUFFICIENT_DATA", offset: 0 });
  });

  test("binary data are views where they lie in one chunk, else copies", () => {
    const chunks = [hex("94 c403 010203 c702 05 0405 c4"), hex("03 0607"), hex("08 c402 090a")];
    const [first, ext, cut, last] = decodeSegments(chunks) as [Uint8Array, ExtData, Uint8Array, Uint8Array];
    expect(first).toStrictEqual(hex("010203"));
    expect(first.buffer).toBe(chunks[0].buffer);
    expect((ext.data as Uint8Array).buffer).toBe(chunks[0].buffer);
    expect(cut).toStrictEqual(hex("060708"));
    expect(chunks.map((chunk) => chunk.buffer)).not.toContain(cut.buffer);
    expect(last.buffer).toBe(chunks[2].buffer);
  });

  test("offsets of errors count through all chunks", () => {
    expect(failure(() => decodeSegments([hex("93 01"), hex("02"), hex("c1")]))).toMatchObject({
      code: "UNKNOWN_FORMAT",
      offset: 3,
    });
    const error = failure(() => decodeSegments([hex("91"), hex("01 02"), hex("03")]));
    expect(error).toMatchObject({ code: "EXTRA_BYTES", offset: 2 });
    expect(error.message).toContain("Extra 2 of 4 byte(s) found at buffer[2]");
  });

  test("takes options, and instances keep theirs", () => {
    expect(decodeSegments([[0xa1], [0x61]], { rawStrings: true })).toStrictEqual(hex("61"));
    expect(new Decoder({ rawStrings: true }).decodeSegments([[0xa1], [0x61]])).toStrictEqual(hex("61"));
  });

  test("no byte of many chunks is copied more than twice", async () => {
    const message = encode([Array(100_000).fill("text"), new Uint8Array(500_000)]);
    const pieces = piecesOf(message, 64);
    const copied = await bytesCopied(() => decodeSegments(pieces));
    expect(copied).toBeGreaterThan(message.length / 2);
    expect(copied).toBeLessThan(2 * message.length);
  });

  test("what is no iterable of buffers is a TypeError", () => {
    expect(() => decodeSegments(null as unknown as Uint8Array[])).toThrow(TypeError);
    expect(() => decodeSegments([null] as unknown as Uint8Array[])).toThrow(TypeError);
  });

  test("chunks that throw while they are listed let their error through", () => {
    const error = new Error("no more");
    function* failing() {
      yield [0x91];
      throw error;
    }
    expect(failure(() => decodeSegments(failing()))).toBe(error);
  });
});

describe('int64: "auto"', () => {
  const edges = [
    0n,
    1n,
    127n,
    128n,
    255n,
    256n,
    65_535n,
    65_536n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    -1n,
    -32n,
    -33n,
    -128n,
    -129n,
    -32_768n,
    -32_769n,
    -(2n ** 31n),
    -(2n ** 31n) - 1n,
    1n - 2n ** 53n,
    -(2n ** 53n),
    -(2n ** 53n) - 1n,
    -(2n ** 63n),
  ];

  test.each(edges)("the bigint %d takes the smallest format that holds it", (value) => {
    const bytes = encode(value, { int64: "auto" });
    const isSafe = value >= -(2n ** 53n) + 1n && value <= 2n ** 53n - 1n;
    if (isSafe) {
      expect(bytes).toStrictEqual(encode(Number(value)));
    } else {
      expect(bytes).toHaveLength(9);
      expect(bytes[0]).toBe(value < 0n ? 0xd3 : 0xcf);
    }
    expect(encode([value, value, 1], { int64: "auto" })).toStrictEqual(join([0x93], bytes, bytes, [1]));
    expect(decode(bytes, { int64: "auto" })).toBe(isSafe ? Number(value) : value);
  });

  test.each([2n ** 64n, -(2n ** 63n) - 1n, 10n ** 30n, -(10n ** 30n)])("%d is a RangeError", (value) => {
    for (const options of [{ int64: "auto" }, { useBigInt64: true }] as const) {
      const error = failure(() => encode({ a: value }, options));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toContain(String(value));
      expect(encode(1n, options)).toBeInstanceOf(Uint8Array);
    }
  });

  test("decoded, it is a bigint only beyond 2^53, in all formats alike", () => {
    const options: DecoderOptions = { int64: "auto" };
    const cases: [string, unknown][] = [
      ["cf0000000000000001", 1],
      ["cf001fffffffffffff", 2 ** 53 - 1],
      ["cf0020000000000001", 2n ** 53n + 1n],
      ["cfffffffffffffffff", 2n ** 64n - 1n],
      ["d3ffffffffffffffff", -1],
      ["d3ffe0000000000001", 1 - 2 ** 53],
      ["d3ffdfffffffffffff", -(2n ** 53n) - 1n],
      ["d38000000000000000", -(2n ** 63n)],
      ["ceffffffff", 2 ** 32 - 1],
      ["cb4340000000000000", 2 ** 53],
    ];
    for (const [bytes, value] of cases) expect(decode(hex(bytes), options), bytes).toBe(value);
    const all = join([0x9a], ...cases.map(([bytes]) => hex(bytes)));
    expect(decode(all, options)).toStrictEqual(cases.map(([, value]) => value));
  });

  test("loses nothing there and back, whatever stands around", () => {
    const value = { list: [...edges, 1.5, 7], key: 2n ** 63n };
    const round = decode(encode(value, { int64: "auto" }), { int64: "auto" }) as typeof value;
    expect(round.list.map((item) => (item === 1.5 ? item : BigInt(item)))).toEqual(
      value.list.map((item) => (item === 1.5 ? item : BigInt(item))),
    );
    expect(round.key).toBe(2n ** 63n);
  });

  test('"bigint" and "number" are as useBigInt64 says', () => {
    const bytes = hex("94 cf0000000000000001 d3ffffffffffffffff cf0020000000000001 05");
    expect(decode(bytes, { int64: "bigint" })).toStrictEqual([1n, -1n, 2n ** 53n + 1n, 5]);
    expect(decode(bytes, { int64: "number" })).toStrictEqual([1, -1, 2 ** 53, 5]);
    expect(decode(bytes)).toStrictEqual([1, -1, 2 ** 53, 5]);
  });

  test("keys beyond 2^53 are refused, those below are numbers", () => {
    expect(decode(hex("81 cf0000000000000005 01"), { int64: "auto" })).toStrictEqual({ 5: 1 });
    expect(failure(() => decode(hex("81 cf0020000000000001 01"), { int64: "auto" }))).toMatchObject({
      code: "KEY_TYPE",
      message: expect.stringContaining("but bigint"),
    });
    expect(decode(hex("81 cf0020000000000001 01"), { int64: "auto", useMap: true })).toStrictEqual(
      new Map([[2n ** 53n + 1n, 1]]),
    );
  });
});

describe("useMap", () => {
  const options = { useMap: true };

  test("maps are Maps, in order, with keys of any type", () => {
    const value = decode(
      hex("89 a161 01 05 02 ff 03 c0 04 c3 05 cb3ff8000000000000 06 9101 07 810102 08 c40101 09"),
      options,
    );
    expect([...(value as Map<unknown, unknown>)]).toStrictEqual([
      ["a", 1],
      [5, 2],
      [-1, 3],
      [null, 4],
      [true, 5],
      [1.5, 6],
      [[1], 7],
      [new Map([[1, 2]]), 8],
      [hex("01"), 9],
    ]);
  });

  test("at every depth, and empty ones", () => {
    const value = decode(hex("81 a161 92 80 81 a162 81 a163 01"), options);
    expect(value).toStrictEqual(new Map([["a", [new Map(), new Map([["b", new Map([["c", 1]])]])]]]));
  });

  test("__proto__ is a key like others, and so are constructor and prototype", () => {
    const keys = ["__proto__", "constructor", "prototype", "toString"];
    const bytes = join([0x84], ...keys.flatMap((key) => [str(Buffer.from(key)), [1]]));
    expect([...(decode(bytes, options) as Map<unknown, unknown>).keys()]).toEqual(keys);
  });

  test('the last of equal keys wins; 1 and "1" are two', () => {
    expect(decode(hex("84 a161 01 a161 02 01 03 a131 04"), options)).toStrictEqual(
      new Map<unknown, unknown>([
        ["a", 2],
        [1, 3],
        ["1", 4],
      ]),
    );
  });

  test("bigint keys with useBigInt64, extension keys", () => {
    expect(decode(hex("81 cf0000000000000001 02"), { ...options, useBigInt64: true })).toStrictEqual(
      new Map([[1n, 2]]),
    );
    expect(decode(hex("81 d6ff00000001 02"), options)).toStrictEqual(new Map([[new Date(1000), 2]]));
  });

  test("a few keys and many, known and new", () => {
    for (const count of [0, 1, 15, 16, 17, 65_535, 65_536]) {
      const map = new Map(Array.from({ length: count }, (_, i) => [i % 2 === 0 ? i : `k${i}`, i]));
      const bytes = encode(map);
      const result = decode(bytes, options) as Map<unknown, unknown>;
      expect(result.size).toBe(count);
      expect([...result].every(([key, value], i) => key === (i % 2 === 0 ? i : `k${i}`) && value === i)).toBe(
        true,
      );
    }
    for (let i = 0; i < 5; i++) {
      expect(decode(encode({ id: i, name: "n" }), options)).toStrictEqual(
        new Map<unknown, unknown>([
          ["id", i],
          ["name", "n"],
        ]),
      );
    }
  });

  test("deep, and from streams cut at every byte", async () => {
    const depth = 2000;
    let value: unknown = decode(join(repeat(hex("81c0"), depth), [1]), options);
    for (let i = 0; i < depth; i++) value = (value as Map<unknown, unknown>).get(null);
    expect(value).toBe(1);
    const bytes = hex("82 c0 81 9101 02 a161 80");
    const expected = decode(bytes, options);
    for (let at = 0; at <= bytes.length; at++) {
      const stream = streamOf(bytes.subarray(0, at), bytes.subarray(at));
      expect(await decodeAsync(stream, options)).toStrictEqual(expected);
    }
  });

  test("goes together with rawStrings (keys stay strings) and limits", () => {
    expect(decode(hex("81 a161 a162"), { ...options, rawStrings: true })).toStrictEqual(
      new Map([["a", hex("62")]]),
    );
    expect(failure(() => decode(hex("82 01 02 03 04"), { ...options, maxMapLength: 1 }))).toMatchObject({
      code: "MAX_LENGTH",
    });
  });
});

describe("pooled", () => {
  const POOL_BYTES = 64 * 1024;

  test("gives the messages that an encoder without it gives, none of which changes later", () => {
    const plain = new Encoder();
    const pooled = new Encoder({ pooled: true });
    const values = Array.from({ length: 2000 }, (_, i) => [
      i,
      "x".repeat(i % 700),
      { n: i / 3, at: new Date(i) },
    ]);
    const messages = values.map((value) => pooled.encode(value));
    for (const [i, value] of values.entries()) expect(messages[i]).toStrictEqual(plain.encode(value));
    const pools = new Set(
      messages.map(({ buffer }) => buffer).filter((one) => one.byteLength === POOL_BYTES),
    );
    expect(pools.size).toBeGreaterThan(10);
    expect(pools.size).toBeLessThan(20);
  });

  test.each([
    [64, false],
    [65, true],
    [16 * 1024, true],
    [16 * 1024 + 1, false],
  ])("of a message of %d bytes makes a part of a pool: %s", (size, isPart) => {
    const encoder = new Encoder({ pooled: true });
    const header = size < 256 ? 2 : 3;
    const message = encoder.encode(new Uint8Array(size - header));
    expect(message.length).toBe(size);
    expect(message.buffer.byteLength).toBe(isPart ? POOL_BYTES : size);
  });

  test("lets typed arrays be viewed where they are", () => {
    const extensionCodec = new TypedArrayCodec();
    const encoder = new Encoder({ pooled: true, extensionCodec });
    for (let i = 0; i < 50; i++) {
      const message = encoder.encode(["x".repeat(i), Float64Array.of(i, 1, 2, 3, 4, 5, 6, 7, 8)]);
      const [, floats] = decode(message, { extensionCodec }) as [string, Float64Array];
      expect(floats.buffer).toBe(message.buffer);
      expect(floats[0]).toBe(i);
    }
  });

  test("does without a pool that has been transferred", () => {
    const encoder = new Encoder({ pooled: true });
    const { buffer } = encoder.encode("x".repeat(100));
    structuredClone(buffer, { transfer: [buffer] });
    expect(decode(encoder.encode("y".repeat(100)))).toBe("y".repeat(100));
  });

  test("goes on after errors, and within itself", () => {
    const extensionCodec = new ExtensionCodec();
    const encoder: Encoder = new Encoder({ pooled: true, extensionCodec });
    extensionCodec.register({
      type: 1,
      encode: (value) => (value instanceof URL ? encoder.encode(value.href) : null),
      decode: (data) => new URL(decode(data) as string),
    });
    const links = Array.from({ length: 20 }, (_, i) => new URL(`https://example.org/${"x".repeat(80)}/${i}`));
    const before = encoder.encode(links);
    expect(() => encoder.encode(["x".repeat(100), Symbol("no")])).toThrow();
    const after = encoder.encode(links);
    expect(after).toStrictEqual(before);
    expect(decode(after, { extensionCodec })).toStrictEqual(links);
  });
});

describe("encoding a Map", () => {
  test("keys keep their types", () => {
    const map = new Map<unknown, unknown>([
      ["a", 1],
      [5, 2],
      [-1, 3],
      [1.5, 4],
      [null, 5],
      [undefined, 6],
      [true, 7],
      [[1], 8],
      [new Map([[1, 2]]), 9],
      [Uint8Array.of(7), 10],
      [new Date(1000), 11],
    ]);
    expect(encode(map)).toStrictEqual(
      hex(
        "8b a161 01 05 02 ff 03 cb3ff8000000000000 04 c0 05 c0 06 c3 07 9101 08 810102 09 c40107 0a d6ff00000001 0b",
      ),
    );
  });

  test.each([0, 1, 15, 16, 17, 65_535, 65_536])("of %d pairs takes the smallest header", (count) => {
    const map = new Map(Array.from({ length: count }, (_, i) => [i, i]));
    const bytes = encode(map);
    expect(bytes[0]).toBe(count < 16 ? 0x80 + count : count < 65_536 ? 0xde : 0xdf);
    expect(decode(bytes, { useMap: true })).toEqual(map);
  });

  test("round trips with useMap", () => {
    const map = new Map<unknown, unknown>([
      [1, new Map([["x", new Map()]])],
      [{ toString: 1 }, [new Map([[null, "n"]])]],
    ]);
    const result = decode(encode(map), { useMap: true }) as Map<unknown, unknown>;
    expect([...result]).toStrictEqual([
      [1, new Map([["x", new Map()]])],
      [new Map([["toString", 1]]), [new Map([[null, "n"]])]],
    ]);
  });

  test("options for objects do not touch it: its order and its undefined stay", () => {
    const map = new Map([
      ["b", undefined],
      ["a", 1],
    ]);
    expect(encode(map, { sortKeys: true, ignoreUndefined: true })).toStrictEqual(hex("82 a162 c0 a161 01"));
  });

  test("changed while it is encoded, count and pairs still agree", () => {
    const map = new Map<unknown, unknown>();
    map.set("a", {
      get grow() {
        map.set("late", 1);
        return 1;
      },
    });
    map.set("b", {
      get shrink() {
        map.delete("c");
        return 2;
      },
    });
    map.set("c", 3);
    expect(() => decode(encode(map))).not.toThrow();
    expect(Object.keys(decode(encode(map)) as object).slice(0, 2)).toEqual(["a", "b"]);
  });

  test("of another realm is a Map, too", () => {
    expect(encode(vm.runInNewContext("new Map([[1, new Set([2])]])"))).toStrictEqual(hex("81 01 91 02"));
  });

  test("that only claims to be one is what it is", () => {
    expect(encode({ [Symbol.toStringTag]: "Map", a: 1 })).toStrictEqual(hex("81a16101"));
    expect(encode(Object.create(Map.prototype))).toStrictEqual(hex("80"));
  });

  test("WeakMap and WeakSet hold nothing that one can list", () => {
    expect(encode([new WeakMap(), new WeakSet()])).toStrictEqual(hex("92 80 80"));
  });
});

describe("encoding a Set", () => {
  test.each([0, 1, 15, 16, 65_535, 65_536])("of %d items is an array", (count) => {
    const items = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? i : `i${i}`));
    expect(Buffer.compare(encode(new Set(items)), encode(items))).toBe(0);
  });

  test("in order, at any depth", () => {
    expect(encode({ a: new Set(["b", 1, new Set([2])]) })).toStrictEqual(hex("81 a161 93 a162 01 91 02"));
  });
});

describe("encoding an ArrayBuffer or a SharedArrayBuffer", () => {
  test.each([0, 1, 255, 256, 257, 65_535, 65_536, 300_000])("of %d bytes is binary data", (size) => {
    const data = Uint8Array.from({ length: size }, (_, i) => i * 3);
    const shared = new SharedArrayBuffer(size);
    new Uint8Array(shared).set(data);
    expect(Buffer.compare(encode(data.buffer), encode(data))).toBe(0);
    expect(Buffer.compare(encode(shared), encode(data))).toBe(0);
    expect(Buffer.compare(encode([{ a: data.buffer }]), encode([{ a: data }]))).toBe(0);
  });

  test("of another realm, too", () => {
    expect(encode(vm.runInNewContext("new Uint8Array([1, 2]).buffer"))).toStrictEqual(hex("c4020102"));
    expect(encode(vm.runInNewContext("new Uint16Array([1, 2])"))).toStrictEqual(hex("c40401000200"));
  });

  test("views on shared memory are binary data, and decode takes shared memory", () => {
    const shared = new SharedArrayBuffer(6);
    new Uint8Array(shared).set(hex("92 a161 c401 07"));
    expect(encode(new Uint8Array(shared, 1, 2))).toStrictEqual(hex("c402 a161"));
    const [text, data] = decode(shared) as [string, Uint8Array];
    expect(text).toBe("a");
    expect([...data]).toEqual([7]);
    expect(data.buffer).toBe(shared);
    const long = encode(["é".repeat(3000), "x".repeat(3000), { ["k".repeat(600)]: 1 }]);
    const sharedLong = new SharedArrayBuffer(long.length);
    new Uint8Array(sharedLong).set(long);
    expect(decode(sharedLong)).toEqual(decode(long));
  });

  test("resizable ones as long as they are now", () => {
    type Resizable = new (
      length: number,
      options: { maxByteLength: number },
    ) => ArrayBuffer & { resize(n: number): void };
    const buffer = new (ArrayBuffer as unknown as Resizable)(2, { maxByteLength: 10 });
    const view = new Uint8Array(buffer);
    expect(encode([buffer, view])).toStrictEqual(hex("92 c4020000 c4020000"));
    buffer.resize(3);
    expect(encode([buffer, view])).toStrictEqual(hex("92 c403000000 c403000000"));
  });
});

describe("encoding boxed primitives", () => {
  test.each([
    [Object(1), "01"],
    [Object(-0.5), "cbbfe0000000000000"],
    [Object("é"), "a2c3a9"],
    [Object(""), "a0"],
    [Object(true), "c3"],
    [Object(false), "c2"],
  ])("%o is its value", (boxed, bytes) => {
    expect(encode(boxed)).toStrictEqual(hex(bytes));
    expect(encode({ a: [boxed] })).toStrictEqual(join(hex("81 a161 91"), hex(bytes)));
  });

  test("a boxed bigint is one, a boxed symbol is none", () => {
    expect(encode(Object(5n), { int64: "auto" })).toStrictEqual(hex("05"));
    expect(encode(Object(5n), { useBigInt64: true })).toStrictEqual(hex("cf0000000000000005"));
    expect(() => encode(Object(5n))).toThrow("Unrecognized object: [object BigInt]");
  });

  test("of classes of their own, and of other realms", () => {
    class Meters extends Number {}
    expect(encode(new Meters(5))).toStrictEqual(hex("05"));
    expect(encode(vm.runInNewContext("[new Number(5), new String('a'), new Boolean(true)]"))).toStrictEqual(
      hex("93 05 a161 c3"),
    );
  });

  test("count with their own value, whatever valueOf says", () => {
    const circular: { valueOf?: unknown } = Object(1);
    circular.valueOf = () => circular;
    expect(encode(circular)).toStrictEqual(hex("01"));
    class Odd extends String {
      override valueOf(): string {
        throw new Error("not asked");
      }
    }
    expect(encode(new Odd("a"))).toStrictEqual(hex("a161"));
  });

  test("forced to floats like others", () => {
    expect(encode(Object(1), { forceIntegerToFloat: true })).toStrictEqual(hex("cb3ff0000000000000"));
  });
});

describe("errors", () => {
  test("are fresh objects with a code and an offset", () => {
    for (const bytes of ["92 01 c1", "92 01", "01 02", "81c001"]) {
      const [one, two] = [failure(() => decode(hex(bytes))), failure(() => decode(hex(bytes)))];
      expect(one).not.toBe(two);
      expect(one.message).toBe(two.message);
      expect(typeof one.code).toBe("string");
      expect(typeof one.offset).toBe("number");
    }
  });

  test("DecodeError is made by its message, as by users' codecs", () => {
    const error = new DecodeError("mine");
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ message: "mine" });
    expect(error.name).toBe("DecodeError");
    expect(Object.keys(error)).not.toContain("name");
    expect(String(error)).toBe("DecodeError: mine");
    expect(error.stack).toContain("additions.test");
  });
});
