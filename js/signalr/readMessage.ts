import type { CompletionMessage, HubMessage, ILogger, InvocationMessage } from "@microsoft/signalr";
import { DecodeError } from "../DecodeError.ts";
import type { Materializer } from "../Materializer.ts";
import { Tag } from "../tape.ts";
import { MessageType, ResultKind } from "./MessageType.ts";

/** The most items that a message has. Behind them others may stand, which later versions of the protocol bring. */
export const MAX_FIELDS = 6;

/** `LogLevel.Information` of `@microsoft/signalr`. */
const INFORMATION = 2;

/** What gives the items of a message one by one. */
export interface Fields {
  value(): unknown;
}

/** Items that have been read already. */
class ReadFields implements Fields {
  readonly #items: readonly unknown[];
  #next = 0;

  constructor(items: readonly unknown[]) {
    this.#items = items;
  }

  value(): unknown {
    return this.#items[this.#next++];
  }
}

/**
 * Reads the message that comes next on the tape. Returns null for one that is left out, which it logs. `offset` is that
 * of its frame.
 * @throws DecodeError if it is no message, in the words of the official package
 */
export function readMessage(
  values: Materializer,
  offset: number,
  forServer: boolean,
  logger: ILogger | null,
): HubMessage | null {
  const word = values.peek();
  const count = word >>> 4;
  if ((word & 15) === Tag.ARRAY && count > 0 && count <= MAX_FIELDS) {
    values.skip();
    return messageOf(values, count, offset, forServer, logger);
  }
  // What is no message, or one of those that come seldom: of numbers alone, or with additional items.
  const body = values.value();
  if (!Array.isArray(body) || body.length === 0) throw invalid("Invalid payload.", offset);
  return messageOf(new ReadFields(body), body.length, offset, forServer, logger);
}

/** Makes a message of `count` items. Otherwise as `readMessage`. */
export function messageOf(
  fields: Fields,
  count: number,
  offset: number,
  forServer: boolean,
  logger: ILogger | null,
): HubMessage | null {
  const type = numberOf(fields.value());
  switch (type) {
    case MessageType.INVOCATION:
      return invocation(fields, count, offset, forServer);
    case MessageType.STREAM_ITEM: {
      const headers = headersOf(fields, count, offset);
      if (count < 4) throw invalid("Invalid payload for StreamItem message.", offset);
      const message = { headers, invocationId: fields.value() as string, item: fields.value(), type };
      skip(fields, count - 4);
      return message;
    }
    case MessageType.COMPLETION:
      return completion(fields, count, offset);
    case MessageType.PING:
      skip(fields, count - 1);
      return { type };
    case MessageType.CLOSE: {
      if (count < 2) throw invalid("Invalid payload for Close message.", offset);
      const error = fields.value() as string;
      const allowReconnect = count > 2 ? (fields.value() as boolean) : undefined;
      skip(fields, count - 3);
      return { allowReconnect, error, type };
    }
    case MessageType.ACK:
    case MessageType.SEQUENCE: {
      const sequenceId = count > 1 ? (numberOf(fields.value()) as number) : (undefined as unknown as number);
      skip(fields, count - 2);
      return { sequenceId, type };
    }
    case MessageType.STREAM_INVOCATION:
      if (forServer) return streamInvocation(fields, count, offset);
      break;
    case MessageType.CANCEL_INVOCATION:
      if (forServer) {
        const headers = headersOf(fields, count, offset);
        if (count < 3) throw invalid("Invalid payload for CancelInvocation message.", offset);
        const message = { headers, invocationId: fields.value() as string, type };
        skip(fields, count - 3);
        return message;
      }
      break;
  }
  skip(fields, count - 1);
  logger?.log(INFORMATION, `Unknown message type '${type}' ignored.`);
  return null;
}

type Headers = InvocationMessage["headers"];

function headersOf(fields: Fields, count: number, offset: number): Headers {
  const headers = count > 1 ? fields.value() : undefined;
  if (typeof headers !== "object") throw invalid("Invalid headers.", offset);
  return headers as Headers;
}

function invocation(fields: Fields, count: number, offset: number, forServer: boolean): InvocationMessage {
  const headers = headersOf(fields, count, offset);
  if (count < 5) throw invalid("Invalid payload for Invocation message.", offset);
  const type = MessageType.INVOCATION;
  const invocationId = fields.value() as string | null;
  const target = fields.value() as string;
  const args = fields.value() as unknown[];
  const streamIds = streamIdsOf(fields, count, forServer);
  return invocationId
    ? { arguments: args, headers, invocationId, streamIds, target, type }
    : { arguments: args, headers, streamIds, target, type };
}

function streamInvocation(fields: Fields, count: number, offset: number): HubMessage {
  const headers = headersOf(fields, count, offset);
  if (count < 5) throw invalid("Invalid payload for StreamInvocation message.", offset);
  const invocationId = fields.value() as string;
  const target = fields.value() as string;
  const args = fields.value() as unknown[];
  const streamIds = streamIdsOf(fields, count, true);
  return { arguments: args, headers, invocationId, streamIds, target, type: MessageType.STREAM_INVOCATION };
}

function streamIdsOf(fields: Fields, count: number, areKept: boolean): string[] {
  const streamIds = count > 5 ? fields.value() : null;
  skip(fields, count - 6);
  return areKept ? ((streamIds ?? []) as string[]) : [];
}

function completion(fields: Fields, count: number, offset: number): CompletionMessage {
  const headers = headersOf(fields, count, offset);
  if (count < 4) throw invalid("Invalid payload for Completion message.", offset);
  const invocationId = fields.value() as string;
  const kind = numberOf(fields.value());
  if (kind !== ResultKind.VOID && count < 5) throw invalid("Invalid payload for Completion message.", offset);
  let error: string | undefined;
  let result: unknown;
  if (count > 4) {
    const last = fields.value();
    if (kind === ResultKind.ERROR) error = last as string;
    if (kind === ResultKind.VALUE) result = last;
    skip(fields, count - 5);
  }
  return { error, headers, invocationId, result, type: MessageType.COMPLETION };
}

function skip(fields: Fields, count: number): void {
  for (let i = 0; i < count; i++) fields.value();
}

/** A field of the protocol's own is a number, whatever 64-bit integers become elsewhere. */
function numberOf(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function invalid(message: string, offset: number): DecodeError {
  return new DecodeError(message, { code: "FIELD", offset });
}
