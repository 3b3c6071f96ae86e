export type { ContextOf, SplitUndefined } from "./context.ts";
export { DecodeError, type ErrorCode } from "./DecodeError.ts";
export { Decoder, type DecoderOptions, type MapKeyType } from "./Decoder.ts";
export {
  decode,
  decodeArrayStream,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  decodeSegments,
  decodeSingle,
} from "./decode.ts";
export { Encoder, type EncoderOptions } from "./Encoder.ts";
export { ExtData } from "./ExtData.ts";
export {
  ExtensionCodec,
  type ExtensionCodecType,
  type ExtensionDecoderType,
  type ExtensionEncoderType,
} from "./ExtensionCodec.ts";
export { encode, encodeInto } from "./encode.ts";
export type { DecoderInput } from "./input.ts";
export type { KeyDecoder } from "./Materializer.ts";
export type { ReadableStreamLike } from "./streams.ts";
export { TypedArrayCodec, type TypedArrayCodecOptions } from "./TypedArrayCodec.ts";
export type { TypedArrayName } from "./TypedArrayTable.ts";
export {
  decodeTimestampExtension,
  decodeTimestampToTimeSpec,
  EXT_TIMESTAMP,
  encodeDateToTimeSpec,
  encodeTimeSpecToTimestamp,
  encodeTimestampExtension,
  type TimeSpec,
} from "./timestamp.ts";
export { WasmArena } from "./WasmArena.ts";
export { type CodecSource, init, ready } from "./wasm/loading.ts";
