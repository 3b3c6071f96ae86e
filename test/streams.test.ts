import { Readable } from "node:stream";
import * as reference from "@msgpack/msgpack";
import {
  DecodeError,
  Decoder,
  decode,
  decodeArrayStream,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  ExtData,
  ExtensionCodec,
  encode,
} from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { bigEndian, hex, join, repeat, str } from "./lib/bytes.ts";
import { bytesCopied } from "./lib/copies.ts";
import { failure } from "./lib/reference.ts";
import {
  type Chunk,
  collect,
  collectUntilError,
  piecesOf,
  rejection,
  streamOf,
  watched,
} from "./lib/streams.ts";

/** The same value with `Uint8Array` for `Buffer`: views of a chunk are of its class. */
function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return value instanceof ExtData ? new ExtData(value.type, plain(value.data) as Uint8Array) : value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** One of everything, with keys that repeat. */
const sample = {
  id: 1,
  name: "né",
  list: [{ id: 2, name: "b" }, { id: 3, name: "c€" }, null, true, false, -1.5, [1, 2, 3, 4, 5]],
  data: Uint8Array.of(1, 2, 3),
  at: new Date(1_234_567_890_123),
  big: [2 ** 40, -(2 ** 40), 300, -300, 70_000, 0.1],
  points: [
    [0.5, 1.5],
    [2.5, 3.5],
  ],
  ext: new ExtData(5, Uint8Array.of(9, 9, 9)),
  long: "x".repeat(40),
};
const sampleBytes = encode(sample);

/** Every format of the specification. */
const messages: Record<string, Uint8Array> = {
  nil: hex("c0"),
  "one of everything": sampleBytes,
  "all number formats": hex(
    "9d 01 ff cc80 cd8000 ce80000000 cf8000000000000000 d080 d18000 d280000000 d38000000000000000 ca3f000000 cb3fe0000000000000 c0",
  ),
  "all string formats": hex("94 a26162 d9026162 da00026162 db000000026162"),
  "all binary formats": hex("93 c402 0102 c50002 0102 c600000002 0102"),
  "all extension formats": hex(
    `98 d405 01 d505 0102 d605 01020304 d705 ${"01".repeat(8)} d805 ${"01".repeat(16)} c70305 010203 c8000305 010203 c90000000305 010203`,
  ),
  "array formats": hex("93 dc0002 01 02 dd00000002 01 02 90"),
  "map formats": hex("94 82 a161 01 a162 02 de0002 a161 01 a162 02 df00000002 a161 01 a162 02 80"),
  "keys of all kinds": hex("85 01 c0 cb3fe0000000000000 c0 a0 c0 a3 e282ac c0 d90161 c0"),
  "characters of 1 to 4 bytes": encode(["aé€😀", "\ufeffa", "\0"]),
  "nested deeply": join(repeat(hex("9181a161"), 70), [0xc0]),
  "a run of numbers": encode(Array.from({ length: 40 }, (_, i) => (i < 20 ? i * 1000 : i / 7))),
  "records of one shape": encode(Array.from({ length: 8 }, (_, i) => ({ id: i, name: `n${i}` }))),
};

/** A WHATWG stream. */
function readable(
  chunks: readonly Chunk[],
  underlying: UnderlyingDefaultSource<Chunk> = {},
): ReadableStream<Chunk> {
  let next = 0;
  return new ReadableStream<Chunk>({
    pull(controller) {
      if (next < chunks.length) {
        controller.enqueue(chunks[next++]);
      } else {
        controller.close();
      }
    },
    ...underlying,
  });
}

/** A stream as browsers had it: it can be read, but not iterated. */
function onlyReadable<T>(stream: ReadableStream<T>): ReadableStream<T> {
  return { getReader: () => stream.getReader() } as ReadableStream<T>;
}

