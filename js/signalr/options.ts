import { settingsOf } from "../Decoder.ts";
import { encodeSettings } from "../Encoder.ts";
import type { ExtensionCodecType } from "../ExtensionCodec.ts";
import type { DecodeProfile } from "../limits.ts";
import type { DecodeSettings } from "../Materializer.ts";
import type { EncodeSettings } from "../Walker.ts";

/**
 * How the values of hub messages (arguments, results, stream items, headers) are encoded and decoded. Those that
 * concern numbers, and the extension codec, leave the protocol's own fields alone.
 */
export interface MessagePackOptions {
  /** Default: one that knows the timestamp. A `TypedArrayCodec` lets typed arrays arrive as such. */
  extensionCodec?: ExtensionCodecType<unknown>;
  /** What the extension codec is called with. Default: undefined. */
  context?: unknown;

  /** Writing: the most containers around a value, the message and its arguments counted in. Default: 100. */
  maxDepth?: number;
  /** Has no effect: buffers are shared. It is here for those who have set it. */
  initialBufferSize?: number;
  /** Writing: keys in the order of their UTF-16 units. Default: false. */
  sortKeys?: boolean;
  /** Writing: floats become float 32, whatever that loses. Default: false. */
  forceFloat32?: boolean;
  /** Writing: integers become floats. Default: false. */
  forceIntegerToFloat?: boolean;
  /** Writing: properties whose value is `undefined` are left out. Default: false, they become nil. */
  ignoreUndefined?: boolean;

  /** Reading: `"untrusted"` sets the limits for messages from strangers, as it does in `DecoderOptions`. Default: none. */
  profile?: DecodeProfile;
  /** Reading: the longest string in bytes of UTF-8. Default: 2^32 − 1. */
  maxStrLength?: number;
  /** Reading: the longest binary data in bytes. Default: 2^32 − 1. */
  maxBinLength?: number;
  /** Reading: the most items of an array. Default: 2^32 − 1. */
  maxArrayLength?: number;
  /** Reading: the most pairs of a map. Default: 2^32 − 1. */
  maxMapLength?: number;
  /** Reading: the longest extension in bytes. Default: 2^32 − 1. */
  maxExtLength?: number;
  /** Reading: the most items and pairs in all arrays and maps of a message together. Default: no limit. */
  maxElements?: number;
  /** Reading: whether an extension that nobody knows is a `DecodeError`. Default: `"keep"`, it is not. */
  onUnknownExtension?: "keep" | "throw";

  /** 64-bit integers become bigints, and bigints 64-bit integers. Default: false, numbers. */
  useBigInt64?: boolean;
  /** `"auto"`: 64-bit integers become bigints beyond 2^53, and bigints the smallest integer that holds them. */
  int64?: "auto";
  /** Reading: malformed UTF-8 is a `DecodeError` instead of U+FFFD. Default: false. */
  fatalUtf8?: boolean;
  /** Reading: the longest message in bytes, its length prefix not counted. Default, and the most: 2^31 − 1. */
  maxMessageLength?: number;
  /**
   * Reading: whether stream invocations and cancellations come out, too, and invocations with the ids of their
   * streams. That is what a server needs. Default: false, as clients have it: the former are logged and left out, and
   * `streamIds` is empty.
   */
  forServer?: boolean;
}

const MAX_FRAME_LENGTH = 2 ** 31 - 1;

export function readingSettings(options: MessagePackOptions | undefined | null): DecodeSettings {
  // `maxDepth` is for writing alone, as in the official package.
  const { maxDepth: _, maxMessageLength, context, ...reading } = options ?? {};
  const settings = settingsOf<unknown>({
    ...reading,
    context,
    // The shape of the protocol's own fields must not depend on options, whatever an untyped caller passes on.
    useMap: false,
    rawStrings: false,
    mapKeyConverter: undefined,
    keyDecoder: null,
  });
  const limit = maxMessageLength ?? MAX_FRAME_LENGTH;
  if (!(limit >= 1)) throw new RangeError(`maxMessageLength must be at least 1: ${limit}`);
  const maxFrameLength = Math.min(Math.floor(limit), MAX_FRAME_LENGTH);
  return { ...settings, modes: { ...settings.modes, maxFrameLength } };
}

export function writingSettings(options: MessagePackOptions | undefined | null): EncodeSettings {
  return encodeSettings<unknown>({ ...options, context: options?.context });
}

/** For messages without values of the user's. */
export const plainSettings = encodeSettings(undefined);
