import type { SplitUndefined } from "./context.ts";
import { Decoder, type DecoderOptions } from "./Decoder.ts";
import type { DecoderInput } from "./input.ts";

const plain = new Decoder();

/**
 * Decodes the one value that `buffer` holds. Binary data in it are views of `buffer`.
 * @throws DecodeError if that is no MessagePack, or more than the options allow
 * @throws RangeError if it ends too early, or goes on after the value
 */
export function decode<ContextType = undefined>(
  buffer: DecoderInput,
  options?: DecoderOptions<SplitUndefined<ContextType>>,
): unknown {
  return options == null ? plain.decode(buffer) : new Decoder(options).decode(buffer);
}
