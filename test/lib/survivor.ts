import assert from "node:assert/strict";
import { Decoder, type DecoderOptions, encode } from "msgpack-wasm";
import { afterEach, expect } from "vitest";
import { type CodecError, failure } from "./reference.ts";

/** The decoder that must survive whatever a file of tests gives it. */
export const decoder = new Decoder();

/** One of everything, with keys that decoders learn. */
export const sample = {
  id: 1,
  name: "né",
  list: [{ id: 2, name: "b" }, { id: 3, name: "c" }, null, true, -1.5, [1, 2, 3, 4, 5], new Uint8Array(3)],
};
export const sampleBytes = encode(sample);

/** Whatever was wrong with the message before, the same instance decodes the next one. */
afterEach(() => expect(decoder.decode(sampleBytes)).toEqual(sample));

/** What `bytes` make it throw. */
export function fail(bytes: ArrayLike<number>, options?: DecoderOptions): CodecError {
  const error = failure(() => (options ? new Decoder(options) : decoder).decode(bytes));
  assert.deepStrictEqual(decoder.decode(sampleBytes), sample);
  return error;
}
