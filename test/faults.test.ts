import {
  areWorkersQuiet,
  Decoder,
  type DecoderOptions,
  Encoder,
  type EncoderOptions,
  ExtData,
  ExtensionCodec,
  type ExtensionCodecType,
  HubFrameReader,
  limitDecodeWindows,
  limitEncodeWindows,
  MessagePackHubProtocol,
  StreamingHubCodec,
} from "msgpack-wasm/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { join } from "./lib/bytes.ts";
import { boom, type Fault, failAtEach, failAtEachAwaited, faultyProxy } from "./lib/faults.ts";
import { collect, piecesOf } from "./lib/streams.ts";

// Whatever of the caller's throws, at whichever call: the caller gets that error, and the next call works.

vi.setConfig({ testTimeout: 120_000 });

const sample = {
  id: 1,
  name: "né",
  list: [{ id: 2, name: "b" }, null, true, -1.5, [1, 2, 3, 4, 5]],
  data: new Uint8Array(300),
};
const sampleBytes = new Encoder().encode(sample);

function expectSound(encoder = new Encoder(), decoder = new Decoder()): void {
  expect(areWorkersQuiet()).toBe(true);
  expect(Buffer.compare(encoder.encode(sample), sampleBytes)).toBe(0);
  expect(decoder.decode(sampleBytes)).toStrictEqual(sample);
}

class Point {
  readonly x: number;
  readonly y: number;

  constructor(x: number, y: number) {
    this.x = x;
    this.y = y;
  }
}

/** Knows points, as an extension with a position, and asks `fault` at each step. */
function faultyCodec(fault: Fault): ExtensionCodec {
  const codec = new ExtensionCodec();
  codec.register({
    type: 1,
    encode(value) {
      fault();
      if (!(value instanceof Point)) return null;
      return (position) => {
        fault();
        return Uint8Array.of(value.x, value.y, position & 1);
      };
    },
    decode(data) {
      fault();
      return new Point(data[0], data[1]);
    },
  });
  codec.register({
    type: 2,
    encode(value) {
      fault();
      return typeof value === "bigint" ? new TextEncoder().encode(`${value}`) : null;
    },
    decode(data) {
      fault();
      return BigInt(new TextDecoder().decode(data));
    },
  });
  return codec;
}

/** A `Map` whose every step can throw. */
class FaultyMap extends Map<unknown, unknown> {
  fault: Fault = () => {};
  override get size(): number {
    this.fault();
    return super.size;
  }
  override forEach(call: (value: unknown, key: unknown, map: Map<unknown, unknown>) => void): void {
    super.forEach((value, key) => {
      this.fault();
      call(value, key, this);
    });
  }
  override *entries(): MapIterator<[unknown, unknown]> {
    for (const entry of super.entries()) {
      this.fault();
      yield entry;
    }
  }
  override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries();
  }
  override *keys(): MapIterator<unknown> {
    for (const [key] of this.entries()) yield key;
  }
}

/** Large enough for several windows where these are small. */
const filler = ["x".repeat(300), new Array(40).fill(0.5), { a: { b: new Uint8Array(400) } }, "é".repeat(40)];

function withGetters(fault: Fault): object {
  const object = {
    before: filler,
    get first() {
      fault();
      return { x: 1, y: [1, 2] };
    },
    middle: new (class Thing {
      z = 1;
      get own() {
        fault();
        return 1;
      }
    })(),
    get last() {
      fault();
      return "end";
    },
  };
  Object.defineProperty(object.middle, "late", {
    enumerable: true,
    get() {
      fault();
      return filler;
    },
  });
  const list: unknown[] = [1, 2, 3];
  Object.defineProperty(list, 1, {
    enumerable: true,
    get() {
      fault();
      return 2.5;
    },
  });
  return [object, list, object];
}

/** Of each kind what can throw, and how often it can at the least. */
const values: Record<string, { make(fault: Fault): unknown; calls: number; options?: EncoderOptions }> = {
  getters: { make: withGetters, calls: 7 },
  "a proxy of an object": {
    make: (fault) => [filler, faultyProxy({ a: 1, b: { c: [1] } }, fault), filler],
    calls: 4,
  },
  "a proxy of an array": { make: (fault) => [filler, faultyProxy([1, "x", [2]], fault), filler], calls: 4 },
  "a proxy of an instance": {
    make: (fault) => ({ filler, p: faultyProxy(new Point(1, 2), fault) }),
    calls: 4,
  },
  "a Map": {
    make(fault) {
      const map = new FaultyMap([
        ["a", filler],
        [1, new Map([["b", 2]])],
      ]);
      map.fault = fault;
      return [map, filler];
    },
    calls: 1,
  },
  "extension data of a position": {
    make: (fault) => [
      filler,
      new ExtData(5, () => {
        fault();
        return new Uint8Array(3);
      }),
      new ExtData(6, () => {
        fault();
        return new Uint8Array(600);
      }),
      filler,
    ],
    calls: 2,
  },
};

