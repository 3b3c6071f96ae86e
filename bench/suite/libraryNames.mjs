// The libraries that reports and goals ask for by name.
export const KEPT = "msgpack-wasm";
export const NO_CODEGEN = "msgpack-wasm, no codegen";
export const REFERENCE_KEPT = "@msgpack/msgpack";
export const JSON_BYTES = "JSON, bytes";
export const JSON_STRING = "JSON, string";
