import {
  type CompletionMessage,
  type HubMessage,
  type InvocationMessage,
  JsonHubProtocol,
  NullLogger,
} from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import { decode, encode } from "@msgpack/msgpack";
import { Redis } from "ioredis";

/** A client's connection, as far as the server has to do with it. */
export interface DoubledConnection {
  readonly id: string;
  readonly protocol: "json" | "messagepack";
  readonly user?: string;
  /** What the client was called with. */
  readonly calls: { target: string; arguments: unknown[]; from: string }[];
  /** What the client answers, or throws. Default: nothing comes. */
  answer?: (message: InvocationMessage) => unknown;
}

const protocols = { json: new JsonHubProtocol(), messagepack: new MessagePackHubProtocol() };

/**
 * A SignalR server, as far as other servers see it over Redis. It knows nothing of the code under test: it reads the
 * payloads with @msgpack/msgpack, and the hub messages in them through the official protocol packages.
 */
export class BackplaneServer {
  readonly name: string;
  readonly connections = new Map<string, DoubledConnection>();
  readonly groups = new Map<string, Set<string>>();
  /** Whether group commands are acknowledged. */
  acknowledges = true;
  readonly #prefix: string;
  readonly #publisher: Redis;
  readonly #subscriber: Redis;

  private constructor(port: number, hub: string, name: string) {
    this.#prefix = hub;
    this.name = name;
    this.#publisher = new Redis(port, "127.0.0.1");
    this.#subscriber = new Redis(port, "127.0.0.1");
    for (const client of [this.#publisher, this.#subscriber]) client.on("error", () => {});
    this.#subscriber.on("messageBuffer", (channel: Buffer, message: Buffer) => {
      this.#take(String(channel), message);
    });
  }

  static async start(port: number, hub: string, name = "web1_0123"): Promise<BackplaneServer> {
    const server = new BackplaneServer(port, hub, name);
    const own = [`internal:ack:${name}`, `internal:return:${name}`];
    await server.#subscribe("all", "internal:groups", ...own);
    return server;
  }

  async connect(connection: Omit<DoubledConnection, "calls">): Promise<DoubledConnection> {
    const connected = { ...connection, calls: [] };
    this.connections.set(connection.id, connected);
    await this.#subscribe(`connection:${connection.id}`);
    if (connection.user !== undefined) await this.#subscribe(`user:${connection.user}`);
    return connected;
  }

  async stop(): Promise<void> {
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  #subscribe(...channels: string[]): Promise<unknown> {
    return this.#subscriber.subscribe(...channels.map((channel) => `${this.#prefix}:${channel}`));
  }

  #publish(channel: string, payload: unknown): Promise<number> {
    return this.#publisher.publish(channel, Buffer.from(encode(payload)));
  }

  #take(channel: string, message: Buffer): void {
    const suffix = channel.slice(this.#prefix.length + 1);
    if (suffix === "internal:groups") {
      void this.#changeGroup(decode(message) as [number, string, number, string, string]);
    } else if (!suffix.startsWith("internal:")) {
      this.#invoke(suffix, decode(message) as unknown[]);
    }
  }

  async #changeGroup([id, server, action, group, connectionId]: [number, string, number, string, string]) {
    if (!this.connections.has(connectionId)) return;
    const members = this.groups.get(group) ?? new Set();
    this.groups.set(group, members);
    if (action === 1) {
      members.add(connectionId);
      await this.#subscribe(`group:${group}`);
    } else {
      members.delete(connectionId);
    }
    if (this.acknowledges) await this.#publish(`${this.#prefix}:internal:ack:${server}`, [id]);
  }

  #invoke(suffix: string, [excluded, messages, invocationId, returnChannel]: unknown[]): void {
    const [scope, name] = suffix.split(/:(.*)/s);
    for (const connection of this.connections.values()) {
      const isMember =
        scope === "all" ||
        (scope === "group" && this.groups.get(name)?.has(connection.id)) ||
        (scope === "user" && connection.user === name) ||
        (scope === "connection" && connection.id === name);
      const honoursExclusions = scope === "all" || scope === "group";
      if (!isMember || (honoursExclusions && (excluded as string[]).includes(connection.id))) continue;
      const bytes = (messages as Record<string, Uint8Array>)[connection.protocol];
      if (bytes === undefined) throw new Error("did not have the requested protocol available");
      for (const message of this.#parse(connection, bytes)) {
        const { target, arguments: args } = message;
        connection.calls.push({ target, arguments: args, from: scope });
        if (invocationId !== undefined) {
          if (message.invocationId !== invocationId) throw new Error("the ids differ");
          void this.#answer(connection, message, returnChannel as string);
        }
      }
    }
  }

  #parse(connection: DoubledConnection, bytes: Uint8Array): InvocationMessage[] {
    const input =
      connection.protocol === "json" ? Buffer.from(bytes).toString() : Uint8Array.from(bytes).buffer;
    const messages: HubMessage[] = protocols[connection.protocol].parseMessages(
      input as never,
      NullLogger.instance,
    );
    return messages as InvocationMessage[];
  }

  async #answer(connection: DoubledConnection, message: InvocationMessage, returnChannel: string) {
    if (connection.answer === undefined) return;
    const { invocationId } = message as { invocationId: string };
    let completion: CompletionMessage;
    try {
      completion = { type: 3, invocationId, result: await connection.answer(message) };
    } catch (error) {
      completion = { type: 3, invocationId, error: (error as Error).message };
    }
    const written = protocols[connection.protocol].writeMessage(completion);
    const bytes = typeof written === "string" ? Buffer.from(written) : new Uint8Array(written);
    await this.#publish(returnChannel, [connection.protocol, bytes]);
  }
}
