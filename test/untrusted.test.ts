import {
  type DecodeError,
  Decoder,
  type DecoderOptions,
  decode,
  decodeArrayStream,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  decodeSegments,
  decodeSingle,
  ExtData,
  ExtensionCodec,
  encode,
  TypedArrayCodec,
  WasmArena,
} from "msgpack-wasm";
import { HubFrameReader, MessagePackHubProtocol } from "msgpack-wasm/signalr";
import { describe, expect, test } from "vitest";
import { bigEndian, hex, join, repeat } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";
import { collect, piecesOf, streamOf } from "./lib/streams.ts";

const untrusted = { profile: "untrusted" } as const;

/** A string, binary data, or an extension: a header of 5 bytes, and the type where there is one. */
const payload = (header: number, length: number, type: number[] = []) =>
  join([header], bigEndian(length, 4), type, new Uint8Array(length).fill(0x61));
const arrays = (depth: number) => join(repeat([0x91], depth - 1), [0x90]);
const array = (count: number) => join([0xdd], bigEndian(count, 4), repeat([1], count));
const map = (count: number) =>
  join(
    [0xdf],
    bigEndian(count, 4),
    Array.from({ length: count }, (_, i) => [0xcd, i >> 8, i & 255, 0xc0]).flat(),
  );
const lists = (count: number) =>
  join([0xdc], bigEndian(count / 64, 2), repeat(join([0xdc, 0, 63], repeat([1], 63)), count / 64));

/** What is allowed at the most, what is one too much, and the error's details behind two bytes. */
const limits: [keyof DecoderOptions, number, (size: number) => Uint8Array, string][] = [
  ["maxStrLength", 2 ** 20, (size) => payload(0xdb, size), "MAX_LENGTH"],
  ["maxBinLength", 2 ** 24, (size) => payload(0xc6, size), "MAX_LENGTH"],
  ["maxExtLength", 2 ** 24, (size) => payload(0xc9, size, [1]), "MAX_LENGTH"],
  ["maxMapLength", 2 ** 16, map, "MAX_LENGTH"],
  ["maxDepth", 499, arrays, "MAX_DEPTH"],
];

describe("the profile for untrusted data", () => {
  test.each(limits)("sets %s to %d", (name, most, message, code) => {
    const behindTwo = (size: number) => join([0x92, 1], message(size));
    const known = new ExtensionCodec();
    known.register({ type: 1, encode: () => null, decode: (data) => data.length });
    const options: DecoderOptions = { ...untrusted, extensionCodec: known };
    decode(behindTwo(most), options);
    const error = failure(() => decode(behindTwo(most + 1), options));
    expect(error).toMatchObject({ name: "DecodeError", code });
    expect((error as DecodeError).offset).toBe(name === "maxDepth" ? 2 + most : 2);
    expect(error.message).toContain(name);
    // Each can be set apart, and lifted; extensions are binary data, too.
    const binary = name === "maxExtLength" ? { maxBinLength: most + 3 } : {};
    decode(behindTwo(most + 1), { ...options, ...binary, [name]: most + 3 });
    decode(behindTwo(most + 1), { ...options, ...binary, [name]: Number.POSITIVE_INFINITY });
    decode(behindTwo(most + 1), { extensionCodec: known });
    expect(failure(() => decode(behindTwo(9), { ...options, [name]: 8 }))).toMatchObject({ code });
  });

  test("sets maxElements, for all containers together, and maxArrayLength to 2^20", () => {
    const most = 2 ** 20;
    expect(decode(array(most), untrusted)).toHaveLength(most);
    expect(failure(() => decode(array(most + 1), untrusted))).toMatchObject({
      code: "MAX_LENGTH",
      offset: 0,
    });
    expect(failure(() => decode(array(most + 1), { ...untrusted, maxArrayLength: most + 1 }))).toMatchObject({
      code: "MAX_ELEMENTS",
      offset: 0,
    });
    expect(decode(lists(most), untrusted)).toHaveLength(most / 64);
    const more = join([0x92], lists(most), []);
    expect(failure(() => decode(join(more, [1]), untrusted))).toMatchObject({
      code: "MAX_ELEMENTS",
      offset: 1 + 3 + (most / 64 - 1) * 66,
      message: expect.stringContaining(`maxElements (${most})`),
    });
    decode(join(more, [1]), { ...untrusted, maxElements: most + 2 });
  });

  test("refuses extensions that nobody knows, and says where they are", () => {
    const unknown = hex("92 01 c7 03 05 010203");
    expect(failure(() => decode(unknown, untrusted))).toMatchObject({
      name: "DecodeError",
      code: "EXTENSION",
      offset: 2,
      message: expect.stringContaining("Unknown extension type 5"),
    });
    expect(decode(unknown)).toStrictEqual([1, new ExtData(5, hex("010203"))]);
    expect(decode(unknown, { ...untrusted, onUnknownExtension: "keep" })).toStrictEqual(decode(unknown));
    expect(failure(() => decode(unknown, { onUnknownExtension: "throw" }))).toMatchObject({ offset: 2 });
    expect(failure(() => decode(hex("d4 fe 00"), untrusted)).message).toContain("type -2");
    // Those of the codec are known, and so is the timestamp.
    const extensionCodec = new ExtensionCodec();
    extensionCodec.register({ type: 5, encode: () => null, decode: (data) => data.length });
    expect(decode(unknown, { ...untrusted, extensionCodec })).toStrictEqual([1, 3]);
    expect(decode(encode(new Date(5)), untrusted)).toStrictEqual(new Date(5));
  });

  test("takes what is usual, and gives the same", () => {
    const value = {
      id: 1,
      list: [1.5, "é", null, { x: new Date(0) }],
      data: new Uint8Array(300),
      text: "x".repeat(700),
    };
    for (const message of [encode(value), encode([value, value]), encode({ small: [1, "two"] })]) {
      expect(decode(message, untrusted)).toStrictEqual(decode(message));
    }
  });

  test("that is mistyped is an error, not the absence of limits", () => {
    const options = { profile: "untrused" } as unknown as DecoderOptions;
    expect(() => new Decoder(options)).toThrow(RangeError);
    expect(() => decode(hex("01"), options)).toThrow('There is no profile "untrused", only "untrusted"');
  });
});

