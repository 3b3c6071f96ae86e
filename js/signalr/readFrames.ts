import type { HubMessage, ILogger } from "@microsoft/signalr";
import { DecodeError, withDetails } from "../DecodeError.ts";
import type { Materializer } from "../Materializer.ts";
import { Status } from "../status.ts";
import { Tag } from "../tape.ts";
import { readMessage } from "./readMessage.ts";

/** What is known of a batch besides its messages, which an error leaves here, too. */
export interface Batch {
  messages: HubMessage[];
  /** Where the frame begins that is being read, or has been read last. */
  frameStart: number;
}

/**
 * Reads the frames of a batch that has been begun. Returns `Status.DONE`, or the frame error that has ended it.
 * @throws as `readMessage`, and what the decoder finds wrong
 */
export function readFrames(
  values: Materializer,
  batch: Batch,
  forServer: boolean,
  logger: ILogger | null,
): number {
  let status = nextFrame(values);
  while (status === Status.MORE) {
    const frameStart = values.start + values.operand();
    values.skip(1);
    batch.frameStart = frameStart;
    const message = readMessage(values, frameStart, forServer, logger);
    status = nextFrame(values);
    // Of a frame that goes on after its message nothing counts.
    if (message === null || status === Status.FRAME_REST) continue;
    // Most batches have one: a list that has grown by `push` has room for 17.
    if (batch.messages.length === 0) batch.messages = [message];
    else batch.messages.push(message);
  }
  return status;
}

/**
 * Where a frame ends: `Status.MORE` if there is another, of which `value` gives the offset (from `start`) and then the
 * value; else `Status.DONE`, or the status of the frame error that comes instead.
 */
function nextFrame(values: Materializer): number {
  while (values.tape[values.at] === Tag.END) {
    const { status } = values;
    if (status === Status.DONE || status > Status.MORE) return status;
    values.refill();
  }
  return Status.MORE;
}

/** The longest length that stands before a message, in bytes. */
export const MAX_PREFIX = 5;
const MAX_FRAME = 2 ** 31 - 1 + MAX_PREFIX;

/**
 * The bytes of the frame at offset `at`, its prefix counted in, as far as that is there: more than are left where the
 * frame, or its prefix, is cut.
 */
export function frameLength(bytes: Uint8Array, at: number): number {
  let length = 0;
  for (let i = 0; i < MAX_PREFIX; i++) {
    if (at + i >= bytes.length) break;
    length += (bytes[at + i] & 0x7f) * 2 ** (7 * i);
    if (bytes[at + i] < 0x80) return i + 1 + length;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * The error of a batch that cannot be parted into frames, or null. The official package parts a batch before it looks
 * into any frame, so this error comes before all others.
 */
export function framingError(bytes: Uint8Array): Error | null {
  let at = 0;
  while (at < bytes.length) {
    const length = frameLength(bytes, at);
    if (at + length > bytes.length) {
      const isPrefixCut = length === Number.POSITIVE_INFINITY && at + MAX_PREFIX > bytes.length;
      const cut = isPrefixCut ? Status.FRAME_LENGTH_CUT : Status.FRAME_CUT;
      return frameError(length > MAX_FRAME && !isPrefixCut ? Status.FRAME_TOO_LONG : cut, at, 0);
    }
    at += length;
  }
  return null;
}

/** The error for a frame error: for those that the official package has, in its words. */
export function frameError(status: number, offset: number, detail: number): DecodeError | RangeError {
  switch (status) {
    case Status.FRAME_LENGTH_CUT:
      return new DecodeError("Cannot read message size.", { code: "FRAME", offset });
    case Status.FRAME_CUT:
      return new DecodeError("Incomplete message.", { code: "FRAME", offset });
    case Status.FRAME_TOO_LONG:
      return detail === 0
        ? new DecodeError("Messages bigger than 2GB are not supported.", { code: "FRAME", offset })
        : new DecodeError(`Max length exceeded: message of ${detail} byte(s), at offset ${offset}`, {
            code: "MAX_LENGTH",
            offset,
          });
    case Status.FRAME_EMPTY:
      return new DecodeError("Invalid payload.", { code: "FRAME", offset });
    default:
      return withDetails(
        new RangeError(`Extra ${detail} byte(s) in the frame, found at offset ${offset}`),
        "EXTRA_BYTES",
        offset,
      );
  }
}