const encoderOptions: Record<string, EncoderOptions> = {
  "as usual": {},
  sorted: { sortKeys: true },
  "without undefined": { ignoreUndefined: true },
};

const encodings: Record<string, (encoder: Encoder, value: unknown) => unknown> = {
  encode: (encoder, value) => encoder.encode(value),
  encodeSharedRef: (encoder, value) => encoder.encodeSharedRef(value),
  encodeInto: (encoder, value) => encoder.encodeInto(value, new Uint8Array(16_000), 3),
};

afterEach(() => {
  limitEncodeWindows();
  limitDecodeWindows();
});

describe.each([
  ["windows of the usual size", undefined, undefined],
  ["small windows", 16, 512],
])("encoding in %s", (_, tape, pool) => {
  for (const [name, { make, calls }] of Object.entries(values)) {
    test(name, () => {
      limitEncodeWindows(tape, pool);
      for (const options of Object.values(encoderOptions)) {
        for (const encode of Object.values(encodings)) {
          const encoder = new Encoder(options);
          const count = failAtEach(
            (fault) => encode(encoder, make(fault)),
            (error) => {
              expect(error).toBe(boom);
              expectSound(options.sortKeys ? undefined : encoder);
            },
          );
          expect(count).toBeGreaterThanOrEqual(calls);
        }
      }
    });
  }

  test("an extension codec, in one class and as two functions", () => {
    limitEncodeWindows(tape, pool);
    const value = {
      a: [new Point(1, 2), filler],
      b: { c: 3n, d: new Point(3, 4) },
      e: new Map([[1, new Point(5, 6)]]),
    };
    const codecs: ((fault: Fault) => ExtensionCodecType<undefined>)[] = [
      faultyCodec,
      (fault) => ({
        tryToEncode(object, context) {
          fault();
          return faultyCodec(fault).tryToEncode(object, context);
        },
        decode: () => null,
      }),
    ];
    for (const makeCodec of codecs) {
      for (const encode of Object.values(encodings)) {
        let current: Fault = () => {};
        const encoder = new Encoder({ extensionCodec: makeCodec(() => current()) });
        const count = failAtEach(
          (fault) => {
            current = fault;
            return encode(encoder, value);
          },
          (error) => {
            expect(error).toBe(boom);
            current = () => {};
            expectSound(encoder);
          },
        );
        expect(count).toBeGreaterThan(10);
      }
    }
  });
});

/** Extensions and odd keys at all depths, in several windows where these are small. */
const decodable = (() => {
  const extensionCodec = faultyCodec(() => {});
  const inner = { p: new Point(1, 2), filler, list: [new Point(3, 4), 5n] };
  let deep: unknown = inner;
  // Each key is another call that may fail: most levels have none.
  for (let i = 0; i < 300; i++) deep = i % 20 === 0 ? { deep } : [deep, i];
  const keys = new Map<unknown, unknown>([
    ["key", new Point(5, 6)],
    [7, inner],
    ["a longer key that is none of those before", { key: 1 }],
  ]);
  return new Encoder({ extensionCodec, maxDepth: 1000 }).encode([inner, inner, keys, deep, [inner]]);
})();

function faultyDecoding(kind: string, fault: Fault): DecoderOptions {
  switch (kind) {
    case "an extension codec":
      return { extensionCodec: faultyCodec(fault) };
    case "a converter of keys":
      return {
        mapKeyConverter(key) {
          fault();
          return key as string;
        },
      };
    case "a decoder of keys":
      return {
        keyDecoder: {
          canBeCached(length) {
            fault();
            return length > 3;
          },
          decode(bytes, offset, length) {
            fault();
            return new TextDecoder().decode(bytes.subarray(offset, offset + length));
          },
        },
      };
    default:
      return { extensionCodec: faultyCodec(fault), useMap: true };
  }
}

const twice = join(decodable, decodable);

async function* faultyStream(bytes: Uint8Array, fault: Fault): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (const piece of piecesOf(bytes, 700)) {
      fault();
      yield piece;
    }
    fault();
  } finally {
    // Where the stream is told to end early, this comes from `return()`.
    fault();
  }
}

