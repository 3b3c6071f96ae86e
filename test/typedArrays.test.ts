import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import {
  DecodeError,
  Decoder,
  type DecoderInput,
  decode,
  decodeArrayStream,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  decodeSegments,
  decodeSingle,
  Encoder,
  ExtData,
  ExtensionCodec,
  encode,
  encodeInto,
  TypedArrayCodec,
  type TypedArrayCodecOptions,
} from "msgpack-wasm";
import { describe, expect, test, vi } from "vitest";
import { documentedCodec } from "../bench/lib/documentedCodec.mjs";
import { bigEndian, hex, join } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";
import { collect, piecesOf, streamOf } from "./lib/streams.ts";
import { bytesOf, classes, extensionAt, placed, type Sample, sample, types } from "./lib/typedArrays.ts";

vi.setConfig({ testTimeout: 60_000 });

const extensionCodec = new TypedArrayCodec();
const options = { extensionCodec };
const everyClass = classes.map((Class) => [Class.name, Class] as const);

/** Every position modulo 16, and every base offset. */
const sixteen = Array.from({ length: 16 }, (_, i) => i);

function optionsOf(codecOptions: TypedArrayCodecOptions): { extensionCodec: TypedArrayCodec } {
  return { extensionCodec: new TypedArrayCodec(codecOptions) };
}

function expectSame(actual: unknown, expected: Sample): void {
  expect(Object.getPrototypeOf(actual)).toBe(Object.getPrototypeOf(expected));
  expect(Buffer.compare(bytesOf(actual as Sample), bytesOf(expected))).toBe(0);
  expect((actual as Sample).length).toBe(expected.length);
}

describe.each(everyClass)("%s", (name, Class) => {
  const size = Class.BYTES_PER_ELEMENT;

  // 1001 elements go to the result directly, the others by way of wasm memory.
  test.each([0, 1, 3, 5, 1001])("of length %d, at every position, from every base offset", (length) => {
    const array = sample(Class, length);
    for (const position of sixteen) {
      const value = [...new Array(position).fill(7), array];
      const message = encode(value, options);
      const at = (position < 15 ? 1 : 3) + position;
      const { type, headerSize, start, length: payload } = extensionAt(message, at);
      const offset = message[start];
      expect(type).toBe(types.get(name));
      expect((start + offset) % size).toBe(0);
      expect(offset).toBeLessThanOrEqual(size);
      expect(payload).toBe(offset + length * size);
      expect([...message.subarray(start + 1, start + offset)].every((byte) => byte === 0)).toBe(true);
      expect(Buffer.compare(message.subarray(start + offset, start + payload), bytesOf(array))).toBe(0);
      expect(message.length).toBe(start + payload);
      expect(headerSize).toBe(smallestHeader(at, size, length * size));

      for (const base of sixteen) {
        const input = placed(message, base);
        const decoded = (decode(input, options) as Sample[])[position];
        expectSame(decoded, array);
        const isAligned = (base + start + offset) % size === 0;
        expect(decoded.buffer === input.buffer, `at ${position}, from ${base}`).toBe(isAligned);
        if (isAligned) expect(decoded.byteOffset).toBe(base + start + offset);
      }
    }
  });

  test("is as it was, for all values of its elements", () => {
    const all = new Class(new Uint8Array(4096).map((_, i) => (i * 7919) >> 3).buffer);
    const decoded = decode(encode(all, options), options) as Sample;
    expect(Buffer.compare(bytesOf(decoded), bytesOf(all))).toBe(0);
  });
});

/** Tried from the smallest on: each makes another position, and so another padding. */
function smallestHeader(at: number, alignment: number, bytes: number): number {
  const payload = (header: number) => {
    let offset = 1;
    while ((at + header + offset) % alignment !== 0) offset++;
    return offset + bytes;
  };
  if ([1, 2, 4, 8, 16].includes(payload(2))) return 2;
  if (payload(3) < 256) return 3;
  return payload(4) < 65_536 ? 4 : 6;
}

