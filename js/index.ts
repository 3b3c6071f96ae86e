export type { ContextOf, SplitUndefined } from "./context.ts";
export { DecodeError, type ErrorCode } from "./DecodeError.ts";
export { Decoder, type DecoderOptions, type MapKeyType } from "./Decoder.ts";
export { decode } from "./decode.ts";
export { Encoder, type EncoderOptions } from "./Encoder.ts";
export { ExtData } from "./ExtData.ts";
export {
  ExtensionCodec,
  type ExtensionCodecType,
  type ExtensionDecoderType,
  type ExtensionEncoderType,
} from "./ExtensionCodec.ts";
export { encode } from "./encode.ts";
export {
  decodeTimestampExtension,
  decodeTimestampToTimeSpec,
  EXT_TIMESTAMP,
  encodeDateToTimeSpec,
  encodeTimeSpecToTimestamp,
  encodeTimestampExtension,
  type TimeSpec,
} from "./timestamp.ts";
