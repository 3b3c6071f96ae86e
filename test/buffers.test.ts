import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import { Decoder, decode, Encoder, ExtData, encode } from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { join } from "./lib/bytes.ts";

describe("input of every kind", () => {
  const value = { text: "né", bin: Uint8Array.of(1, 2, 3), long: "x".repeat(700), list: [1, 2.5, -3, null] };
  const bytes = encode(value);
  const decoder = new Decoder();

  test("at every offset of its buffer", () => {
    for (let offset = 0; offset < 20; offset++) {
      const memory = new Uint8Array(bytes.length + 40).fill(0xc1);
      memory.set(bytes, offset);
      const length = bytes.length;
      const inputs = [
        memory.subarray(offset, offset + length),
        new DataView(memory.buffer, offset, length),
        new Int8Array(memory.buffer, offset, length),
        new Uint8ClampedArray(memory.buffer, offset, length),
      ];
      for (const input of inputs) {
        const decoded = decoder.decode(input) as typeof value;
        assert.deepStrictEqual(decoded, value);
        assert.equal(decoded.bin.buffer, memory.buffer);
      }
    }
  });

  test("as views with larger elements", () => {
    const memory = encode([1, 2, "abc", null, 2.5, "de"]);
    expect(memory.length % 4).toBe(0);
    for (const view of [new Uint16Array(memory.buffer), new Int32Array(memory.buffer)]) {
      expect(decoder.decode(view)).toEqual([1, 2, "abc", null, 2.5, "de"]);
    }
  });

  test("as a buffer, shared or not", () => {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    for (const buffer of [bytes.buffer, shared]) {
      const decoded = decoder.decode(buffer) as typeof value;
      assert.deepStrictEqual(decoded, value);
      assert.equal(decoded.bin.buffer, buffer);
    }
    const view = decoder.decode(new Uint8Array(shared, 0)) as typeof value;
    assert.equal(view.bin.buffer, shared);
    const text = encode("é".repeat(400_000));
    const memory = new Uint8Array(new SharedArrayBuffer(text.length + 1));
    memory.set(text, 1);
    assert.equal(decoder.decode(memory.subarray(1)), "é".repeat(400_000));
  });

  test("as a Buffer, whose binary data are Buffers, as with @msgpack/msgpack", () => {
    const buffer = Buffer.concat([Buffer.from([0xc1]), bytes]).subarray(1);
    const decoded = decoder.decode(buffer);
    assert.deepStrictEqual(decoded, { ...value, bin: Buffer.from(value.bin) });
    assert.deepStrictEqual(decoded, reference.decode(buffer));
  });

  test("as a plain array, an iterable, or something with a length", () => {
    assert.deepStrictEqual(decoder.decode([...bytes]), value);
    assert.deepStrictEqual(decoder.decode({ ...bytes, length: bytes.length }), value);
    assert.deepStrictEqual(decoder.decode(new Set([0x93, 1, 2, 3]) as unknown as number[]), [1, 2, 3]);
    assert.deepStrictEqual(decoder.decode([0x191, -1]), [-1]);
  });
});

describe("what comes out", () => {
  test("binary data are views of the input, at their place, long or short", () => {
    const message = encode([
      Uint8Array.of(1, 2),
      new Uint8Array(300).fill(3),
      new ExtData(1, new Uint8Array(9)),
    ]);
    const memory = join([0, 0, 0], message);
    const input = memory.subarray(3);
    const [short, long, ext] = decode(input) as [Uint8Array, Uint8Array, ExtData];
    expect([short.buffer, long.buffer, (ext.data as Uint8Array).buffer]).toEqual(
      new Array(3).fill(memory.buffer),
    );
    expect([short.byteOffset, long.byteOffset]).toEqual([6, 11]);
    memory.fill(9);
    expect([...short]).toEqual([9, 9]);
  });

  test("an encoded message fills a buffer of its own, from its start", () => {
    const values = [
      1,
      "x".repeat(100),
      "y".repeat(5000),
      new Uint8Array(100_000),
      new Array(500_000).fill(1.5),
    ];
    for (const value of values) {
      const first = encode(value);
      const second = new Encoder().encode(value);
      for (const bytes of [first, second]) {
        expect(bytes.constructor).toBe(Uint8Array);
        expect(bytes.byteOffset).toBe(0);
        expect(bytes.buffer.byteLength).toBe(bytes.length);
      }
      expect(first.buffer).not.toBe(second.buffer);
    }
  });

  test("encodeSharedRef gives a view of one buffer, which the next call overwrites", () => {
    const encoder = new Encoder();
    const first = encoder.encodeSharedRef([1, 2, 3]);
    expect([...first]).toEqual([0x93, 1, 2, 3]);
    const second = encoder.encodeSharedRef([4, 5, 6]);
    expect(second.buffer).toBe(first.buffer);
    expect([...first]).toEqual([0x93, 4, 5, 6]);
    expect(first.byteOffset).toBe(0);
    for (const length of [2047, 2048, 2049, 4095, 4096, 4097, 100_000]) {
      const text = "s".repeat(length);
      expect(decode(encoder.encodeSharedRef(text))).toBe(text);
    }
    expect(decode(encoder.encodeSharedRef([4, 5, 6]))).toEqual([4, 5, 6]);
  });
});

describe("after a message with long binary data, which is taken for the first of several", () => {
  const bulky = encode([new Uint8Array(5000)]);
  const sizes = [0, 1, 1000, 1020, 1024, 1030, 4095, 4096, 70_000, 200_000];
  const values: unknown[] = [
    ...sizes.map((size) => [size, new Uint8Array(size).fill(size), "behind", { size }]),
    ...sizes.map((size) => ({
      text: "ü".repeat(size),
      more: ["x".repeat(size), new Uint8Array(size)],
      last: size,
    })),
    Array.from({ length: 1000 }, (_, i) => ({ id: i, name: `name ${i}`, data: new Uint8Array(i) })),
  ];

  test("any message comes out as from a new decoder, its data as views of the input", () => {
    for (const value of values) {
      const bytes = encode(value);
      const decoder = new Decoder();
      for (let i = 0; i < 3; i++) {
        decoder.decode(bulky);
        assert.deepStrictEqual(decoder.decode(bytes), value);
        assert.deepStrictEqual(decoder.decode(bytes), value);
      }
    }
    const input = encode([1, new Uint8Array(9000)]);
    const decoder = new Decoder();
    decoder.decode(bulky);
    expect((decoder.decode(input) as [number, Uint8Array])[1].buffer).toBe(input.buffer);
  });

  test("errors are those of a new decoder", () => {
    const bytes = encode([{ a: "x".repeat(2000), b: new Uint8Array(5000), c: [1, 2, 3] }, "ü".repeat(600)]);
    const failureOf = (decoder: Decoder, input: Uint8Array) => {
      try {
        return decoder.decode(input);
      } catch (error) {
        return error;
      }
    };
    for (let length = 0; length < bytes.length; length += length < 3000 ? 1 : 37) {
      const cut = bytes.subarray(0, length);
      const decoder = new Decoder();
      decoder.decode(bulky);
      expect(failureOf(decoder, cut)).toStrictEqual(failureOf(new Decoder(), cut));
    }
  });
});
