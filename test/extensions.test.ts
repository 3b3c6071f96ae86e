import vm from "node:vm";
import * as reference from "@msgpack/msgpack";
import {
  DecodeError,
  Decoder,
  decode,
  decodeAsync,
  decodeTimestampExtension,
  decodeTimestampToTimeSpec,
  Encoder,
  EXT_TIMESTAMP,
  ExtData,
  ExtensionCodec,
  type ExtensionCodecType,
  type ExtensionEncoderType,
  encode,
  encodeDateToTimeSpec,
  encodeInto,
  encodeTimeSpecToTimestamp,
  encodeTimestampExtension,
} from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { hex, join, repeat } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";
import { streamOf } from "./lib/streams.ts";

const nothing = (): null => null;
const never = (): never => {
  throw new Error("not called");
};

/** A codec with one encoder, at `type`, that is made of a function. */
function codecOf(encoder: ExtensionEncoderType<undefined>, type = 1): ExtensionCodec {
  const codec = new ExtensionCodec();
  codec.register({ type, encode: encoder, decode: (data) => data });
  return codec;
}

describe("registration", () => {
  test("encoders are asked from -1 down, then from 0 up, until one has something", () => {
    const types = [5, -3, 0, -2, 127, -1, 3, -128];
    for (const answering of [...types, null]) {
      const asked: number[] = [];
      for (const Codec of [ExtensionCodec, reference.ExtensionCodec]) {
        const codec = new Codec();
        asked.length = 0;
        for (const type of types) {
          codec.register({
            type,
            encode() {
              asked.push(type);
              return type === answering ? Uint8Array.of(7) : null;
            },
            decode: never,
          });
        }
        const order = [-1, -2, -3, -128, 0, 3, 5, 127];
        const made = codec.tryToEncode({}, undefined);
        const end = answering === null ? order.length : order.indexOf(answering) + 1;
        expect(asked).toEqual(order.slice(0, end));
        expect(made?.type).toBe(answering ?? undefined);
        if (answering === null) expect(made).toBeNull();
      }
    }
  });

  test("undefined counts as null", () => {
    const codec = codecOf((() => undefined) as unknown as ExtensionEncoderType<undefined>);
    expect(encode({ a: 1 }, { extensionCodec: codec })).toStrictEqual(hex("81a16101"));
  });

  test("all types from -128 to 127 work both ways", () => {
    for (let type = -128; type < 128; type++) {
      const codec = new ExtensionCodec();
      const seen: number[] = [];
      codec.register({
        type,
        encode: (input) => (input instanceof Set ? Uint8Array.of(9) : null),
        decode: (_, type) => seen.push(type),
      });
      const bytes = encode(new Set(), { extensionCodec: codec });
      expect(bytes).toStrictEqual(Uint8Array.of(0xd4, type & 0xff, 9));
      decode(bytes, { extensionCodec: codec });
      expect(seen).toEqual([type]);
      if (type !== EXT_TIMESTAMP) expect(decode(bytes)).toStrictEqual(new ExtData(type, hex("09")));
    }
  });

  test("registering a type again replaces it", () => {
    const codec = codecOf(() => Uint8Array.of(1));
    codec.register({ type: 1, encode: () => Uint8Array.of(2), decode: () => "second" });
    const bytes = encode({}, { extensionCodec: codec });
    expect(bytes).toStrictEqual(hex("d40102"));
    expect(decode(bytes, { extensionCodec: codec })).toBe("second");
  });

  test("registering -1 replaces the timestamp; a Date is then what any object is", () => {
    for (const [Codec, write, read] of [
      [ExtensionCodec, encode, decode],
      [reference.ExtensionCodec, reference.encode, reference.decode],
    ] as const) {
      const codec = new Codec();
      codec.register({
        type: -1,
        encode: (input) => (input instanceof Date && input.getTime() === 5 ? Uint8Array.of(5) : null),
        decode: (data) => `date ${data[0]}`,
      });
      expect(write(new Date(5), { extensionCodec: codec }).slice()).toStrictEqual(hex("d4ff05"));
      expect(write(new Date(6), { extensionCodec: codec }).slice()).toStrictEqual(hex("80"));
      expect(read(hex("d4ff05"), { extensionCodec: codec })).toBe("date 5");
      // Others keep theirs.
      expect(write(new Date(5)).slice()).toStrictEqual(hex("d7ff 0131 2d00 00000000"));
    }
  });

  test("types registered after an encoder was made count", () => {
    const codec = new ExtensionCodec();
    const encoder = new Encoder({ extensionCodec: codec });
    const decoder = new Decoder({ extensionCodec: codec });
    expect(encoder.encode({})).toStrictEqual(hex("80"));
    codec.register({ type: 3, encode: () => Uint8Array.of(3), decode: () => "three" });
    expect(encoder.encode({})).toStrictEqual(hex("d40303"));
    expect(decoder.decode(hex("d40303"))).toBe("three");
  });

  test("defaultCodec is one object that knows the timestamp", () => {
    expect(ExtensionCodec.defaultCodec).toBeInstanceOf(ExtensionCodec);
    expect(ExtensionCodec.defaultCodec).toBe(ExtensionCodec.defaultCodec);
    expect(ExtensionCodec.defaultCodec.tryToEncode(new Date(1000), undefined)).toStrictEqual(
      new ExtData(-1, hex("00000001")),
    );
    expect(ExtensionCodec.defaultCodec.decode(hex("00000001"), -1, undefined)).toStrictEqual(new Date(1000));
  });
});