describe("sources", () => {
  const pieces = piecesOf(sampleBytes, 7);
  const sources: Record<string, () => AsyncIterable<Chunk> | ReadableStream<Chunk>> = {
    "an async generator": () => streamOf(...pieces),
    "an object with an asyncIterator": () => watched(pieces).stream,
    "a ReadableStream": () => readable(pieces),
    "a ReadableStream without asyncIterator": () => onlyReadable(readable(pieces)),
    "a ReadableStream whose asyncIterator is undefined": () =>
      Object.defineProperty(readable(pieces), Symbol.asyncIterator, { value: undefined }),
    "a stream of Node": () => Readable.from(pieces.map((piece) => Buffer.from(piece))),
    "a stream of Node made a WHATWG stream": () =>
      Readable.toWeb(Readable.from(pieces)) as ReadableStream<Chunk>,
    "the stream of a Blob": () => new Blob(pieces as BlobPart[]).stream(),
    "the body of a Response": () => new Response(sampleBytes).body as ReadableStream<Chunk>,
    "a stream of bytes": () => {
      // It takes the buffers away from their owner.
      const rest = pieces.map((piece) => piece.slice());
      return new ReadableStream({
        type: "bytes",
        pull(controller) {
          const piece = rest.shift();
          if (piece === undefined) {
            controller.close();
          } else {
            controller.enqueue(piece as Uint8Array<ArrayBuffer>);
          }
        },
      });
    },
  };

  describe.each(Object.entries(sources))("%s", (_, source) => {
    test("decodeAsync", async () => {
      expect(plain(await decodeAsync(source()))).toStrictEqual(sample);
      expect(plain(await new Decoder().decodeAsync(source()))).toStrictEqual(sample);
    });

    test("decodeMultiStream and Decoder#decodeStream", async () => {
      expect(plain(await collect(decodeMultiStream(source())))).toStrictEqual([sample]);
      expect(plain(await collect(new Decoder().decodeStream(source())))).toStrictEqual([sample]);
    });

    test("decodeArrayStream", async () => {
      const error = await rejection(collect(decodeArrayStream(source())));
      expect(error).toBeInstanceOf(DecodeError);
      expect(error.message).toContain(`Unrecognized array type byte: 0x8${Object.keys(sample).length}`);
    });
  });

  test("what is no stream is a TypeError", async () => {
    for (const none of [null, undefined, 5, {}, [[1]], new Uint8Array(1)]) {
      const stream = none as unknown as AsyncIterable<Chunk>;
      await expect((async () => decodeAsync(stream))()).rejects.toThrow(TypeError);
      await expect((async () => collect(decodeMultiStream(stream)))()).rejects.toThrow(TypeError);
      await expect((async () => collect(decodeArrayStream(stream)))()).rejects.toThrow(TypeError);
    }
  });

  test("chunks may be of any kind that decode takes, mixed", async () => {
    const bytes = encode(["abc", 1, 2.5, { a: new Uint8Array(5) }, "é".repeat(10)]);
    const kinds: ((piece: Uint8Array<ArrayBuffer>) => Chunk)[] = [
      (piece) => piece,
      (piece) => piece.buffer,
      (piece) => Buffer.from(piece),
      (piece) => new DataView(join([1, 2], piece, [3]).buffer, 2, piece.length),
      (piece) => Array.from(piece),
      (piece) => Array.from(piece, (byte) => byte + 256),
      (piece) => join([9], piece, [9]).subarray(1, piece.length + 1),
      (piece) => new Int8Array(piece.buffer),
      (piece) => new Uint8ClampedArray(piece),
      (piece) => {
        const shared = new SharedArrayBuffer(piece.length);
        new Uint8Array(shared).set(piece);
        return shared;
      },
    ];
    for (const size of [1, 2, 3, 5]) {
      const pieces = piecesOf(bytes, size) as Uint8Array<ArrayBuffer>[];
      for (const kind of kinds) {
        expect(plain(await decodeAsync(streamOf(...pieces.map(kind))))).toEqual(decode(bytes));
      }
      const mixed = pieces.map((piece, i) => kinds[i % kinds.length](piece));
      expect(plain(await decodeAsync(streamOf(...mixed)))).toEqual(decode(bytes));
      expect(plain(await collect(decodeArrayStream(streamOf(...mixed))))).toEqual(decode(bytes));
    }
  });

  test("a chunk that is none is a TypeError, and the source is cancelled", async () => {
    for (const none of [null, undefined]) {
      const source = watched([[0x91], none as unknown as Chunk, [1]]);
      await expect(decodeAsync(source.stream)).rejects.toThrow(TypeError);
      expect(source).toMatchObject({ isCancelled: true, taken: 2 });
    }
  });

  test("empty chunks change nothing, wherever they are", async () => {
    const pieces = piecesOf(sampleBytes, 1).flatMap((piece) => [new Uint8Array(0), piece, []]);
    expect(await decodeAsync(streamOf(...pieces))).toStrictEqual(sample);
    expect(await decodeAsync(streamOf([], [], sampleBytes, [], []))).toStrictEqual(sample);
    expect(await collect(decodeMultiStream(streamOf([], [1], [], [2], [])))).toEqual([1, 2]);
    expect(await collect(decodeMultiStream(streamOf([], [])))).toEqual([]);
    expect(await collect(decodeArrayStream(streamOf([], [0x91], [], [2], [])))).toEqual([2]);
  });
});

describe.each(Object.entries(messages))("a message with %s", (_, bytes) => {
  const value = decode(bytes);

  test("cut at every byte", async () => {
    for (let at = 0; at <= bytes.length; at++) {
      const halves = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(await decodeAsync(streamOf(...halves)), `cut at ${at}`).toStrictEqual(value);
      expect(await collect(decodeMultiStream(streamOf(...halves))), `cut at ${at}`).toStrictEqual([value]);
    }
  });

  test.each([1, 2, 3, 5, 7])("in pieces of %d bytes", async (size) => {
    const pieces = piecesOf(bytes, size);
    expect(await decodeAsync(streamOf(...pieces))).toStrictEqual(value);
    expect(await collect(decodeMultiStream(streamOf(...pieces)))).toStrictEqual([value]);
    const items = await collect(decodeArrayStream(streamOf(...piecesOf(join([0x92, 7], bytes), size))));
    expect(items).toStrictEqual([7, value]);
  });

  test("several times in one stream, cut at every byte of the second", async () => {
    const stream = join(bytes, bytes, bytes);
    for (let at = bytes.length; at <= bytes.length * 2; at++) {
      const pieces = [stream.subarray(0, at), stream.subarray(at)];
      expect(await collect(decodeMultiStream(streamOf(...pieces)))).toStrictEqual([value, value, value]);
    }
    expect([...decodeMulti(stream)]).toStrictEqual([value, value, value]);
  });

  test("cut off anywhere is a RangeError, from all functions", async () => {
    const array = join([0x92, 7], bytes);
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      for (const pieces of [[cut], piecesOf(cut, 1)]) {
        const error = await rejection(decodeAsync(streamOf(...pieces)));
        expect(error).toBeInstanceOf(RangeError);
        expect(error.message).toContain("Insufficient data");
        expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
        const ended = await collectUntilError(decodeMultiStream(streamOf([1, 2], ...pieces)));
        expect(ended.items).toEqual([1, 2]);
        if (length === 0) {
          expect(ended.error).toBeNull();
        } else {
          expect(ended.error).toBeInstanceOf(RangeError);
          expect(ended.error).toMatchObject({ code: "INSUFFICIENT_DATA" });
        }
        const listed = await collectUntilError(decodeArrayStream(streamOf(array.subarray(0, 2), ...pieces)));
        expect(listed.items).toEqual([7]);
        expect(listed.error).toBeInstanceOf(RangeError);
        expect(listed.error).toMatchObject({ code: "INSUFFICIENT_DATA" });
      }
    }
  });
});

