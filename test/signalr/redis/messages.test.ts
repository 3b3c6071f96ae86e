import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import {
  type BackplaneInvocation,
  GroupAction,
  HubChannels,
  readAck,
  readCompletion,
  readGroupCommand,
  readInvocation,
  writeAck,
  writeCompletion,
  writeGroupCommand,
  writeInvocation,
} from "msgpack-wasm/signalr/redis";
import { describe, expect, test } from "vitest";
import { failure } from "../../lib/reference.ts";

// The payloads of the backplane, byte for byte as the suite of ASP.NET Core has them.

interface Vector {
  readonly name: string;
  readonly kind: "both" | "parse" | "invalid";
  readonly base64: string;
  readonly message: Record<string, unknown> | null;
}

interface Vectors {
  readonly channels: { hub: string; server: string; names: Record<string, string> }[];
  readonly vectors: Vector[];
}

const { channels, vectors }: Vectors = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "vectors.json"), "utf8"),
);

/** A vector's message as ours, with what writes and reads it. */
function codecOf(name: string, message: Record<string, unknown> | null) {
  const bytesOf = (value: unknown) => Buffer.from((value as { $bytes: string }).$bytes, "base64");
  switch ((message?.kind as string) ?? name.match(/^bad_(\w+?)_/)?.[1]) {
    case "ack":
      return { ours: message?.id, write: writeAck, read: readAck };
    case "groupCommand":
    case "group": {
      const { kind: _, actionName: __, ...ours } = message ?? {};
      return { ours, write: writeGroupCommand, read: readGroupCommand };
    }
    case "completion": {
      const ours = message && { protocol: message.protocolName, bytes: bytesOf(message.completionMessage) };
      return { ours, write: writeCompletion, read: readCompletion };
    }
    default: {
      const { kind: _, serializations, ...rest } = message ?? {};
      const messages = (serializations as { protocol: string; bytes: unknown }[] | undefined)?.map(
        ({ protocol, bytes }) => ({ protocol, bytes: bytesOf(bytes) }),
      );
      return { ours: { ...rest, messages }, write: writeInvocation, read: readInvocation };
    }
  }
}

test("there are 36 of them", () => {
  expect(vectors.length).toBe(36);
});

describe.each(vectors)("$kind: $name", ({ name, kind, base64, message }) => {
  const bytes = Buffer.from(base64, "base64");
  const { ours, write, read } = codecOf(name, message);

  if (kind === "invalid") {
    test("is a typed error with an offset", () => {
      expect(failure(() => read(bytes))).toMatchObject({
        name: expect.stringMatching(/^(DecodeError|RangeError)$/),
        code: expect.any(String),
        offset: expect.any(Number),
      });
    });
    return;
  }

  test("is read", () => {
    expect(plain(read(bytes))).toEqual(plain(ours));
    expect(plain(read(Uint8Array.from(bytes)))).toEqual(plain(ours));
  });

  if (kind === "both") {
    test("is written so", () => {
      const written = (write as (message: unknown) => Uint8Array)(ours);
      expect(Buffer.from(written).toString("hex")).toBe(bytes.toString("hex"));
    });
  }
});

test.each(channels)("the channels of $hub", ({ hub, server, names }) => {
  const ours = new HubChannels(hub);
  expect({
    all: ours.all,
    groupManagement: ours.groupManagement,
    returnResults: ours.returnResults(server),
    ack: ours.ack(server),
    connectionC: ours.connection("C"),
    groupG: ours.group("G"),
    userU: ours.user("U"),
  }).toEqual(names);
  expect(new HubChannels(hub, "app1.").all).toBe(`app1.${hub}:all`);
});