/** As WHATWG streams were before they could be iterated. */
function faultyReadable(bytes: Uint8Array, fault: Fault): ReadableStream<Uint8Array> {
  const pieces = piecesOf(bytes, 700);
  const reader = {
    async read() {
      fault();
      const value = pieces.shift();
      return { done: value === undefined, value };
    },
    async cancel() {
      fault();
    },
    releaseLock() {
      fault();
    },
  };
  const stream = {
    getReader() {
      fault();
      return reader;
    },
  };
  return stream as unknown as ReadableStream<Uint8Array>;
}

const decodings: Record<string, (decoder: Decoder, fault: Fault) => unknown> = {
  decode: (decoder) => decoder.decode(decodable),
  decodeSingle: (decoder) => decoder.decodeSingle(twice, decodable.length),
  decodeSegments: (decoder, fault) =>
    decoder.decodeSegments(
      (function* () {
        for (const piece of piecesOf(decodable, 500)) {
          fault();
          yield piece;
        }
      })(),
    ),
  decodeMulti: (decoder) => [...decoder.decodeMulti(twice)],
};

const asyncDecodings: Record<string, (decoder: Decoder, fault: Fault) => Promise<unknown>> = {
  decodeAsync: (decoder, fault) => decoder.decodeAsync(faultyStream(decodable, fault)),
  "decodeAsync of a stream that is read": (decoder, fault) =>
    decoder.decodeAsync(faultyReadable(decodable, fault)),
  decodeArrayStream: (decoder, fault) => collect(decoder.decodeArrayStream(faultyStream(decodable, fault))),
  decodeStream: (decoder, fault) => collect(decoder.decodeStream(faultyStream(twice, fault))),
  "decodeStream of a stream that is read": (decoder, fault) =>
    collect(decoder.decodeStream(faultyReadable(twice, fault))),
};

describe.each([
  "an extension codec",
  "a converter of keys",
  "a decoder of keys",
  "an extension codec beside Maps",
])("decoding with %s", (kind) => {
  test.each([
    ["windows of the usual size", undefined, undefined, undefined],
    ["small windows", 16, 600, 64],
  ])("in %s", async (_, tape, chunk, pooled) => {
    limitDecodeWindows(tape, chunk, pooled);
    let current: Fault = () => {};
    const decoder = new Decoder(faultyDecoding(kind, () => current()));
    const check = (error: unknown) => {
      expect(error).toBe(boom);
      current = () => {};
      expect(areWorkersQuiet()).toBe(true);
      expectSound();
      expect(decoder.decode(sampleBytes)).toEqual(kind.endsWith("Maps") ? expect.any(Map) : sample);
    };
    for (const [name, decode] of Object.entries(decodings)) {
      const count = failAtEach((fault) => {
        current = fault;
        return decode(decoder, fault);
      }, check);
      expect(count, name).toBeGreaterThan(8);
    }
    for (const [name, decode] of Object.entries(asyncDecodings)) {
      const count = await failAtEachAwaited((fault) => {
        current = fault;
        return decode(decoder, fault);
      }, check);
      expect(count, name).toBeGreaterThan(8);
    }
  });
});

const plainProtocol = new MessagePackHubProtocol();
/** Of a type that nobody knows, which the logger is told of. */
const unknownFrame = Uint8Array.of(3, 0x92, 100, 1);