describe("types", () => {
  test("by default are those of the documentation", () => {
    expect(types.get("Float32Array")).toBe(1);
    expect(types.get("BigUint64Array")).toBe(10);
    expect(encode(Float64Array.of(1), options)).toStrictEqual(hex("c70d02 05 00000000 000000000000f03f"));
    expect(encode(Int8Array.of(-1), options)).toStrictEqual(hex("d503 01 ff"));
    expect(encode(Uint16Array.of(0x1234), options)).toStrictEqual(hex("d606 02 00 3412"));
    expect(encode(new BigInt64Array(0), options)).toStrictEqual(hex("c705 09 05 00000000"));
  });

  test("Uint8Array, Buffer and DataView stay binary data", () => {
    const bytes = Uint8Array.of(1, 2, 3);
    for (const value of [bytes, Buffer.from(bytes), new DataView(bytes.buffer), bytes.buffer]) {
      expect(encode(value, options)).toStrictEqual(hex("c403010203"));
    }
    expect(decode(hex("c403010203"), options)).toStrictEqual(bytes);
  });

  test("can be others, or fewer", () => {
    const some = optionsOf({ types: { Int16Array: 0, Float64Array: 127 } });
    expect(encode(Int16Array.of(1), some)).toStrictEqual(hex("d600 02 00 0100"));
    expectSame(decode(encode(Float64Array.of(1.5), some), some), Float64Array.of(1.5));
    expect(encode(Float32Array.of(1), some)).toStrictEqual(hex("c4040000803f"));
    expect(encode(Float32Array.of(1), optionsOf({ types: {} }))).toStrictEqual(hex("c4040000803f"));
  });

  test.each<[string, TypedArrayCodecOptions]>([
    ["Uint8Array", { types: { Uint8Array: 5 } as object }],
    ["__proto__", { types: JSON.parse('{"__proto__": 5}') }],
    ["toString", { types: { toString: 5 } as object }],
    ["-1", { types: { Float32Array: -1 } }],
    ["128", { types: { Float32Array: 128 } }],
    ["1.5", { types: { Float32Array: 1.5 } }],
    ["are both 4", { types: { Float32Array: 4, Int8Array: 4 } }],
    ["align", { align: 0 }],
    ["align", { align: 3 }],
    ["align", { align: 256 }],
    ["align", { align: 2.5 }],
    ["views", { views: "yes" as "copy" }],
    ["onMisaligned", { onMisaligned: "yes" as "copy" }],
  ])("and options that make no sense are a RangeError that says %s", (text, wrong) => {
    const error = failure(() => new TypedArrayCodec(wrong));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain(text);
  });

  test("of classes that the host lacks are left out", () => {
    vi.stubGlobal("Float16Array", undefined);
    try {
      const codec = new TypedArrayCodec();
      const error = failure(() =>
        decode(hex("91d60b020000 00".replaceAll(" ", "")), { extensionCodec: codec }),
      );
      expect(error).toBeInstanceOf(DecodeError);
      expect(error).toMatchObject({ code: "EXTENSION", offset: 1 });
      expect(error.message).toContain("Float16Array");
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("of classes that the host has got meanwhile are known: Float16Array", () => {
    class Float16Array extends Uint16Array {}
    // What hosts without it cannot make is a class with that name inside; the table only looks up names.
    if ("Float16Array" in globalThis) return;
    vi.stubGlobal("Float16Array", Float16Array);
    try {
      const decoded = decode(hex("d60b0200003c"), { extensionCodec: new TypedArrayCodec() });
      expect(decoded).toBeInstanceOf(Float16Array);
      expect([...(decoded as Float16Array)]).toStrictEqual([0x3c00]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("a big-endian host is refused with an error that says so", () => {
    vi.stubGlobal("Uint16Array", { of: () => ({ buffer: Uint8Array.of(0, 1).buffer }) });
    try {
      expect(failure(() => new TypedArrayCodec()).message).toMatch(/little-endian/);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("a larger alignment", () => {
  test.each([1, 2, 4, 8, 16, 32, 64, 128])(
    "of %d is kept, or that of the elements if it is larger",
    (align) => {
      const aligned = optionsOf({ align });
      for (const [, Class] of everyClass) {
        const alignment = Math.max(align, Class.BYTES_PER_ELEMENT);
        for (let position = 0; position < 2 * alignment; position += 3) {
          for (const length of [0, 1, 100]) {
            const array = sample(Class, length);
            const input = encode(["x".repeat(position), array], aligned);
            const decoded = (decode(input, aligned) as Sample[])[1];
            expectSame(decoded, array);
            expect(decoded.buffer).toBe(input.buffer);
            expect(decoded.byteOffset % alignment).toBe(0);
            // Nobody need know how they were aligned.
            expectSame((decode(input, options) as Sample[])[1], array);
          }
        }
      }
    },
  );
});

describe("decoding", () => {
  const array = sample(classes[1], 5);
  const message = encode({ array }, options);
  const arrayOf = (input: DecoderInput, from = options) =>
    (decode(input, from) as { array: Float64Array }).array;

  test("gives views of whatever the input is", () => {
    const { buffer } = message;
    const shared = new SharedArrayBuffer(message.length);
    new Uint8Array(shared).set(message);
    const pool = Buffer.alloc(message.length + 16);
    pool.set(message, 16);
    const memory = new WebAssembly.Memory({ initial: 1 });
    const inMemory = new Uint8Array(memory.buffer, 4096, message.length);
    inMemory.set(message);
    const inputs: [DecoderInput, ArrayBufferLike, number][] = [
      [message, buffer, 0],
      [Buffer.from(buffer), buffer, 0],
      [pool.subarray(16), pool.buffer, pool.byteOffset + 16],
      [buffer, buffer, 0],
      [new DataView(buffer), buffer, 0],
      [shared, shared, 0],
      [new Uint8Array(shared), shared, 0],
      [inMemory, memory.buffer, 4096],
    ];
    for (const [input, expected, base] of inputs) {
      const view = arrayOf(input);
      expectSame(view, array);
      if ((base + 16) % 8 === 0) expect(view.buffer).toBe(expected);
    }
  });

  test("gives views of shared memory of every class", () => {
    for (const [, Class] of everyClass) {
      const original = sample(Class, 7);
      const bytes = encode([original, original], options);
      const shared = new SharedArrayBuffer(bytes.length);
      new Uint8Array(shared).set(bytes);
      for (const view of decode(shared, options) as Sample[]) {
        expect(view.buffer).toBe(shared);
        expectSame(view, original);
      }
    }
    const counters = encode(Int32Array.of(1, 2), options);
    const shared = new SharedArrayBuffer(counters.length);
    new Uint8Array(shared).set(counters);
    expect(Atomics.add(decode(shared, options) as Int32Array, 1, 5)).toBe(2);
    expect((decode(shared, options) as Int32Array)[1]).toBe(7);
  });

  test("gives views that show what becomes of the input", () => {
    const input = message.slice();
    const view = arrayOf(input);
    input.fill(0, view.byteOffset);
    expect([...view]).toStrictEqual([0, 0, 0, 0, 0]);
  });

  test("gives copies where that is wanted, whatever the base offset", () => {
    const copies = optionsOf({ views: "copy", onMisaligned: "throw" });
    for (const base of sixteen) {
      const input = placed(message, base);
      const copy = arrayOf(input, copies);
      input.fill(0);
      expectSame(copy, array);
      expect(copy.byteOffset).toBe(0);
    }
    const buffer = Buffer.from(message);
    const copy = arrayOf(buffer, copies);
    buffer.fill(0);
    expectSame(copy, array);
  });

  test("copies what is not aligned, also out of shared memory and a Buffer", () => {
    const shared = new SharedArrayBuffer(message.length + 1);
    const input = new Uint8Array(shared, 1);
    input.set(message);
    const copy = arrayOf(input);
    expect(copy.buffer).toBeInstanceOf(ArrayBuffer);
    input.fill(0);
    expectSame(copy, array);
    const buffer = Buffer.from(placed(message, 3).buffer, 3);
    const other = arrayOf(buffer);
    buffer.fill(0);
    expectSame(other, array);
  });

  test("or throws, and says where the array is", () => {
    const strict = optionsOf({ onMisaligned: "throw" });
    for (const base of sixteen) {
      const input = placed(message, base);
      if (base % 8 === 0) {
        expect(arrayOf(input, strict).buffer).toBe(input.buffer);
        continue;
      }
      const error = failure(() => arrayOf(input, strict));
      expect(error).toBeInstanceOf(DecodeError);
      expect(error).toMatchObject({ code: "MISALIGNED", offset: 7 });
      expect(error.message).toMatch(/Float64Array.*offset 7/);
      expect(decode(message, strict)).toStrictEqual({ array });
    }
    const pieces = [message.subarray(0, 30), message.subarray(30)];
    expect(failure(() => decodeSegments(pieces, strict))).toMatchObject({ code: "MISALIGNED", offset: 7 });
  });
});

describe("encoding", () => {
  test("takes views of views with byteOffset", () => {
    const whole = sample(classes[0], 1000);
    for (const [from, to] of [
      [0, 0],
      [1, 2],
      [3, 1000],
      [500, 501],
      [100, 900],
    ]) {
      const part = new Float32Array(whole.buffer, from * 4, to - from);
      expectSame(decode(encode(part, options), options), part as Sample);
      // A view of a view of a message.
      const again = (decode(encode(whole, options), options) as Float32Array).subarray(from, to);
      expectSame((decode(encode([again], options), options) as unknown[])[0], part as Sample);
    }
  });

  test("takes arrays of shared memory, of other realms, and of classes of their own", () => {
    const shared = new Int16Array(new SharedArrayBuffer(10), 2, 3).fill(-3);
    expectSame(decode(encode(shared, options), options), Int16Array.of(-3, -3, -3) as Sample);
    const foreign = runInNewContext("Float64Array.of(1.5, 2.5)");
    expectSame(decode(encode(foreign, options), options), Float64Array.of(1.5, 2.5) as Sample);
    class Positions extends Float32Array {
      override get [Symbol.toStringTag](): never {
        throw new Error("not to be asked");
      }
    }
    expectSame(decode(encode(Positions.of(1, 2), options), options), Float32Array.of(1, 2) as Sample);
    expect(encode({ [Symbol.toStringTag]: "Float32Array" }, options)).toStrictEqual(hex("80"));
  });

  test("copies what is short when it is met, and the long at the end, as binary data", () => {
    const short = Float32Array.of(1);
    const value = [
      short,
      {
        get late() {
          short[0] = 2;
          return 0;
        },
      },
    ];
    expect((decode(encode(value, options), options) as unknown[])[0]).toStrictEqual(Float32Array.of(1));
  });

  test("refuses arrays that an extension has no room for", () => {
    // Memory that nobody touches takes none.
    const vast = new Float64Array(2 ** 29);
    const error = failure(() => encode([vast], options));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain(`${2 ** 32}`);
    expect(encode([1], options)).toStrictEqual(hex("9101"));
  });

  test("into a target aligns from the start of that: behind a frame header of 13 bytes", () => {
    const value = { position: sample(classes[0], 100), time: Float64Array.of(1) };
    for (const header of [...sixteen, 13, 129]) {
      const target = new Uint8Array(1000);
      const end = encodeInto(value, target, header, options);
      const received = target.slice(0, end);
      const decoded = decode(received.subarray(header), optionsOf({ onMisaligned: "throw" })) as typeof value;
      expect(decoded).toStrictEqual(value);
      expect(decoded.position.buffer).toBe(received.buffer);
      expect(decoded.time.buffer).toBe(received.buffer);
      // What was set for one message is not left to the next.
      expect(decode(encode(value, options), optionsOf({ onMisaligned: "throw" }))).toStrictEqual(value);
    }
  });

  test("into a target says where a message that does not fit would end, and leaves the target alone", () => {
    const target = new Uint8Array(100);
    const error = failure(() => encodeInto(new Float64Array(12), target, 3, options));
    expect(error).toBeInstanceOf(RangeError);
    expect(target).toStrictEqual(new Uint8Array(100));
  });

  test("with encodeSharedRef gives views of the shared buffer", () => {
    const encoder = new Encoder(options);
    for (const length of [1, 3, 2000]) {
      const array = sample(classes[1], length);
      const message = encoder.encodeSharedRef(["é", array]);
      const decoded = (decode(message, options) as unknown[])[1] as Sample;
      expect(decoded.buffer).toBe(message.buffer);
      expectSame(decoded, array);
    }
  });

  test("aligns thousands of arrays, more than there is room for at once", () => {
    const value = Array.from({ length: 3000 }, (_, i) => [
      sample(classes[i % classes.length], i % 150, i),
      "é".repeat(i % 40),
      new Uint8Array(i % 700),
    ]);
    const strict = new Decoder(optionsOf({ onMisaligned: "throw" }));
    const message = encode(value, options);
    const decoded = strict.decode(message) as (typeof value)[0][];
    assert.deepStrictEqual(decoded, value);
    for (const [array] of decoded) assert.equal((array as Sample).buffer, message.buffer);
  });
});

describe("nested", () => {
  class Mesh {
    readonly parts: unknown;
    constructor(parts: unknown) {
      this.parts = parts;
    }
  }

  function codecOfMeshes(): TypedArrayCodec {
    const codec = new TypedArrayCodec();
    codec.register({
      type: 100,
      encode: (value) => (value instanceof Mesh ? encode(value.parts, { extensionCodec: codec }) : null),
      decode: (data) => new Mesh(decode(data, { extensionCodec: codec })),
    });
    // One that keeps what is in it aligned in the whole message.
    codec.register({
      type: 101,
      encode: (value) =>
        value instanceof Set
          ? (position) => {
              const target = new Uint8Array(10_000);
              const end = encodeInto([...value], target, position, { extensionCodec: codec });
              return target.subarray(position, end);
            }
          : null,
      decode: (data) => new Set(decode(data, { extensionCodec: codec }) as unknown[]),
    });
    return codec;
  }

  const arrays = (): Record<string, unknown> => ({
    ...Object.fromEntries(everyClass.map(([name, Class], i) => [name, sample(Class, i * 3, i)])),
    long: sample(classes[0], 1000),
  });

  test("in maps and arrays, as deep as may be", () => {
    let value: unknown = [arrays(), { arrays: [arrays()] }];
    for (let i = 0; i < 40; i++) value = i % 2 === 0 ? [value, i] : { value };
    expect(decode(encode(value, options), options)).toStrictEqual(value);
    let deep: unknown = Float32Array.of(1);
    for (let i = 0; i < 1000; i++) deep = [deep];
    const bytes = encode(deep, { ...options, maxDepth: 2000 });
    let found = decode(bytes, options);
    while (Array.isArray(found)) found = found[0];
    expectSame(found, Float32Array.of(1) as Sample);
    expect((found as Sample).buffer).toBe(bytes.buffer);
  });

  test("as items and keys of Maps and Sets", () => {
    const map = new Map<unknown, unknown>([[Int8Array.of(1), Float64Array.of(2)]]);
    expect(decode(encode(map, options), { ...options, useMap: true })).toStrictEqual(map);
    expect(decode(encode(new Set([Int8Array.of(1)]), options), options)).toStrictEqual([Int8Array.of(1)]);
    const error = failure(() => decode(encode([map], options), options));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error).toMatchObject({ code: "KEY_TYPE", offset: 2 });
  });

  test("in other extensions", () => {
    const codec = { extensionCodec: codecOfMeshes() };
    const value = [1, new Mesh({ ...arrays(), inner: [new Mesh(Float64Array.of(1))] }), arrays()];
    expect(decode(encode(value, codec), codec)).toStrictEqual(value);
    const parts = [arrays(), "x"];
    const message = encode(["é", new Set(parts)], codec);
    const [, decoded] = decode(message, codec) as [string, Set<(typeof parts)[0]>];
    expect([...decoded]).toStrictEqual(parts);
    for (const array of Object.values([...decoded][0])) expect((array as Sample).buffer).toBe(message.buffer);
  });

  test("beside types that were registered, which are asked for all else", () => {
    const codec = codecOfMeshes();
    const encodeSeen = vi.fn<(value: unknown) => null>(() => null);
    codec.register({ type: 102, encode: encodeSeen, decode: () => null });
    const plain = { a: 1 };
    const link = new URL("https://example.org/");
    codec.register({
      type: 103,
      encode: (value) => (value instanceof URL ? encode(value.href) : null),
      decode: (data) => new URL(decode(data) as string),
    });
    const value = [plain, Float32Array.of(1), new Date(5), link, new Uint8Array(2)];
    expect(decode(encode(value, { extensionCodec: codec }), { extensionCodec: codec })).toStrictEqual(value);
    expect(encodeSeen.mock.calls.map(([seen]) => seen)).toStrictEqual([
      value,
      plain,
      link,
      new Uint8Array(2),
    ]);
  });

  test("without a call of an encoder for any array", () => {
    const codec = codecOfMeshes();
    const asked = vi.fn<(value: unknown) => null>(() => null);
    codec.register({ type: 50, encode: asked, decode: () => null });
    const value = [arrays()];
    expect(decode(encode(value, { extensionCodec: codec }), { extensionCodec: codec })).toStrictEqual(value);
    expect(asked.mock.calls).toStrictEqual([
      [value, undefined],
      [value[0], undefined],
    ]);
  });

  test("dates, ExtData and class instances are as without the codec, with nothing registered", () => {
    class Point {
      x = 1;
    }
    const value = [new Date(5), new ExtData(-1, new Uint8Array(4)), new Point(), new Map([[1, 2]])];
    expect(encode(value, options)).toStrictEqual(encode(value));
    expect(decode(encode(value, options), options)).toStrictEqual(decode(encode(value)));
    const late = new TypedArrayCodec();
    const encoder = new Encoder({ extensionCodec: late });
    expect(encoder.encode({ a: 1 })).toStrictEqual(hex("81a16101"));
    late.register({ type: 90, encode: () => Uint8Array.of(1), decode: () => null });
    expect(encoder.encode({ a: 1 })).toStrictEqual(hex("d45a01"));
  });

  test("a subclass that overrides has its methods called", () => {
    class Doubled extends TypedArrayCodec {
      override tryToEncode(object: unknown, context: undefined): ExtData | null {
        return object instanceof Float32Array
          ? super.tryToEncode(
              object.map((x) => x * 2),
              context,
            )
          : null;
      }
      override decode(data: Uint8Array, type: number, context: undefined): unknown {
        return [super.decode(data, type, context)];
      }
    }
    const own = { extensionCodec: new Doubled() };
    expect(decode(encode(Float32Array.of(1), own), own)).toStrictEqual([Float32Array.of(2)]);
  });

  test("types of the codec's own cannot be registered", () => {
    const error = failure(() =>
      new TypedArrayCodec().register({ type: 2, encode: () => null, decode: () => 0 }),
    );
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain("Float64Array");
    const few = new TypedArrayCodec({ types: { Float32Array: 1 } });
    few.register({ type: 2, encode: () => null, decode: () => "mine" });
    expect(decode(hex("d40200"), { extensionCodec: few })).toBe("mine");
    expect(failure(() => few.register({ type: 200, encode: () => null, decode: () => 0 }))).toBeInstanceOf(
      RangeError,
    );
  });

  test("contexts reach the types that were registered", () => {
    const codec = new TypedArrayCodec<{ unit: number }>();
    codec.register({
      type: 20,
      encode: (value, { unit }) => (value instanceof Mesh ? Uint8Array.of(unit) : null),
      decode: (data, _, { unit }) => data[0] * unit,
    });
    const context = { unit: 3 };
    expect(
      decode(encode([new Mesh(0), Int8Array.of(1)], { extensionCodec: codec, context }), {
        extensionCodec: codec,
        context,
      }),
    ).toStrictEqual([9, Int8Array.of(1)]);
  });
});

describe("@msgpack/msgpack", () => {
  const ours = optionsOf({ types: { Float32Array: 0 }, onMisaligned: "throw" });
  const documented = { extensionCodec: documentedCodec(reference.ExtensionCodec) };
  const meshes = [0, 1, 2, 3, 60, 63, 64, 1000, 17_000].flatMap((length) =>
    sixteen.slice(0, 5).map((before) => ({
      before: "x".repeat(before),
      position: new Float32Array(length).map((_, i) => i / 3),
    })),
  );

  test("reads ours with the codec of its documentation, as views", () => {
    for (const mesh of meshes) {
      const message = encode([mesh], ours);
      const [decoded] = reference.decode(message, documented) as (typeof mesh)[];
      expect(decoded).toStrictEqual(mesh);
      expect(decoded.position.buffer).toBe(message.buffer);
    }
  });

  test("is read by ours when it has written with that codec, as views", () => {
    for (const mesh of meshes) {
      const message = reference.encode([mesh], documented);
      const [decoded] = decode(message, ours) as (typeof mesh)[];
      expect(decoded).toStrictEqual(mesh);
      expect(decoded.position.buffer).toBe(message.buffer);
    }
  });

  test("runs that codec here, and takes ours", () => {
    const here = { extensionCodec: documentedCodec(ExtensionCodec) };
    const foreign = { extensionCodec };
    for (const mesh of meshes) {
      expect(decode(encode([mesh], here), ours)).toStrictEqual([mesh]);
      expect(decode(encode([mesh], ours), here)).toStrictEqual([mesh]);
      const message = reference.encode([mesh, Int8Array.of(1), BigInt64Array.of(2n)], foreign);
      expect(decode(message, foreign)).toStrictEqual([mesh, Int8Array.of(1), BigInt64Array.of(2n)]);
      const [decoded] = reference.decode(encode([mesh], foreign), foreign) as (typeof mesh)[];
      expect(decoded).toStrictEqual(mesh);
    }
  });

  test("with our codec finds the same faults", () => {
    const foreign = { extensionCodec };
    for (const bad of ["d4010000", "d60100000000", "d60105000000", "d6010200ff00", "d5016300"]) {
      const bytes = hex(bad);
      expect(() => reference.decode(bytes, foreign), bad).toThrow();
      expect(() => decode(bytes, foreign), bad).toThrow();
    }
    expect(() => extensionCodec.decode(new Uint8Array(0), 1, undefined)).toThrow(DecodeError);
  });
});

describe("the ways to write many numbers that were compared when the position callback was proposed", () => {
  const numbers = Float32Array.from({ length: 10_000 }, (_, i) => Math.fround(Math.sin(i) * 100));

  test("come to equal values: an array of numbers, an extension that copies, one that aligns", () => {
    const copying = new ExtensionCodec();
    copying.register({
      type: 1,
      encode: (value) => (value instanceof Float32Array ? bytesOf(value) : null),
      decode: (data) => new Float32Array(data.slice().buffer),
    });
    const variants = [
      decode(encode([{ position: [...numbers] }])),
      decode(encode([{ position: numbers }], { extensionCodec: copying }), { extensionCodec: copying }),
      decode(encode([{ position: numbers }], options), options),
    ] as { position: ArrayLike<number> }[][];
    for (const [{ position }] of variants) expect(Float32Array.from(position)).toStrictEqual(numbers);
  });
});

describe("input in pieces", () => {
  const value = {
    name: "a mesh of some kind",
    position: sample(classes[0], 30),
    index: Uint16Array.of(1, 2, 3),
    more: [Float64Array.of(0.5), new Float32Array(0)],
  };
  const message = encode(value, options);
  const cuts = Array.from({ length: message.length + 1 }, (_, i) => i);

  test("decodeSegments gives the same, cut anywhere, and views where an array lies in one piece", () => {
    for (const cut of cuts) {
      const pieces = [message.slice(0, cut), placed(message.subarray(cut), cut % 8)];
      const decoded = decodeSegments(pieces, options) as typeof value;
      expect(decoded).toStrictEqual(value);
      const { buffer } = decoded.position;
      const start = Buffer.from(message).indexOf(Buffer.from(bytesOf(value.position)));
      const isWhole = cut <= start || cut >= start + 120;
      const isView = pieces.some((piece) => piece.buffer === buffer);
      expect(isView, `cut at ${cut}`).toBe(isWhole);
    }
    expect(decodeSegments(piecesOf(message, 1), options)).toStrictEqual(value);
  });

  test("streams give the same, cut anywhere", async () => {
    for (const cut of cuts) {
      const chunks = [message.subarray(0, cut), placed(message.subarray(cut), cut % 16)];
      expect(await decodeAsync(streamOf(...chunks), options)).toStrictEqual(value);
    }
    for (const size of [1, 2, 7, 64]) {
      expect(await decodeAsync(streamOf(...piecesOf(message, size)), options)).toStrictEqual(value);
      const two = piecesOf(join(message, message), size);
      expect(await collect(decodeMultiStream(streamOf(...two), options))).toStrictEqual([value, value]);
      const array = piecesOf(encode([value, value.position, 3], options), size);
      expect(await collect(decodeArrayStream(streamOf(...array), options))).toStrictEqual([
        value,
        value.position,
        3,
      ]);
    }
  });

  test("streams give views of the chunks that hold an array", async () => {
    const decoded = (await decodeAsync(streamOf(message), options)) as typeof value;
    expect(decoded.position.buffer).toBe(message.buffer);
  });

  test("decodeMulti and decodeSingle give views of the buffer, or copies where a message before spoils that", () => {
    const several = join([0xc0], message, [0xa1, 0x61], message, encode(sample(classes[2], 3), options));
    const all = [...decodeMulti(several, options)] as unknown[];
    expect(all).toStrictEqual([null, value, "a", value, sample(classes[2], 3)]);
    expect((all[4] as Sample).buffer).toBe(several.buffer);
    const { value: single, nextOffset } = decodeSingle(several, 1, options);
    expect(single).toStrictEqual(value);
    expect(nextOffset).toBe(1 + message.length);
    const even = join(new Uint8Array(8).fill(0xc0), message);
    const views = [...decodeMulti(even, optionsOf({ onMisaligned: "throw" }))];
    expect(views[8]).toStrictEqual(value);
    expect((views[8] as typeof value).position.buffer).toBe(even.buffer);
  });
});

test("arrays behind long text, much of it, and in calls within calls are aligned", () => {
  const array = Float64Array.of(1, 2, 3);
  const large = new Float64Array(100).fill(7);
  const texts = [
    "a".repeat(2049),
    "é".repeat(20_000),
    "€".repeat(30_000),
    "x".repeat(70_000),
    "y".repeat(400_000),
  ];
  const value = texts.flatMap((text, i) => ["z".repeat(i), text, array, large, text]);
  const inner = new ExtensionCodec();
  inner.register({
    type: 50,
    encode: (object) => (object instanceof Map ? encode([...value, "end"], { extensionCodec }) : null),
    decode: (data) => decode(data.slice(), { extensionCodec }),
  });
  const extensionCodec = new TypedArrayCodec({ onMisaligned: "throw" });
  for (const copies of [1, 4]) {
    const all = Array(copies).fill(value).flat();
    const bytes = encode(all, { extensionCodec });
    expect(decode(bytes, { extensionCodec })).toStrictEqual(all);
    expect(decode(encode([new Map()], { extensionCodec: inner }), { extensionCodec: inner })).toStrictEqual([
      [...value, "end"],
    ]);
  }
});

describe("bad input", () => {
  const before = hex("92a3616263");
  const bad = (type: number, payload: string) => {
    const data = hex(payload);
    return join(before, [0xc7, data.length, type], data);
  };

  test.each<[string, number, string]>([
    ["no offset", 1, ""],
    ["an offset of 0", 1, "0000000000"],
    ["an offset of 0, of one byte", 3, "00"],
    ["an offset beyond the payload by one", 1, "0600000000"],
    ["an offset beyond the payload by far", 3, "ff000000"],
    ["a part of a float32", 1, "0100"],
    ["a float32 and a half", 1, "01000000000000"],
    ["a part of a float64", 2, `04000000${"00".repeat(12)}`],
    ["a part of an int16", 5, "020001"],
    ["a part of a bigint", 9, "01".padEnd(14, "0")],
  ])("%s is a DecodeError with the offset of the extension", async (_, type, payload) => {
    const bytes = bad(type, payload);
    const expectError = (error: Error) => {
      expect(error).toBeInstanceOf(DecodeError);
      expect(error).toMatchObject({ code: "EXTENSION", offset: before.length });
      expect(error.message).toContain(`offset ${before.length}`);
    };
    expectError(failure(() => decode(bytes, options)));
    expectError(failure(() => decodeSegments(piecesOf(bytes, 1), options)));
    expectError(
      await decodeAsync(streamOf(...piecesOf(bytes, 1)), options).then(
        () => new Error("none"),
        (error) => error,
      ),
    );
    expect(decode(encode(Float32Array.of(1), options), options)).toStrictEqual(Float32Array.of(1));
    // Nobody else's business.
    expect((decode(bytes, { extensionCodec: new ExtensionCodec() }) as unknown[])[1]).toBeInstanceOf(ExtData);
  });

  test("an offset at the very end, and padding that is not zero, are fine", () => {
    expect(decode(hex("d40101"), options)).toStrictEqual(new Float32Array(0));
    expect(decode(hex("c70501 05ffffffff"), options)).toStrictEqual(new Float32Array(0));
    expect(decode(hex("d703 04aabbcc 01020304"), options)).toStrictEqual(Int8Array.of(1, 2, 3, 4));
  });

  test("an unknown type is a DecodeError with the offset of the extension", () => {
    for (const type of [0, 12, 127, 0x80, 0xfe]) {
      const error = failure(() => decode(bad(type, "01"), options));
      expect(error).toBeInstanceOf(DecodeError);
      expect(error).toMatchObject({ code: "EXTENSION", offset: before.length });
      expect(error.message).toContain(`${(type << 24) >> 24}`);
    }
  });

  test("a truncated payload is a DecodeError with the offset of the extension, wherever it is cut", async () => {
    for (const length of [0, 1, 3, 60, 100, 20_000]) {
      const message = join(before, encode(sample(classes[1], length), options));
      const { start } = extensionAt(message, before.length);
      for (let size = 0; size < message.length; size += size < 700 ? 1 : 1009) {
        const cut = message.slice(0, size);
        const error = failure(() => decode(cut, options));
        const later = await decodeAsync(streamOf(...piecesOf(cut, 100)), options).then(
          () => new Error("none"),
          (reason) => reason,
        );
        expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
        expect(later).toMatchObject({ code: "INSUFFICIENT_DATA" });
        if (size < start) {
          expect(error).toBeInstanceOf(RangeError);
        } else {
          expect(error).toBeInstanceOf(DecodeError);
          expect(error).toMatchObject({ offset: before.length });
          expect(error.message).toContain(`${message.length - size} more`);
          expect(later).toBeInstanceOf(DecodeError);
          expect(later.message).toBe(error.message);
        }
      }
    }
  });

  test("a length that the input cannot hold allocates nothing", () => {
    const header = join([0xc9], bigEndian(2 ** 32 - 1, 4), [1], [2, 0, 0]);
    expect(failure(() => decode(header, options))).toMatchObject({ code: "INSUFFICIENT_DATA", offset: 0 });
  });

  test("arrays keep to maxExtLength and maxBinLength", () => {
    const message = encode(Float32Array.of(1), options);
    for (const limit of ["maxExtLength", "maxBinLength"]) {
      expect(decode(message, { ...options, [limit]: 5 })).toStrictEqual(Float32Array.of(1));
      expect(failure(() => decode(message, { ...options, [limit]: 4 }))).toMatchObject({
        code: "MAX_LENGTH",
        offset: 0,
      });
    }
  });

  test("no damage makes anything but values and errors", () => {
    const message = encode(
      [...everyClass.map(([, Class]) => sample(Class, 9)), sample(classes[0], 100)],
      options,
    );
    const damage = fc.array(fc.tuple(fc.nat(message.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(damage, fc.nat(15), (changes, base) => {
        const input = placed(message, base);
        for (const [at, byte] of changes) input[at] = byte;
        try {
          decode(input, options);
        } catch (error) {
          assert.ok(error instanceof DecodeError || error instanceof RangeError);
          assert.equal(typeof (error as DecodeError).offset, "number");
        }
      }),
      { numRuns: 2000 },
    );
    expect(decode(encode(Float32Array.of(1), options), options)).toStrictEqual(Float32Array.of(1));
  });
});

describe("whatever the value", () => {
  const array = fc
    .tuple(fc.constantFrom(...classes), fc.nat(80), fc.nat(100))
    .map(([Class, length, seed]) => sample(Class, length, seed));
  const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(
      array,
      fc.integer(),
      fc.string({ maxLength: 40 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.double({ noNaN: true }),
    ),
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc.array(tie("tree"), { maxLength: 12 }),
      fc.dictionary(
        fc.string({ minLength: 1, maxLength: 12 }).filter((key) => key !== "__proto__"),
        tie("tree"),
        { maxKeys: 6, noNullPrototype: true },
      ),
    ),
  }));
  const settings = fc.record({
    align: fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128),
    base: fc.nat(15),
    views: fc.constantFrom("input" as const, "copy" as const),
    isMixed: fc.boolean(),
  });

  test("it comes out equal, from any base offset, with any options, from an encoder of any kind", () => {
    fc.assert(
      fc.property(tree, settings, (value, { align, base, views, isMixed }) => {
        const codec = new TypedArrayCodec({ align, views });
        if (isMixed) codec.register({ type: 99, encode: () => null, decode: () => null });
        const from = { extensionCodec: codec };
        const message = encode(value, from);
        assert.deepStrictEqual(decode(placed(message, base), from), decode(message, from));
        assert.deepStrictEqual(decode(message, from), normalized(value));
        const target = new Uint8Array(message.length + 400);
        const end = encodeInto(value, target, base, from);
        assert.deepStrictEqual(
          decode(target.subarray(base, end), optionsOf({ onMisaligned: "throw" })),
          normalized(value),
        );
        assert.deepStrictEqual(decode(reference.encode(value, from), from), normalized(value));
      }),
      { numRuns: 400 },
    );
  });

  /** -0 is written as 0. */
  function normalized(value: unknown): unknown {
    if (Object.is(value, -0)) return 0;
    if (Array.isArray(value)) return value.map(normalized);
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalized(item)]));
  }
});
