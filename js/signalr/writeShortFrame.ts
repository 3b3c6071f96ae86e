import type { HubMessage } from "@microsoft/signalr";
import { MAX_SMALL, writeInteger64, writeScalar, writeShortBin } from "../smallFormats.ts";
import type { EncodeSettings } from "../Walker.ts";
import { MessageType } from "./MessageType.ts";

/** With a prefix of one byte. */
const MAX_FRAME = 128;
const MAX_ARGUMENTS = 15;
/** Of the message and its arguments. */
const DEPTH = 2;

const frame = new Uint8Array(MAX_FRAME + MAX_SMALL);

/**
 * The frame of an invocation without headers whose arguments are all short and no containers: what is called most
 * often. Null for all else, and what is wrong: a walker, which takes longer to find and to begin, writes it then.
 */
export function writeShortFrame(message: HubMessage, settings: EncodeSettings): ArrayBuffer | null {
  if (message.type !== MessageType.INVOCATION && message.type !== MessageType.STREAM_INVOCATION) return null;
  const { headers, arguments: args, streamIds, type } = message;
  if (headers || !settings.isDirect || settings.maxDepth <= DEPTH) return null;
  if (!Array.isArray(args) || args.length > MAX_ARGUMENTS) return null;
  if (streamIds && !(Array.isArray(streamIds) && streamIds.length === 0)) return null;
  frame[1] = 0x90 | (streamIds ? 6 : 5);
  frame[2] = type;
  frame[3] = 0x80;
  const { invocationId, target } = message;
  let at = writeScalar(frame, 4, type === MessageType.INVOCATION ? invocationId || null : invocationId);
  if (at >= 0) at = writeScalar(frame, at, target);
  if (at < 0) return null;
  frame[at++] = 0x90 | args.length;
  for (let i = 0; i < args.length && at <= MAX_FRAME; i++) {
    at = writeArgument(at, args[i], settings);
    if (at < 0) return null;
  }
  if (streamIds) frame[at++] = 0x90;
  if (at > MAX_FRAME) return null;
  frame[0] = at - 1;
  return frame.slice(0, at).buffer;
}

/** As the functions of smallFormats.ts. */
function writeArgument(at: number, value: unknown, settings: EncodeSettings): number {
  const end = writeScalar(frame, at, value);
  if (end >= 0) return end;
  if (typeof value === "number" && !settings.modes.noInt64) return writeInteger64(frame, at, value);
  return value instanceof Uint8Array && settings.extensionCodec === null
    ? writeShortBin(frame, at, value)
    : -1;
}
