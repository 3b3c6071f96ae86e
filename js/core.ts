// What all entries of the package share, in a file of its own, so that there is one codec: the main entry, and what
// the protocols need of its insides. It is not for users.
export { made, showCaller, withDetails } from "./DecodeError.ts";
export { settingsOf, valueAt } from "./Decoder.ts";
export { encodeSettings } from "./Encoder.ts";
export * from "./index.ts";
export { kindOf } from "./kinds.ts";
export { SegmentSource } from "./Source.ts";
export { MAX_SMALL, writeNumber, writeScalar } from "./smallFormats.ts";
export { sharedVocabulary } from "./Vocabulary.ts";
export { Walker } from "./Walker.ts";
export { materializers, walkers } from "./workers.ts";