describe("values come as soon as they are there", () => {
  test("from decodeMultiStream", async () => {
    const source = watched([[1], [2, 0xa1], [0x61, 3]], "waits");
    const values = decodeMultiStream(source.stream);
    expect(await values.next()).toEqual({ done: false, value: 1 });
    expect(source.taken).toBe(1);
    expect(await values.next()).toEqual({ done: false, value: 2 });
    expect(source.taken).toBe(2);
    expect(await values.next()).toEqual({ done: false, value: "a" });
    expect(await values.next()).toEqual({ done: false, value: 3 });
    expect(source.taken).toBe(3);
  });

  test("from decodeArrayStream", async () => {
    const source = watched([[0x95, 1], [2], [0x92, 3], [4, 5], [0xc0]], "waits");
    const items = decodeArrayStream(source.stream);
    const taken: [unknown, number][] = [];
    for (let i = 0; i < 5; i++) taken.push([(await items.next()).value, source.taken]);
    expect(taken).toEqual([
      [1, 1],
      [2, 2],
      [[3, 4], 4],
      [5, 4],
      [null, 5],
    ]);
  });

  test("an error after them does not keep them back", async () => {
    const multi = await collectUntilError(decodeMultiStream(streamOf([1, 2, 0xc1, 3])));
    expect(multi.items).toEqual([1, 2]);
    expect(multi.error).toBeInstanceOf(DecodeError);
    expect(multi.error).toMatchObject({ code: "UNKNOWN_FORMAT", offset: 2 });
    const listed = await collectUntilError(decodeArrayStream(streamOf([0x94, 1, 2, 0xc1, 3])));
    expect(listed.items).toEqual([1, 2]);
    expect(listed.error).toMatchObject({ code: "UNKNOWN_FORMAT", offset: 3 });
  });
});

describe("offsets of errors count from the start of the stream", () => {
  test("not from the chunk, and not from the value", async () => {
    const good = encode({ a: 1, b: "text" });
    const stream = join(good, good, hex("92 01 c1"));
    for (const size of [1, 4, 100]) {
      const { items, error } = await collectUntilError(
        decodeMultiStream(streamOf(...piecesOf(stream, size))),
      );
      expect(items).toHaveLength(2);
      expect(error).toMatchObject({ code: "UNKNOWN_FORMAT", offset: good.length * 2 + 2 });
    }
    const { error } = await collectUntilError(decodeMultiStream(streamOf(good, good, [0x92, 1])));
    expect(error).toMatchObject({ code: "INSUFFICIENT_DATA", offset: good.length * 2 + 2 });
  });
});

describe("bytes behind the value", () => {
  test.each([
    ["in the chunk of its end", [[0x91, 1, 2]], 2, 3],
    ["in a chunk of their own", [[0x91], [1], [2, 3]], 2, 4],
    ["behind a number", [[5], [6]], 1, 2],
  ])("%s are a RangeError of decodeAsync", async (_, chunks, offset, total) => {
    const source = watched(chunks);
    const error = await rejection(decodeAsync(source.stream));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: "EXTRA_BYTES", offset });
    expect(error.message).toContain(`Extra ${total - offset} of ${total} byte(s) found at buffer[${offset}]`);
    expect(source.isCancelled).toBe(true);
  });

  test("are read to their end before the stream has ended: it may bring more", async () => {
    await expect(decodeAsync(streamOf([0x91], [1], [], []))).resolves.toEqual([1]);
  });
});

