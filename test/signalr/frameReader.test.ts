import net from "node:net";
import type { HubMessage } from "@microsoft/signalr";
import { HubFrameReader, MessagePackHubProtocol } from "msgpack-wasm/signalr";
import { describe, expect, test } from "vitest";
import { failure } from "../lib/reference.ts";
import { Log } from "./lib/messages.ts";

const protocol = new MessagePackHubProtocol({ forServer: true });

const messages: HubMessage[] = [
  {
    type: 4,
    headers: { a: "b" },
    invocationId: "1",
    target: "Stream",
    arguments: [1, "two", [3.5]],
    streamIds: ["7"],
  },
  {
    type: 2,
    headers: {},
    invocationId: "7",
    item: { text: "x".repeat(300), data: new Uint8Array(700).fill(9) },
  },
  { type: 5, headers: {}, invocationId: "1" },
  { type: 6 },
  { type: 9, sequenceId: 70_000 },
];
const stream = Buffer.concat(messages.map((message) => Buffer.from(protocol.writeMessage(message))));

function newReader(): HubFrameReader {
  return new HubFrameReader({ forServer: true });
}

describe("messages come out", () => {
  test("when the last of their bytes has come, and not before", () => {
    const reader = newReader();
    const ends = messages.map((message) => protocol.writeMessage(message).byteLength);
    let next = 0;
    let left = ends[0];
    for (const byte of stream) {
      reader.push(Uint8Array.of(byte));
      left--;
      if (left > 0) {
        expect(reader.read()).toBeUndefined();
      } else {
        expect(reader.read()).toEqual(messages[next++]);
        left = ends[next];
      }
    }
    expect(next).toBe(messages.length);
    reader.end();
  });

  test.each([1, 2, 3, 7, 64, 300, 5000])("of pieces of %d bytes", (size) => {
    const reader = newReader();
    for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size));
    expect([...reader]).toEqual(messages);
    reader.end();
  });

  test("of a socket", async () => {
    const server = net.createServer((socket) => {
      socket.write(stream.subarray(0, 100));
      setImmediate(() => socket.end(Buffer.concat([stream.subarray(100), ...new Array(200).fill(stream)])));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const reader = newReader();
    let count = 0;
    for await (const piece of net.connect((server.address() as net.AddressInfo).port, "127.0.0.1")) {
      reader.push(piece);
      for (const message of reader) expect(message.type).toBe(messages[count++ % messages.length].type);
    }
    reader.end();
    expect(count).toBe(201 * messages.length);
    server.close();
  });

  test("with views of the pieces, where data lie in one", () => {
    const reader = newReader();
    reader.push(stream);
    const item = [...reader].find(({ type }) => type === 2) as { item: { data: Uint8Array } };
    expect(item.item.data.buffer).toBe(stream.buffer);
  });

  test("as clients have them, without the option, and with what was left out in the log", () => {
    const log = new Log();
    const reader = new HubFrameReader(null, log);
    reader.push(stream);
    expect([...reader].map(({ type }) => type)).toEqual([2, 6, 9]);
    expect(log.lines).toEqual([
      "2: Unknown message type '4' ignored.",
      "2: Unknown message type '5' ignored.",
    ]);
  });
});

describe("a frame that is wrong", () => {
  const wrong: [string, number[], object][] = [
    ["in its MessagePack", [3, 0x92, 0x06, 0xc1], { code: "UNKNOWN_FORMAT", offset: 3 }],
    ["in a field", [2, 0x91, 0x07], { code: "FIELD", offset: 0 }],
    ["for being empty", [0], { code: "FRAME", offset: 0 }],
    ["for going on after its message", [3, 0x91, 0x06, 0x01], { code: "EXTRA_BYTES", offset: 3 }],
    ["for ending before its message does", [2, 0x92, 0x06], { code: "INSUFFICIENT_DATA" }],
  ];

  test.each(wrong)("%s is an error between the messages before and after it", (_, bytes, expected) => {
    const all = Buffer.concat([stream, Uint8Array.from(bytes), stream, Uint8Array.from(bytes), stream]);
    for (const size of [1, 10, all.length]) {
      const reader = newReader();
      const events: unknown[] = [];
      for (let at = 0; at < all.length; at += size) {
        reader.push(all.subarray(at, at + size));
        for (let isDone = false; !isDone; ) {
          try {
            const message = reader.read();
            isDone = message === undefined;
            if (message !== undefined) events.push(message);
          } catch (error) {
            const { code, offset } = error as { code: string; offset: number };
            const start = events.length > messages.length ? 2 * stream.length + bytes.length : stream.length;
            events.push({ code, offset: offset - start });
          }
        }
      }
      const error = expect.objectContaining(expected);
      expect(events).toEqual([...messages, error, ...messages, error, ...messages]);
      reader.end();
    }
  });

  test("in its length ends the stream: what comes next cannot be told", () => {
    const reader = newReader();
    reader.push(Buffer.concat([stream, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff), stream]));
    for (const message of messages) expect(reader.read()).toEqual(message);
    const first = failure(() => reader.read());
    expect(first).toMatchObject({ code: "FRAME", offset: stream.length });
    reader.push(stream);
    expect(failure(() => reader.read())).toBe(first);
  });

  test("for being longer than is allowed is known as soon as its length is", () => {
    const reader = new HubFrameReader({ maxMessageLength: 100 });
    reader.push(Uint8Array.of(0xe5));
    expect(reader.read()).toBeUndefined();
    reader.push(Uint8Array.of(0x00));
    expect(failure(() => reader.read())).toMatchObject({ code: "MAX_LENGTH", offset: 0 });
  });

  test("for being cut off is told at the end", () => {
    for (const cut of [1, 2, stream.length - 1]) {
      const reader = newReader();
      reader.push(stream.subarray(0, cut));
      const read = [...reader];
      expect(failure(() => reader.end())).toMatchObject({ code: "FRAME", message: "Incomplete message." });
      reader.push(stream.subarray(cut));
      expect([...read, ...reader]).toEqual(messages);
      reader.end();
    }
  });
});
