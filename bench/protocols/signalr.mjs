// The rows of ASP.NET Core's HubProtocolBenchmark: invocations are written, and read as .NET writes them.
import { MessageType, NullLogger } from "@microsoft/signalr";
import { JSON_HUB, KEPT, OFFICIAL_HUB } from "../suite/names.mjs";
import { sameValue } from "../suite/sameValue.mjs";
import { invocationArguments } from "../suite/values.mjs";

/**
 * @param {string} hex
 * @returns {Uint8Array<ArrayBuffer>}
 */
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));

/** By workload, what .NET sends. @type {Record<string, () => Uint8Array<ArrayBuffer>>} */
const received = {
  "no arguments": () => bytesOf("0d960180c0a65461726765749090"),
  "few arguments": () => bytesOf("17960180c0a65461726765749301a3466f6fca4000000090"),
  "many arguments": () =>
    bytesOf("2d960180c0a65461726765749801a6737472696e67ca40000000c309c405050403020163cf00007048860f3a3890"),
  "large arguments": () =>
    Uint8Array.of(
      ...[
        ...bytesOf("93a001960180c0a654617267657492"),
        ...bytesOf("da2800"),
        ...Buffer.from("F".repeat(10_240)),
      ],
      ...[...bytesOf("c52800"), ...new Uint8Array(10_240), 0x90],
    ),
};

/** @type {Record<string, () => Promise<import("@microsoft/signalr").IHubProtocol>>} */
const protocols = {
  [KEPT]: async () => new (await import("msgpack-wasm/signalr")).MessagePackHubProtocol(),
  [OFFICIAL_HUB]: async () =>
    new (await import("@microsoft/signalr-protocol-msgpack")).MessagePackHubProtocol(),
  [JSON_HUB]: async () => new (await import("@microsoft/signalr")).JsonHubProtocol(),
};

/** @type {import("../suite/sections.mjs").Open} */
export async function open(name, library) {
  const protocol = await protocols[library]();
  const args = invocationArguments[/** @type {keyof typeof invocationArguments} */ (name)]();
  // .NET writes bytes in base 64. Whoever sends JSON from JavaScript has made that of them before.
  const sent = (/** @type {unknown} */ arg) =>
    library === JSON_HUB && arg instanceof Uint8Array ? Buffer.from(arg).toString("base64") : arg;
  /** @type {import("@microsoft/signalr").InvocationMessage} */
  const message = {
    type: MessageType.Invocation,
    target: "Target",
    arguments: args.map(sent),
    streamIds: [],
  };
  const written = protocol.writeMessage(message);
  const input = library === JSON_HUB ? written : received[name]().buffer;
  const read = () => protocol.parseMessages(input, NullLogger.instance);
  const [parsed] = /** @type {import("@microsoft/signalr").InvocationMessage[]} */ (read());
  if (parsed.target !== message.target || !sameValue(message.arguments, parsed.arguments)) {
    throw new Error(`${library} does not read what was sent: ${name}`);
  }
  return {
    bytes: typeof written === "string" ? written.length : written.byteLength,
    operations: { read, write: () => protocol.writeMessage(message) },
  };
}
