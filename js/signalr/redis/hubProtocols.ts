import type { CompletionMessage, HubMessage, IHubProtocol, ILogger } from "@microsoft/signalr";
import { MessagePackHubProtocol } from "../MessagePackHubProtocol.ts";
import { MessageType } from "../MessageType.ts";

/** A protocol by its name, or one that writes its messages itself, with options of its own for instance. */
export type BackplaneProtocol = "json" | "messagepack" | IHubProtocol;

const RECORD_SEPARATOR = "\x1e";

/** SignalR's hub protocol in JSON, as far as the backplane needs it. Bytes are base 64, as .NET writes them. */
const json: Pick<IHubProtocol, "name" | "writeMessage" | "parseMessages"> = {
  name: "json",
  writeMessage(message: HubMessage): string {
    return JSON.stringify(message, base64) + RECORD_SEPARATOR;
  },
  parseMessages(input: string | ArrayBuffer): HubMessage[] {
    const records = String(input).split(RECORD_SEPARATOR);
    return records.filter((record) => record !== "").map((record) => JSON.parse(record));
  },
};

function base64(this: Record<string, unknown>, key: string, value: unknown): unknown {
  // `Buffer` has a `toJSON` that comes before this.
  const original = this[key];
  if (!ArrayBuffer.isView(original)) return value;
  return Buffer.from(original.buffer, original.byteOffset, original.byteLength).toString("base64");
}

/** Hub messages in the protocols that the servers' connections speak. */
export class HubProtocols {
  readonly #protocols: readonly Pick<IHubProtocol, "name" | "writeMessage" | "parseMessages">[];
  readonly #logger: ILogger;

  /** @throws TypeError if there is none, or one of an unknown name */
  constructor(protocols: readonly BackplaneProtocol[], logger: ILogger) {
    if (protocols.length === 0) throw new TypeError("At least one protocol is needed");
    this.#logger = logger;
    this.#protocols = protocols.map((protocol) => {
      if (typeof protocol === "object") return protocol;
      if (protocol === "json") return json;
      if (protocol === "messagepack") return new MessagePackHubProtocol();
      throw new TypeError(`Unknown protocol: ${protocol}; "json" and "messagepack" are known by name`);
    });
  }

  /** The message in each protocol. */
  serialize(message: HubMessage): { protocol: string; bytes: Uint8Array }[] {
    return this.#protocols.map((protocol) => {
      const written = protocol.writeMessage(message);
      const bytes = typeof written === "string" ? Buffer.from(written) : new Uint8Array(written);
      return { protocol: protocol.name, bytes };
    });
  }

  /** The messages that `bytes` are in a protocol, or null if that is none of these. */
  parse(name: string, bytes: Uint8Array): HubMessage[] | null {
    const protocol = this.#protocols.find((candidate) => candidate.name === name);
    if (protocol === undefined) return null;
    if (protocol === json) return json.parseMessages(Buffer.from(bytes).toString(), this.#logger);
    const isText = protocol.name === "json";
    const input = isText ? Buffer.from(bytes).toString() : Uint8Array.from(bytes).buffer;
    return protocol.parseMessages(input, this.#logger);
  }
}

export function isCompletion(message: HubMessage): message is CompletionMessage {
  return message.type === MessageType.COMPLETION;
}
