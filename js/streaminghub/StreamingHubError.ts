/** What has failed, for programs; the message is for people. */
export type StreamingHubErrorCode =
  /** The server has answered a call with an error: `status`, `detail` and `serverMessage` are the server's. */
  | "RESPONSE"
  /** The stream could not be opened, or the server has not accepted the hub. */
  | "CONNECT"
  /** The stream has ended. */
  | "DISCONNECTED"
  /** The server has not answered heartbeats in time. */
  | "TIMED_OUT"
  /** The client has been closed. */
  | "CLOSED";

export interface StreamingHubErrorDetails {
  readonly code: StreamingHubErrorCode;
  /** A status of gRPC, or the application's own. */
  readonly status: number;
  readonly detail: string;
  readonly serverMessage?: string | null;
  readonly cause?: unknown;
}

/**
 * A call of a hub, or the connection to it, has failed. Thrown by a method of the receiver, it tells the server which
 * status to take.
 */
export class StreamingHubError extends Error {
  static override readonly name = "StreamingHubError";
  readonly code: StreamingHubErrorCode;
  /** A status of gRPC, or the application's own. */
  readonly status: number;
  readonly detail: string;
  /** The exception with its stack, where the server is set to send it. */
  readonly serverMessage: string | null;

  constructor(message: string, details: StreamingHubErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Object.defineProperty(this, "name", {
      configurable: true,
      enumerable: false,
      value: StreamingHubError.name,
    });
    this.code = details.code;
    this.status = details.status;
    this.detail = details.detail;
    this.serverMessage = details.serverMessage ?? null;
  }
}

/** Those of gRPC that come from here. */
export const GrpcStatus = {
  OK: 0,
  CANCELLED: 1,
  DEADLINE_EXCEEDED: 4,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;
