import { encodeSettings } from "../Encoder.ts";
import { beginHead, beginValues, endValues, headByte, headBytes, headInteger } from "../framing.ts";
import { type EncodeSettings, Walker } from "../Walker.ts";
import { walkers } from "../workers.ts";
import { GUID } from "./FrameHeader.ts";
import type { HubMethod } from "./HubMethod.ts";
import { type ClientMessage, type ServerMessage, Subtype } from "./messages.ts";
import { NO_ANSWER, Slab } from "./Slab.ts";

/** The message itself is one container, and the array of arguments another. */
const VALUE_DEPTH = 2;
const ARGUMENT_DEPTH = 3;

const NIL = 0xc0;
const plainSettings = encodeSettings(undefined);
const utf8 = new TextEncoder();
const slab = new Slab();

/** A message in bytes, its value as the settings say. */
export function writeMessage(
  message: ClientMessage | ServerMessage,
  settings: EncodeSettings,
): Uint8Array<ArrayBuffer> {
  const walker = findWalker();
  try {
    walker.isBusy = true;
    writeItems(walker, message, settings);
    endValues(walker);
    if (message.type === "serverHeartbeat") return joined(walker.take(), message.metadata);
    return slab.take(walker);
  } finally {
    walker.isBusy = false;
    walker.clear();
  }
}

/** A call with `count` arguments, the first four by themselves and, if there are more, all in `args`. */
export function writeCall(
  messageId: number,
  method: HubMethod,
  count: number,
  a: unknown,
  b: unknown,
  c: unknown,
  d: unknown,
  args: readonly unknown[] | null,
  settings: EncodeSettings,
): Uint8Array<ArrayBuffer> {
  if (messageId === NO_ANSWER && count === 0) {
    method.notification ??= Uint8Array.of(0x92, ...method.idBytes, NIL);
    return method.notification;
  }
  if (settings.isDirect && args === null) {
    const call = slab.shortCall(messageId, method.idBytes, count, a, b, c, d);
    if (call !== null) return call;
  }
  const walker = findWalker();
  try {
    walker.isBusy = true;
    beginHead(walker, settings);
    if (messageId === NO_ANSWER) {
      headByte(walker, 0x92);
    } else {
      headByte(walker, 0x93);
      headInteger(walker, messageId);
    }
    headBytes(walker, method.idBytes);
    if (count > 1) headByte(walker, 0x90 | count);
    beginValues(walker, method.isSmall);
    if (args !== null) {
      for (let i = 0; i < count; i++) walker.item(args[i], ARGUMENT_DEPTH);
    } else if (count === 1) {
      walker.item(a, VALUE_DEPTH);
    } else if (count > 1) {
      walker.item(a, ARGUMENT_DEPTH);
      walker.item(b, ARGUMENT_DEPTH);
      if (count > 2) walker.item(c, ARGUMENT_DEPTH);
      if (count > 3) walker.item(d, ARGUMENT_DEPTH);
    }
    const isSmall = endValues(walker);
    if (isSmall !== method.isSmall) method.isSmall = isSmall;
    return slab.take(walker);
  } finally {
    walker.isBusy = false;
    walker.clear();
  }
}

/**
 * The answer to a heartbeat of the server, which gets back what it sent, bytes `start` to `end`.
 */
export function writeEcho(bytes: Uint8Array, start: number, end: number): Uint8Array<ArrayBuffer> {
  const size = end - start;
  const echo = new Uint8Array(3 + size);
  echo[0] = 0x94;
  echo[1] = Subtype.SERVER_HEARTBEAT;
  echo.set(bytes.subarray(start, end), 2);
  echo[2 + size] = NIL;
  return echo;
}

function writeItems(walker: Walker, message: ClientMessage | ServerMessage, settings: EncodeSettings): void {
  switch (message.type) {
    case "requestFireAndForget":
    case "broadcast":
      beginHead(walker, settings);
      headByte(walker, 0x92);
      writeValue(walker, message);
      return;
    case "request":
    case "response":
      beginHead(walker, settings);
      headByte(walker, 0x93);
      headInteger(walker, message.messageId | 0);
      writeValue(walker, message);
      return;
    case "responseWithError":
      beginPlain(walker, 4, message.messageId | 0);
      writeError(walker, message);
      return;
    case "clientResultRequest":
      beginHead(walker, settings);
      headByte(walker, 0x95);
      headByte(walker, Subtype.RESULT);
      headByte(walker, NIL);
      writeGuid(walker, message.clientResultMessageId);
      writeValue(walker, message);
      return;
    case "clientResultResponse":
      beginHead(walker, settings);
      headByte(walker, 0x94);
      headByte(walker, Subtype.RESULT);
      writeGuid(walker, message.clientResultMessageId);
      writeValue(walker, message);
      return;
    case "clientResultResponseWithError":
      beginHead(walker, plainSettings);
      headByte(walker, 0x94);
      headByte(walker, Subtype.RESULT_ERROR);
      writeGuid(walker, message.clientResultMessageId);
      headInteger(walker, message.methodId | 0);
      beginValues(walker, true);
      walker.item([message.statusCode | 0, message.detail, message.message], VALUE_DEPTH);
      return;
    case "clientHeartbeat":
    case "clientHeartbeatResponse":
      beginPlain(walker, message.type === "clientHeartbeat" ? 4 : 5, Subtype.CLIENT_HEARTBEAT);
      writeHeartbeat(walker, message.sequence, message.clientSentAt);
      if (message.type === "clientHeartbeatResponse") walker.item(null, VALUE_DEPTH);
      return;
    case "serverHeartbeat":
    case "serverHeartbeatResponse":
      beginPlain(walker, message.type === "serverHeartbeat" ? 5 : 4, Subtype.SERVER_HEARTBEAT);
      writeHeartbeat(walker, message.sequence, message.serverSentAt);
  }
}

/** Ends what has a method and a value. */
function writeValue(walker: Walker, { methodId, value }: { methodId: number; value: unknown }): void {
  headInteger(walker, methodId | 0);
  beginValues(walker, true);
  walker.item(value, VALUE_DEPTH);
}

function findWalker(): Walker {
  if (Walker.wantsToRelearn && walkers.isQuiet) Walker.relearn();
  return walkers.find();
}

function writeGuid(walker: Walker, guid: string): void {
  if (!GUID.test(guid))
    throw new RangeError(`clientResultMessageId must be a GUID of 36 characters: ${guid}`);
  headByte(walker, 0xd9);
  headByte(walker, guid.length);
  headBytes(walker, utf8.encode(guid));
}

/** Begins a message of the protocol's own, with which the user's options have nothing to do. */
function beginPlain(walker: Walker, count: number, first: number): void {
  beginHead(walker, plainSettings);
  headByte(walker, 0x90 | count);
  headInteger(walker, first);
  beginValues(walker, true);
}

function writeError(walker: Walker, error: { statusCode: number; detail: string; message: string | null }) {
  walker.item(error.statusCode | 0, VALUE_DEPTH);
  walker.item(error.detail, VALUE_DEPTH);
  walker.item(error.message, VALUE_DEPTH);
}

function writeHeartbeat(walker: Walker, sequence: number, sentAt: number): void {
  walker.item((sequence << 16) >> 16, VALUE_DEPTH);
  walker.item(sentAt, VALUE_DEPTH);
  walker.item(null, VALUE_DEPTH);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
