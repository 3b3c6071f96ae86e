import { kindOf } from "../kinds.ts";

/** The bytes of a buffer or view as a plain `Uint8Array`: parts of a `Buffer` would be `Buffer`s. Null for all else. */
export function plainBytes(input: unknown): Uint8Array | null {
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isBuffer = typeof input === "object" && input !== null && kindOf(input) === "buffer";
  return isBuffer ? new Uint8Array(input as ArrayBufferLike) : null;
}
