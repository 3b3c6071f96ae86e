import { DecodeError } from "./DecodeError.ts";
import { kindOf } from "./kinds.ts";

/** The timestamp extension's type: MessagePack specification, "Timestamp extension type". */
export const EXT_TIMESTAMP = -1;

/** A moment: seconds since 1970-01-01T00:00:00Z, and nanoseconds (0 to 999,999,999) after that second. */
export interface TimeSpec {
  sec: number;
  nsec: number;
}

const TWO_32 = 2 ** 32;
const MAX_SEC_34 = 2 ** 34 - 1;
const MAX_NSEC = 999_999_999;

/**
 * Milliseconds before 1970 have negative seconds and positive nanoseconds.
 * @throws RangeError if the date is invalid
 */
export function encodeDateToTimeSpec(date: Date): TimeSpec {
  const milliseconds = date.getTime();
  if (Number.isNaN(milliseconds)) throw new RangeError("An invalid Date has no timestamp");
  const sec = Math.floor(milliseconds / 1e3);
  return { sec, nsec: (milliseconds - sec * 1e3) * 1e6 };
}

/** Takes the smallest of the three formats (32, 64 or 96 bits). */
export function encodeTimeSpecToTimestamp(spec: TimeSpec): Uint8Array<ArrayBuffer> {
  const sec = Math.trunc(spec.sec);
  const nsec = Math.trunc(spec.nsec);
  if (sec >= 0 && nsec >= 0 && sec <= MAX_SEC_34) {
    if (nsec === 0 && sec < TWO_32) {
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setUint32(0, sec);
      return bytes;
    }
    const bytes = new Uint8Array(8);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, nsec * 4 + Math.floor(sec / TWO_32));
    view.setUint32(4, sec);
    return bytes;
  }
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, nsec);
  view.setInt32(4, Math.floor(sec / TWO_32));
  view.setUint32(8, sec);
  return bytes;
}

function isDate(object: unknown): object is Date {
  if (object instanceof Date) return true;
  return typeof object === "object" && object !== null && kindOf(object) === "date";
}

/** `null` for anything but a `Date`, which is how an extension encoder says "not mine". */
export function encodeTimestampExtension(object: unknown): Uint8Array<ArrayBuffer> | null {
  return isDate(object) ? encodeTimeSpecToTimestamp(encodeDateToTimeSpec(object)) : null;
}

/** @throws DecodeError if `data` is not of one of the three sizes, or has more than 999,999,999 nanoseconds */
export function decodeTimestampToTimeSpec(data: Uint8Array): TimeSpec {
  const spec = readTimeSpec(data);
  if (spec.nsec > MAX_NSEC) {
    throw new DecodeError(`A timestamp has no more than ${MAX_NSEC} nanoseconds, not ${spec.nsec}`);
  }
  return spec;
}

function readTimeSpec(data: Uint8Array): TimeSpec {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  switch (data.byteLength) {
    case 4:
      return { sec: view.getUint32(0), nsec: 0 };
    case 8: {
      const high = view.getUint32(0);
      return { sec: (high & 3) * TWO_32 + view.getUint32(4), nsec: high >>> 2 };
    }
    case 12:
      return { sec: view.getInt32(4) * TWO_32 + view.getUint32(8), nsec: view.getUint32(0) };
    default:
      throw new DecodeError(
        `Unrecognized data size for timestamp (expected 4, 8, or 12): ${data.byteLength}`,
      );
  }
}

/**
 * A `Date` has milliseconds: what is finer is cut off.
 * @throws DecodeError if `data` is not of one of the three sizes, or has more than 999,999,999 nanoseconds
 */
export function decodeTimestampExtension(data: Uint8Array): Date {
  const { sec, nsec } = decodeTimestampToTimeSpec(data);
  return new Date(sec * 1e3 + nsec / 1e6);
}
