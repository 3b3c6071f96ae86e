import type { SplitUndefined } from "./context.ts";
import { Encoder, type EncoderOptions, encodeOne, encodeSettings, initialBufferSizeOf } from "./Encoder.ts";

// Without the marks, bundlers would keep these for what the making might do.
const plainSettings = /* @__PURE__ */ encodeSettings(null);
const plain = /* @__PURE__ */ new Encoder();

/**
 * Encodes a value. The result is a `Uint8Array` that nobody else uses and that fills its buffer.
 * @throws Error if the value is too deep (or circular), or holds something that MessagePack has no format for
 */
export function encode<ContextType = undefined>(
  value: unknown,
  options?: EncoderOptions<SplitUndefined<ContextType>>,
): Uint8Array<ArrayBuffer> {
  if (options == null) return encodeOne(value, plainSettings);
  initialBufferSizeOf(options);
  return encodeOne(value, encodeSettings(options));
}

/**
 * Writes the message into `target` from `offset` on, and returns the offset behind it. Positions, and with them the
 * alignment of extensions, count from the start of `target`.
 * @throws as `encode`, and RangeError if the message does not fit; `target` is as it was before then
 */
export function encodeInto<ContextType = undefined>(
  value: unknown,
  target: Uint8Array,
  offset = 0,
  options?: EncoderOptions<SplitUndefined<ContextType>>,
): number {
  return (options == null ? plain : new Encoder(options)).encodeInto(value, target, offset);
}
