import type { HubMessage, ILogger } from "@microsoft/signalr";
import { DecodeError, withDetails } from "../DecodeError.ts";
import type { Materializer } from "../Materializer.ts";
import { Status } from "../status.ts";
import { readMessage } from "./readMessage.ts";

/** Where the frame begins that is being read, or has been read last. */
export interface Progress {
  frameStart: number;
}

/**
 * Reads the frames of a batch that has been begun, and adds their messages to `messages`. Returns `Status.DONE`, or the
 * frame error that has ended it.
 * @throws as `readMessage`, and what the decoder finds wrong
 */
export function readFrames(
  values: Materializer,
  messages: HubMessage[],
  forServer: boolean,
  logger: ILogger | null,
  progress: Progress,
): number {
  let status = values.nextFrame();
  while (status === Status.MORE) {
    const frameStart = values.start + values.operand();
    values.skip(1);
    progress.frameStart = frameStart;
    const message = readMessage(values, frameStart, forServer, logger);
    status = values.nextFrame();
    // Of a frame that goes on after its message nothing counts.
    if (message !== null && status !== Status.FRAME_REST) messages.push(message);
  }
  return status;
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