describe("the source is cancelled", () => {
  type Call = (stream: AsyncIterable<Chunk> | ReadableStream<Chunk>) => Promise<unknown>;
  const failing: Record<string, [Chunk[], Call]> = {
    "when decodeAsync fails": [[[0x91], [0xc1], [1]], (stream) => decodeAsync(stream)],
    "when decodeAsync finds more than one value": [[[1], [2], [3]], (stream) => decodeAsync(stream)],
    "when decodeMultiStream fails": [[[1], [0xc1], [1]], (stream) => collect(decodeMultiStream(stream))],
    "when decodeArrayStream fails": [[[0x92], [0xc1], [1]], (stream) => collect(decodeArrayStream(stream))],
    "when decodeArrayStream finds no array": [[[], [5], [1]], (stream) => collect(decodeArrayStream(stream))],
    "when an extension decoder throws": [
      [[0x92], hex("d40100"), [1]],
      (stream) => {
        const extensionCodec = {
          tryToEncode: () => null,
          decode() {
            throw new Error("no");
          },
        };
        return decodeAsync(stream, { extensionCodec });
      },
    ],
  };
  const leaving: Record<string, [Chunk[], Call]> = {
    "when a loop over decodeMultiStream is left": [
      [[1], [2], [3], [4]],
      async (stream) => {
        for await (const value of decodeMultiStream(stream)) if (value === 2) break;
      },
    ],
    "when a loop over decodeArrayStream is left": [
      [[0x94, 1], [2], [3], [4]],
      async (stream) => {
        for await (const value of decodeArrayStream(stream)) if (value === 2) break;
      },
    ],
    "when a loop is left between values of one chunk": [
      [[0x95, 1], [2, 3, 4], [5]],
      async (stream) => {
        for await (const value of decodeArrayStream(stream)) if (value === 2) break;
      },
    ],
    "when a loop throws": [
      [[1], [2], [3], [4]],
      async (stream) => {
        await rejection(
          (async () => {
            for await (const value of decodeMultiStream(stream)) if (value === 2) throw new Error("enough");
          })(),
        );
      },
    ],
    "when return is called": [
      [[1], [2], [3], [4]],
      async (stream) => {
        const values = decodeMultiStream(stream);
        await values.next();
        await values.next();
        expect(await values.return()).toEqual({ done: true, value: undefined });
        expect(await values.next()).toEqual({ done: true, value: undefined });
      },
    ],
    "when throw is called": [
      [[1], [2], [3], [4]],
      async (stream) => {
        const values = decodeMultiStream(stream);
        await values.next();
        await values.next();
        const error = new Error("stop");
        expect(await rejection(values.throw(error))).toBe(error);
      },
    ],
  };

  for (const [when, [chunks, call, fails]] of [
    ...Object.entries(failing).map(([when, [chunks, call]]) => [when, [chunks, call, true]] as const),
    ...Object.entries(leaving).map(([when, [chunks, call]]) => [when, [chunks, call, false]] as const),
  ]) {
    const run = async (stream: AsyncIterable<Chunk> | ReadableStream<Chunk>): Promise<void> => {
      if (fails) {
        await rejection(call(stream));
      } else {
        await call(stream);
      }
    };

    test(`${when}: an async iterable`, async () => {
      const source = watched(chunks);
      await run(source.stream);
      expect(source).toMatchObject({ isCancelled: true, taken: 2 });
    });

    test.each([
      ["a ReadableStream", (stream: ReadableStream<Chunk>) => stream],
      ["a ReadableStream without asyncIterator", onlyReadable],
    ])(`${when}: %s`, async (_, wrap) => {
      let isCancelled = false;
      const stream = readable(chunks, {
        cancel() {
          isCancelled = true;
        },
      });
      await run(wrap(stream));
      expect(isCancelled).toBe(true);
      expect(stream.locked).toBe(false);
    });

    test(`${when}: a stream of Node`, async () => {
      const stream = Readable.from(
        chunks.map((chunk) => Buffer.from(chunk as ArrayLike<number> as number[])),
      );
      await run(stream);
      expect(stream.destroyed).toBe(true);
    });
  }

  test("before it was read, if return comes first: it is not even asked for", async () => {
    const source = watched([[1]]);
    const values = decodeMultiStream(source.stream);
    await values.return();
    expect(source).toMatchObject({ taken: 0 });
    expect(await values.next()).toEqual({ done: true, value: undefined });
  });

  test("not when it has come to its end", async () => {
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
    };
    for (const wrap of [(stream: ReadableStream<Chunk>) => stream, onlyReadable]) {
      const stream = readable([[1]], { cancel });
      await decodeAsync(wrap(stream));
      expect(stream.locked).toBe(false);
    }
    const source = watched([[1]]);
    await decodeAsync(source.stream);
    expect(isCancelled || source.isCancelled).toBe(false);
  });

  test("and an error of cancelling does not hide the error of decoding, nor keep the lock", async () => {
    const cancel = () => Promise.reject(new Error("cannot cancel"));
    const stream = readable([[0xc1], [1]], { cancel });
    expect(await rejection(decodeAsync(onlyReadable(stream)))).toBeInstanceOf(DecodeError);
    expect(stream.locked).toBe(false);
    expect(await rejection(decodeAsync(readable([[0xc1], [1]], { cancel })))).toBeInstanceOf(DecodeError);
  });
});

describe("errors of the source come through as they are", () => {
  const error = new Error("connection lost");
  const erring = (chunks: Chunk[]): ReadableStream<Chunk> => {
    const rest = [...chunks];
    return new ReadableStream({
      pull(controller) {
        const chunk = rest.shift();
        if (chunk === undefined) {
          controller.error(error);
        } else {
          controller.enqueue(chunk);
        }
      },
    });
  };
  const sources: Record<string, (chunks: Chunk[]) => AsyncIterable<Chunk> | ReadableStream<Chunk>> = {
    "an async iterable": (chunks) => watched(chunks, error).stream,
    "a ReadableStream": erring,
    "a ReadableStream without asyncIterator": (chunks) => onlyReadable(erring(chunks)),
    "a stream of Node": (chunks) =>
      Readable.from(
        (async function* () {
          yield* chunks.map((chunk) => Buffer.from(chunk as number[]));
          throw error;
        })(),
      ),
  };

  test.each(Object.entries(sources))("%s", async (_, source) => {
    expect(await rejection(decodeAsync(source([[0x92, 1]])))).toBe(error);
    // Even behind a whole value: what the source would have brought is not known.
    expect(await rejection(decodeAsync(source([[1]])))).toBe(error);
    expect(await rejection(decodeAsync(source([])))).toBe(error);
    expect(await collectUntilError(decodeMultiStream(source([[1, 2, 0xa1]])))).toEqual({
      items: [1, 2],
      error,
    });
    expect(await collectUntilError(decodeArrayStream(source([[0x93, 1, 2]])))).toEqual({
      items: [1, 2],
      error,
    });
  });
});

