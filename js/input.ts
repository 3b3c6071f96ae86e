/** What a decoder takes for bytes. */
export type DecoderInput = ArrayLike<number> | ArrayBufferView | ArrayBufferLike;

const toStringTag = Object.prototype.toString;

/** `instanceof` does not know the buffers of other realms (`vm` contexts, frames, jsdom). */
function isArrayBufferLike(input: object): input is ArrayBufferLike {
  const tag = toStringTag.call(input);
  return tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]";
}

/** The input's bytes: a view where it is a buffer or a view, else a copy of its items modulo 256. */
export function bytesOfInput(input: DecoderInput): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input == null) throw new TypeError(`Bytes expected, not ${input}`);
  if (typeof input === "object" && isArrayBufferLike(input)) return new Uint8Array(input);
  return Uint8Array.from(input as ArrayLike<number>);
}
