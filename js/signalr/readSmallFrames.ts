import type { HubMessage } from "@microsoft/signalr";
import type { DecodeSettings } from "../Materializer.ts";
import { type SmallReader, smallReader } from "../SmallReader.ts";
import { MessageType } from "./MessageType.ts";
import { frameLength } from "./readFrames.ts";
import { type Fields, MAX_FIELDS, messageOf } from "./readMessage.ts";

const NOTHING: Uint8Array = new Uint8Array(0);

class SmallFields implements Fields {
  bytes = NOTHING;
  reader = null as unknown as SmallReader;

  value(): unknown {
    return this.reader.value(this.bytes);
  }
}

const fields = new SmallFields();

/**
 * The messages of a batch that is so small that to call the tokenizer takes longer than to read it in JavaScript. Null
 * for all others, those included with which anything is wrong, or that have a message to be logged.
 */
export function readSmallFrames(
  bytes: Uint8Array,
  settings: DecodeSettings,
  forServer: boolean,
): HubMessage[] | null {
  const reader = smallReader(bytes.length, settings, false);
  if (reader === null) return null;
  fields.reader = reader;
  fields.bytes = bytes;
  let messages: HubMessage[] | null = null;
  let at = 0;
  try {
    do {
      let start = at + 1;
      let end = start + bytes[at];
      if (bytes[at] >= 0x80) {
        end = at + frameLength(bytes, at);
        while (bytes[start - 1] >= 0x80) start++;
      }
      const count = bytes[start] - 0x90;
      if (end > bytes.length || end - start > settings.modes.maxFrameLength) return null;
      if (!(count > 0 && count <= MAX_FIELDS) || !isRead(bytes[start + 1], forServer)) return null;
      reader.open(settings, start + 1, end);
      const message = messageOf(fields, count, at, forServer, null) as HubMessage;
      if (!reader.isAtEnd) return null;
      if (messages === null) messages = [message];
      else messages.push(message);
      at = end;
    } while (at < bytes.length);
    return messages;
  } catch {
    return null;
  } finally {
    reader.close();
    fields.bytes = NOTHING;
  }
}

/** Whether messages of this type are known, and none of those that are logged. */
function isRead(type: number, forServer: boolean): boolean {
  const isForServer = type === MessageType.STREAM_INVOCATION || type === MessageType.CANCEL_INVOCATION;
  return type >= MessageType.INVOCATION && type <= MessageType.SEQUENCE && (forServer || !isForServer);
}