describe("errors of an extension decoder come through as they are", () => {
  test.each([new RangeError("mine"), new Error("mine"), new TypeError("mine")])("%s", async (error) => {
    let isBroken = true;
    const extensionCodec = {
      tryToEncode: () => null,
      decode() {
        if (isBroken) throw error;
        return "fine";
      },
    };
    const decoder = new Decoder({ extensionCodec });
    const bytes = hex("93 01 d40100 02");
    for (const size of [1, 3, 100]) {
      const pieces = piecesOf(bytes, size);
      isBroken = true;
      expect(await rejection(decoder.decodeAsync(streamOf(...pieces)))).toBe(error);
      expect(await collectUntilError(decoder.decodeStream(streamOf([7], ...pieces)))).toEqual({
        items: [7],
        error,
      });
      expect(await collectUntilError(decoder.decodeArrayStream(streamOf(...pieces)))).toEqual({
        items: [1],
        error,
      });
      expect(failure(() => [...decoder.decodeMulti(bytes)])).toBe(error);
      isBroken = false;
      expect(await decoder.decodeAsync(streamOf(...pieces))).toEqual([1, "fine", 2]);
    }
  });
});

describe("decodeArrayStream", () => {
  const headers = { fixarray: hex("93"), array16: hex("dc0003"), array32: hex("dd00000003") };

  test.each(Object.entries(headers))("%s, its header cut at every byte", async (_, header) => {
    for (let at = 0; at <= header.length; at++) {
      for (const items of [[1, 2, 3], hex("a161 9101 cb3ff8000000000000")]) {
        const expected = decode(join([0x93], items));
        const stream = streamOf(header.subarray(0, at), header.subarray(at), items);
        expect(await collect(decodeArrayStream(stream))).toStrictEqual(expected);
      }
    }
    expect(await collect(decodeArrayStream(streamOf(...piecesOf(join(header, [1, 2, 3]), 1))))).toEqual([
      1, 2, 3,
    ]);
  });

  test("an empty array has no items", async () => {
    for (const empty of ["90", "dc0000", "dd00000000"]) {
      expect(await collect(decodeArrayStream(streamOf(hex(empty))))).toEqual([]);
      expect(await collect(decodeArrayStream(streamOf(...piecesOf(hex(empty), 1), [])))).toEqual([]);
    }
  });

  test("arrays of every size at which formats change", async () => {
    for (const count of [1, 3, 4, 15, 16, 17, 255, 256, 65_535, 65_536]) {
      const value = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? `item ${i}` : i));
      const bytes = encode(value);
      for (const size of [1000, 65_536]) {
        expect(await collect(decodeArrayStream(streamOf(...piecesOf(bytes, size))))).toEqual(value);
      }
    }
  });

  test("arrays of numbers alone, pairs, and one long item", async () => {
    const values = [
      Array.from({ length: 3000 }, (_, i) => i),
      Array.from({ length: 3000 }, (_, i) => i / 3),
      [0.5, 1.5],
      [0.5, 1.5, 2.5, 3.5],
      Array.from({ length: 100 }, (_, i) => [i + 0.5, i + 0.25]),
      ["x".repeat(300_000)],
      [[[[["deep"]]]]],
    ];
    for (const value of values) {
      const bytes = encode(value);
      for (const size of [7, 1024, 1_000_000]) {
        expect(await collect(decodeArrayStream(streamOf(...piecesOf(bytes, size))))).toEqual(value);
      }
    }
  });

  test.each([
    ["05", 5],
    ["ff", 0xff],
    ["80", 0x80],
    ["81a16101", 0x81],
    ["de000101", 0xde],
    ["a161", 0xa1],
    ["c0", 0xc0],
    ["c3", 0xc3],
    ["c40101", 0xc4],
    ["cb3ff8000000000000", 0xcb],
    ["d40101", 0xd4],
    ["d9026162", 0xd9],
  ])("%s is no array", async (text, byte) => {
    for (const pieces of [[hex(text)], piecesOf(hex(text), 1)]) {
      const { items, error } = await collectUntilError(decodeArrayStream(streamOf(...pieces)));
      expect(items).toEqual([]);
      expect(error).toBeInstanceOf(DecodeError);
      expect(error).toMatchObject({ code: "ROOT_TYPE", offset: 0 });
      expect(error?.message).toContain(
        `Unrecognized array type byte: 0x${byte.toString(16).padStart(2, "0")}`,
      );
    }
  });

  test.each([
    ["in the chunk of the last item", [[0x92, 1, 2, 3]]],
    ["in a chunk of their own", [[0x92, 1, 2], [3]]],
    ["behind an empty array", [[0x90, 3]]],
    ["behind an empty array, in another chunk", [[0x90], [3]]],
    ["behind long items", [join([0x91], str(repeat([0x61], 1000))), [3]]],
  ])("bytes behind the array, %s, are a RangeError", async (_, chunks: Chunk[]) => {
    const source = watched(chunks);
    const total = (chunks as ArrayLike<number>[]).reduce((sum, chunk) => sum + chunk.length, 0);
    const { error } = await collectUntilError(decodeArrayStream(source.stream));
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: "EXTRA_BYTES", offset: total - 1 });
    expect(error?.message).toContain(`Extra 1 of ${total} byte(s) found at buffer[${total - 1}]`);
    expect(source.isCancelled).toBe(true);
  });

  test("limits hold for the array and its items", async () => {
    await expect(
      collect(decodeArrayStream(streamOf([0x93, 1, 2, 3]), { maxArrayLength: 2 })),
    ).rejects.toThrow("Max length exceeded: array length (3) > maxArrayLength (2)");
    const { items, error } = await collectUntilError(
      decodeArrayStream(streamOf([0x92, 1], [0xa2], [0x61, 0x61]), { maxStrLength: 1 }),
    );
    expect(items).toEqual([1]);
    expect(error).toMatchObject({ code: "MAX_LENGTH", offset: 2 });
    await expect(collect(decodeArrayStream(streamOf([0x91, 0x91, 1]), { maxDepth: 1 }))).rejects.toThrow(
      "Too deep objects",
    );
  });

  test("a header that promises more than there is costs nothing", async () => {
    const { items, error } = await collectUntilError(decodeArrayStream(streamOf(hex("ddffffffff 01 02"))));
    expect(items).toEqual([1, 2]);
    expect(error).toMatchObject({ code: "INSUFFICIENT_DATA" });
    const inner = await collectUntilError(decodeMultiStream(streamOf(hex("01 ddffffffff"), [1])));
    expect(inner.items).toEqual([1]);
    expect(inner.error).toMatchObject({ code: "INSUFFICIENT_DATA" });
  });
});

