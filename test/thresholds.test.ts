import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import { decode, ExtData, ExtensionCodec, encode } from "msgpack-wasm";
import { describe, expect, test, vi } from "vitest";
import { bigEndian, join } from "./lib/bytes.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Before, at and behind each size where something changes. */
function around(...sizes: number[]): number[] {
  return [...new Set(sizes.flatMap((size) => [size - 1, size, size + 1]))].filter((size) => size >= 0);
}

/** Requires the bytes of @msgpack/msgpack, and the same value back from both. */
function checkBothWays(value: unknown): void {
  const bytes = encode(value);
  assert.deepStrictEqual(bytes, reference.encode(value).slice());
  const decoded = decode(bytes);
  assert.deepStrictEqual(decoded, reference.decode(bytes));
  assert.deepStrictEqual(encode(decoded), bytes);
}

describe("text of characters of one to four bytes, lone surrogates among them", () => {
  const classes = ["aZ~", "éßԱ", "日本語€", "😀🚀🇯", "\ud800", "\udc00"].map((text) => [...text]);
  const numbers = fc.array(fc.tuple(fc.nat(5), fc.nat(2), fc.integer({ min: 1, max: 19 })), {
    maxLength: 12,
  });

  test("in runs of any length, as TextEncoder and TextDecoder have it", () => {
    fc.assert(
      fc.property(numbers, (runs) => {
        const text = runs
          .map(([kind, i, count]) => classes[kind][i % classes[kind].length].repeat(count))
          .join("");
        // What a lone surrogate becomes.
        const expected = new TextDecoder().decode(new TextEncoder().encode(text));
        // Alone, and among others by way of the pools; as a key, too.
        assert.deepStrictEqual(encode(text), reference.encode(expected).slice());
        const bytes = encode([text, "é", text, null, text, { [text]: text }]);
        const value = [expected, "é", expected, null, expected, { [expected]: expected }];
        assert.deepStrictEqual(bytes, reference.encode(value).slice());
        assert.deepStrictEqual([decode(encode(text)), decode(bytes)], [expected, value]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("numbers at each size of a format", () => {
  const powers = [0, 5, 7, 8, 15, 16, 27, 28, 31, 32, 53, 63, 64].map((bits) => 2 ** bits);
  const wholes = powers.flatMap((power) => [power - 1, power, power + 1]);
  const numbers = [...new Set([...wholes, ...wholes.map((number) => -number), -0, 0.5, -0.5])];
  const floats = [Number.NaN, Infinity, -Infinity, 5e-324, Number.MAX_VALUE, 1e300, 2 ** -149, 2 ** 128, 0.1];

  test.each([...numbers, ...floats])("%d", (number) => {
    checkBothWays(number);
    checkBothWays([number]);
    checkBothWays({ number });
    // Alone among others, in a run of numbers, and where it breaks one.
    checkBothWays([null, number, "x", number, number, null]);
    checkBothWays(new Array(40).fill(number));
    checkBothWays([...new Array(40).fill(1), number, ...new Array(40).fill(0.5), number, "end"]);
  });

  test("in pairs, of which vectors take two at a time", () => {
    const all = [...numbers, ...floats];
    for (const first of all) {
      for (const second of all) checkBothWays([0.5, first, second, 0.25, second]);
    }
  });

  test("come back as they were", () => {
    for (const number of [...numbers, ...floats]) {
      // MessagePack's integers have no −0.
      const expected = Object.is(number, -0) ? 0 : number;
      assert.ok(Object.is(decode(encode(number)), expected), `${number}`);
      assert.deepStrictEqual(decode(encode([number, number, number, number])), new Array(4).fill(expected));
    }
  });

  test("in every format that can hold them", () => {
    const formats: [number, number, boolean][] = [
      [0xcc, 1, false],
      [0xcd, 2, false],
      [0xce, 4, false],
      [0xcf, 8, false],
      [0xd0, 1, true],
      [0xd1, 2, true],
      [0xd2, 4, true],
      [0xd3, 8, true],
    ];
    for (const [format, size, isSigned] of formats) {
      const top = 2n ** BigInt(size * 8 - (isSigned ? 1 : 0));
      const bottom = isSigned ? -top : 0n;
      const edges = [bottom, bottom + 1n, -1n, 0n, 1n, 127n, 128n, top - 2n, top - 1n];
      for (const number of edges.filter((edge) => edge >= bottom && edge < top)) {
        const bits = BigInt.asUintN(size * 8, number);
        const bytes = join(
          [format],
          bigEndian(Number(bits >> 32n), 4).slice(0, Math.max(size - 4, 0)),
          bigEndian(Number(bits & 0xffffffffn), Math.min(size, 4)),
        );
        assert.equal(decode(bytes), Number(number));
        assert.deepStrictEqual(
          decode(join([0x95], bytes, bytes, bytes, bytes, bytes)),
          new Array(5).fill(Number(number)),
        );
        const exact = decode(bytes, { useBigInt64: true });
        assert.equal(exact, size === 8 ? number : Number(number));
      }
    }
  });

  test("as float 32", () => {
    for (const number of [...numbers, ...floats]) {
      const options = { forceFloat32: true };
      assert.deepStrictEqual(encode([number], options), reference.encode([number], options).slice());
    }
    const bytes = new DataView(new ArrayBuffer(5));
    bytes.setUint8(0, 0xca);
    for (const number of floats) {
      bytes.setFloat32(1, number);
      assert.ok(Object.is(decode(bytes), Math.fround(number)));
    }
  });
});

describe("strings", () => {
  const lengths = around(
    0,
    12,
    13,
    15,
    16,
    31,
    32,
    33,
    50,
    63,
    64,
    65,
    85,
    128,
    200,
    255,
    256,
    341,
    512,
    600,
    682,
    1024,
    2048,
    2730,
    4096,
    8192,
    21_845,
    65_535,
    65_536,
  );

  test.each(lengths)("of %d UTF-16 units", (length) => {
    const texts = ["a", "é", "€", "😀", "aé", "aaaaaaaaaaaaaaaaaaaaaaaaa€"].map((unit) => {
      const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      return text.replace(/\p{Surrogate}/gu, "?");
    });
    // The one character that is not ASCII at the end, where the last step of a loop meets it.
    if (length > 0) texts.push(`${"a".repeat(length - 1)}é`, `é${"a".repeat(length - 1)}`);
    for (const text of texts) {
      checkBothWays(text);
      checkBothWays(["x", text, "", text, "é"]);
      checkBothWays({ before: "b", text, after: ["a"] });
      assert.equal(decode(encode(text)), text);
    }
  });

  test.each(around(31, 32, 255, 256, 512, 513, 65_535, 65_536))("of %d bytes of UTF-8", (length) => {
    for (const unit of ["é", "€", "😀"]) {
      const size = Buffer.byteLength(unit);
      const text = unit.repeat(length / size) + "a".repeat(length % size);
      checkBothWays(text);
      checkBothWays([text, text]);
    }
  });

  test("behind longer headers than they need", () => {
    for (const length of around(0, 12, 13, 31, 32, 255, 256, 512)) {
      const text = "t".repeat(Math.min(length, 255));
      for (const header of [
        join([0xd9], [text.length]),
        join([0xda], bigEndian(text.length, 2)),
        join([0xdb], bigEndian(text.length, 4)),
      ]) {
        assert.equal(decode(join(header, text)), text);
        assert.deepStrictEqual(decode(join([0x81], header, text, header, text)), { [text]: text });
      }
    }
  });

  test("that fill pools of 8192 bytes exactly, by one less, and by one more", () => {
    for (const unit of ["a", "é"]) {
      for (const size of around(4096, 8192, 16_384)) {
        for (const piece of [12, 13, 64, 500, 512]) {
          const count = Math.floor(size / piece);
          const rest = size - count * piece;
          const texts = [
            ...new Array<string>(count).fill(unit.repeat(piece)),
            unit.repeat(rest),
            "after",
            "à",
          ];
          assert.deepStrictEqual(decode(encode(texts)), texts);
          checkBothWays(texts);
        }
      }
    }
  });

  test("that fill an input chunk of 65,536 bytes, so that the next begins in any of their bytes", () => {
    for (let before = 65_536 - 40; before <= 65_536 + 4; before++) {
      const value = [
        new Uint8Array(before - 10),
        "0123456789ABCDEFé",
        { key: "€€€€€" },
        -1.5,
        ["😀", 70_000],
      ];
      assert.deepStrictEqual(decode(encode(value)), value);
    }
  });
});

describe("keys", () => {
  test.each(
    around(0, 1, 7, 8, 12, 13, 16, 31, 32, 33, 62, 63, 64, 65, 66, 128, 255, 256, 512, 2048, 65_535, 65_536),
  )("of %d units", (length) => {
    for (const unit of ["k", "é", "€"]) {
      const key = unit.repeat(length);
      const other = `${unit.repeat(Math.max(length - 1, 0))}!`;
      const value = [
        { [key]: 1 },
        { [key]: 2 },
        { [key]: 3, [other]: 4 },
        { [key]: 5, [other]: 6 },
        { [other]: 7, [key]: 8 },
      ];
      checkBothWays(value);
      checkBothWays(value);
      assert.deepStrictEqual(decode(encode(value)), value);
    }
  });

  test("of 62 to 66 bytes of UTF-8", () => {
    for (let length = 60; length <= 70; length++) {
      const key = "é".repeat(length / 2) + "a".repeat(length % 2);
      for (let i = 0; i < 4; i++) checkBothWays([{ [key]: i }, { [key]: "x", b: 1 }]);
    }
  });

  test("that differ in their last byte only", () => {
    for (const length of around(8, 16, 24, 64)) {
      const stem = "s".repeat(length);
      const objects = Array.from({ length: 40 }, (_, i) => ({
        [`${stem}${String.fromCharCode(97 + (i % 5))}`]: i,
      }));
      for (let i = 0; i < 3; i++) checkBothWays(objects);
    }
  });
});

describe("arrays", () => {
  const counts = around(0, 1, 2, 3, 4, 5, 8, 15, 16, 31, 32, 33, 255, 256, 1000, 16_384, 65_535, 65_536);

  test.each(counts)("of %d items", (count) => {
    const kinds: ((i: number) => unknown)[] = [
      () => null,
      (i) => i,
      (i) => i - 100_000,
      (i) => i / 3,
      (i) => (i % 2 === 0 ? i : i / 3),
      (i) => `s${i % 10}`,
      (i) => [i],
      (i) => ({ i }),
      // Numbers with something else as the last, and the first.
      (i) => (i === count - 1 ? "last" : i),
      (i) => (i === count - 1 ? "last" : i / 3),
      (i) => (i === 0 ? "first" : i),
      (i) => (i === count - 1 ? 0.5 : i),
      (i) => (i === 0 ? 0.5 : i),
      (i) => (i === count - 1 ? 2 ** 40 : i),
    ];
    for (const kind of kinds) {
      const array = Array.from({ length: count }, (_, i) => kind(i));
      if (count > 10_000) {
        checkBothWays([array, "after"]);
      } else {
        checkBothWays(array);
        checkBothWays([array, "between", array]);
        checkBothWays({ array, after: 1 });
      }
    }
  });

  test("of one to five floats, wherever they stand", () => {
    for (let count = 0; count <= 6; count++) {
      const point = Array.from({ length: count }, (_, i) => i + 0.25);
      const mixed = point.map((x, i) => (i === count - 1 ? Math.floor(x) : x));
      checkBothWays([point, mixed, point, point]);
      checkBothWays({ type: "Polygon", coordinates: [[point, mixed, point], [], [point]] });
    }
  });

  test("behind longer headers than they need", () => {
    expect(decode(join([0xdc, 0, 0]))).toEqual([]);
    expect(decode(join([0xdd, 0, 0, 0, 0]))).toEqual([]);
    expect(decode(join([0xdd, 0, 0, 0, 5, 1, 2, 3, 4, 5]))).toEqual([1, 2, 3, 4, 5]);
    expect(decode(join([0xdc, 0, 3], encode(1.5), encode(2.5), encode(3.5)))).toEqual([1.5, 2.5, 3.5]);
  });
});

describe("maps", () => {
  const counts = around(0, 1, 2, 15, 16, 17, 31, 32, 127, 128, 129, 255, 256, 4095, 4096, 65_535, 65_536);

  test.each(counts)("of %d pairs", (count) => {
    const map = Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i % 7]));
    for (let i = 0; i < (count > 10_000 ? 0 : 3); i++) checkBothWays(map);
    checkBothWays([map, { key0: 1 }, "after"]);
    assert.deepStrictEqual(Object.keys(decode(encode(map)) as object), Object.keys(map));
  });

  test("behind longer headers than they need", () => {
    for (let i = 0; i < 3; i++) {
      expect(decode(join([0xde, 0, 0]))).toEqual({});
      expect(decode(join([0xdf, 0, 0, 0, 0]))).toEqual({});
      expect(decode(join([0xde, 0, 1, 0xa1], "a", [5]))).toEqual({ a: 5 });
      expect(decode(join([0xdf, 0, 0, 0, 1, 0xa1], "a", [5]))).toEqual({ a: 5 });
      expect(decode(join([0x82, 0xd9, 1], "a", [5, 0xda, 0, 1], "b", [6]))).toEqual({ a: 5, b: 6 });
    }
  });
});

describe("binary data", () => {
  test.each(around(0, 1, 31, 32, 255, 256, 257, 512, 8192, 65_535, 65_536, 70_000))(
    "of %d bytes",
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => i);
      checkBothWays(bytes);
      checkBothWays([bytes, "between", bytes, bytes]);
      checkBothWays({ bytes, after: 1 });
      checkBothWays(join([0], bytes).subarray(1));
    },
  );

  test("is the view's part of its buffer, whatever the view", () => {
    const { buffer } = Uint8Array.from({ length: 64 }, (_, i) => i);
    const views = [
      new Uint8Array(buffer, 3, 5),
      new Int8Array(buffer, 1, 2),
      new Uint16Array(buffer, 2, 3),
      new Float32Array(buffer, 4, 2),
      new Float64Array(buffer, 8, 2),
      new BigUint64Array(buffer, 16, 1),
      new DataView(buffer, 5, 7),
      Buffer.from(buffer, 9, 4),
    ];
    for (const view of views) {
      checkBothWays(view);
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      assert.deepStrictEqual(decode(encode(view)), bytes.slice());
    }
    const shared = new Uint8Array(new SharedArrayBuffer(600)).fill(7);
    assert.deepStrictEqual(decode(encode([shared, shared.subarray(0, 5)])), [
      new Uint8Array(600).fill(7),
      new Uint8Array(5).fill(7),
    ]);
  });
});

describe("extensions", () => {
  test.each(around(0, 1, 2, 4, 8, 16, 17, 255, 256, 257, 512, 65_535, 65_536))("of %d bytes", (length) => {
    const data = Uint8Array.from({ length }, (_, i) => i);
    for (const type of [0, 1, 5, 127, -2, -128]) {
      const bytes = encode(["x", new ExtData(type, data), 1]);
      assert.deepStrictEqual(bytes, reference.encode(["x", new reference.ExtData(type, data), 1]).slice());
      const [, ext] = decode(bytes) as [unknown, ExtData, unknown];
      assert.ok(ext instanceof ExtData);
      assert.deepStrictEqual({ ...ext }, { type, data });
    }
  });

  test("of a registered type get views of the message", () => {
    const seen: Uint8Array[] = [];
    const extensionCodec = new ExtensionCodec();
    const decodeExtension = (data: Uint8Array) => {
      seen.push(data);
      return data.length;
    };
    extensionCodec.register({ type: 7, encode: () => null, decode: decodeExtension });
    const bytes = encode([new ExtData(7, new Uint8Array(1000).fill(1)), new ExtData(7, Uint8Array.of(2))]);
    expect(decode(bytes, { extensionCodec })).toEqual([1000, 1]);
    expect(seen.map((data) => data.buffer === bytes.buffer)).toEqual([true, true]);
    expect(seen.map((data) => data[0])).toEqual([1, 2]);
  });

  test.each([
    0,
    1,
    -1,
    999,
    1000,
    1001,
    -1000,
    -999,
    2 ** 31 * 1e3,
    2 ** 32 * 1e3 - 1,
    2 ** 32 * 1e3,
    2 ** 32 * 1e3 - 1000,
    2 ** 34 * 1e3 - 1,
    2 ** 34 * 1e3,
    8.64e15,
    -8.64e15,
  ])("the date of %d ms", (milliseconds) => {
    const date = new Date(milliseconds);
    checkBothWays(date);
    checkBothWays({ at: date, list: [date, date] });
    assert.deepStrictEqual(decode(encode(date)), date);
  });
});
