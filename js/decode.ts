import type { SplitUndefined } from "./context.ts";
import { Decoder, type DecoderOptions, decodeOne, settingsOf } from "./Decoder.ts";
import type { DecoderInput } from "./input.ts";
import type { ReadableStreamLike } from "./streams.ts";

type Options<ContextType> = DecoderOptions<SplitUndefined<ContextType>>;

// Without the marks, bundlers would keep the decoder for what its constructor might do.
const plain = /* @__PURE__ */ new Decoder();
const plainSettings = /* @__PURE__ */ settingsOf(undefined);

function decoderFor<ContextType>(
  options: Options<ContextType> | undefined | null,
): Decoder<SplitUndefined<ContextType>> {
  return options == null ? (plain as Decoder<SplitUndefined<ContextType>>) : new Decoder(options);
}

/**
 * Decodes the one value that `buffer` holds. Binary data in it are views of `buffer`.
 * @throws DecodeError if that is no MessagePack, or more than the options allow
 * @throws RangeError if it ends too early, or goes on after the value
 */
export function decode<ContextType = undefined>(
  buffer: DecoderInput,
  options?: Options<ContextType>,
): unknown {
  return decodeOne(buffer, options == null ? plainSettings : settingsOf(options));
}

/**
 * Decodes the values that `buffer` holds, none or more. Thousands may be read ahead of the one that is asked for.
 * @throws as `decode`, when the value in question is asked for
 */
export function decodeMulti<ContextType = undefined>(
  buffer: DecoderInput,
  options?: Options<ContextType>,
): Generator<unknown, void, unknown> {
  return decoderFor(options).decodeMulti(buffer);
}

/**
 * Decodes the value that begins at `offset`, and says where it ends.
 * @throws as `decode`, but not for what follows the value
 */
export function decodeSingle<ContextType = undefined>(
  buffer: DecoderInput,
  offset = 0,
  options?: Options<ContextType>,
): { value: unknown; nextOffset: number } {
  return decoderFor(options).decodeSingle(buffer, offset);
}

/**
 * Decodes the one value that lies in several buffers, one after the other, without joining them. Binary data in it
 * are views where they lie in one buffer, else copies.
 * @throws as `decode`
 */
export function decodeSegments<ContextType = undefined>(
  chunks: Iterable<DecoderInput>,
  options?: Options<ContextType>,
): unknown {
  return decoderFor(options).decodeSegments(chunks);
}

/**
 * Decodes the one value that a stream brings.
 * @throws as `decode`; the stream is cancelled then
 */
export function decodeAsync<ContextType = undefined>(
  stream: ReadableStreamLike<DecoderInput>,
  options?: Options<ContextType>,
): Promise<unknown> {
  return decoderFor(options).decodeAsync(stream);
}

/**
 * Decodes the items of the one array that a stream brings, each as soon as it is there.
 * @throws as `decode`, and DecodeError if the value is no array; the stream is cancelled then
 */
export function decodeArrayStream<ContextType = undefined>(
  stream: ReadableStreamLike<DecoderInput>,
  options?: Options<ContextType>,
): AsyncGenerator<unknown, void, unknown> {
  return decoderFor(options).decodeArrayStream(stream);
}

/**
 * Decodes the values that a stream brings, none or more, each as soon as it is there.
 * @throws as `decode`; the stream is cancelled then
 */
export function decodeMultiStream<ContextType = undefined>(
  stream: ReadableStreamLike<DecoderInput>,
  options?: Options<ContextType>,
): AsyncGenerator<unknown, void, unknown> {
  return decoderFor(options).decodeStream(stream);
}
