import { CallTable } from "./CallTable.ts";
import type { ClientCodec } from "./ClientCodec.ts";
import type { HubStream, HubStreamEvents, StreamEnd } from "./channel.ts";
import { Heartbeat, type HeartbeatOptions } from "./Heartbeat.ts";
import type { HubFrame } from "./HubFrame.ts";
import type { HubMethod } from "./HubMethod.ts";
import type { ReceiverMethod } from "./Receiver.ts";
import { NO_ANSWER } from "./Slab.ts";
import { GrpcStatus, StreamingHubError, type StreamingHubErrorCode } from "./StreamingHubError.ts";
import { writeEcho } from "./writeMessage.ts";

/** The version of the protocol that is spoken here. */
const VERSION = "2";

/** What a connection needs to write and read. */
export type ConnectionCodec = Pick<ClientCodec, "frame" | "write" | "writeCall" | "valueAt">;

/** What a server's heartbeat brings. */
export interface ServerHeartbeatEvent {
  readonly sequence: number;
  /** When the server sent it, by its clock. */
  readonly serverSentAt: Date;
  /** What the application sends along, in a format of its own. Nothing of it is one byte, nil. */
  readonly metadata: Uint8Array;
}

/** Why a connection is no more. */
export interface DisconnectReason {
  /** `"completed"`: it was closed, here or by the server; `"faulted"`: lost; `"timedOut"`: heartbeats had no answer. */
  readonly type: "completed" | "faulted" | "timedOut";
  /** With what calls were rejected. */
  readonly error: StreamingHubError;
}

export interface ConnectionOptions {
  /** Heartbeats of the client. Default: none; those of the server are always answered. */
  heartbeat?: HeartbeatOptions;
  /** Is called for each heartbeat of the server. */
  onServerHeartbeat?: (event: ServerHeartbeatEvent) => void;
  /**
   * Is called with what goes wrong and concerns no call: a message that cannot be read (`message` has its bytes), or an
   * exception in the receiver, a callback or the transport. The connection goes on. What it throws itself goes to
   * `console.error`. Default: `console.error`.
   */
  onError?: (error: unknown, message?: Uint8Array) => void;
}

/** One hub over one stream. */
export class HubConnection implements HubStreamEvents {
  readonly #hubName: string;
  readonly #codec: ConnectionCodec;
  readonly #methods: ReadonlyMap<number, ReceiverMethod>;
  readonly #options: ConnectionOptions;
  readonly #heartbeat: Heartbeat | null;
  readonly #calls = new CallTable();
  #stream: HubStream | null = null;
  /** Why no call can be made, or null while one can. */
  #failure: StreamingHubError | null;
  #isAccepted = false;
  #isOver = false;
  /** Resolves when the server has accepted the hub. */
  readonly connected: Promise<void>;
  #acceptConnect!: () => void;
  #rejectConnect!: (error: unknown) => void;
  readonly disconnected: Promise<DisconnectReason>;
  #resolveDisconnected!: (reason: DisconnectReason) => void;
  /** Resolves when the stream is no more. */
  readonly over: Promise<void>;
  #resolveOver!: () => void;

  constructor(
    hubName: string,
    codec: ConnectionCodec,
    methods: ReadonlyMap<number, ReceiverMethod>,
    options: ConnectionOptions,
  ) {
    this.#hubName = hubName;
    this.#codec = codec;
    this.#methods = methods;
    this.#options = options;
    const { heartbeat } = options;
    this.#heartbeat =
      heartbeat === undefined
        ? null
        : new Heartbeat(
            heartbeat,
            (sequence, clientSentAt) =>
              this.#trySend(codec.write({ type: "clientHeartbeat", sequence, clientSentAt })),
            () => this.#timeOut(),
          );
    this.#failure = this.#error("DISCONNECTED", GrpcStatus.UNAVAILABLE, "The hub is not connected yet");
    this.connected = new Promise((resolve, reject) => {
      this.#acceptConnect = resolve;
      this.#rejectConnect = reject;
    });
    this.disconnected = new Promise((resolve) => {
      this.#resolveDisconnected = resolve;
    });
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
    // A transport may end the stream, and then throw: then nobody waits for the rest.
    this.connected.catch(() => {});
  }

  /** The milliseconds from the last heartbeat that was answered to its answer. */
  get roundTripTime(): number | undefined {
    return this.#heartbeat?.roundTripTime;
  }