describe("what encoders are asked for", () => {
  /** Everything that a codec was asked for while a value was encoded. */
  function asked(value: unknown, options: { useBigInt64?: boolean } = {}): unknown[] {
    const objects: unknown[] = [];
    const extensionCodec = {
      tryToEncode(object: unknown) {
        objects.push(object);
        return typeof object === "object" ? null : new ExtData(1, new Uint8Array(0));
      },
      decode: never,
    };
    encode(value, { ...options, extensionCodec });
    const theirs: unknown[] = [];
    reference.encode(value, {
      ...options,
      extensionCodec: {
        tryToEncode(object: unknown) {
          theirs.push(object);
          return typeof object === "object" ? null : new reference.ExtData(1, new Uint8Array(0));
        },
        decode: never,
      },
    });
    expect(objects).toStrictEqual(theirs);
    return objects;
  }

  test("never null, undefined, booleans, numbers and strings", () => {
    const value = [null, undefined, true, 1, 1.5, "a", Number.NaN];
    expect(asked(value)).toEqual([value]);
  });

  test("all objects, from the outermost to the innermost: plain ones, arrays, binary data", () => {
    class Thing {
      inner = [1];
    }
    const [thing, bytes] = [new Thing(), new Uint8Array(3)];
    const value = { a: [{}], b: thing, c: bytes, d: new Float64Array(1), e: Object.create(null) };
    expect(asked(value)).toEqual([value, value.a, value.a[0], thing, thing.inner, bytes, value.d, value.e]);
  });

  test("functions, symbols and bigints", () => {
    const value = [() => 0, Symbol("s"), 1n, class {}];
    expect(asked(value)).toEqual([value, ...value]);
    expect(asked([1n], { useBigInt64: true })).toHaveLength(1);
  });

  test("a bigint is not asked for where it is an integer", () => {
    const options = { extensionCodec: { tryToEncode: never, decode: never } };
    expect(encode(1n, { ...options, int64: "auto" })).toStrictEqual(hex("01"));
  });

  test("what none of them takes has no format", () => {
    const extensionCodec = codecOf(nothing);
    expect(() => encode(() => 0, { extensionCodec })).toThrow("Unrecognized object: [object Function]");
    expect(() => encode(async () => 0, { extensionCodec })).toThrow(
      "Unrecognized object: [object AsyncFunction]",
    );
    expect(() => encode(Symbol("s"), { extensionCodec })).toThrow("Unrecognized object: [object Symbol]");
    expect(() => encode([1n], { extensionCodec })).toThrow("Unrecognized object: [object BigInt]");
    const tagged = Object.assign(() => 0, { [Symbol.toStringTag]: "Tagged" });
    expect(() => encode(tagged)).toThrow("Unrecognized object: [object Tagged]");
  });

  test("they can take over arrays, maps, binary data and boxed values, at the root and inside", () => {
    const extensionCodec = codecOf((input) =>
      Array.isArray(input) ||
      input instanceof Map ||
      input instanceof Set ||
      input instanceof Number ||
      ArrayBuffer.isView(input) ||
      input instanceof ArrayBuffer
        ? Uint8Array.of(1)
        : null,
    );
    const values = [[1], new Map([[1, 2]]), new Set([1]), Object(1), new Uint8Array(3), new ArrayBuffer(2)];
    for (const value of values) {
      expect(encode(value, { extensionCodec })).toStrictEqual(hex("d40101"));
      expect(encode({ a: value }, { extensionCodec })).toStrictEqual(hex("81a161d40101"));
    }
  });
});

describe("payloads", () => {
  const sizes = [
    0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 2047, 2048, 2049, 65_535, 65_536, 200_000,
  ];

  test.each(sizes)("of %d bytes take the smallest header, and come back", (size) => {
    const payload = Uint8Array.from({ length: size }, (_, i) => i * 7);
    const value = [1, new ExtData(-77, payload), "end"];
    const bytes = encode(value);
    const theirs = reference.encode([1, new reference.ExtData(-77, payload), "end"]);
    expect(Buffer.compare(bytes, theirs)).toBe(0);
    const result = decode(bytes) as [number, ExtData, string];
    expect(result[1]).toBeInstanceOf(ExtData);
    expect(result[1].type).toBe(-77);
    expect(Buffer.compare(result[1].data as Uint8Array, payload)).toBe(0);
    expect((result[1].data as Uint8Array).buffer).toBe(bytes.buffer);
    expect(result[2]).toBe("end");
  });

  test("may be anything like an array of bytes", () => {
    const data = [1, 2, 300] as unknown as Uint8Array;
    expect(encode(new ExtData(1, data))).toStrictEqual(hex("c70301 01022c"));
    expect(reference.encode(new reference.ExtData(1, data)).slice()).toStrictEqual(hex("c70301 01022c"));
    expect(encode(new ExtData(1, Buffer.from("ab")))).toStrictEqual(hex("d501 6162"));
  });

  test("ExtData is asked for last: encoders may take it", () => {
    const codec = codecOf((input) => (input instanceof ExtData ? Uint8Array.of(input.type) : null));
    const options = { extensionCodec: codec };
    expect(encode(new ExtData(9, hex("0000")), options)).toStrictEqual(hex("d40109"));
    expect(encode(new ExtData(9, hex("0000")))).toStrictEqual(hex("d5090000"));
  });

  test("decoders get views of the caller's memory, in order, with type and context", () => {
    const bytes = join([0xff], hex("93 d50101 02 c70305 010203 d4ff00"));
    const seen: unknown[] = [];
    const codec: ExtensionCodecType<string> = {
      tryToEncode: nothing,
      decode(data, type, context) {
        expect(data.buffer).toBe(bytes.buffer);
        seen.push([type, data.byteOffset, data.length, context]);
        return seen.length;
      },
    };
    const value = decode<string>(bytes.subarray(1), { extensionCodec: codec, context: "here" });
    expect(value).toEqual([1, 2, 3]);
    expect(seen).toEqual([
      [1, 4, 2, "here"],
      [5, 9, 3, "here"],
      [-1, 14, 1, "here"],
    ]);
  });

  test("unknown types are ExtData that encode to what they were", () => {
    const bytes = hex("93 d50a0102 c70080 c7037f010203");
    const value = decode(bytes) as ExtData[];
    expect(value).toStrictEqual([
      new ExtData(10, hex("0102")),
      new ExtData(-128, hex("")),
      new ExtData(127, hex("010203")),
    ]);
    expect(encode(value)).toStrictEqual(bytes);
  });
});

