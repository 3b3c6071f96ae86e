import assert from "node:assert/strict";
import { encode } from "@msgpack/msgpack";
import fc from "fast-check";
import {
  type ClientMessage,
  packArguments,
  type ServerMessage,
  unpackArguments,
} from "msgpack-wasm/streaminghub";
import {
  CallTable,
  ClientCodec,
  hubMethod,
  limitDecodeWindows,
  limitEncodeWindows,
  StreamingHubCodec,
} from "msgpack-wasm/testing";
import { afterEach, describe, expect, test } from "vitest";
import { values } from "../lib/arbitraries.mjs";
import { failure } from "../lib/reference.ts";

const codec = new StreamingHubCodec();
const guid = "02db60e5-fab2-43b8-90a8-47fa5c4dcb29";
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const int16 = fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 });
const time = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** What `@msgpack/msgpack` makes of the items of a message. */
const written = (...items: unknown[]) => hex(encode(items, { maxDepth: 1000 }));

describe("any value", () => {
  const cases = fc.record({ messageId: int32, methodId: int32, value: values() });

  function check(runs: number): void {
    fc.assert(
      fc.property(cases, ({ messageId, methodId, value }) => {
        const messages: [ClientMessage | ServerMessage, unknown[]][] = [
          [{ type: "request", messageId, methodId, value }, [messageId, methodId, value]],
          [{ type: "response", messageId, methodId, value }, [messageId, methodId, value]],
          [{ type: "broadcast", methodId, value }, [methodId, value]],
          [
            { type: "clientResultRequest", clientResultMessageId: guid, methodId, value },
            [0, null, guid, methodId, value],
          ],
          [
            { type: "clientResultResponse", clientResultMessageId: guid, methodId, value },
            [0, guid, methodId, value],
          ],
        ];
        for (const [message, items] of messages) assert.equal(hex(codec.write(message)), written(...items));
        const bytes = codec.write({ type: "response", messageId, methodId, value });
        const read = codec.readServerMessage(bytes);
        // What others read of it, too.
        assert.deepEqual(encode(read), encode({ type: "response", messageId, methodId, value }));
      }),
      { numRuns: runs },
    );
  }

  test("is written as @msgpack/msgpack writes it, and read again", () => check(1000));

  afterEach(() => {
    limitDecodeWindows();
    limitEncodeWindows();
  });

  test("is, in windows that end anywhere", () => {
    limitDecodeWindows(16, 100, 8);
    limitEncodeWindows(16, 512);
    check(300);
  });
});

describe("calls", () => {
  const method = hubMethod("method", {});

  test.each([0, 1, 127, 128, 255, 256, 65535, 65536, 2 ** 31 - 1])(
    "are as messages are, with id %d",
    (messageId) => {
      const client = new ClientCodec();
      fc.assert(
        fc.property(fc.array(values(), { maxLength: 15 }), (args) => {
          const [a, b, c, d] = args;
          const bytes = client.writeCall(
            messageId,
            method,
            args.length,
            a,
            b,
            c,
            d,
            args.length > 4 ? args : null,
          );
          const items = [method.id, packArguments(args)];
          assert.equal(hex(bytes), messageId === 0 ? written(...items) : written(messageId, ...items));
        }),
        { numRuns: 100 },
      );
    },
  );

  test("leave those before as they were", () => {
    const client = new ClientCodec();
    const messages = Array.from({ length: 3000 }, (_, i) =>
      client.writeCall(i, method, i % 3, `text ${i}`, i, undefined, undefined, null),
    );
    for (const [i, bytes] of messages.entries()) {
      const args = [`text ${i}`, i].slice(0, i % 3);
      const items = [method.id, packArguments(args)];
      expect(hex(bytes)).toBe(i === 0 ? written(...items) : written(i, ...items));
    }
  });

  test("are nested as deep as the encoder allows, the message and the list of arguments counted in", () => {
    const nested = (depth: number) => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = [value];
      return value;
    };
    const client = new ClientCodec({ encoder: { maxDepth: 5 } });
    const write = (count: number, depth: number) =>
      client.writeCall(1, method, count, nested(depth), 2, undefined, undefined, null);
    for (const [count, most] of [
      [1, 3],
      [2, 2],
    ] as const) {
      expect(() => write(count, most)).not.toThrow();
      expect(() => write(count, most + 1)).toThrow(/Too deep/i);
    }
  });
});