  /** Takes the stream that was opened with this connection as its events. */
  attach(stream: HubStream): void {
    this.#stream = stream;
  }

  accepted(version: string | undefined): void {
    if (this.#isAccepted || this.#isOver) return;
    if (version !== VERSION) {
      const what = version === undefined ? "no version" : `version ${version}`;
      const detail = `The server has not accepted the hub: its headers name ${what} of the protocol, not ${VERSION}`;
      this.#disconnect("faulted", this.#error("CONNECT", GrpcStatus.UNIMPLEMENTED, detail));
      this.#endStream("cancel");
      return;
    }
    this.#isAccepted = true;
    this.#failure = null;
    this.#heartbeat?.start();
    this.#acceptConnect();
  }

  /** Gives up before the server has accepted the hub. */
  abort(reason: unknown): void {
    if (this.#isAccepted || this.#isOver) return;
    this.#rejectConnect(reason);
    this.#disconnect("faulted", this.#error("CONNECT", GrpcStatus.CANCELLED, "Aborted", reason));
    this.#endStream("cancel");
  }

  ended({ status, detail, cause }: StreamEnd): void {
    const code = this.#isAccepted ? "DISCONNECTED" : "CONNECT";
    const what = `The stream has ended with status ${status}${detail === "" ? "" : `: ${detail}`}`;
    const error = new StreamingHubError(`${this.#hubName}: ${what}`, { code, status, detail, cause });
    // An end that is no error does not bring a hub about, either.
    this.#disconnect(status === GrpcStatus.OK && this.#isAccepted ? "completed" : "faulted", error);
    this.#resolveOver();
  }

  /** Ends the connection. Calls that wait are rejected. */
  close(): Promise<void> {
    if (this.#disconnect("completed", this.#error("CLOSED", GrpcStatus.CANCELLED, "The client was closed"))) {
      this.#endStream("close");
    }
    return this.over;
  }

  call(
    method: HubMethod,
    signal: AbortSignal | null,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    d: unknown,
    args: readonly unknown[] | null,
  ): Promise<unknown> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const calls = this.#calls;
    const promise = calls.open(method.name);
    const id = calls.lastId;
    try {
      const bytes = this.#codec.writeCall(id, method, count, a, b, c, d, args);
      // A getter among the arguments may have closed the connection, which has rejected the call.
      if (calls.has(id)) this.#stream?.send(bytes);
    } catch (error) {
      calls.reject(id, error);
      return promise;
    }
    if (signal !== null) this.#watch(signal, id);
    return promise;
  }

  /** @throws StreamingHubError if the connection is no more */
  fireAndForget(
    method: HubMethod,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    d: unknown,
    args: readonly unknown[] | null,
  ): void {
    if (this.#failure !== null) throw this.#failure;
    this.#stream?.send(this.#codec.writeCall(NO_ANSWER, method, count, a, b, c, d, args));
  }

  message(bytes: Uint8Array): void {
    // What was under way when the connection was closed is not for anybody.
    if (this.#isOver) return;
    const { frame } = this.#codec;
    try {
      frame.readServer(bytes);
      switch (frame.type) {
        case "response":
          this.#respond(frame.messageId, bytes, frame.at);
          break;
        case "broadcast":
          this.#broadcast(frame.methodId, bytes, frame.at);
          break;
        case "responseWithError":
          this.#respondWithError(frame.messageId, frame.statusCode, frame.detail, frame.message);
          break;
        case "clientResultRequest":
          this.#answer(frame.clientResultMessageId, frame.methodId, bytes, frame.at);
          break;
        case "serverHeartbeat":
          this.#beat(bytes, frame);
          break;
        case "clientHeartbeatResponse":
          this.#heartbeat?.answered(frame.sequence, frame.sentAt);
      }
    } catch (error) {
      this.#report(error, bytes);
    } finally {
      frame.close();
    }
  }

  #respond(id: number, bytes: Uint8Array, at: number): void {
    // The marker that begins a stream, calls that were aborted: nobody waits.
    if (!this.#calls.has(id)) return;
    let value: unknown;
    try {
      value = this.#codec.valueAt(bytes, at);
    } catch (error) {
      this.#calls.reject(id, error);
      return;
    }
    this.#calls.resolve(id, value);
  }

  #respondWithError(id: number, status: number, detail: string, serverMessage: string | null): void {
    if (!this.#calls.has(id)) return;
    const name = `${this.#hubName}/${this.#calls.nameOf(id)}`;
    const message = `${name} failed with status ${status}: ${detail}`;
    this.#calls.reject(
      id,
      new StreamingHubError(message, { code: "RESPONSE", status, detail, serverMessage }),
    );
  }

  #broadcast(id: number, bytes: Uint8Array, at: number): void {
    const method = this.#methods.get(id);
    if (method === undefined) return;
    const result = method.call(this.#codec.valueAt(bytes, at));
    if (isThenable(result)) result.then(undefined, (error) => this.#report(error));
  }

  #beat(bytes: Uint8Array, { sequence, sentAt, echoStart, echoEnd, at }: HubFrame): void {
    this.#stream?.send(writeEcho(bytes, echoStart, echoEnd));
    const serverSentAt = new Date(sentAt);
    this.#options.onServerHeartbeat?.({ sequence, serverSentAt, metadata: bytes.subarray(at) });
  }

  async #answer(clientResultMessageId: string, methodId: number, bytes: Uint8Array, at: number) {
    const method = this.#methods.get(methodId);
    let answer: Uint8Array<ArrayBuffer>;
    try {
      if (method === undefined) {
        const detail = `The receiver of ${this.#hubName} has no method with id ${methodId}`;
        throw this.#error("RESPONSE", GrpcStatus.UNIMPLEMENTED, detail);
      }
      const value = await method.call(this.#codec.valueAt(bytes, at));
      answer = this.#codec.write({ type: "clientResultResponse", clientResultMessageId, methodId, value });
    } catch (error) {
      answer = this.#codec.write({
        type: "clientResultResponseWithError",
        clientResultMessageId,
        methodId,
        ...errorAnswer(error),
      });
    }
    if (this.#failure === null) this.#trySend(answer);
  }

  /** For what no caller waits for. */
  #trySend(bytes: Uint8Array<ArrayBuffer>): void {
    try {
      this.#stream?.send(bytes);
    } catch (error) {
      this.#report(error);
    }
  }