describe("extensions as keys of maps", () => {
  const read = (key: string, make: (data: Uint8Array) => unknown) => {
    const value = (library: Pick<typeof reference, "ExtensionCodec">) => {
      const codec = new library.ExtensionCodec();
      codec.register({ type: 1, encode: nothing, decode: make });
      return { extensionCodec: codec };
    };
    const bytes = hex(`92 07 82 a161 01 ${key} 02`);
    return [
      () => decode(bytes, value({ ExtensionCodec } as unknown as typeof reference)),
      () => reference.decode(bytes, value(reference)),
    ];
  };

  test.each([
    ["a string", () => "text", [7, { a: 1, text: 2 }]],
    ["a number", () => 5, [7, { a: 1, 5: 2 }]],
  ])("that become %s are keys", (_, make, expected) => {
    for (const call of read("d40107", make)) expect(call()).toEqual(expected);
  });

  test.each([
    ["an object", () => ({}), "object"],
    ["a bigint", () => 5n, "bigint"],
    ["undefined", () => undefined, "undefined"],
  ])("that become %s are not", (_, make, type) => {
    for (const call of read("d40107", make)) {
      expect(failure(call).message).toContain(`The type of key must be string or number but ${type}`);
    }
  });

  test("that become __proto__ are forbidden", () => {
    for (const call of read("d40107", () => "__proto__")) {
      expect(failure(call).message).toContain("The key __proto__ is not allowed");
    }
  });
});

describe("encoders that ask for the position", () => {
  test("are told the offset of their data, behind a header of six bytes", () => {
    for (const [value, offset] of [
      [new ExtData(1, (position) => Uint8Array.of(position)), 6],
      [[new ExtData(1, (position) => Uint8Array.of(position))], 7],
      [[1, "abc", new ExtData(1, (position) => Uint8Array.of(position))], 12],
      [{ key: [new ExtData(1, (position) => Uint8Array.of(position))] }, 12],
    ] as const) {
      const bytes = encode(value);
      const header = [0xc9, 0, 0, 0, 1, 1];
      expect([...bytes.subarray(offset - 6)]).toEqual([...header, offset]);
    }
  });

  test("are told the same as by @msgpack/msgpack, wherever the data lie", () => {
    for (const before of [0, 1, 300, 2047, 2048, 70_000, 1_100_000]) {
      for (const filler of ["a".repeat(before), new Uint8Array(before), Array(before).fill(7)]) {
        const ours: number[] = [];
        const theirs: number[] = [];
        const value = (Data: typeof ExtData, seen: number[]) => {
          const place = (size: number) =>
            new Data(3, (position: number) => {
              seen.push(position);
              return new Uint8Array(size).fill(position);
            });
          return [filler, place(3), place(0), "x", place(1000), place(1)];
        };
        const bytes = encode(value(ExtData, ours));
        const expected = reference.encode(value(reference.ExtData as typeof ExtData, theirs));
        expect(ours).toEqual(theirs);
        expect(Buffer.compare(bytes, expected)).toBe(0);
      }
    }
  });

  test("are told positions in the target by encodeInto, and in the shared buffer by encodeSharedRef", () => {
    const value = [new ExtData(1, (position) => Uint8Array.of(position))];
    const target = new Uint8Array(30);
    expect(encodeInto(value, target, 9)).toBe(17);
    expect(target[16]).toBe(16);
    const shared = new Encoder().encodeSharedRef(value);
    expect(shared.byteOffset).toBe(0);
    expect(shared[7]).toBe(7);
  });

  test("once per message, in the order of the values", () => {
    const seen: string[] = [];
    const encoder: ExtensionEncoderType<undefined> = (input) => {
      if (!(input instanceof Set)) return null;
      const [name] = input;
      seen.push(`ask ${name}`);
      return () => {
        seen.push(`place ${name}`);
        return Uint8Array.of(1);
      };
    };
    encode([new Set(["a"]), { k: new Set(["b"]) }], { extensionCodec: codecOf(encoder) });
    expect(seen).toEqual(["ask a", "place a", "ask b", "place b"]);
  });

  test("an error of theirs comes through, and the encoder works afterwards", () => {
    const error = new Error("no place");
    const place = () => {
      throw error;
    };
    const encoder = new Encoder();
    expect(failure(() => encoder.encode([1, new ExtData(1, place)]))).toBe(error);
    expect(encoder.encode([1])).toStrictEqual(hex("9101"));
  });

  describe("a codec of aligned Float32Arrays", () => {
    const alignment = Float32Array.BYTES_PER_ELEMENT;
    const codec = new ExtensionCodec();
    codec.register({
      type: 1,
      encode(input) {
        if (!(input instanceof Float32Array)) return null;
        return (position) => {
          const padding = (alignment - ((position + 1) % alignment)) % alignment;
          const data = new Uint8Array(1 + padding + input.byteLength);
          data[0] = padding;
          data.set(new Uint8Array(input.buffer, input.byteOffset, input.byteLength), 1 + padding);
          return data;
        };
      },
      decode: (data) =>
        new Float32Array(
          data.buffer as ArrayBuffer,
          data.byteOffset + 1 + data[0],
          (data.length - 1 - data[0]) / alignment,
        ),
    });
    const options = { extensionCodec: codec };

    test.each([0, 1, 2, 3, 4, 5, 300, 70_000])(
      "decodes to views of the message, %d bytes into it",
      (before) => {
        const value = {
          before: "a".repeat(before),
          position: Float32Array.of(1.5, -2.25, 1e10),
          more: [new Float32Array(1000).fill(0.5), new Float32Array(0)],
        };
        const encoded = encode(value, options);
        const decoded = decode(encoded, options) as typeof value;
        expect(decoded).toStrictEqual(value);
        expect(decoded.position.buffer).toBe(encoded.buffer);
        expect(decoded.more[0].buffer).toBe(encoded.buffer);
        expect(Buffer.compare(encoded, reference.encode(value, options))).toBe(0);
      },
    );

    test("decodes to views of the caller's ArrayBuffer, too", () => {
      const { buffer } = encode([Float32Array.of(3)], options);
      expect((decode(buffer, options) as Float32Array[])[0].buffer).toBe(buffer);
    });
  });
});

