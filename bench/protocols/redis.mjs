// The rows of ASP.NET Core's RedisProtocolBenchmark: what servers of an app tell each other is written and read.
import { KEPT } from "../suite/names.mjs";
import { sameValue } from "../suite/sameValue.mjs";

/**
 * @typedef {import("msgpack-wasm/signalr/redis").GroupCommand} GroupCommand
 * @typedef {import("msgpack-wasm/signalr/redis").BackplaneInvocation} Invocation
 */

/**
 * The same messages as anybody would write and read them with @msgpack/msgpack.
 * @returns {Promise<Pick<typeof import("msgpack-wasm/signalr/redis"), `${"read" | "write"}${"Ack" | "GroupCommand" | "Invocation"}`>>}
 */
async function openReference() {
  const { Decoder, Encoder } = await import("@msgpack/msgpack");
  const encoder = new Encoder();
  const decoder = new Decoder();
  return {
    writeAck: (id) => encoder.encode([id]),
    readAck: (bytes) => /** @type {[number]} */ (decoder.decode(bytes))[0],
    writeGroupCommand: ({ id, serverName, action, groupName, connectionId }) =>
      encoder.encode([id, serverName, action, groupName, connectionId]),
    readGroupCommand(bytes) {
      const items = /** @type {[number, string, GroupCommand["action"], string, string]} */ (
        decoder.decode(bytes)
      );
      const [id, serverName, action, groupName, connectionId] = items;
      return { id, serverName, action, groupName, connectionId };
    },
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
}

/** @param {number} exclusions @returns {Invocation} */
function invocation(exclusions) {
  const bytes = Uint8Array.from(Buffer.from("hhllo"));
  return {
    excludedConnectionIds: Array.from({ length: exclusions }, (_, i) =>
      (0x1234567 * (i + 1)).toString(16).padStart(32, "0a1b2c3d"),
    ),
    messages: ["protocol1", "protocol2"].map((protocol) => ({ protocol, bytes })),
    invocationId: null,
    returnChannel: null,
  };
}

/** @type {Record<string, ["Ack" | "GroupCommand" | "Invocation", unknown]>} */
const messages = {
  ack: ["Ack", 42],
  "group command": [
    "GroupCommand",
    { id: 42, serverName: "Server", action: 1, groupName: "group", connectionId: "connection" },
  ],
  "invocation, 0 exclusions": ["Invocation", invocation(0)],
  "invocation, 2 exclusions": ["Invocation", invocation(2)],
  "invocation, 20 exclusions": ["Invocation", invocation(20)],
};

/** @type {import("../suite/sections.mjs").Open} */
export async function open(name, library) {
  const codec = await (library === KEPT ? import("msgpack-wasm/signalr/redis") : openReference());
  const [kind, message] = messages[name];
  const write = /** @type {(message: unknown) => Uint8Array} */ (codec[`write${kind}`]);
  const read = codec[`read${kind}`];
  const bytes = Uint8Array.from(write(message));
  if (!sameValue(message, read(bytes))) throw new Error(`${library} does not read what was sent: ${name}`);
  return { bytes: bytes.length, operations: { read: () => read(bytes), write: () => write(message) } };
}
