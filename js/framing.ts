// What the messages of protocols have beside values: a head of a few bytes, or a length in front. These are functions, not
// methods of the walker, so that bundlers leave them out of apps that speak no protocol.

import { made } from "./DecodeError.ts";
import { writeNumber } from "./smallFormats.ts";
import { Tag } from "./tape.ts";
import type { EncodeSettings, Walker } from "./Walker.ts";
import { copyBytes, sliceBytes } from "./wasm/copyBytes.ts";
import { FRONT_BYTES } from "./wasm/EncodeMemory.ts";

/** Framed messages count positions from the start of their frame, and all that count them have the longest prefix. */
const MAX_FRAME_PREFIX = 5;
const MAX_FRAME = 2 ** 31 - 1;
/** Of a prefix of one byte. */
const MAX_SHORT_FRAME = 127;
/** Bit 2 of the flags of `EncodeSession::start`. */
const FRAMED = 4;

/**
 * Begins a message that starts with a few bytes that the caller writes to the output (`headByte`, `headInteger`,
 * `headBytes`). Then come `beginValues`, values (`Walker.item`), and `endValues`.
 */
export function beginHead(walker: Walker, settings: EncodeSettings): void {
  walker.begin(settings, 0);
  walker.isDirect = true;
  walker.head = 0;
}

export function headByte(walker: Walker, byte: number): void {
  walker.output[walker.head++] = byte;
}

/** An integer of 32 bits. */
export function headInteger(walker: Walker, value: number): void {
  walker.head = writeNumber(walker.output, walker.head, value);
}

export function headBytes(walker: Walker, bytes: Uint8Array): void {
  copyBytes(walker.output, walker.head, bytes, 0, bytes.length);
  walker.head += bytes.length;
}

/** `isSmall`: whether the message is expected to be so small that it is worth writing it directly. */
export function beginValues(walker: Walker, isSmall: boolean): void {
  if (isSmall && walker.settings.isDirect) return;
  walker.isDirect = false;
  walker.turnToTape(walker.head);
}

/** Returns whether the message was small. */
export function endValues(walker: Walker): boolean {
  if (walker.isDirect) {
    walker.outputLength = walker.head;
  } else {
    walker.flush();
  }
  return walker.isShort;
}

/**
 * Begins a message that is to be framed, and is an array of `count` items, at most 15. The caller writes them (`fixed`,
 * `container`, `Walker.item`), then `takeFrame` gives the bytes.
 */
export function beginFrame(walker: Walker, count: number, settings: EncodeSettings): void {
  walker.framing = FRAMED;
  walker.begin(settings, MAX_FRAME_PREFIX);
  walker.checkDepth(1);
  walker.isDirect = true;
  walker.head = 0;
  headByte(walker, 0x90 | count);
  beginValues(walker, settings.isSmall);
}

/** Writes a byte that is a small integer, or the header of an array or map that has its count in the same byte. */
export function fixed(walker: Walker, byte: number): void {
  if (walker.isDirect) {
    headByte(walker, byte);
  } else if (byte < 0x80) {
    walker.tape[walker.at++] = (byte << 4) | Tag.INT;
  } else {
    walker.tape[walker.at++] = ((byte & 15) << 4) | (byte < 0x90 ? Tag.MAP : Tag.ARRAY);
  }
}

/** Writes a container that is no matter for the extension codec. */
export function container(walker: Walker, value: object, depth: number): void {
  if (walker.isDirect) {
    if (walker.codec === null) {
      walker.item(value, depth);
      return;
    }
    walker.isDirect = false;
    walker.turnToTape(walker.head);
  }
  if (Array.isArray(value)) {
    walker.array(value, depth);
  } else {
    walker.object(value as Record<string, unknown>, depth);
  }
}

/** The message that `beginFrame` began, with its length before it, as a copy of its own. */
export function takeFrame(walker: Walker): ArrayBuffer {
  const { front, settings } = walker;
  if (walker.isDirect) {
    if (walker.head <= MAX_SHORT_FRAME) {
      front[0] = 1;
      front[FRONT_BYTES - 1] = walker.head;
      walker.outputLength = walker.head;
      return copyFrame(walker);
    }
    walker.turnToTape(walker.head);
  }
  walker.flush();
  if (settings.isDirect) walker.predict(settings);
  const { size } = walker;
  if (size > MAX_FRAME) throw made(new RangeError("Messages bigger than 2GB are not supported."));
  if (walker.partBytes === 0 && walker.payloads.length === 0) return copyFrame(walker);
  const prefix = prefixOf(walker);
  const frame = new Uint8Array(prefix.length + size);
  frame.set(prefix);
  walker.write(frame, prefix.length);
  return frame.buffer;
}

function prefixOf({ front }: Walker): Uint8Array {
  return front.subarray(FRONT_BYTES - front[0], FRONT_BYTES);
}

/** All of the output, with the prefix, as a buffer of its own. */
function copyFrame({ front, outputLength }: Walker): ArrayBuffer {
  return sliceBytes(front, FRONT_BYTES - front[0], FRONT_BYTES + outputLength).buffer;
}