describe("codecs of other makes", () => {
  test("need no more than tryToEncode and decode", () => {
    const extensionCodec: ExtensionCodecType<undefined> = {
      tryToEncode: (object) =>
        object instanceof Set ? { type: 4, data: encode([...object], { extensionCodec }) } : null,
      decode: (data, type) => (type === 4 ? new Set(decode(data, { extensionCodec }) as unknown[]) : type),
    };
    const value = { a: new Set([1, "b", new Set([2])]), d: new Date(0) };
    const bytes = encode(value, { extensionCodec });
    expect(decode(bytes, { extensionCodec })).toStrictEqual({ a: value.a, d: {} });
  });

  test("are called as methods, with this", () => {
    class Counting implements ExtensionCodecType<undefined> {
      count = 0;
      tryToEncode() {
        this.count++;
        return null;
      }
      decode() {
        return ++this.count;
      }
    }
    const extensionCodec = new Counting();
    encode([{}], { extensionCodec });
    expect(extensionCodec.count).toBe(2);
    expect(decode(hex("d40100"), { extensionCodec })).toBe(3);
  });

  test("may derive from ExtensionCodec", () => {
    class Logging extends ExtensionCodec {
      override tryToEncode(object: unknown, context: undefined) {
        return object instanceof RegExp
          ? new ExtData(8, Buffer.from(object.source))
          : super.tryToEncode(object, context);
      }
      override decode(data: Uint8Array, type: number, context: undefined) {
        return type === 8 ? new RegExp(Buffer.from(data).toString()) : super.decode(data, type, context);
      }
    }
    const extensionCodec = new Logging();
    const value = [/a+b/, new Date(5)];
    expect(decode(encode(value, { extensionCodec }), { extensionCodec })).toStrictEqual(value);
  });

  test("may be @msgpack/msgpack's own, with its ExtData", () => {
    const extensionCodec = new reference.ExtensionCodec();
    extensionCodec.register({
      type: 2,
      encode: (input) => (input instanceof Set ? reference.encode([...input]) : null),
      decode: (data) => new Set(reference.decode(data) as unknown[]),
    });
    const value = [new Set([1, 2]), new Date(1234)];
    const bytes = encode(value, { extensionCodec });
    expect(decode(bytes, { extensionCodec })).toStrictEqual(value);
    expect(encode(new reference.ExtData(5, hex("00")), { extensionCodec })).toStrictEqual(hex("d40500"));
  });

  describe("that return garbage", () => {
    const encodeWith = (made: unknown) =>
      encode([1, {}], {
        extensionCodec: { tryToEncode: (o) => (Array.isArray(o) ? null : (made as ExtData)), decode: never },
      });

    test.each([
      ["a number", 5],
      ["a string", "text"],
      ["true", true],
      ["an empty object", {}],
      ["a type without data", { type: 1 }],
      ["data that are null", { type: 1, data: null }],
      ["a function that returns nothing", { type: 1, data: () => undefined }],
      ["a function that returns null", { type: 1, data: () => null }],
      ["a bigint as type", { type: 1n, data: new Uint8Array(1) }],
      ["a symbol as type", { type: Symbol("s"), data: new Uint8Array(1) }],
    ])("%s is a TypeError", (_, made) => {
      expect(failure(() => encodeWith(made))).toBeInstanceOf(TypeError);
      expect(encode([1])).toStrictEqual(hex("9101"));
    });

    test("data that are no bytes are not taken for none", () => {
      for (const data of [5, {}, Symbol("s"), true]) {
        expect(
          failure(() => encodeWith({ type: 1, data })),
          String(data),
        ).toBeInstanceOf(Error);
        expect(
          failure(() => encodeWith({ type: 1, data: () => data })),
          String(data),
        ).toBeInstanceOf(Error);
      }
    });

    test("an ArrayBuffer is taken for its bytes, or refused, but not for none", () => {
      const { buffer } = Uint8Array.of(1, 2);
      let bytes: Uint8Array;
      try {
        bytes = encodeWith({ type: 1, data: buffer });
      } catch {
        return;
      }
      expect(bytes).toStrictEqual(hex("9201 d5010102"));
    });

    test("false and 0 are garbage, too, but null and undefined say no", () => {
      for (const made of [false, 0]) expect(failure(() => encodeWith(made))).toBeInstanceOf(TypeError);
      for (const made of [null, undefined]) expect(encodeWith(made)).toStrictEqual(hex("920180"));
    });

    test("decoders may return anything, undefined among it", () => {
      for (const value of [undefined, null, 0, Symbol.iterator, never, new Proxy({}, {})]) {
        const extensionCodec = { tryToEncode: nothing, decode: () => value };
        expect(decode(hex("d40100"), { extensionCodec })).toBe(value);
        expect(decode(hex("81a161d40100"), { extensionCodec })).toStrictEqual({ a: value });
      }
    });
  });

  test.each([1, 16, 200, 256, 257, 5000])(
    "that reuse one buffer of %d bytes keep their messages right",
    (size) => {
      const scratch = new Uint8Array(size);
      let count = 0;
      const byBytes = codecOf((input) => (input instanceof Set ? scratch.fill(++count) : null));
      const byPosition = codecOf((input) => (input instanceof Set ? () => scratch.fill(++count) : null));
      for (const extensionCodec of [byBytes, byPosition]) {
        count = 0;
        const bytes = encode([new Set(), { a: new Set() }, new Set()], { extensionCodec });
        const [a, { a: b }, c] = decode(bytes, { extensionCodec }) as [
          Uint8Array,
          { a: Uint8Array },
          Uint8Array,
        ];
        expect([a, b, c].map((data) => [data[0], data[size - 1]])).toEqual([
          [1, 1],
          [2, 2],
          [3, 3],
        ]);
      }
    },
  );

  test("that change their data after the answer change nothing", () => {
    const data = new Uint8Array(1000).fill(1);
    const extensionCodec = codecOf((input) => {
      if (input instanceof Set) return data;
      if (input instanceof RegExp) data.fill(2);
      return null;
    });
    const bytes = encode([new Set(), /x/], { extensionCodec });
    expect((decode(bytes, { extensionCodec }) as Uint8Array[])[0]).toStrictEqual(
      new Uint8Array(1000).fill(1),
    );
  });
});

