// What reports and goals ask for by name: libraries, and sections.
export const KEPT = "msgpack-wasm";
export const POOLED = "msgpack-wasm, pooled";
export const NO_CODEGEN = "msgpack-wasm, no codegen";
export const REFERENCE_KEPT = "@msgpack/msgpack";
export const JSON_BYTES = "JSON, bytes";
export const JSON_STRING = "JSON, string";
export const OFFICIAL_HUB = "@microsoft/signalr-protocol-msgpack";
export const JSON_HUB = "@microsoft/signalr, JSON";

export const CODEC = "Codec";
export const SIGNALR = "SignalR";
export const REDIS = "Redis backplane";
export const STREAMING_HUB = "StreamingHub";
export const FILES = "Your files";