describe("messages of the protocol's own", () => {
  test("do not depend on the options for values", () => {
    const odd = new StreamingHubCodec({
      encoder: { forceIntegerToFloat: true },
      decoder: { rawStrings: true, int64: "bigint" },
    });
    fc.assert(
      fc.property(
        int32,
        int16,
        time,
        fc.string(),
        fc.option(fc.string()),
        (id, sequence, at, detail, message) => {
          const messages: (ClientMessage | ServerMessage)[] = [
            { type: "responseWithError", messageId: id, statusCode: 13, detail, message },
            {
              type: "clientResultResponseWithError",
              clientResultMessageId: guid,
              methodId: id,
              statusCode: 3,
              detail,
              message,
            },
            { type: "clientHeartbeat", sequence, clientSentAt: at },
            { type: "serverHeartbeatResponse", sequence, serverSentAt: at },
            { type: "clientHeartbeatResponse", sequence, clientSentAt: at },
            { type: "serverHeartbeat", sequence, serverSentAt: at, metadata: Buffer.from(detail) },
          ];
          for (const sent of messages) {
            const bytes = odd.write(sent);
            assert.equal(hex(bytes), hex(codec.write(sent)));
            const isClients = /^clientHeartbeat$|^serverHeartbeatR|^clientResultR/.test(sent.type);
            const read = isClients ? odd.readClientMessage(bytes) : odd.readServerMessage(bytes);
            if (sent.type === "serverHeartbeat") {
              assert.deepEqual(
                { ...read, metadata: hex((read as typeof sent).metadata) },
                { ...sent, metadata: hex(sent.metadata) },
              );
            } else {
              assert.deepEqual(read, sent);
            }
          }
        },
      ),
    );
  });

  test("with ids that are no GUID are not written", () => {
    const message = { type: "clientResultResponse", methodId: 1, value: 1 } as const;
    for (const clientResultMessageId of ["", "x".repeat(36), guid.slice(1), guid.replaceAll("-", "")]) {
      expect(() => codec.write({ ...message, clientResultMessageId })).toThrow(RangeError);
    }
  });
});