describe("errors of a codec", () => {
  const errors = [
    new Error("plain"),
    new RangeError("range"),
    new TypeError("type"),
    new reference.DecodeError("theirs"),
    "a string",
    null,
  ];

  test.each(errors)("%s comes through as it is, both ways, and the instance works afterwards", (error) => {
    let isBroken = true;
    const extensionCodec = {
      tryToEncode() {
        if (isBroken) throw error;
        return null;
      },
      decode() {
        if (isBroken) throw error;
        return "fine";
      },
    };
    const encoder = new Encoder({ extensionCodec });
    const decoder = new Decoder({ extensionCodec });
    const caught = (call: () => unknown): unknown => {
      try {
        call();
      } catch (error) {
        return error;
      }
      throw new Error("An error was expected, but there was none");
    };
    for (const isEarly of [true, false]) {
      isBroken = true;
      expect(caught(() => encoder.encode(isEarly ? {} : [1, "a".repeat(3000), {}]))).toBe(error);
      expect(caught(() => encoder.encodeSharedRef({}))).toBe(error);
      expect(caught(() => decoder.decode(isEarly ? hex("d40100") : hex("82a16101a162d40100")))).toBe(error);
      isBroken = false;
      expect(encoder.encode([{}])).toStrictEqual(hex("9180"));
      expect(decoder.decode(hex("91d40100"))).toEqual(["fine"]);
    }
  });

  test("a DecodeError without an offset gets the extension's", () => {
    const codec = new ExtensionCodec();
    codec.register({
      type: 1,
      encode: nothing,
      decode() {
        throw new DecodeError("bad payload");
      },
    });
    const error = failure(() => decode(hex("92 01 d40100"), { extensionCodec: codec }));
    expect(error).toBeInstanceOf(DecodeError);
    expect(error.message).toBe("bad payload");
    expect(error).toMatchObject({ code: "EXTENSION", offset: 2 });
  });
});

