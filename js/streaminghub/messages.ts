// The messages of a StreamingHub, by the names that MagicOnion gives them. Each is a MessagePack array, and one message
// of the gRPC stream.

/** A call that is not answered. */
export interface RequestFireAndForget {
  readonly type: "requestFireAndForget";
  readonly methodId: number;
  /** Of no argument nil, of one the argument itself, of 2 to 15 an array (`packArguments`). */
  readonly value: unknown;
}

export interface Request {
  readonly type: "request";
  readonly messageId: number;
  readonly methodId: number;
  /** As in `RequestFireAndForget`. */
  readonly value: unknown;
}

export interface Response {
  readonly type: "response";
  readonly messageId: number;
  readonly methodId: number;
  /** nil, if the method returns nothing. */
  readonly value: unknown;
}

export interface ResponseWithError {
  readonly type: "responseWithError";
  readonly messageId: number;
  /** Of gRPC, or the application's own. */
  readonly statusCode: number;
  readonly detail: string;
  /** The exception with its stack, where the server is set to send it. */
  readonly message: string | null;
}

/** A call of a method of the receiver. */
export interface Broadcast {
  readonly type: "broadcast";
  readonly methodId: number;
  /** As in `RequestFireAndForget`. */
  readonly value: unknown;
}

/** A call of a method of the receiver that is answered. */
export interface ClientResultRequest {
  readonly type: "clientResultRequest";
  /** A GUID: 36 characters. */
  readonly clientResultMessageId: string;
  readonly methodId: number;
  /** As in `RequestFireAndForget`. */
  readonly value: unknown;
}

export interface ClientResultResponse {
  readonly type: "clientResultResponse";
  readonly clientResultMessageId: string;
  readonly methodId: number;
  readonly value: unknown;
}

export interface ClientResultResponseWithError {
  readonly type: "clientResultResponseWithError";
  readonly clientResultMessageId: string;
  readonly methodId: number;
  readonly statusCode: number;
  readonly detail: string;
  readonly message: string | null;
}

export interface ServerHeartbeat {
  readonly type: "serverHeartbeat";
  /** An integer of 16 bits. */
  readonly sequence: number;
  /** In milliseconds since 1970. */
  readonly serverSentAt: number;
  /** What the application sends along, in a format of its own. Nothing of it is one byte, nil. */
  readonly metadata: Uint8Array;
}

export interface ServerHeartbeatResponse {
  readonly type: "serverHeartbeatResponse";
  readonly sequence: number;
  readonly serverSentAt: number;
}

export interface ClientHeartbeat {
  readonly type: "clientHeartbeat";
  /** An integer of 16 bits. */
  readonly sequence: number;
  /** In milliseconds, by the client's own clock. */
  readonly clientSentAt: number;
}

export interface ClientHeartbeatResponse {
  readonly type: "clientHeartbeatResponse";
  readonly sequence: number;
  readonly clientSentAt: number;
}

export type ClientMessage =
  | RequestFireAndForget
  | Request
  | ClientResultResponse
  | ClientResultResponseWithError
  | ClientHeartbeat
  | ServerHeartbeatResponse;

export type ServerMessage =
  | Broadcast
  | Response
  | ResponseWithError
  | ClientResultRequest
  | ServerHeartbeat
  | ClientHeartbeatResponse;

/** The first item of messages that arrays of one length stand for. */
export const Subtype = {
  RESULT: 0,
  RESULT_ERROR: 1,
  CLIENT_HEARTBEAT: 126,
  SERVER_HEARTBEAT: 127,
} as const;

/** The most parameters that a method may have. */
export const MAX_PARAMETERS = 15;

/**
 * Arguments as the value that goes into a message.
 * @throws RangeError if they are more than 15
 */
export function packArguments(args: readonly unknown[]): unknown {
  if (args.length > MAX_PARAMETERS) throw tooManyArguments(args.length);
  return args.length === 0 ? null : args.length === 1 ? args[0] : args;
}

/** The arguments for a method of `count` parameters. Those that are missing in a message are `undefined`. */
export function unpackArguments(value: unknown, count: number): unknown[] {
  if (count === 0) return [];
  if (count === 1 || !Array.isArray(value)) return [value];
  return value.slice(0, count);
}

export function tooManyArguments(count: number): RangeError {
  return new RangeError(
    `A method has at most ${MAX_PARAMETERS} parameters, but there are ${count} arguments`,
  );
}