describe("several streams", () => {
  /** Chunks in as small pieces as there are, each a turn of the event loop after the last. */
  async function* slowly(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    for (const piece of piecesOf(bytes, 3)) {
      await new Promise((resolve) => setImmediate(resolve));
      yield piece;
    }
  }

  test("read by one decoder at once do not mix", async () => {
    const decoder = new Decoder();
    const values = Array.from({ length: 20 }, (_, i) => ({
      i,
      list: [i, `text ${i}`, { [`key${i}`]: i / 3 }],
    }));
    const results = await Promise.all([
      ...values.map((value) => decoder.decodeAsync(slowly(encode(value)))),
      collect(decoder.decodeStream(slowly(join(...values.map((value) => encode(value)))))),
      collect(decoder.decodeArrayStream(slowly(encode(values)))),
    ]);
    expect(results).toStrictEqual([...values, values, values]);
  });

  test("with sync calls between their chunks", async () => {
    const decoder = new Decoder();
    const pieces = piecesOf(sampleBytes, 1);
    async function* source() {
      for (const piece of pieces) {
        expect(decoder.decode(sampleBytes)).toStrictEqual(sample);
        expect(() => decoder.decode([0x91, 0xc1])).toThrow(DecodeError);
        yield piece;
      }
    }
    expect(await decoder.decodeAsync(source())).toStrictEqual(sample);
  });

  test("some of which fail", async () => {
    const decoder = new Decoder();
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        decoder.decodeAsync(
          slowly(i % 3 === 1 ? hex("92 a3616263 81 a161 c1") : encode([i, { a: "x".repeat(i) }])),
        ),
      ),
    );
    results.forEach((result, i) => {
      if (i % 3 === 1) {
        expect(result.status).toBe("rejected");
      } else {
        expect(result).toEqual({ status: "fulfilled", value: [i, { a: "x".repeat(i) }] });
      }
    });
  });

  test("interleaved by hand, decodeMulti generators too", async () => {
    const decoder = new Decoder();
    const one = decoder.decodeStream(streamOf([1, 0x92], [2, 3, 0x81], hex("a161 04")));
    const two = decoder.decodeMulti(hex("0a 920b0c 81a1620d"));
    const three = decoder.decodeArrayStream(streamOf([0x93, 0x14], [0x92, 0x15], [0x16, 0xa1], [0x63]));
    const results: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      results.push((await one.next()).value, two.next().value, (await three.next()).value);
    }
    expect(results).toEqual([1, 10, 20, [2, 3], [11, 12], [21, 22], { a: 4 }, { b: 13 }, "c"]);
    expect(await one.next()).toMatchObject({ done: true });
    expect(two.next()).toMatchObject({ done: true });
    expect(await three.next()).toMatchObject({ done: true });
  });

  test("left half read and forgotten do no harm", async () => {
    const decoder = new Decoder();
    for (let i = 0; i < 50; i++) {
      void decoder.decodeAsync(watched([[0x93, 1, 0xa5, 0x61]], "waits").stream);
      const values = decoder.decodeStream(watched([[1, 2, 0x92]], "waits").stream);
      expect((await values.next()).value).toBe(1);
      const items = decoder.decodeArrayStream(watched([[0x93, 1, 2, 0xa5]], "waits").stream);
      expect((await items.next()).value).toBe(1);
      expect(decoder.decodeMulti([5, 6]).next().value).toBe(5);
    }
    expect(decoder.decode(sampleBytes)).toStrictEqual(sample);
    expect(await decoder.decodeAsync(streamOf(...piecesOf(sampleBytes, 5)))).toStrictEqual(sample);
  });
});

