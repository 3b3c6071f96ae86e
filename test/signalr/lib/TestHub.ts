import { randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CancelInvocationMessage,
  type CompletionMessage,
  type HubMessage,
  type ILogger,
  type InvocationMessage,
  JsonHubProtocol,
  NullLogger,
  type StreamInvocationMessage,
  type StreamItemMessage,
} from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import { type RawData, type WebSocket, WebSocketServer } from "ws";

/** What a hub's methods get besides their arguments. */
export type Caller = HubConnectionDouble;

/** Methods by their names. Those that return an async iterable stream; those with uploads get async iterables. */
export type Methods = Record<string, (caller: Caller, ...args: unknown[]) => unknown>;

const RECORD_SEPARATOR = "\x1e";

/**
 * The official protocol for the other end: its class, which is the client's, drops what only servers receive. Here its
 * own framing and its own decoder read those, too.
 */
export function serverProtocol(): MessagePackHubProtocol {
  interface Inner {
    _decoder: { decode(input: Uint8Array): unknown[] };
    _parseMessage(input: Uint8Array, logger: ILogger): HubMessage | null;
  }
  const protocol = new MessagePackHubProtocol();
  const inner = protocol as unknown as Inner;
  const parseAsClient = inner._parseMessage.bind(protocol);
  inner._parseMessage = (input, logger) => {
    const [type, headers, invocationId, target, args, streamIds] = inner._decoder.decode(input);
    if (type === 1 || type === 4) {
      const message = { type, headers, target, arguments: args, streamIds: streamIds ?? [] };
      return (invocationId === null ? message : { ...message, invocationId }) as HubMessage;
    }
    if (type === 5) return { type, headers, invocationId } as HubMessage;
    return parseAsClient(input, logger);
  };
  return protocol;
}

/** A connection as the server has it. It outlives its socket where stateful reconnects are agreed on. */
export class HubConnectionDouble {
  readonly id = randomUUID();
  /** All that was received, in order. */
  readonly received: HubMessage[] = [];
  /** All frames that were received, as they came. */
  readonly frames: Buffer[] = [];
  readonly #hub: TestHub;
  #protocol: MessagePackHubProtocol | JsonHubProtocol = serverProtocol();
  #socket: WebSocket | null = null;
  #hasShakenHands = false;
  readonly #calls = new Map<string, (completion: CompletionMessage) => void>();
  readonly #uploads = new Map<string, Upload>();
  readonly #cancelled = new Set<string>();
  #nextCall = 0;

  readonly isStateful: boolean;
  #sent = 0;
  #unacknowledged: { id: number; message: HubMessage }[] = [];
  #expected = 1;
  #latest = 0;
  #awaitsSequence = false;

  constructor(hub: TestHub, isStateful: boolean) {
    this.#hub = hub;
    this.isStateful = isStateful;
  }

  attach(socket: WebSocket): void {
    this.#socket = socket;
    socket.on("message", (data: RawData) => this.#take(Buffer.from(data as ArrayBuffer)));
    if (this.#hasShakenHands) {
      this.#awaitsSequence = true;
      this.#write({ type: 9, sequenceId: this.#unacknowledged[0]?.id ?? this.#sent + 1 } as HubMessage);
      for (const { message } of this.#unacknowledged) this.#write(message);
    }
  }

  /** Cuts the line without a word, as networks do. */
  drop(): void {
    this.#socket?.terminate();
    this.#socket = null;
  }

  close(error?: string): void {
    this.#write({ type: 7, error, allowReconnect: false } as HubMessage);
    this.#socket?.close();
  }

  send(message: HubMessage): void {
    if (this.isStateful && message.type < 6) this.#unacknowledged.push({ id: ++this.#sent, message });
    this.#write(message);
  }

  /** Sends a frame that any protocol has made. */
  sendBytes(bytes: Uint8Array): void {
    this.#socket?.send(this.#protocol.name === "json" ? Buffer.from(bytes).toString() : bytes);
  }

  get protocolName(): string {
    return this.#protocol.name;
  }

  /** Calls a method of the client. */
  call(target: string, ...args: unknown[]): void {
    this.send({ type: 1, target, arguments: args });
  }

  /** Calls a method of the client, and gives its result. */
  invoke(target: string, ...args: unknown[]): Promise<unknown> {
    const invocationId = `s${this.#nextCall++}`;
    return new Promise((resolve, reject) => {
      this.#calls.set(invocationId, ({ error, result }) =>
        error ? reject(new Error(error)) : resolve(result),
      );
      this.send({ type: 1, invocationId, target, arguments: args });
    });
  }

  #write(message: HubMessage): void {
    this.#socket?.send(this.#protocol.writeMessage(message));
  }

  #take(data: Buffer): void {
    let rest = data;
    if (!this.#hasShakenHands) {
      const end = data.indexOf(RECORD_SEPARATOR);
      const { protocol } = JSON.parse(data.subarray(0, end).toString());
      if (protocol === "json") this.#protocol = new JsonHubProtocol();
      this.#socket?.send(`{}${RECORD_SEPARATOR}`);
      this.#hasShakenHands = true;
      rest = data.subarray(end + 1);
      this.#hub.onConnected(this);
    }
    if (rest.length === 0) return;
    this.frames.push(rest);
    const input = this.#protocol.name === "json" ? rest.toString() : Uint8Array.from(rest).buffer;
    for (const message of this.#protocol.parseMessages(input as never, NullLogger.instance)) {
      this.received.push(message);
      if (this.#isNew(message)) this.#handle(message);
    }
  }