describe("codecs that encode and decode again", () => {
  class Box {
    readonly content: unknown;
    constructor(content: unknown) {
      this.content = content;
    }
  }

  interface Context {
    encoder: Encoder<Context>;
    decoder: Decoder<Context>;
    count: number;
  }

  /** A box holds what the same encoder makes of its content. */
  function boxes(method: "encode" | "encodeSharedRef"): Context {
    const codec = new ExtensionCodec<Context>();
    codec.register({
      type: 1,
      encode(input, context) {
        if (!(input instanceof Box)) return null;
        context.count++;
        return context.encoder[method](input.content);
      },
      decode: (data, _, context) => new Box(context.decoder.decode(data)),
    });
    const context = { count: 0 } as Context;
    context.encoder = new Encoder({
      extensionCodec: codec,
      context,
      sortKeys: true,
      ignoreUndefined: true,
      forceFloat32: true,
      maxDepth: 4,
    });
    context.decoder = new Decoder({
      extensionCodec: codec,
      context,
      useBigInt64: true,
      mapKeyConverter: (key) => `<${key}>`,
      maxStrLength: 3000,
    });
    return context;
  }

  test.each(["encode", "encodeSharedRef"] as const)(
    "by the same instance's %s, with every option",
    (method) => {
      const context = boxes(method);
      const content = { b: 0.5, a: undefined, A: [2 ** 40] };
      const value = [new Box(content), content, new Box([new Box(content), "x".repeat(2000)])];
      const inner = "82 a141 91 cf0000010000000000 a162 ca3f000000";
      const bytes = context.encoder.encode(value);
      expect(Buffer.from(bytes.subarray(0, 24)).toString("hex")).toBe(
        `93c71401${inner.replaceAll(" ", "").slice(0, 40)}`,
      );
      const read = { "<A>": [2n ** 40n], "<b>": 0.5 };
      for (let i = 0; i < 3; i++) {
        expect(context.decoder.decode(context.encoder.encode(value))).toStrictEqual([
          new Box(read),
          read,
          new Box([new Box(read), "x".repeat(2000)]),
        ]);
      }
    },
  );

  test.each(["encode", "encodeSharedRef"] as const)(
    "by %s at any depth: the depth counts from each root",
    (method) => {
      const context = boxes(method);
      let value: unknown = 1;
      for (let i = 0; i < 200; i++) value = new Box([value]);
      let result = context.decoder.decode(context.encoder.encode(value));
      expect(context.count).toBe(200);
      for (let i = 0; i < 200; i++) {
        expect(result).toBeInstanceOf(Box);
        result = ((result as Box).content as unknown[])[0];
      }
      expect(result).toBe(1);
      expect(() => context.encoder.encode(new Box([[[[1]]]]))).toThrow("Too deep objects in depth 5");
      expect(context.encoder.encode([1])).toStrictEqual(hex("9101"));
    },
  );

  test("keep what the outer call has written so far: long text, numbers, keys, binary data", () => {
    const codec = new ExtensionCodec();
    codec.register({
      type: 1,
      encode: (input) => (input instanceof Box ? encode(input.content, { extensionCodec: codec }) : null),
      decode: (data) => new Box(decode(data, { extensionCodec: codec })),
    });
    const fill = (depth: number): unknown => ({
      text: "é".repeat(500 * depth),
      numbers: Array.from({ length: 3000 }, (_, i) => i / 3),
      data: new Uint8Array(300 * depth),
      box: depth === 0 ? null : new Box([fill(depth - 1), fill(depth - 1)]),
      [`key${depth}`]: "behind",
      more: Array.from({ length: 500 }, (_, i) => `text ${i}`),
    });
    const value = fill(4);
    const bytes = encode(value, { extensionCodec: codec });
    expect(decode(bytes, { extensionCodec: codec })).toStrictEqual(value);
  });

  test("an error inside leaves the outer call usable, if the codec catches it", () => {
    const extensionCodec = codecOf((input) => {
      if (!(input instanceof Set)) return null;
      try {
        encode([1, "a".repeat(100), () => 0]);
      } catch {
        return Uint8Array.of(9);
      }
      return null;
    });
    expect(encode(["before", new Set(), "after"], { extensionCodec })).toStrictEqual(
      join(hex("93 a6"), "before", hex("d40109 a5"), "after"),
    );
    const reading: ExtensionCodecType<undefined> = {
      tryToEncode: nothing,
      decode: (data) => failure(() => decode(data)).message,
    };
    expect(decode(hex("93 a162 d401c1 a161"), { extensionCodec: reading })).toEqual([
      "b",
      expect.stringContaining("Unrecognized type byte: 0xc1"),
      "a",
    ]);
  });

  test("streams inside, too", async () => {
    const reads: Promise<unknown>[] = [];
    const extensionCodec: ExtensionCodecType<undefined> = {
      tryToEncode: nothing,
      decode(data) {
        reads.push(decodeAsync(streamOf(...Array.from(data, (byte) => [byte]))));
        return "later";
      },
    };
    const inner = encode({ a: [1, 2], b: "é" });
    const bytes = encode([new ExtData(1, inner), { c: new ExtData(1, inner) }]);
    expect(decode(bytes, { extensionCodec })).toEqual(["later", { c: "later" }]);
    expect(await Promise.all(reads)).toEqual([
      { a: [1, 2], b: "é" },
      { a: [1, 2], b: "é" },
    ]);
  });

  test("while keys are new to the library, those of the outer and the inner object", () => {
    let count = 0;
    const extensionCodec: ExtensionCodecType<undefined> = {
      tryToEncode: (object) =>
        object instanceof Box ? new ExtData(1, encode(object.content, { extensionCodec })) : null,
      decode: (data) => decode(data, { extensionCodec }),
    };
    const fresh = (depth: number): Record<string, unknown> => {
      const object: Record<string, unknown> = {};
      for (let i = 0; i < 30; i++)
        object[`fresh ${count++}`] = depth > 0 && i % 10 === 5 ? new Box(fresh(depth - 1)) : i;
      return object;
    };
    const plain = (value: unknown): unknown =>
      value instanceof Box
        ? plain(value.content)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
          : value;
    for (let i = 0; i < 8; i++) {
      const value = fresh(3);
      for (let j = 0; j < 3; j++) {
        expect(decode(encode(value, { extensionCodec }), { extensionCodec })).toEqual(plain(value));
      }
    }
  });
});