  #watch(signal: AbortSignal, id: number): void {
    const abort = () => this.#calls.reject(id, signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    this.#calls.onSettled(id, () => signal.removeEventListener("abort", abort));
  }

  #timeOut(): void {
    const detail = "The server has not answered heartbeats in time";
    const error = this.#error("TIMED_OUT", GrpcStatus.DEADLINE_EXCEEDED, detail);
    if (this.#disconnect("timedOut", error)) this.#endStream("cancel");
  }

  /** Returns false if that was done before. */
  #disconnect(type: DisconnectReason["type"], error: StreamingHubError): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#failure = error;
    this.#heartbeat?.stop();
    this.#rejectConnect(error);
    this.#calls.rejectAll(error);
    this.#resolveDisconnected({ type, error });
    return true;
  }

  /** Where the transport fails to do so, there is nothing to wait for. */
  #endStream(how: "close" | "cancel"): void {
    try {
      this.#stream?.[how]();
    } catch (error) {
      this.#report(error);
      this.#resolveOver();
    }
  }

  #error(code: StreamingHubErrorCode, status: number, detail: string, cause?: unknown): StreamingHubError {
    return new StreamingHubError(`${this.#hubName}: ${detail}`, { code, status, detail, cause });
  }

  #report(error: unknown, message?: Uint8Array): void {
    const { onError } = this.#options;
    if (onError === undefined) {
      console.error(`${this.#hubName}:`, error);
      return;
    }
    try {
      onError(error, message);
    } catch (thrown) {
      console.error(`${this.#hubName}: onError has thrown`, thrown, "when it was told of", error);
    }
  }
}

/** What a server is told of an exception in the receiver, which may be anything. */
function errorAnswer(error: unknown): { statusCode: number; detail: string; message: string | null } {
  try {
    if (error instanceof StreamingHubError) {
      return { statusCode: error.status, detail: error.detail, message: error.serverMessage };
    }
    const detail = String(error instanceof Error ? error.message : error);
    return { statusCode: GrpcStatus.INTERNAL, detail, message: String(error) };
  } catch {
    return { statusCode: GrpcStatus.INTERNAL, detail: "An exception without words", message: null };
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