  /** Whether a message has not come before, on an earlier socket. */
  #isNew(message: HubMessage): boolean {
    if (!this.isStateful) return true;
    if (this.#awaitsSequence) {
      this.#awaitsSequence = message.type !== 9;
      return message.type === 9;
    }
    if (message.type >= 6) return true;
    const id = this.#expected++;
    if (id <= this.#latest) return false;
    this.#latest = id;
    this.#write({ type: 8, sequenceId: id } as HubMessage);
    return true;
  }

  #handle(message: HubMessage): void {
    switch (message.type as number) {
      case 1:
        void this.#invocation(message as InvocationMessage);
        break;
      case 4:
        void this.#stream(message as StreamInvocationMessage);
        break;
      case 5:
        this.#cancelled.add((message as CancelInvocationMessage).invocationId);
        break;
      case 2: {
        const { invocationId, item } = message as StreamItemMessage;
        this.#uploads.get(invocationId)?.push(item);
        break;
      }
      case 3:
        this.#completion(message as CompletionMessage);
        break;
      case 8: {
        const { sequenceId } = message as { sequenceId: number };
        this.#unacknowledged = this.#unacknowledged.filter(({ id }) => id > sequenceId);
        break;
      }
      case 9:
        this.#expected = (message as { sequenceId: number }).sequenceId;
    }
  }

  #completion(message: CompletionMessage): void {
    this.#hub.onCompletion?.(this, message);
    const upload = this.#uploads.get(message.invocationId);
    if (upload !== undefined) {
      this.#uploads.delete(message.invocationId);
      upload.end(message.error);
    }
    this.#calls.get(message.invocationId)?.(message);
    this.#calls.delete(message.invocationId);
  }

  #callMethod({ target, arguments: args, streamIds }: InvocationMessage | StreamInvocationMessage): unknown {
    const method = this.#hub.methods[target];
    if (method === undefined) throw new Error(`Unknown hub method '${target}'`);
    const uploads = (streamIds ?? []).map((id) => {
      const upload = new Upload();
      this.#uploads.set(id, upload);
      return upload;
    });
    return method(this, ...args, ...uploads);
  }

  async #invocation(message: InvocationMessage): Promise<void> {
    const { invocationId } = message;
    let completion: Partial<CompletionMessage>;
    try {
      completion = { result: await this.#callMethod(message) };
    } catch (error) {
      completion = { error: (error as Error).message };
    }
    if (invocationId !== undefined) this.send({ type: 3, invocationId, ...completion });
  }

  async #stream(message: StreamInvocationMessage): Promise<void> {
    const { invocationId } = message;
    try {
      for await (const item of this.#callMethod(message) as AsyncIterable<unknown>) {
        if (this.#cancelled.has(invocationId)) break;
        this.send({ type: 2, invocationId, item });
      }
      this.send({ type: 3, invocationId });
    } catch (error) {
      this.send({ type: 3, invocationId, error: (error as Error).message });
    }
  }

  /** Whether the client has cancelled a stream. */
  hasCancelled(invocationId: string): boolean {
    return this.#cancelled.has(invocationId);
  }
}

/** What a client streams to a method. */
class Upload implements AsyncIterable<unknown> {
  readonly #items: unknown[] = [];
  #end: { error?: string } | null = null;
  #wake = (): void => {};

  push(item: unknown): void {
    this.#items.push(item);
    this.#wake();
  }

  end(error?: string): void {
    this.#end = { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for (;;) {
      while (this.#items.length > 0) yield this.#items.shift();
      if (this.#end?.error) throw new Error(this.#end.error);
      if (this.#end !== null) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/**
 * A SignalR hub in Node, over HTTP (negotiation) and WebSockets, for the official client. It speaks through the
 * official protocol package.
 */
export class TestHub {
  readonly methods: Methods;
  readonly connections: HubConnectionDouble[] = [];
  /** Files that the server has besides the hub: content by path. */
  readonly files = new Map<string, { type: string; content: string | Buffer }>();
  onConnected: (connection: HubConnectionDouble) => void = () => {};
  onCompletion: ((connection: HubConnectionDouble, message: CompletionMessage) => void) | null = null;
  readonly #server: http.Server;
  readonly #sockets: WebSocketServer;
  readonly #agreed = new Map<string, HubConnectionDouble>();

  private constructor(methods: Methods) {
    this.methods = methods;
    this.#server = http.createServer((request, response) => this.#respond(request, response));
    this.#sockets = new WebSocketServer({ server: this.#server, path: "/hub" });
    this.#sockets.on("connection", (socket, request) => {
      const id = new URL(request.url ?? "", "http://localhost").searchParams.get("id") ?? "";
      let connection = this.#agreed.get(id);
      if (connection === undefined) {
        connection = new HubConnectionDouble(this, false);
        this.connections.push(connection);
      }
      connection.attach(socket);
    });
  }

  static async start(methods: Methods): Promise<TestHub> {
    const hub = new TestHub(methods);
    await new Promise<void>((resolve) => hub.#server.listen(0, "127.0.0.1", resolve));
    return hub;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/hub`;
  }

  async stop(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#sockets.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #respond(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const file = this.files.get(pathname);
    if (file !== undefined) {
      response.setHeader("content-type", file.type).end(file.content);
    } else if (pathname === "/hub/negotiate") {
      const connection = new HubConnectionDouble(this, searchParams.get("useStatefulReconnect") === "true");
      this.connections.push(connection);
      this.#agreed.set(connection.id, connection);
      response.setHeader("content-type", "application/json").end(
        JSON.stringify({
          connectionId: connection.id,
          connectionToken: connection.id,
          negotiateVersion: 1,
          useStatefulReconnect: connection.isStateful,
          availableTransports: [{ transport: "WebSockets", transferFormats: ["Text", "Binary"] }],
        }),
      );
    } else {
      response.writeHead(404).end();
    }
  }
}
