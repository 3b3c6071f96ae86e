import type { SplitUndefined } from "./context.ts";
import { Encoder, type EncoderOptions } from "./Encoder.ts";

const plain = new Encoder();

/**
 * Encodes a value. The result is a `Uint8Array` that nobody else uses and that fills its buffer.
 * @throws Error if the value is too deep (or circular), or holds something that MessagePack has no format for
 */
export function encode<ContextType = undefined>(
  value: unknown,
  options?: EncoderOptions<SplitUndefined<ContextType>>,
): Uint8Array<ArrayBuffer> {
  return options == null ? plain.encode(value) : new Encoder(options).encode(value);
}
