// What all entries of the package share, as an entry of the build: the main one, and what the protocols need of its
// insides. What entries share goes to files of their own, of which bundlers take what is used. It is not for users.
export { BufferPool } from "./BufferPool.ts";
export { made, showCaller, withDetails } from "./DecodeError.ts";
export { settingsOf, valueAt } from "./Decoder.ts";
export { encodeSettings } from "./Encoder.ts";
export { FormatReader } from "./FormatReader.ts";
export {
  beginFrame,
  beginHead,
  beginValues,
  container,
  endValues,
  fixed,
  headByte,
  headBytes,
  headInteger,
  takeFrame,
} from "./framing.ts";
export * from "./index.ts";
export { kindOf } from "./kinds.ts";
export { smallReader } from "./SmallReader.ts";
export { SegmentSource } from "./Source.ts";
export { MAX_SMALL, writeInteger64, writeNumber, writeScalar, writeShortBin } from "./smallFormats.ts";
export { sharedVocabulary } from "./Vocabulary.ts";
export { Walker } from "./Walker.ts";
export { latin1Of } from "./wasm/text.ts";
export { materializers, walkers } from "./workers.ts";
