// A program that uses every export and every signature of @msgpack/msgpack 3.1.3. `test/types.test.ts` compiles it
// with both packages, and runs it with both.
import {
  DecodeError,
  Decoder,
  type DecoderOptions,
  decode,
  decodeArrayStream,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  decodeTimestampExtension,
  decodeTimestampToTimeSpec,
  Encoder,
  type EncoderOptions,
  EXT_TIMESTAMP,
  ExtData,
  ExtensionCodec,
  type ExtensionCodecType,
  type ExtensionDecoderType,
  type ExtensionEncoderType,
  encode,
  encodeDateToTimeSpec,
  encodeTimeSpecToTimestamp,
  encodeTimestampExtension,
} from "@msgpack/msgpack";

/** All that comes out, for a comparison. */
export const results: unknown[] = [];

// Encoding.
const bytes: Uint8Array<ArrayBuffer> = encode({ a: [1, "b", null] });
const { buffer }: { buffer: ArrayBuffer } = bytes;
const encoderOptions: EncoderOptions = {
  useBigInt64: true,
  maxDepth: 10,
  initialBufferSize: 100,
  sortKeys: true,
  forceFloat32: true,
  ignoreUndefined: true,
  forceIntegerToFloat: false,
  extensionCodec: ExtensionCodec.defaultCodec,
};
results.push(
  encode([1n, 1.5, { b: 1, a: undefined }], encoderOptions).slice(),
  encode(null, undefined).slice(),
);
const encoder = new Encoder(encoderOptions);
const encoded: Uint8Array<ArrayBuffer> = encoder.encode([2n]);
const shared: Uint8Array<ArrayBuffer> = encoder.encodeSharedRef([3n]);
results.push(encoded, shared.slice(), new Encoder().encode("plain"));

// Decoding, from all kinds of input.
const decoderOptions: DecoderOptions = {
  useBigInt64: true,
  rawStrings: false,
  maxStrLength: 100,
  maxBinLength: 100,
  maxArrayLength: 100,
  maxMapLength: 100,
  maxExtLength: 100,
  extensionCodec: ExtensionCodec.defaultCodec,
  keyDecoder: null,
  mapKeyConverter: (key: unknown): string | number => (typeof key === "number" ? key : String(key)),
};
const value: unknown = decode(bytes, decoderOptions);
results.push(value, decode(Array.from(bytes)), decode(buffer.slice(0, bytes.length)));
results.push(decode(new DataView(buffer, 0, bytes.length)), decode(Buffer.from(bytes)));
const sharedInput = new SharedArrayBuffer(1);
results.push(decode(sharedInput), decode(new Uint8Array(sharedInput)));
const values: Generator<unknown, void, unknown> = decodeMulti(bytes, decoderOptions);
results.push([...values], [...decodeMulti(bytes.slice().buffer)], [...decodeMulti([1, 2])]);
const decoder = new Decoder(decoderOptions);
const one: unknown = decoder.decode(bytes);
const many: Generator<unknown, void, unknown> = decoder.decodeMulti(bytes);
results.push(one, [...many]);
const keyDecoder: NonNullable<DecoderOptions["keyDecoder"]> = {
  canBeCached: (byteLength: number): boolean => byteLength < 10,
  decode: (all: Uint8Array, inputOffset: number, byteLength: number): string =>
    `<${Buffer.from(all.subarray(inputOffset, inputOffset + byteLength))}>`,
};
results.push(new Decoder({ keyDecoder }).decode(bytes));

// Streams.
async function* chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, unknown> {
  yield bytes.slice(0, 2);
  yield bytes.slice(2);
}
async function* arrayChunks(): AsyncGenerator<number[], void, unknown> {
  yield [0x92, 5];
  yield [6];
}
async function collect(items: AsyncGenerator<unknown, void, unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function streams(): Promise<void> {
  const whole: Promise<unknown> = decodeAsync(chunks(), decoderOptions);
  results.push(await whole, await decodeAsync(new Blob([bytes]).stream()));
  results.push(await decodeAsync(new Response(bytes).body as ReadableStream<Uint8Array<ArrayBuffer>>));
  results.push(await collect(decodeMultiStream<undefined>(chunks(), decoderOptions)));
  results.push(await collect(decodeMultiStream<undefined>(chunks())));
  results.push(await collect(decodeArrayStream<undefined>(arrayChunks(), decoderOptions)));
  results.push(await decoder.decodeAsync(chunks()));
  results.push(await collect(decoder.decodeStream(chunks())));
  results.push(await collect(decoder.decodeArrayStream(arrayChunks())));
}

// Extensions, without a context and with one.
class Point {
  readonly x: number;
  constructor(x: number) {
    this.x = x;
  }
}
const plainCodec = new ExtensionCodec();
plainCodec.register({
  type: 1,
  encode: (object: unknown): Uint8Array | null => (object instanceof Point ? encode(object.x) : null),
  decode: (data: Uint8Array) => new Point(decode(data) as number),
});
results.push(encode([new Point(1)], { extensionCodec: plainCodec }).slice());

interface Context {
  count: number;
}
const encodePoint: ExtensionEncoderType<Context> = (input, context) => {
  context.count++;
  return input instanceof Point ? (position: number) => Uint8Array.of(position, input.x) : null;
};
const decodePoint: ExtensionDecoderType<Context> = (data, extensionType, context) => [
  data.length,
  extensionType,
  context.count,
];
const codec = new ExtensionCodec<Context>();
codec.register({ type: 2, encode: encodePoint, decode: decodePoint });
const context: Context = { count: 0 };
const pointBytes = encode([new Point(7)], { extensionCodec: codec, context }).slice();
results.push(pointBytes, decode(pointBytes, { extensionCodec: codec, context }));
results.push(encode<Context>([new Point(8)], { extensionCodec: codec, context }).slice());
results.push(new Encoder<Context>({ extensionCodec: codec, context }).encode([]));
results.push(new Decoder({ extensionCodec: codec, context }).decode(pointBytes), context);
const made: ExtData | null = codec.tryToEncode(new Point(1), context);
const unmade: unknown = codec.decode(new Uint8Array(2), 2, context);
results.push(made?.type, unmade);

const structural: ExtensionCodecType<undefined> = {
  tryToEncode: (object: unknown) =>
    object instanceof Point ? new ExtData(3, Uint8Array.of(object.x)) : null,
  decode: (data: Uint8Array, extType: number) => [extType, data[0]],
};
const structuralBytes = encode(new Point(9), { extensionCodec: structural }).slice();
results.push(structuralBytes, decode(structuralBytes, { extensionCodec: structural }));

const extData = new ExtData(5, Uint8Array.of(1));
const { type, data }: { type: number; data: Uint8Array | ((pos: number) => Uint8Array) } = extData;
results.push(type, data instanceof Uint8Array && data.length, encode(extData).slice());

// Timestamps.
const spec: { sec: number; nsec: number } = encodeDateToTimeSpec(new Date(1500));
const timestamp: Uint8Array = encodeTimeSpecToTimestamp(spec);
const back: { sec: number; nsec: number } = decodeTimestampToTimeSpec(timestamp);
const maybe: Uint8Array | null = encodeTimestampExtension(new Date(1));
const date: Date = decodeTimestampExtension(timestamp);
results.push(EXT_TIMESTAMP, spec, timestamp, back, maybe, date);

// Errors.
try {
  decode([0xc1]);
} catch (error) {
  results.push(error instanceof DecodeError && error instanceof Error && error.name);
}
results.push(new DecodeError("mine").message);
