import { Decoder, encode } from "@msgpack/msgpack";

// The server's side of the protocol, from its description, on another codec than the one that is tested. It is checked by
// the same vectors, so that errors of both sides cannot cancel out.

export type ServerSent =
  | { type: "broadcast"; methodId: number; body: Uint8Array }
  | { type: "response"; messageId: number; methodId: number; body: Uint8Array }
  | {
      type: "responseWithError";
      messageId: number;
      statusCode: number;
      detail: string;
      message: string | null;
    }
  | { type: "clientResultRequest"; clientResultMessageId: string; methodId: number; body: Uint8Array }
  | { type: "serverHeartbeat"; sequence: number; serverSentAt: number; metadata: Uint8Array }
  | { type: "clientHeartbeatResponse"; sequence: number; clientSentAt: number };

export interface ClientSent {
  type: string;
  messageId?: number;
  methodId?: number;
  body?: Uint8Array;
  clientResultMessageId?: string;
  statusCode?: number;
  detail?: string;
  message?: string | null;
  sequence?: number;
  serverSentAt?: number;
  clientSentAt?: number;
}

/** FNV-1a, 32 bits, as a signed integer. */
export function idOf(name: string): number {
  let hash = 2166136261n;
  for (const byte of Buffer.from(name)) hash = ((hash ^ BigInt(byte)) * 16777619n) % 2n ** 32n;
  return Number(BigInt.asIntN(32, hash));
}

export function pack(args: readonly unknown[]): Uint8Array {
  return encode(args.length === 0 ? null : args.length === 1 ? args[0] : args);
}

export function writeToClient(message: ServerSent): Buffer {
  switch (message.type) {
    case "broadcast":
      return head(2, [message.methodId], message.body);
    case "response":
      return head(3, [message.messageId, message.methodId], message.body);
    case "responseWithError":
      return head(4, [message.messageId, message.statusCode, message.detail, message.message]);
    case "clientResultRequest":
      return head(5, [0, null, message.clientResultMessageId, message.methodId], message.body);
    case "serverHeartbeat":
      return head(5, [127, message.sequence, message.serverSentAt, null], message.metadata);
    case "clientHeartbeatResponse":
      // A server appends what followed the time in the request: there is a byte more than the array has.
      return head(5, [126, message.sequence, message.clientSentAt, null, null], Uint8Array.of(0xc0));
  }
}

function head(count: number, items: unknown[], body: Uint8Array = new Uint8Array(0)): Buffer {
  return Buffer.concat([Uint8Array.of(0x90 | count), ...items.map((item) => encode(item)), body]);
}

/** @throws Error at what a server would end the stream for */
export function readFromClient(bytes: Uint8Array): ClientSent {
  const items = new Decoder().decode(bytes);
  if (!Array.isArray(items)) throw new Error("not an array");
  const [first, second, third, fourth] = items;
  const rest = (count: number) => tail(bytes, items.slice(0, count));
  switch (items.length) {
    case 2:
      return { type: "requestFireAndForget", methodId: int32(first), body: rest(1) };
    case 3:
      return { type: "request", messageId: int32(first), methodId: int32(second), body: rest(2) };
    case 4:
      if (first === 0 || first === 1) {
        const clientResultMessageId = guid(second);
        const methodId = int32(third);
        if (first === 0) {
          return { type: "clientResultResponse", clientResultMessageId, methodId, body: rest(3) };
        }
        if (!Array.isArray(fourth) || fourth.length !== 3) throw new Error("not an error");
        const [statusCode, detail, message] = fourth;
        return {
          ...{ type: "clientResultResponseWithError", clientResultMessageId, methodId },
          ...{ statusCode: int32(statusCode), detail, message },
        };
      }
      if (first === 126) return { type: "clientHeartbeat", sequence: second, clientSentAt: third };
      if (first === 127) return { type: "serverHeartbeatResponse", sequence: second, serverSentAt: third };
  }
  throw new Error(`unknown message of ${items.length} items`);
}

/** What follows the first items. They stand in their shortest forms, as this side would write them. */
function tail(bytes: Uint8Array, items: unknown[]): Uint8Array {
  return new Uint8Array(
    bytes.subarray(1 + items.reduce((sum: number, item) => sum + encode(item).length, 0)),
  );
}

function int32(value: unknown): number {
  if (typeof value !== "number" || (value | 0) !== value) throw new Error(`not an int32: ${value}`);
  return value;
}

function guid(value: unknown): string {
  if (typeof value !== "string" || value.length !== 36) throw new Error(`not a GUID: ${value}`);
  return value;
}
