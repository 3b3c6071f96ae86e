import type { HubMessage, MessageHeaders } from "@microsoft/signalr";
import { made } from "../DecodeError.ts";
import { beginFrame, container, fixed } from "../framing.ts";
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
      beginFrame(walker, streamIds ? 6 : 5, settings);
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
      beginFrame(walker, 4, settings);
      writeStart(walker, type, message.headers);
      walker.item(message.invocationId, DEPTH);
      walker.item(message.item, DEPTH);
      return;
    case MessageType.COMPLETION: {
      const { error, result } = message;
      const kind = error ? ResultKind.ERROR : result !== undefined ? ResultKind.VALUE : ResultKind.VOID;
      beginFrame(walker, kind === ResultKind.VOID ? 4 : 5, settings);
      writeStart(walker, type, message.headers);
      walker.item(message.invocationId, DEPTH);
      fixed(walker, kind);
      if (kind !== ResultKind.VOID) walker.item(kind === ResultKind.ERROR ? error : result, DEPTH);
      return;
    }
    case MessageType.CANCEL_INVOCATION:
      beginFrame(walker, 3, settings);
      writeStart(walker, type, message.headers);
      walker.item(message.invocationId, DEPTH);
      return;
    case MessageType.CLOSE: {
      const { allowReconnect } = message;
      beginFrame(walker, allowReconnect === undefined ? 2 : 3, plainSettings);
      fixed(walker, type);
      walker.item(message.error, DEPTH);
      if (allowReconnect !== undefined) walker.item(allowReconnect, DEPTH);
      return;
    }
    case MessageType.ACK:
    case MessageType.SEQUENCE:
      beginFrame(walker, 2, plainSettings);
      fixed(walker, type);
      walker.item(message.sequenceId, DEPTH);
      return;
    default:
      throw made(new Error("Invalid message type."));
  }
}

function writeStart(walker: Walker, type: number, headers: MessageHeaders | undefined): void {
  fixed(walker, type);
  if (headers) {
    container(walker, headers, DEPTH);
  } else {
    fixed(walker, NO_HEADERS);
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
    container(walker, list, DEPTH);
    return;
  }
  fixed(walker, 0x90 | length);
  if (length === 0) return;
  walker.checkDepth(DEPTH);
  for (let i = 0; i < length; i++) walker.item(list[i], DEPTH + 1);
}