describe("bad messages", () => {
  const methodId = 123456789;
  const whole: (ClientMessage | ServerMessage)[] = [
    { type: "response", messageId: 70000, methodId, value: ["text", { a: 1 }] },
    { type: "broadcast", methodId: -methodId, value: 1.5 },
    { type: "responseWithError", messageId: 5, statusCode: 999, detail: "d".repeat(300), message: "m" },
    { type: "clientResultRequest", clientResultMessageId: guid, methodId, value: [1, 2] },
    { type: "clientHeartbeatResponse", sequence: 300, clientSentAt: 2 ** 40 },
    { type: "request", messageId: 70000, methodId, value: ["text", { a: 1 }] },
    { type: "clientResultResponse", clientResultMessageId: guid, methodId, value: "v" },
    {
      type: "clientResultResponseWithError",
      clientResultMessageId: guid,
      methodId,
      statusCode: 1,
      detail: "d",
      message: "m",
    },
    { type: "clientHeartbeat", sequence: -300, clientSentAt: 2 ** 40 },
  ];
  const fromServer = new Set([
    "response",
    "broadcast",
    "responseWithError",
    "clientResultRequest",
    "clientHeartbeatResponse",
  ]);

  test.each(whole)("cut anywhere: $type", (message) => {
    const read = fromServer.has(message.type)
      ? codec.readServerMessage.bind(codec)
      : codec.readClientMessage.bind(codec);
    const bytes = codec.write(message);
    // What stands behind the time is not looked for.
    const least = message.type === "clientHeartbeatResponse" ? bytes.length - 1 : bytes.length;
    for (let length = 0; length < least; length++) {
      const error = failure(() => read(bytes.subarray(0, length)));
      expect(error, `${length} bytes`).toMatchObject({
        code: "INSUFFICIENT_DATA",
        offset: expect.any(Number),
      });
      expect((error as { offset: number }).offset).toBeLessThanOrEqual(length);
    }
    expect(read(bytes)).toEqual(message);
    expect(read(Buffer.concat([bytes, Buffer.from("c0ff", "hex")]))).toEqual(message);
  });

  test("of random bytes are errors that say where, or messages", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (bytes, isServers) => {
        try {
          if (isServers) codec.readServerMessage(bytes);
          else codec.readClientMessage(bytes);
        } catch (error) {
          const { offset, code } = error as { offset: number; code: string };
          assert(offset >= 0 && offset <= bytes.length && typeof code === "string");
        }
      }),
      { numRuns: 5000 },
    );
  });

  test("name integers of any format, if they fit", () => {
    for (const id of [
      "05",
      "cc05",
      "cd0005",
      "ce00000005",
      "cf0000000000000005",
      "d005",
      "d10005",
      "d200000005",
      "d30000000000000005",
    ]) {
      expect(codec.readServerMessage(Buffer.from(`92${id}c0`, "hex"))).toMatchObject({ methodId: 5 });
    }
    for (const id of ["cfffffffffffffffff", "d3ffffffff00000000", "ce80000000", "cf0000000100000000"]) {
      expect(() => codec.readServerMessage(Buffer.from(`92${id}c0`, "hex"))).toThrow(/32 bits, at offset 1/);
    }
    expect(codec.readServerMessage(Buffer.from("92d3ffffffff80000000c0", "hex"))).toMatchObject({
      methodId: -(2 ** 31),
    });
    expect(codec.readServerMessage(Buffer.from("dc000205c0", "hex"))).toMatchObject({ methodId: 5 });
    expect(codec.readServerMessage(Buffer.from("dd0000000205c0", "hex"))).toMatchObject({ methodId: 5 });
  });
});

describe("arguments", () => {
  test("are packed by their number, and unpacked by that of the parameters", () => {
    expect([packArguments([]), packArguments([1]), packArguments([[1, 2]]), packArguments([1, 2])]).toEqual([
      null,
      1,
      [1, 2],
      [1, 2],
    ]);
    expect(() => packArguments(new Array(16))).toThrow(RangeError);
    expect(unpackArguments(null, 0)).toEqual([]);
    expect(unpackArguments([1, 2], 1)).toEqual([[1, 2]]);
    expect(unpackArguments([1, 2, 3], 2)).toEqual([1, 2]);
    expect(unpackArguments([1], 2)).toEqual([1]);
  });
});

describe("the table of calls", () => {
  test("has every call under an id of its own, whatever is settled when", () => {
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 600 }), async (steps) => {
        const table = new CallTable();
        const open = new Map<number, Promise<unknown>>();
        for (const step of steps) {
          if (step % 3 > 0) {
            const promise = table.open(`name ${step}`);
            assert(!open.has(table.lastId) && table.lastId > 0);
            assert.equal(table.nameOf(table.lastId), `name ${step}`);
            open.set(table.lastId, promise);
          } else if (open.size > 0) {
            const [id, promise] = [...open][step % open.size];
            table.resolve(id, id);
            assert.equal(await promise, id);
            assert(!table.has(id));
            open.delete(id);
          }
          assert.equal(table.size, open.size);
        }
        const results = Promise.allSettled(open.values());
        table.rejectAll("end");
        for (const result of await results) assert.deepEqual(result, { status: "rejected", reason: "end" });
        assert.equal(table.size, 0);
      }),
      { numRuns: 200 },
    );
  });

  test("goes round after 31 bits, over calls that still wait", () => {
    const table = new CallTable();
    table.open("first");
    table.lastId = 2 ** 31 - 2;
    const ids = Array.from({ length: 3 }, () => {
      table.open("next");
      return table.lastId;
    });
    expect(ids).toEqual([2 ** 31 - 1, 2, 3]);
    expect(table.has(1)).toBe(true);
    for (const id of [0, -1, 4, 65]) expect(table.has(id)).toBe(false);
  });
});
