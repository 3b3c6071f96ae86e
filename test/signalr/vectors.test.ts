import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { HubMessage } from "@microsoft/signalr";
import { ExtData } from "msgpack-wasm";
import { MessagePackHubProtocol } from "msgpack-wasm/signalr";
import { describe, expect, test } from "vitest";
import { outcome } from "../lib/reference.ts";
import { bufferOf, Log, official } from "./lib/messages.ts";

// Messages with their bytes, as the suites of ASP.NET Core and of its JavaScript client have them, and what these do
// with bytes that are wrong.

interface Vector {
  readonly name: string;
  readonly kind: "both" | "write" | "parse" | "invalid";
  readonly base64: string | null;
  readonly message: unknown;
  readonly sha256?: string;
}

const vectors: Vector[] = JSON.parse(readFileSync(path.join(import.meta.dirname, "vectors.json"), "utf8"));

const ours = new MessagePackHubProtocol();
const server = new MessagePackHubProtocol({ forServer: true });

test("there are 171 of them", () => {
  expect(vectors.length).toBe(171);
});

describe.each(vectors.filter(({ name }) => !name.startsWith("js ")))("$kind: $name", (vector) => {
  const bytes = bytesOf(vector);
  const message = value(vector.message) as HubMessage;
  const parse = (protocol: { parseMessages: typeof ours.parseMessages }) =>
    outcome(() => {
      const log = new Log();
      return { messages: protocol.parseMessages(bufferOf(bytes), log), log: log.lines };
    });

  test("is read as the official package reads it", () => {
    const [result, theirs] = [parse(ours), parse(official)];
    if ("value" in theirs) {
      expect(plain(result)).toEqual(plain(theirs));
    } else {
      if (!("error" in result)) throw new Error(`an error was expected: ${theirs.error}`);
      const { error } = result;
      // Those of the protocol have their words, those of the decoder ours. Of several faults in a message, the first
      // that is reached counts.
      if (theirs.error.message.startsWith("Cannot read properties")) {
        expect(error.message).toBe("Invalid payload.");
      } else if (theirs.error.constructor === Error) {
        expect(error.message).toBe(theirs.error.message);
      } else {
        expect(["DecodeError", "RangeError"]).toContain(error.name);
      }
      expect(error).toMatchObject({ code: expect.any(String), offset: expect.any(Number) });
    }
  });

  const isWritten = vector.kind === "both" || vector.kind === "write";
  // Ours writes the fields of a Close, too: see the differences.
  if (isWritten && vector.name !== "write_Close_withError")
    test("is written so", () => {
      expect(hex(ours.writeMessage(message))).toBe(hex(bytes));
    });

  if (vector.kind === "both")
    test("and gives the message", () => {
      expect(plain(ours.parseMessages(bufferOf(bytes), null))).toEqual(plain([message]));
    });

  if (isWholeForServers(vector))
    test("gives servers the message with all that is in it", () => {
      expect(plain(server.parseMessages(bufferOf(bytes), null))).toEqual(plain([withDefaults(message)]));
    });
});

test.each(vectors.filter(({ name }) => name.startsWith("js input type")))("$name", ({ name }) => {
  const ping = Uint8Array.of(2, 0x91, 6);
  if (name.includes("string")) {
    expect(() => ours.parseMessages("\x02\x91\x06", null)).toThrow(
      "Invalid input for MessagePack hub protocol. Expected an ArrayBuffer.",
    );
  } else {
    // Ours reads views, too.
    const input = name.includes("Buffer") ? Buffer.from(ping) : ping;
    expect(() => official.parseMessages(input as unknown as ArrayBuffer, new Log())).toThrow();
    expect(ours.parseMessages(input, null)).toEqual([{ type: 6 }]);
  }
});

test.each(vectors.filter(({ name }) => name.startsWith("js write")))("$name", ({ message }) => {
  expect(() => ours.writeMessage(message as HubMessage)).toThrow("Invalid message type.");
});

/** Whether the bytes hold all of the vector's message, which the official client drops in part. */
function isWholeForServers({ kind, message }: Vector): boolean {
  const { type, streamIds } = (message ?? {}) as { type?: number; streamIds?: unknown };
  return (
    kind !== "invalid" &&
    (type === 4 || type === 5 || (type === 1 && streamIds !== undefined)) &&
    !JSON.stringify(message).includes('"$')
  );
}

function withDefaults(message: HubMessage): HubMessage {
  const base = message.type === 5 ? { headers: {} } : { headers: {}, streamIds: [] };
  return { ...base, ...message } as HubMessage;
}

function bytesOf({ base64, sha256 }: Vector): Uint8Array {
  if (base64 !== null) return Buffer.from(base64, "base64");
  const string = [0xda, 0x28, 0x00, ...new Array(10240).fill(0x46)];
  const binary = [0xc5, 0x28, 0x00, ...new Array(10240).fill(0)];
  const start = [0x96, 0x01, 0x80, 0xc0, 0xa6, ...Buffer.from("Target"), 0x92];
  const bytes = Uint8Array.of(0x93, 0xa0, 0x01, ...start, ...string, ...binary, 0x90);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  return bytes;
}

/** What a vector's notation stands for. */
function value(notation: unknown): unknown {
  if (typeof notation !== "object" || notation === null) return notation;
  if (Array.isArray(notation)) return notation.map(value);
  const [[tag, data]] = [...Object.entries(notation), ["", null]];
  switch (tag) {
    case "$date":
      return new Date(data);
    case "$bytes":
      return Uint8Array.from(Buffer.from(data, "base64"));
    case "$zeros":
      return new Uint8Array(data);
    case "$repeat":
      return data[0].repeat(data[1]);
    case "$float32":
      return data;
    case "$undefined":
      return undefined;
    case "$ext":
      return new ExtData(data.type, Uint8Array.from(Buffer.from(data.data.$bytes ?? data.data, "base64")));
  }
  return Object.fromEntries(Object.entries(notation).map(([key, item]) => [key, value(item)]));
}

/** The same without classes, of which each package has its own. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return { bytes: hex(value as Uint8Array) };
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function hex(bytes: ArrayBuffer | Uint8Array): string {
  return Buffer.from(bytes as Uint8Array).toString("hex");
}
