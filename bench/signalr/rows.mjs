import assert from "node:assert/strict";
import { JsonHubProtocol, NullLogger } from "@microsoft/signalr";
import { MessagePackHubProtocol as OfficialProtocol } from "@microsoft/signalr-protocol-msgpack";
import { Decoder, Encoder } from "@msgpack/msgpack";
import { MessagePackHubProtocol } from "msgpack-wasm/signalr";
import * as ours from "msgpack-wasm/signalr/redis";

/**
 * An operation, as several do it. The first is ours.
 * @typedef {object} Row
 * @property {"hub" | "redis"} group
 * @property {string} name
 * @property {Record<string, () => unknown>} candidates
 */

// The workloads are those of ASP.NET Core: HubProtocolBenchmark and RedisProtocolBenchmark. What they measure in .NET
// is reading from, and writing to, the bytes that .NET writes.

/** @param {string} hex */
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, "hex")).buffer;

const large = { text: "F".repeat(10_240), data: new Uint8Array(10_240) };

/** @type {Record<string, { args: unknown[], bytes: ArrayBuffer }>} */
const inputs = {
  "no arguments": { args: [], bytes: bytesOf("0d960180c0a65461726765749090") },
  "few arguments": {
    args: [1, "Foo", 2],
    bytes: bytesOf("17960180c0a65461726765749301a3466f6fca4000000090"),
  },
  "many arguments": {
    args: [1, "string", 2, true, 9, Uint8Array.of(5, 4, 3, 2, 1), 99, 123456789101112],
    bytes: bytesOf(
      "2d960180c0a65461726765749801a6737472696e67ca40000000c309c405050403020163cf00007048860f3a3890",
    ),
  },
  "large arguments": {
    args: [large.text, large.data],
    bytes: Uint8Array.of(
      ...[0x93, 0xa0, 0x01, 0x96, 0x01, 0x80, 0xc0, 0xa6, ...Buffer.from("Target"), 0x92],
      ...[0xda, 0x28, 0x00, ...Buffer.from(large.text)],
      ...[0xc5, 0x28, 0x00, ...large.data, 0x90],
    ).buffer,
  },
};

/** @returns {Row[]} */
function hubRows() {
  const protocol = new MessagePackHubProtocol();
  const official = new OfficialProtocol();
  const json = new JsonHubProtocol();
  const logger = NullLogger.instance;
  /** @type {Row[]} */
  const rows = [];
  for (const [name, { args, bytes }] of Object.entries(inputs)) {
    const message = { type: 1, target: "Target", arguments: args, streamIds: [] };
    // .NET writes bytes in base 64. Whoever sends JSON from JavaScript has made that of them before.
    const texts = args.map((arg) => (arg instanceof Uint8Array ? Buffer.from(arg).toString("base64") : arg));
    const jsonMessage = { ...message, arguments: texts };
    const jsonText = json.writeMessage(jsonMessage);
    assert.deepStrictEqual(
      Buffer.from(protocol.writeMessage(message)),
      Buffer.from(official.writeMessage(message)),
    );
    assert.deepStrictEqual(protocol.parseMessages(bytes, logger), official.parseMessages(bytes, logger));
    rows.push(
      {
        group: "hub",
        name: `write, ${name}`,
        candidates: {
          ours: () => protocol.writeMessage(message),
          official: () => official.writeMessage(message),
          json: () => json.writeMessage(jsonMessage),
        },
      },
      {
        group: "hub",
        name: `read, ${name}`,
        candidates: {
          ours: () => protocol.parseMessages(bytes, logger),
          official: () => official.parseMessages(bytes, logger),
          json: () => json.parseMessages(jsonText, logger),
        },
      },
    );
  }
  return rows;
}

const encoder = new Encoder();
const decoder = new Decoder();

