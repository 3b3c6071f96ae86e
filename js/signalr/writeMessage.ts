import type { HubMessage, MessageHeaders } from "@microsoft/signalr";
import { made } from "../DecodeError.ts";
import type { EncodeSettings, Walker } from "../Walker.ts";
import { MessageType, ResultKind } from "./MessageType.ts";
import { plainSettings } from "./options.ts";

/** Lists of so many items are taken for arguments of all kinds. */
const MAX_MIXED = 15;

const NO_HEADERS = 0x80;

/** The items of a message are containers of this depth. */
const DEPTH = 2;

/** Writes a message to the tape of a walker, whose `takeFrame` then gives its bytes. */
export function writeMessage(walker: Walker, message: HubMessage, settings: EncodeSettings): void {
  const { type } = message;
  switch (type) {
    case MessageType.INVOCATION:
    case MessageType.STREAM_INVOCATION: {
      const { streamIds } = message;
      walker.beginFrame(streamIds ? 6 : 5, settings);
      writeStart(walker, type, message.headers);
      const { invocationId } = message;
      // An empty id says that no answer is wanted, but for streams, which have none without.
      walker.item(type === MessageType.INVOCATION ? invocationId || null : invocationId, DEPTH);
      walker.item(message.target, DEPTH);
      writeList(walker, message.arguments);
      if (streamIds) writeList(walker, streamIds);
      return;
    }
    case MessageType.STREAM_ITEM:
      walker.beginFrame(4, settings);
      writeStart(walker, type, message.headers);
      walker.item(message.invocationId, DEPTH);
      walker.item(message.item, DEPTH);
      return;
    case MessageType.COMPLETION: {
      const { error, result } = message;
      const kind = error ? ResultKind.ERROR : result !== undefined ? ResultKind.VALUE : ResultKind.VOID;
      walker.beginFrame(kind === ResultKind.VOID ? 4 : 5, settings);
      writeStart(walker, type, message.headers);
      walker.item(message.invocationId, DEPTH);
      walker.fixed(kind);
      if (kind !== ResultKind.VOID) walker.item(kind === ResultKind.ERROR ? error : result, DEPTH);
      return;
    }
    case MessageType.CANCEL_INVOCATION:
      walker.beginFrame(3, settings);
      writeStart(walker, type, message.headers);
      walker.item(message.invocationId, DEPTH);
      return;
    case MessageType.CLOSE: {
      const { allowReconnect } = message;
      walker.beginFrame(allowReconnect === undefined ? 2 : 3, plainSettings);
      walker.fixed(type);
      walker.item(message.error, DEPTH);
      if (allowReconnect !== undefined) walker.item(allowReconnect, DEPTH);
      return;
    }
    case MessageType.ACK:
    case MessageType.SEQUENCE:
      walker.beginFrame(2, plainSettings);
      walker.fixed(type);
      walker.item(message.sequenceId, DEPTH);
      return;
    default:
      throw made(new Error("Invalid message type."));
  }
}

function writeStart(walker: Walker, type: number, headers: MessageHeaders | undefined): void {
  walker.fixed(type);
  if (headers) {
    walker.container(headers, DEPTH);
  } else {
    walker.fixed(NO_HEADERS);
  }
}

/** The list itself is a part of the protocol, and no matter for the extension codec. */
function writeList(walker: Walker, list: readonly unknown[]): void {
  if (!Array.isArray(list)) {
    walker.item(list, DEPTH);
    return;
  }
  const { length } = list;
  // Longer ones may hold runs.
  if (length > MAX_MIXED) {
    walker.container(list, DEPTH);
    return;
  }
  walker.fixed(0x90 | length);
  if (length === 0) return;
  walker.checkDepth(DEPTH);
  for (let i = 0; i < length; i++) walker.item(list[i], DEPTH + 1);
}