describe("random messages", () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.string({ unit: "grapheme", maxLength: 70 }),
    fc.constantFrom(0, 31, 32, 48, 49, 255, 256, 65_535, 65_536).map((length) => "x".repeat(length)),
    fc.constantFrom(10, 47, 48, 400).map((length) => "é".repeat(length)),
  );
  const payloads = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.constantFrom(48, 49, 255, 256, 65_535, 65_536).map((length) => new Uint8Array(length).fill(7)),
  );
  const int32s = fc.oneof(
    fc.integer(),
    fc.constantFrom(
      -129,
      -128,
      -33,
      -32,
      127,
      128,
      255,
      256,
      65_535,
      65_536,
      -32_768,
      -32_769,
      2 ** 31 - 1,
      -(2 ** 31),
    ),
  );

  test("are written as @msgpack/msgpack would, and read as they were", () => {
    const invocations = fc.record({
      excludedConnectionIds: fc.array(texts, { maxLength: 20 }),
      messages: fc.uniqueArray(fc.record({ protocol: texts, bytes: payloads }), {
        selector: ({ protocol }) => protocol,
        maxLength: 17,
      }),
      ids: fc.option(fc.tuple(texts, texts)),
    });
    fc.assert(
      fc.property(invocations, ({ excludedConnectionIds, messages, ids }) => {
        const invocation: BackplaneInvocation = {
          excludedConnectionIds,
          messages,
          invocationId: ids?.[0] ?? null,
          returnChannel: ids?.[1] ?? null,
        };
        const map = new Map(messages.map(({ protocol, bytes }) => [protocol, bytes]));
        const expected = [
          ids === null ? 0x92 : 0x94,
          ...encoded(excludedConnectionIds),
          ...header(map.size),
          ...[...map].flatMap(([protocol, bytes]) => [...encoded(protocol), ...encoded(bytes)]),
          ...(ids ?? []).flatMap((text) => [...encoded(text)]),
        ];
        const written = writeInvocation(invocation);
        assert.deepStrictEqual(Buffer.from(written), Buffer.from(expected));
        assert.deepStrictEqual(plain(readInvocation(written)), plain(invocation));
      }),
      { numRuns: 400 },
    );
  });

  test("of the other kinds, too", () => {
    fc.assert(
      fc.property(int32s, int32s, fc.tuple(texts, texts, texts), payloads, (id, action, names, bytes) => {
        const [serverName, groupName, connectionId] = names;
        const command = { id, serverName, action, groupName, connectionId };
        const written = writeGroupCommand(command);
        assert.deepStrictEqual(
          Buffer.from(written),
          encoded([id, serverName, action, groupName, connectionId]),
        );
        assert.deepStrictEqual(readGroupCommand(written), command);
        assert.deepStrictEqual(Buffer.from(writeAck(id)), encoded([id]));
        assert.equal(readAck(writeAck(id)), id);
        const completion = { protocol: serverName, bytes };
        assert.deepStrictEqual(Buffer.from(writeCompletion(completion)), encoded([serverName, bytes]));
        assert.deepStrictEqual(plain(readCompletion(writeCompletion(completion))), plain(completion));
      }),
      { numRuns: 1000 },
    );
  });

  test("that are cut or damaged are read or refused, with an offset", () => {
    const command = writeGroupCommand({
      id: 70_000,
      serverName: "server",
      action: GroupAction.ADD,
      groupName: "é".repeat(20),
      connectionId: "c".repeat(40),
    });
    const invocation = writeInvocation({
      excludedConnectionIds: ["a", "b".repeat(40)],
      messages: [{ protocol: "json", bytes: new Uint8Array(300) }],
      invocationId: "1",
      returnChannel: "c",
    });
    for (const [bytes, read] of [
      [command, readGroupCommand],
      [invocation, readInvocation],
    ] as const) {
      for (let end = 0; end < bytes.length; end++) {
        expect(failure(() => read(bytes.slice(0, end)))).toMatchObject({
          code: "INSUFFICIENT_DATA",
          name: "RangeError",
        });
      }
      for (let at = 0; at < bytes.length; at++) {
        for (const byte of [0x00, 0x80, 0x90, 0xc0, 0xc1, 0xcf, 0xdd, 0xdf, 0xff]) {
          const damaged = Uint8Array.from(bytes);
          damaged[at] = byte;
          try {
            read(damaged);
          } catch (error) {
            expect(error).toMatchObject({ code: expect.any(String), offset: expect.any(Number) });
          }
        }
      }
    }
  });
});

test("what is no int32 is refused when it is written", () => {
  for (const wrong of [2 ** 31, -(2 ** 31) - 1, 0.5, Number.NaN])
    expect(() => writeAck(wrong)).toThrow(RangeError);
  expect(readAck(writeAck(7))).toBe(7);
});

test("the bytes of messages are views of what was read", () => {
  const written = writeCompletion({ protocol: "json", bytes: new Uint8Array(100) });
  expect(readCompletion(written).bytes.buffer).toBe(written.buffer);
});

function encoded(value: unknown): Buffer {
  return Buffer.from(reference.encode(value));
}

function header(count: number): number[] {
  return count < 16 ? [0x80 | count] : [0xde, count >> 8, count & 255];
}

/** The same with bytes of whatever class as text. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return { bytes: Buffer.from(value as Uint8Array).toString("hex") };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