describe("SignalR", () => {
  const log = (fault: Fault) => ({
    log() {
      fault();
    },
  });
  const invocation = { type: 1, target: "m", arguments: [new Point(1, 2), { a: 3n }, filler] };
  const completion = { type: 3, invocationId: "1", result: new Point(3, 4) };
  const extensionCodec = faultyCodec(() => {});
  const plain = new MessagePackHubProtocol({ extensionCodec });
  const batch = join(
    new Uint8Array(plain.writeMessage(invocation as never)),
    unknownFrame,
    new Uint8Array(plain.writeMessage(completion as never)),
  );

  test("writes what throws, and writes on", () => {
    let current: Fault = () => {};
    const protocol = new MessagePackHubProtocol({ extensionCodec: faultyCodec(() => current()) });
    const message = (fault: Fault) => ({
      ...invocation,
      get headers() {
        fault();
        return { a: "b" };
      },
      arguments: [...invocation.arguments, withGetters(fault)],
    });
    const expected = Buffer.from(plain.writeMessage(message(() => {}) as never));
    const count = failAtEach(
      (fault) => {
        current = fault;
        return protocol.writeMessage(message(fault) as never);
      },
      (error) => {
        expect(error).toBe(boom);
        current = () => {};
        expectSound();
        expect(Buffer.compare(Buffer.from(protocol.writeMessage(message(() => {}) as never)), expected)).toBe(
          0,
        );
      },
    );
    expect(count).toBeGreaterThan(10);
  });

  test("parses what throws, and parses on", () => {
    let current: Fault = () => {};
    const protocol = new MessagePackHubProtocol({ extensionCodec: faultyCodec(() => current()) });
    const expected = plain.parseMessages(batch, null);
    const count = failAtEach(
      (fault) => {
        current = fault;
        return protocol.parseMessages(batch, log(fault));
      },
      (error) => {
        expect(error).toBe(boom);
        current = () => {};
        expectSound();
        expect(protocol.parseMessages(batch, null)).toStrictEqual(expected);
      },
    );
    expect(count).toBe(4);
  });

  test("reads a stream on behind the message that throws", () => {
    const count = failAtEach(
      (fault) => {
        const reader = new HubFrameReader({ extensionCodec: faultyCodec(fault) }, log(fault));
        const errors: unknown[] = [];
        let messages = 0;
        for (const piece of piecesOf(join(batch, batch), 33)) {
          reader.push(piece);
          for (;;) {
            try {
              if (reader.read() === undefined) break;
              messages++;
            } catch (error) {
              errors.push(error);
            }
          }
        }
        reader.end();
        expect(areWorkersQuiet()).toBe(true);
        // The message of a logger that throws was none.
        expect(messages + errors.length).toBeGreaterThanOrEqual(4);
        expect(messages).toBeGreaterThanOrEqual(3);
        if (errors.length > 0) throw errors[0];
      },
      (error) => {
        expect(error).toBe(boom);
        expectSound();
      },
    );
    expect(count).toBe(8);
  });
});

describe("a logger of SignalR's that throws", () => {
  const messages = [
    { type: 6 },
    { type: 3, invocationId: "1", result: 7 },
    { type: 1, target: "a", arguments: [] },
  ].map((message) => new Uint8Array(plainProtocol.writeMessage(message as never)));
  // Short messages only, and of unknown types at the start, the end, and in a row.
  const batch = join(
    unknownFrame,
    messages[0],
    unknownFrame,
    unknownFrame,
    messages[1],
    messages[2],
    unknownFrame,
  );
  const expected = plainProtocol.parseMessages(batch, null);

  test.each([
    ["windows of the usual size", undefined, undefined, undefined],
    ["small windows", 16, 600, 64],
  ])("costs no message but the batch that it looks at, in %s", (_, tape, chunk, pooled) => {
    limitDecodeWindows(tape, chunk, pooled);
    const count = failAtEach(
      (fault) => plainProtocol.parseMessages(batch, { log: fault }),
      (error) => {
        expect(error).toBe(boom);
        expectSound();
        expect(plainProtocol.parseMessages(batch, { log: () => {} })).toStrictEqual(expected);
      },
    );
    expect(count).toBe(4);
  });

  test.each([1, 2, 7, 100])("costs no message of a stream in pieces of %i bytes", (size) => {
    const count = failAtEach(
      (fault) => {
        const reader = new HubFrameReader(null, { log: fault });
        const errors: unknown[] = [];
        const read: unknown[] = [];
        const readAll = () => {
          for (const message of reader) read.push(message);
        };
        for (const piece of piecesOf(batch, size)) {
          reader.push(piece);
          try {
            readAll();
          } catch (error) {
            errors.push(error);
            readAll();
          }
        }
        reader.end();
        expect(read).toStrictEqual(expected);
        expect(errors.length).toBeLessThanOrEqual(1);
        if (errors.length > 0) throw errors[0];
      },
      (error) => {
        expect(error).toBe(boom);
        expectSound();
      },
    );
    expect(count).toBe(4);
  });
});

test("StreamingHub's codec reads and writes on behind what throws", () => {
  let current: Fault = () => {};
  const extensionCodec = faultyCodec(() => current());
  const codec = new StreamingHubCodec({ encoder: { extensionCodec }, decoder: { extensionCodec } });
  const message = {
    type: "request",
    messageId: 1,
    methodId: 2,
    value: [new Point(1, 2), filler, 5n],
  } as const;
  const count = failAtEach(
    (fault) => {
      current = fault;
      return codec.readClientMessage(codec.write(message));
    },
    (error) => {
      expect(error).toBe(boom);
      current = () => {};
      expectSound();
      expect(codec.readClientMessage(codec.write(message))).toStrictEqual(message);
    },
  );
  expect(count).toBeGreaterThan(6);
});