describe("it holds wherever there are options", () => {
  const deep = arrays(501);
  const tooDeep = { code: "MAX_DEPTH", offset: 500 };

  test("for buffers", () => {
    expect(failure(() => decode(deep, untrusted))).toMatchObject(tooDeep);
    expect(failure(() => decodeSingle(deep, 0, untrusted))).toMatchObject(tooDeep);
    expect(failure(() => decodeSegments(piecesOf(deep, 7), untrusted))).toMatchObject(tooDeep);
    expect(failure(() => [...decodeMulti(deep, untrusted)])).toMatchObject(tooDeep);
    expect(failure(() => new Decoder(untrusted).decode(deep))).toMatchObject(tooDeep);
    const arena = new WasmArena(1 << 16);
    const placed = arena.allocate(deep.length);
    placed.set(deep);
    expect(failure(() => arena.decode(placed, untrusted))).toMatchObject(tooDeep);
  });

  test.each([1, 100, 10_000])("for streams, in pieces of %d", async (size) => {
    const bytes = () => streamOf(...piecesOf(deep, size));
    await expect(decodeAsync(bytes(), untrusted)).rejects.toMatchObject(tooDeep);
    await expect(collect(decodeMultiStream(bytes(), untrusted))).rejects.toMatchObject(tooDeep);
    await expect(collect(decodeArrayStream(bytes(), untrusted))).rejects.toMatchObject(tooDeep);
  });

  test("elements are counted through all the pieces of a stream, and anew for the next message", async () => {
    const options = { ...untrusted, maxElements: 12 };
    const message = hex("93 93010203 82a16101a16202 93010203");
    for (const size of [1, 2, 3, 100]) {
      await expect(decodeAsync(streamOf(...piecesOf(message, size)), options)).resolves.toHaveLength(3);
      const all = collect(decodeMultiStream(streamOf(...piecesOf(repeat(message, 4), size)), options));
      await expect(all).resolves.toHaveLength(4);
      await expect(
        decodeAsync(streamOf(...piecesOf(message, size)), { ...options, maxElements: 10 }),
      ).rejects.toMatchObject({ code: "MAX_ELEMENTS", offset: 12 });
    }
  });

  test("for hub messages", () => {
    const message = encode([1, {}, null, "target", [arraysValue(600)]], { maxDepth: 1000 });
    const frame = join([0x80 | (message.length & 127), message.length >> 7], message);
    const logger = { log: () => {} };
    const parse = (options?: object) =>
      new MessagePackHubProtocol(options).parseMessages(frame.slice().buffer, logger);
    expect(parse()).toHaveLength(1);
    expect(failure(() => parse(untrusted))).toMatchObject({ code: "MAX_DEPTH" });
    const reader = new HubFrameReader(untrusted);
    reader.push(frame);
    expect(failure(() => reader.read())).toMatchObject({ code: "MAX_DEPTH" });
  });
});

function arraysValue(depth: number): unknown {
  let value: unknown = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}

describe("small messages, which are read in JavaScript, obey", () => {
  const codec = new TypedArrayCodec();
  const small: [DecoderOptions, string, string, number][] = [
    [{ maxStrLength: 2 }, "92 01 a3616161", "MAX_LENGTH", 2],
    [{ maxStrLength: 2 }, "81 a3616161 01", "MAX_LENGTH", 1],
    [{ maxBinLength: 2 }, "92 01 c403000000", "MAX_LENGTH", 2],
    [{ maxArrayLength: 2 }, "92 01 93010203", "MAX_LENGTH", 2],
    [{ maxMapLength: 1 }, "92 01 82a16101a16201", "MAX_LENGTH", 2],
    [{ maxDepth: 2 }, "92 01 91 90", "MAX_DEPTH", 3],
    [{ maxElements: 3 }, "92 01 92 01 02", "MAX_ELEMENTS", 2],
    [{ extensionCodec: codec, maxExtLength: 4 }, "92 01 c70501 03000001 02", "MAX_LENGTH", 2],
    [{ extensionCodec: codec, maxBinLength: 4 }, "92 01 c70501 03000001 02", "MAX_LENGTH", 2],
  ];

  test.each(small)("%j of %s", (options, message, code, offset) => {
    for (let i = 0; i < 3; i++)
      expect(failure(() => decode(hex(message), options))).toMatchObject({ code, offset });
    for (let i = 0; i < 3; i++) {
      expect(failure(() => decode(hex(message), { ...untrusted, ...options }))).toMatchObject({
        code,
        offset,
      });
    }
  });

  test("the limit of typed arrays, however long they are", () => {
    const message = encode([1, new Float32Array(100)], { extensionCodec: codec });
    const most = 401 + 2;
    for (const name of ["maxExtLength", "maxBinLength"] as const) {
      const sizes = [most - 4, most, most + 4].map((limit) => {
        const options = { ...untrusted, extensionCodec: codec, [name]: limit };
        try {
          return (decode(message, options) as unknown[]).length;
        } catch (error) {
          return (error as DecodeError).code;
        }
      });
      expect(sizes[0]).toBe("MAX_LENGTH");
      expect(sizes[2]).toBe(2);
    }
  });
});