describe("after a failed decodeAsync the decoder starts clean", () => {
  const failures: Record<string, Chunk[]> = {
    "in an array": [[0x93, 7, 0xc1]],
    "in a map": [hex("82 a161 01 a162"), [0xc1]],
    "cut off in a map": [hex("82 a161 01 a162")],
    "cut off in a string": [hex("93 07 a561")],
    "cut off in a header": [hex("93 07 cd01")],
    "cut off in deep containers": [repeat([0x91], 500)],
    "more than one value": [[1], [2]],
    nothing: [],
  };

  test.each(Object.entries(failures))("%s", async (_, chunks) => {
    const decoder = new Decoder();
    for (let i = 0; i < 3; i++) {
      await rejection(decoder.decodeAsync(streamOf(...chunks)));
      expect(await decoder.decodeAsync(streamOf([0xc3]))).toBe(true);
      const error = await rejection(decoder.decodeAsync(streamOf([0x91], [1], [2])));
      expect(error.message).toContain("Extra 1 of 3 byte(s) found at buffer[2]");
      expect(decoder.decode([0xc3])).toBe(true);
      expect([...decoder.decodeMulti([1, 2])]).toEqual([1, 2]);
    }
  });
});

describe("long text and binary data over many chunks", () => {
  const long = {
    text: "aé€😀".repeat(60_000),
    ascii: "x".repeat(500_000),
    data: Uint8Array.from({ length: 700_000 }, (_, i) => i * 31),
    [`long key ${"k".repeat(3000)}`]: 1,
    ext: new ExtData(3, new Uint8Array(200_000).fill(3)),
  };
  const bytes = encode(long);

  test.each([17, 1000, 4096, 65_535, 65_536, 65_537])("in chunks of %d bytes", async (size) => {
    const value = (await decodeAsync(streamOf(...piecesOf(bytes, size)))) as typeof long;
    expect(value.text === long.text && value.ascii === long.ascii).toBe(true);
    expect(Buffer.compare(value.data, long.data)).toBe(0);
    expect(Object.keys(value)).toEqual(Object.keys(long));
    expect(value.ext.type).toBe(3);
    expect(Buffer.compare(value.ext.data as Uint8Array, long.ext.data as Uint8Array)).toBe(0);
  });

  test("as raw strings", async () => {
    const value = (await decodeAsync(streamOf(...piecesOf(encode(["é".repeat(50_000)]), 999)), {
      rawStrings: true,
    })) as Uint8Array[];
    expect(new TextDecoder().decode(value[0]) === "é".repeat(50_000)).toBe(true);
  });

  test("binary data are views of the chunk where they lie in one, else copies", async () => {
    const chunks = [hex("93 c403 010203 c403 0405"), hex("06 c403 070809")];
    const [first, second, third] = (await decodeAsync(streamOf(...chunks))) as Uint8Array[];
    expect(first.buffer).toBe(chunks[0].buffer);
    expect(second).toStrictEqual(Uint8Array.of(4, 5, 6));
    expect(third.buffer).toBe(chunks[1].buffer);
  });

  test("chunks may be used again by their owner once the next is asked for, if nothing is a view", async () => {
    const message = encode({ a: ["text", 1.5, "é".repeat(100)], b: Array.from({ length: 50 }, (_, i) => i) });
    async function* reusing() {
      const buffer = new Uint8Array(16);
      for (const piece of piecesOf(message, 1)) {
        buffer.fill(0xc1).set(piece);
        yield buffer.slice(0, piece.length);
        buffer.fill(0xc1);
      }
    }
    expect(await decodeAsync(reusing())).toStrictEqual(decode(message));
  });

  test.each([
    ["binary data", join([0xc6], bigEndian(1_000_000, 4), new Uint8Array(1_000_000))],
    ["text", encode("text ".repeat(200_000))],
    ["many values", encode(Array(100_000).fill("a short text"))],
    ["an extension", encode(new ExtData(1, new Uint8Array(1_000_000)))],
  ])("no byte of %s is copied more than twice, however small the chunks", async (_, message) => {
    const chunks = piecesOf(message, 64);
    const copied = await bytesCopied(() => decodeAsync(streamOf(...chunks)));
    expect(copied).toBeGreaterThan(message.length / 2);
    expect(copied).toBeLessThan(2 * message.length);
  });
});

describe("decodeMulti", () => {
  test("brings values one by one, and nothing from nothing", () => {
    expect([...decodeMulti([])]).toEqual([]);
    expect([...decodeMulti([1, 0x91, 2, 0xc0])]).toEqual([1, [2], null]);
    expect([...reference.decodeMulti([1, 0x91, 2, 0xc0])]).toEqual([1, [2], null]);
  });

  test("throws when it comes to what is wrong, not before", () => {
    for (const [bytes, check] of [
      [[1, 2, 0xc1], DecodeError],
      [[1, 2, 0xcd, 1], RangeError],
      [[1, 2, 0xa5, 0x61], RangeError],
    ] as const) {
      const values = decodeMulti(bytes);
      expect([values.next().value, values.next().value]).toEqual([1, 2]);
      const error = failure(() => values.next());
      expect(error).toBeInstanceOf(check);
      expect(error).toMatchObject({ offset: expect.any(Number) });
      expect(values.next()).toEqual({ done: true, value: undefined });
    }
  });

  test("reads nothing before it is asked", () => {
    expect(() => decodeMulti([0xc1])).not.toThrow();
    expect(() => [...decodeMulti([0xc1])]).toThrow(DecodeError);
  });

  test("takes what decode takes, and options", () => {
    const bytes = Uint8Array.of(0xa1, 0x61, 0xa1, 0x62);
    for (const input of [
      bytes,
      bytes.buffer,
      new DataView(bytes.buffer),
      Array.from(bytes),
      Buffer.from(bytes),
    ]) {
      expect([...decodeMulti(input)]).toEqual(["a", "b"]);
    }
    expect([...decodeMulti(bytes, { rawStrings: true })]).toEqual([hex("61"), hex("62")]);
    expect([...new Decoder({ rawStrings: true }).decodeMulti(bytes)]).toEqual([hex("61"), hex("62")]);
  });

  test("many values, longer than any window", () => {
    const values = Array.from({ length: 30_000 }, (_, i) => ({ i, text: `text ${i}` }));
    const bytes = join(...values.map((value) => encode(value)));
    expect([...decodeMulti(bytes)]).toEqual(values);
  });

  test("may be left at any time", () => {
    const decoder = new Decoder();
    for (const value of decoder.decodeMulti([1, 2, 0xc1])) {
      if (value === 2) break;
    }
    expect(decoder.decode([5])).toBe(5);
  });
});