describe("timestamps", () => {
  const sizes: [string, number, number][] = [
    ["32 bits: whole seconds from 1970", 0, 6],
    ["32 bits: up to 2^32 - 1 seconds", (2 ** 32 - 1) * 1000, 6],
    ["64 bits: from 2^32 seconds", 2 ** 32 * 1000, 10],
    ["64 bits: parts of a second", 1, 10],
    ["64 bits: up to 2^34 - 1 seconds", 2 ** 34 * 1000 - 1, 10],
    ["96 bits: from 2^34 seconds", 2 ** 34 * 1000, 15],
    ["96 bits: before 1970", -1, 15],
    ["96 bits: the first date there is", -8.64e15, 15],
    ["96 bits: the last date there is", 8.64e15, 15],
  ];

  test.each(sizes)("%s", (_, milliseconds, length) => {
    const date = new Date(milliseconds);
    const bytes = encode(date);
    expect(bytes).toHaveLength(length);
    expect(bytes).toStrictEqual(reference.encode(date).slice());
    expect(decode(bytes)).toStrictEqual(date);
  });

  test.each([
    [{ sec: 0, nsec: 0 }, "00000000"],
    [{ sec: 2 ** 32 - 1, nsec: 0 }, "ffffffff"],
    [{ sec: 2 ** 32, nsec: 0 }, "00000001 00000000"],
    [{ sec: 1, nsec: 1 }, "00000004 00000001"],
    [{ sec: 2 ** 34 - 1, nsec: 999_999_999 }, "ee6b27ff ffffffff"],
    [{ sec: 2 ** 34, nsec: 999_999_999 }, "3b9ac9ff 0000000400000000"],
    [{ sec: -1, nsec: 0 }, "00000000 ffffffffffffffff"],
    [{ sec: -1, nsec: 999_999_999 }, "3b9ac9ff ffffffffffffffff"],
    [{ sec: -(2 ** 40), nsec: 5 }, "00000005 ffffff0000000000"],
    [{ sec: 2 ** 53 - 1, nsec: 5 }, "00000005 001fffffffffffff"],
  ])("nanoseconds are kept by the functions for them: %o", (spec, bytes) => {
    expect(encodeTimeSpecToTimestamp(spec)).toStrictEqual(hex(bytes));
    expect(reference.encodeTimeSpecToTimestamp(spec)).toStrictEqual(hex(bytes));
    expect(decodeTimestampToTimeSpec(hex(bytes))).toStrictEqual(spec);
    const shifted = join([1, 2, 3], hex(bytes)).subarray(3);
    expect(decodeTimestampToTimeSpec(shifted)).toStrictEqual(spec);
  });

  test("a codec can keep nanoseconds, as its own type and in place of Date", () => {
    class Instant {
      readonly sec: number;
      readonly nsec: number;
      constructor(sec: number, nsec: number) {
        this.sec = sec;
        this.nsec = nsec;
      }
    }
    const codec = new ExtensionCodec();
    codec.register({
      type: EXT_TIMESTAMP,
      encode(input) {
        if (input instanceof Instant) return encodeTimeSpecToTimestamp(input);
        return encodeTimestampExtension(input);
      },
      decode(data) {
        const { sec, nsec } = decodeTimestampToTimeSpec(data);
        return new Instant(sec, nsec);
      },
    });
    const bytes = encode([new Instant(1, 123_456_789), new Date(1500)], { extensionCodec: codec });
    expect(decode(bytes, { extensionCodec: codec })).toStrictEqual([
      new Instant(1, 123_456_789),
      new Instant(1, 500_000_000),
    ]);
    expect(decode(bytes)).toStrictEqual([new Date(1123), new Date(1500)]);
  });

  test.each([
    [0, 0, 0],
    [1500, 1, 500_000_000],
    [-1, -1, 999_000_000],
    [-1000, -1, 0],
    [-1001, -2, 999_000_000],
  ])("%d ms is a whole number of seconds before, and nanoseconds from 0", (milliseconds, sec, nsec) => {
    expect(encodeDateToTimeSpec(new Date(milliseconds))).toStrictEqual({ sec, nsec });
    expect(reference.encodeDateToTimeSpec(new Date(milliseconds))).toStrictEqual({ sec, nsec });
  });

  test("encodeTimestampExtension says null for all but Dates", () => {
    for (const other of [null, undefined, 0, "1970-01-01", {}, [], { getTime: () => 0 }, Date]) {
      expect(encodeTimestampExtension(other)).toBeNull();
      expect(reference.encodeTimestampExtension(other)).toBeNull();
    }
    expect(encodeTimestampExtension(new Date(1000))).toStrictEqual(hex("00000001"));
    class Day extends Date {}
    expect(encodeTimestampExtension(new Day(1000))).toStrictEqual(hex("00000001"));
  });

  test("decodeTimestampExtension makes a Date, and cuts off what is finer than a millisecond", () => {
    expect(decodeTimestampExtension(hex("00000001"))).toStrictEqual(new Date(1000));
    expect(decodeTimestampExtension(encodeTimeSpecToTimestamp({ sec: 1, nsec: 1_999_999 }))).toStrictEqual(
      new Date(1001),
    );
    const far = decodeTimestampExtension(encodeTimeSpecToTimestamp({ sec: 2 ** 50, nsec: 0 }));
    expect(far.getTime()).toBeNaN();
  });

  test.each([0, 1, 3, 5, 7, 9, 11, 13, 16])("%d bytes are no timestamp", (size) => {
    const data = new Uint8Array(size);
    const message = `Unrecognized data size for timestamp (expected 4, 8, or 12): ${size}`;
    for (const call of [
      () => decodeTimestampToTimeSpec(data),
      () => decodeTimestampExtension(data),
      () => decode(encode(new ExtData(-1, data))),
    ]) {
      const error = failure(call);
      expect(error).toBeInstanceOf(DecodeError);
      expect(error.message).toContain(message);
    }
    expect(() => reference.decodeTimestampToTimeSpec(data)).toThrow(message);
  });

  test("more than 999,999,999 nanoseconds are no timestamp", () => {
    for (const data of [
      hex("ee6b2800 00000000"),
      hex("3b9aca00 0000000000000000"),
      hex("ffffffff 0000000000000000"),
    ]) {
      expect(() => decodeTimestampToTimeSpec(data)).toThrow(DecodeError);
      expect(() => decodeTimestampExtension(data)).toThrow(DecodeError);
      expect(failure(() => decode(encode(["a", new ExtData(-1, data)])))).toMatchObject({
        code: "EXTENSION",
        offset: 3,
      });
    }
  });

  test("fractions of a second or a nanosecond are cut off", () => {
    const spec = { sec: 1.9, nsec: 0 };
    expect(encodeTimeSpecToTimestamp(spec)).toStrictEqual(reference.encodeTimeSpecToTimestamp(spec));
    expect(encodeTimeSpecToTimestamp(spec)).toStrictEqual(hex("00000001"));
    for (const odd of [
      { sec: 1.9, nsec: 5 },
      { sec: 2 ** 32 + 0.5, nsec: 0 },
      { sec: -1.5, nsec: 7 },
      { sec: 2 ** 35 + 0.5, nsec: 7 },
      { sec: 5, nsec: 7.9 },
    ]) {
      expect(encodeTimeSpecToTimestamp(odd), JSON.stringify(odd)).toStrictEqual(
        reference.encodeTimeSpecToTimestamp(odd),
      );
    }
  });

  test("an invalid Date has none", () => {
    for (const call of [
      () => encode(new Date(Number.NaN)),
      () => encode([1, { at: new Date("no date") }]),
      () => encodeDateToTimeSpec(new Date(Number.NaN)),
      () => encodeTimestampExtension(new Date(Number.NaN)),
    ]) {
      expect(failure(call)).toBeInstanceOf(RangeError);
    }
    expect(encode(new Date(0))).toStrictEqual(hex("d6ff00000000"));
  });

  test("a Date of another realm is one", () => {
    const date = vm.runInNewContext("new Date(1500)");
    expect(date).not.toBeInstanceOf(Date);
    expect(encode([date])).toStrictEqual(encode([new Date(1500)]));
    expect(encodeTimestampExtension(date)).toStrictEqual(encodeTimestampExtension(new Date(1500)));
    expect(failure(() => encode(vm.runInNewContext("new Date(NaN)")))).toBeInstanceOf(RangeError);
  });

  test("what only says it is a Date is none", () => {
    expect(encode({ [Symbol.toStringTag]: "Date", a: 1 })).toStrictEqual(hex("81a16101"));
    expect(encodeTimestampExtension({ [Symbol.toStringTag]: "Date" })).toBeNull();
  });

  test("in large numbers, between other values", () => {
    const value = Array.from({ length: 5000 }, (_, i) => ({ at: new Date(i * 1_234_567), i }));
    expect(decode(encode(value))).toStrictEqual(value);
    expect(Buffer.compare(encode(value), reference.encode(value))).toBe(0);
  });
});

test("a long row of small extensions is a row of views", () => {
  const bytes = join([0xdd, 0, 1, 0, 0], repeat(hex("d40507"), 65_536));
  const value = decode(bytes) as ExtData[];
  expect(value).toHaveLength(65_536);
  expect(value.every(({ type, data }) => type === 5 && (data as Uint8Array)[0] === 7)).toBe(true);
  expect(Buffer.compare(encode(value), bytes)).toBe(0);
});
