import { randomUUID } from "node:crypto";
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type StatusObject,
} from "@grpc/grpc-js";
import { decode, encode } from "@msgpack/msgpack";
import { type ClientSent, idOf, pack, readFromClient, type ServerSent, writeToClient } from "./wire.ts";

/** The first message of every stream: it looks like an answer to nobody. */
const MARKER = Buffer.from("93ff000c", "hex");

/** An error that a method throws on purpose: its status goes to the client. */
export class ReturnStatus extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** Methods of a hub by their names on the server. They get the value of a message as it is: packed arguments. */
export type Methods = Record<string, (value: unknown, connection: ServerConnection) => unknown>;

export interface HubServerOptions {
  /** What the header says; null leaves it out. Default: "2". */
  version?: string | null;
  port?: number;
  /** Decides about a call by its headers, before it is accepted. */
  authorize?: (headers: Metadata) => Partial<StatusObject> | null;
}

/** A server that speaks as MagicOnion's does, over gRPC. */
export class HubServer {
  readonly connections: ServerConnection[] = [];
  readonly #server = new Server({ "grpc.max_receive_message_length": -1 });
  readonly #waiting: ((connection: ServerConnection) => void)[] = [];
  port = 0;

  static async start(hubName: string, methods: Methods, options: HubServerOptions = {}): Promise<HubServer> {
    const server = new HubServer();
    const asIs = (bytes: Buffer) => bytes;
    const definition = {
      ...{ path: `/${hubName}/Connect`, requestStream: true, responseStream: true },
      ...{
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    };
    server.#server.addService(
      { connect: definition },
      {
        connect: (stream: ServerDuplexStream<Buffer, Buffer>) =>
          server.#accept(stream, hubName, methods, options),
      },
    );
    server.port = await new Promise((resolve, reject) => {
      server.#server.bindAsync(
        `127.0.0.1:${options.port ?? 0}`,
        ServerCredentials.createInsecure(),
        (error, port) => (error === null ? resolve(port) : reject(error)),
      );
    });
    return server;
  }

  /** The address, and a client to it. */
  connect(): Client {
    return new Client(`127.0.0.1:${this.port}`, credentials.createInsecure(), {
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  /** The next connection that is made. */
  nextConnection(): Promise<ServerConnection> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Cuts all connections. */
  stop(): void {
    this.#server.forceShutdown();
  }

  #accept(
    stream: ServerDuplexStream<Buffer, Buffer>,
    hubName: string,
    methods: Methods,
    { version = "2", authorize }: HubServerOptions,
  ): void {
    const refusal = authorize?.(stream.metadata) ?? null;
    if (refusal !== null) {
      stream.emit("error", refusal);
      return;
    }
    const headers = new Metadata();
    if (version !== null) headers.set("x-magiconion-streaminghub-version", version);
    stream.sendMetadata(headers);
    stream.write(MARKER);
    const connection = new ServerConnection(stream, hubName, methods);
    this.connections.push(connection);
    this.#waiting.shift()?.(connection);
  }
}

export class ServerConnection {
  /** All that the client has sent. */
  readonly received: ClientSent[] = [];
  readonly stream: ServerDuplexStream<Buffer, Buffer>;
  /** Resolves when the client sends nothing more, to whether it said so. */
  readonly clientEnd: Promise<"ended" | "cancelled">;
  readonly #hubName: string;
  readonly #methods: Map<number, [string, Methods[string]]>;
  readonly #results = new Map<string, (answer: ClientSent) => void>();
  #watchers: (() => void)[] = [];

  constructor(stream: ServerDuplexStream<Buffer, Buffer>, hubName: string, methods: Methods) {
    this.stream = stream;
    this.#hubName = hubName;
    this.#methods = new Map(Object.entries(methods).map((entry) => [idOf(entry[0]), entry]));
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    stream.on("error", () => {});
    this.clientEnd = new Promise((resolve) => {
      stream.once("end", () => resolve("ended"));
      stream.once("cancelled", () => resolve("cancelled"));
    });
    // A server ends the stream when the client has.
    stream.on("end", () => stream.end());
  }

  send(message: ServerSent): void {
    this.stream.write(writeToClient(message));
  }

  sendBytes(bytes: Uint8Array): void {
    this.stream.write(Buffer.from(bytes));
  }

  broadcast(name: string, ...args: unknown[]): void {
    this.send({ type: "broadcast", methodId: idOf(name), body: pack(args) });
  }

  /** Calls a method of the client's receiver, and gives what it answers. */
  ask(name: string, ...args: unknown[]): Promise<ClientSent & { value: unknown }> {
    const clientResultMessageId = randomUUID();
    return new Promise((resolve) => {
      this.#results.set(clientResultMessageId, (answer) =>
        resolve({ ...answer, value: answer.body === undefined ? undefined : decode(answer.body) }),
      );
      const methodId = idOf(name);
      this.send({ type: "clientResultRequest", clientResultMessageId, methodId, body: pack(args) });
    });
  }

  /** Waits until the client has sent so many messages. */
  async receivedAtLeast(count: number): Promise<void> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  #receive(bytes: Buffer): void {
    let message: ClientSent;
    try {
      message = readFromClient(bytes);
    } catch (error) {
      this.stream.emit("error", { code: 13, details: String(error) });
      return;
    }
    this.received.push(message);
    for (const watcher of this.#watchers.splice(0)) watcher();
    switch (message.type) {
      case "request":
        void this.#answer(message);
        return;
      case "requestFireAndForget": {
        const [, method] = this.#methods.get(message.methodId as number) ?? [];
        method?.(decode(message.body as Uint8Array), this);
        return;
      }
      case "clientHeartbeat": {
        const { sequence, clientSentAt } = message as { sequence: number; clientSentAt: number };
        if (!this.ignoresHeartbeats) this.send({ type: "clientHeartbeatResponse", sequence, clientSentAt });
        return;
      }
      case "clientResultResponse":
      case "clientResultResponseWithError": {
        const id = message.clientResultMessageId as string;
        this.#results.get(id)?.(message);
        this.#results.delete(id);
      }
    }
  }

  ignoresHeartbeats = false;

  async #answer({ messageId, methodId, body }: ClientSent): Promise<void> {
    const ids = { messageId: messageId as number, methodId: methodId as number };
    const found = this.#methods.get(ids.methodId);
    if (found === undefined) {
      const detail = `StreamingHub method '${methodId}' is not found in StreamingHub.`;
      this.send({
        type: "responseWithError",
        messageId: ids.messageId,
        statusCode: 12,
        detail,
        message: null,
      });
      return;
    }
    const [name, method] = found;
    try {
      const value = await method(decode(body as Uint8Array), this);
      this.send({ type: "response", ...ids, body: encode(value) });
    } catch (error) {
      const isStatus = error instanceof ReturnStatus;
      this.send({
        ...{ type: "responseWithError", messageId: ids.messageId },
        statusCode: isStatus ? error.status : 13,
        detail: isStatus
          ? error.message
          : `An error occurred while processing handler '${this.#hubName}/${name}'.`,
        message: isStatus ? null : String(error),
      });
    }
  }
}