/** The same messages as anybody would write and read them with @msgpack/msgpack. */
const reference = {
  /** @param {number} id */
  writeAck: (id) => encoder.encode([id]),
  /** @param {Uint8Array} bytes */
  readAck: (bytes) => /** @type {[number]} */ (decoder.decode(bytes))[0],
  /** @param {import("msgpack-wasm/signalr/redis").GroupCommand} command */
  writeGroupCommand: ({ id, serverName, action, groupName, connectionId }) =>
    encoder.encode([id, serverName, action, groupName, connectionId]),
  /** @param {Uint8Array} bytes */
  readGroupCommand(bytes) {
    const items = /** @type {[number, string, number, string, string]} */ (decoder.decode(bytes));
    const [id, serverName, action, groupName, connectionId] = items;
    return { id, serverName, action, groupName, connectionId };
  },
  /** @param {import("msgpack-wasm/signalr/redis").BackplaneInvocation} invocation */
  writeInvocation({ excludedConnectionIds, messages, invocationId, returnChannel }) {
    /** @type {Record<string, Uint8Array>} */
    const map = {};
    for (const { protocol, bytes } of messages) map[protocol] = bytes;
    return encoder.encode(
      invocationId === null
        ? [excludedConnectionIds, map]
        : [excludedConnectionIds, map, invocationId, returnChannel],
    );
  },
  /** @param {Uint8Array} bytes */
  readInvocation(bytes) {
    const items = /** @type {[string[], Record<string, Uint8Array>, string?, string?]} */ (
      decoder.decode(bytes)
    );
    const [excludedConnectionIds, map, invocationId = null, returnChannel = null] = items;
    const messages = [];
    for (const protocol of Object.keys(map)) messages.push({ protocol, bytes: map[protocol] });
    return { excludedConnectionIds, messages, invocationId, returnChannel };
  },
};

/**
 * @template Message
 * @param {string} name
 * @param {Message} message
 * @param {[write: (message: Message) => Uint8Array, read: (bytes: Uint8Array) => unknown][]} codecs ours, then that of the reference
 * @returns {Row[]}
 */
function backplaneRow(name, message, [[write, read], [writeToo, readToo]]) {
  const bytes = Uint8Array.from(writeToo(message));
  assert.deepStrictEqual(Uint8Array.from(write(message)), bytes);
  assert.deepStrictEqual(read(bytes), readToo(bytes));
  return [
    {
      group: "redis",
      name: `write, ${name}`,
      candidates: { ours: () => write(message), "@msgpack/msgpack": () => writeToo(message) },
    },
    {
      group: "redis",
      name: `read, ${name}`,
      candidates: { ours: () => read(bytes), "@msgpack/msgpack": () => readToo(bytes) },
    },
  ];
}

/** @returns {Row[]} */
function redisRows() {
  const bytes = Uint8Array.from(Buffer.from("hhllo"));
  const messages = ["protocol1", "protocol2"].map((protocol) => ({ protocol, bytes }));
  const command = { id: 42, serverName: "Server", action: 1, groupName: "group", connectionId: "connection" };
  const invocations = [0, 2, 20].flatMap((count) => {
    const ids = Array.from({ length: count }, (_, i) =>
      (0x1234567 * (i + 1)).toString(16).padStart(32, "0a1b2c3d"),
    );
    const invocation = { excludedConnectionIds: ids, messages, invocationId: null, returnChannel: null };
    return backplaneRow(`invocation, ${count} exclusions`, invocation, [
      [ours.writeInvocation, ours.readInvocation],
      [reference.writeInvocation, reference.readInvocation],
    ]);
  });
  return [
    ...backplaneRow("ack", 42, [
      [ours.writeAck, ours.readAck],
      [reference.writeAck, reference.readAck],
    ]),
    ...backplaneRow("group command", command, [
      [ours.writeGroupCommand, ours.readGroupCommand],
      [reference.writeGroupCommand, reference.readGroupCommand],
    ]),
    ...invocations,
  ];
}

/** The eight rows of the hub protocol, and the ten of the backplane. Each has been seen to do the same everywhere. */
export function signalrRows() {
  return [...hubRows(), ...redisRows()];
}
