import { kindOf } from "./kinds.ts";

/** What a decoder takes for bytes. */
export type DecoderInput = ArrayLike<number> | ArrayBufferView | ArrayBufferLike;

/** The input's bytes: a view where it is a buffer or a view, else a copy of its items modulo 256. */
export function bytesOfInput(input: DecoderInput): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input == null) throw new TypeError(`Bytes expected, not ${input}`);
  if (typeof input === "object" && kindOf(input) === "buffer")
    return new Uint8Array(input as ArrayBufferLike);
  return Uint8Array.from(input as ArrayLike<number>);
}