test("every option holds for streams", async () => {
  const codec = new ExtensionCodec<string>();
  codec.register({ type: 1, encode: () => null, decode: (data, _, context) => `${context} ${data[0]}` });
  const bytes = hex("82 a161 93 d40107 cf0000000000000001 a162 c0 80");
  const options = {
    extensionCodec: codec,
    context: "ctx",
    useBigInt64: true,
    rawStrings: true,
    mapKeyConverter: String,
  };
  const expected = { a: ["ctx 7", 1n, hex("62")], null: {} };
  for (const size of [1, 2, 100]) {
    const stream = () => streamOf(...piecesOf(bytes, size));
    expect(await decodeAsync<string>(stream(), options)).toStrictEqual(expected);
    expect(await collect(decodeMultiStream<string>(stream(), options))).toStrictEqual([expected]);
    const array = streamOf([0x91], ...piecesOf(bytes, size));
    expect(await collect(decodeArrayStream<string>(array, options))).toStrictEqual([expected]);
  }
});

describe("what decodeMultiStream gives", () => {
  const values = Array.from({ length: 300 }, (_, i) => ({
    i,
    text: "é".repeat(i % 5),
    list: [i, null, [i / 2]],
  }));
  const bytes = join(...values.map((value) => encode(value)));

  test.each([1, 7, 100, 5000, 100_000])("is the same in chunks of %d bytes", async (size) => {
    expect(await collect(decodeMultiStream(streamOf(...piecesOf(bytes, size))))).toStrictEqual(values);
    expect([...decodeMulti(bytes)]).toStrictEqual(values);
  });

  test("answers requests in turn, however many are made at once", async () => {
    const stream = decodeMultiStream(streamOf(...piecesOf(bytes, 50)));
    const results = await Promise.all(Array.from({ length: 302 }, () => stream.next()));
    expect(results.map(({ value }) => value)).toStrictEqual([...values, undefined, undefined]);
    expect(results.map(({ done }) => done)).toStrictEqual([...values.map(() => false), true, true]);
  });

  test("ends with return, which waits for its turn and cancels the source", async () => {
    const source = watched(piecesOf(bytes, 50));
    const stream = decodeMultiStream(source.stream as AsyncIterable<Uint8Array>);
    const [first, end, after] = await Promise.all([stream.next(), stream.return(), stream.next()]);
    expect([first.value, end, after]).toStrictEqual([
      values[0],
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(source.isCancelled).toBe(true);
  });

  test("ends with throw, which comes back, and nothing follows", async () => {
    const source = watched(piecesOf(bytes, 5000));
    const stream = decodeMultiStream(source.stream as AsyncIterable<Uint8Array>);
    await stream.next();
    const error = new Error("enough");
    await expect(stream.throw(error)).rejects.toBe(error);
    expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
    expect(source.isCancelled).toBe(true);
  });

  test("fails once, and has ended then", async () => {
    const stream = decodeMultiStream(streamOf(join(bytes, [0xc1])));
    for (const value of values) expect((await stream.next()).value).toStrictEqual(value);
    await expect(stream.next()).rejects.toThrow(DecodeError);
    expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
  });

  test("is what promises come to that an extension decoder makes", async () => {
    const extensionCodec = new ExtensionCodec();
    extensionCodec.register({ type: 1, encode: () => null, decode: async ([byte]) => byte });
    const messages = [new ExtData(1, Uint8Array.of(5)), new ExtData(1, Uint8Array.of(6))];
    const stream = streamOf(...messages.map((message) => encode(message)));
    expect(await collect(decodeMultiStream(stream, { extensionCodec }))).toStrictEqual([5, 6]);
    const items = decodeArrayStream(streamOf(encode(messages)), { extensionCodec });
    expect(await collect(items)).toStrictEqual([5, 6]);
  });
});

describe("an extension decoder that throws behind other values", () => {
  const extensionCodec = new ExtensionCodec();
  extensionCodec.register({
    type: 1,
    encode: () => null,
    decode: () => {
      throw new Error("no");
    },
  });
  const bytes = join(encode("first"), encode([1, 2]), encode(new ExtData(1, Uint8Array.of(5))), encode(3));

  test("keeps none of them back", async () => {
    const stream = decodeMultiStream(streamOf(bytes), { extensionCodec });
    const { items, error } = await collectUntilError(stream);
    expect(items).toStrictEqual(["first", [1, 2]]);
    expect(error?.message).toBe("no");
    const values = decodeMulti(bytes, { extensionCodec });
    expect([values.next().value, values.next().value]).toStrictEqual(["first", [1, 2]]);
    expect(() => values.next()).toThrow("no");
  });
});
