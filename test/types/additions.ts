// What goes beyond @msgpack/msgpack, and what its signatures say exactly. `test/types.test.ts` compiles it with the
// built package.
import {
  type ContextOf,
  DecodeError,
  Decoder,
  type DecoderInput,
  type DecoderOptions,
  decode,
  decodeArrayStream,
  decodeAsync,
  decodeMulti,
  decodeMultiStream,
  decodeSegments,
  decodeSingle,
  decodeTimestampToTimeSpec,
  Encoder,
  type EncoderOptions,
  type ErrorCode,
  type EXT_TIMESTAMP,
  ExtData,
  ExtensionCodec,
  type ExtensionCodecType,
  encode,
  encodeDateToTimeSpec,
  encodeInto,
  encodeTimeSpecToTimestamp,
  type encodeTimestampExtension,
  type KeyDecoder,
  type MapKeyType,
  type ReadableStreamLike,
  type SplitUndefined,
  type TimeSpec,
  TypedArrayCodec,
  type TypedArrayCodecOptions,
  type TypedArrayName,
  WasmArena,
} from "msgpack-wasm";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles if the types are the same, and neither is `any`. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : [never]): void {}

// The results.
same<ReturnType<typeof encode>, Uint8Array<ArrayBuffer>>();
same<ReturnType<Encoder["encode"]>, Uint8Array<ArrayBuffer>>();
same<ReturnType<Encoder["encodeSharedRef"]>, Uint8Array<ArrayBuffer>>();
same<ReturnType<typeof encodeInto>, number>();
same<ReturnType<Encoder["encodeInto"]>, number>();
same<ReturnType<typeof decode>, unknown>();
same<ReturnType<typeof decodeMulti>, Generator<unknown, void, unknown>>();
same<ReturnType<typeof decodeAsync>, Promise<unknown>>();
same<ReturnType<typeof decodeArrayStream>, AsyncGenerator<unknown, void, unknown>>();
same<ReturnType<typeof decodeMultiStream>, AsyncGenerator<unknown, void, unknown>>();
same<ReturnType<typeof decodeSingle>, { value: unknown; nextOffset: number }>();
same<ReturnType<typeof decodeSegments>, unknown>();
same<ReturnType<Decoder["decode"]>, unknown>();
same<ReturnType<Decoder["decodeMulti"]>, Generator<unknown, void, unknown>>();
same<ReturnType<Decoder["decodeAsync"]>, Promise<unknown>>();
same<ReturnType<Decoder["decodeArrayStream"]>, AsyncGenerator<unknown, void, unknown>>();
same<ReturnType<Decoder["decodeStream"]>, AsyncGenerator<unknown, void, unknown>>();
same<ReturnType<Decoder["decodeSingle"]>, { value: unknown; nextOffset: number }>();
same<ReturnType<Decoder["decodeSegments"]>, unknown>();
same<typeof EXT_TIMESTAMP, -1>();

// The parameters.
same<Parameters<typeof decode>[0], DecoderInput>();
same<DecoderInput, ArrayLike<number> | ArrayBufferView | ArrayBufferLike>();
same<Parameters<typeof decodeAsync>[0], ReadableStreamLike<DecoderInput>>();
same<Parameters<typeof decodeSegments>[0], Iterable<DecoderInput>>();
same<Parameters<Encoder["encodeInto"]>, [object: unknown, target: Uint8Array, offset?: number]>();
same<Parameters<Decoder["decodeSingle"]>, [buffer: DecoderInput, offset?: number]>();
same<ReadableStreamLike<number>, AsyncIterable<number> | ReadableStream<number>>();

// Types that @msgpack/msgpack has, but does not export.
same<TimeSpec, { sec: number; nsec: number }>();
same<MapKeyType, string | number>();
same<SplitUndefined<undefined>, undefined>();
same<SplitUndefined<string>, string>();
same<SplitUndefined<string | undefined>, string>();
same<ContextOf<string>["context"], string>();
same<ContextOf<undefined>, object>();
export const keyDecoder: KeyDecoder = { canBeCached: () => true, decode: () => "" };
export const spec: TimeSpec = decodeTimestampToTimeSpec(
  encodeTimeSpecToTimestamp(encodeDateToTimeSpec(new Date(0))),
);
same<ReturnType<typeof encodeTimeSpecToTimestamp>, Uint8Array<ArrayBuffer>>();
same<ReturnType<typeof encodeTimestampExtension>, Uint8Array<ArrayBuffer> | null>();

// Additional options.
export const encoderOptions: EncoderOptions = { int64: "auto" };
export const decoderOptions: DecoderOptions = {
  int64: "auto",
  maxDepth: 5,
  useMap: true,
  fatalUtf8: true,
  keyDecoder,
};
same<DecoderOptions["int64"], "number" | "bigint" | "auto" | undefined>();
same<EncoderOptions["int64"], "auto" | undefined>();
// @ts-expect-error there is no such mode
encode(1, { int64: "bigger" });
// @ts-expect-error there is no such option
decode([], { useMaps: true });
// @ts-expect-error options cannot be changed through their type
encoderOptions.maxDepth = 5;

// The stream functions need no type argument for options without a context.
async function* chunks(): AsyncGenerator<number[], void, unknown> {
  yield [1];
}
decodeMultiStream(chunks(), { maxStrLength: 1 });
decodeArrayStream(chunks(), { maxStrLength: 1 });
decodeAsync(chunks(), { maxStrLength: 1 });
new Decoder().decodeAsync(new Blob([]).stream());

// The context is required exactly when the codec has one.
declare const withContext: ExtensionCodec<{ user: string }>;
declare const optionalContext: ExtensionCodec<string | undefined>;
const context = { user: "a" };
encode(1, { extensionCodec: withContext, context });
decode([1], { extensionCodec: withContext, context });
decodeMulti([1], { extensionCodec: withContext, context });
decodeSingle([1], 0, { extensionCodec: withContext, context });
decodeSegments([[1]], { extensionCodec: withContext, context });
decodeAsync(chunks(), { extensionCodec: withContext, context });
decodeArrayStream(chunks(), { extensionCodec: withContext, context });
decodeMultiStream(chunks(), { extensionCodec: withContext, context });
encodeInto(1, new Uint8Array(9), 0, { extensionCodec: withContext, context });
new Encoder({ extensionCodec: withContext, context });
new Decoder({ extensionCodec: withContext, context });
// @ts-expect-error the context is missing
encode(1, { extensionCodec: withContext });
// @ts-expect-error the context is missing
decode([1], { extensionCodec: withContext });
// @ts-expect-error the context is missing
decodeMulti([1], { extensionCodec: withContext });
// @ts-expect-error the context is missing
decodeSingle([1], 0, { extensionCodec: withContext });
// @ts-expect-error the context is missing
decodeSegments([[1]], { extensionCodec: withContext });
// @ts-expect-error the context is missing
decodeAsync(chunks(), { extensionCodec: withContext });
// @ts-expect-error the context is missing
decodeArrayStream(chunks(), { extensionCodec: withContext });
// @ts-expect-error the context is missing
decodeMultiStream(chunks(), { extensionCodec: withContext });
// @ts-expect-error the context is missing
encodeInto(1, new Uint8Array(9), 0, { extensionCodec: withContext });
// @ts-expect-error the context is missing
new Encoder({ extensionCodec: withContext });
// @ts-expect-error the context is missing
new Decoder({ extensionCodec: withContext });
// @ts-expect-error the context is of another type
encode(1, { extensionCodec: withContext, context: 5 });
encode(1, { extensionCodec: optionalContext, context: "a" });
encode(1, { extensionCodec: new ExtensionCodec() });
encode(1, { extensionCodec: ExtensionCodec.defaultCodec });
// @ts-expect-error the default codec is shared: nothing is registered with it
ExtensionCodec.defaultCodec.register;
// @ts-expect-error codecs of different contexts are different types
export const mixed: ExtensionCodecType<{ user: number }> = withContext;

// Typed arrays and arenas.
const typedArrays = new TypedArrayCodec({ types: { Float32Array: 1 }, align: 16, views: "copy" });
encode(1, { extensionCodec: typedArrays });
decode([1], { extensionCodec: typedArrays });
encode(1, { extensionCodec: new TypedArrayCodec<{ user: string }>(), context });
// @ts-expect-error the context is missing
encode(1, { extensionCodec: new TypedArrayCodec<{ user: string }>() });
// @ts-expect-error bytes stay binary data
new TypedArrayCodec({ types: { Uint8Array: 1 } });
// @ts-expect-error there is no such word
new TypedArrayCodec({ views: "none" });
export const extension: ExtensionCodec = typedArrays;
same<TypedArrayCodecOptions["onMisaligned"], "copy" | "throw" | undefined>();
same<"Float16Array" extends TypedArrayName ? true : false, true>();
const arena = new WasmArena(1000);
same<WasmArena["memory"], WebAssembly.Memory>();
same<ReturnType<WasmArena["allocate"]>, Uint8Array<ArrayBuffer>>();
same<ReturnType<WasmArena["decode"]>, unknown>();
arena.decode(arena.allocate(5), { useMap: true });
arena.decode(arena.allocate(5), { extensionCodec: withContext, context });
// @ts-expect-error the context is missing
arena.decode(arena.allocate(5), { extensionCodec: withContext });
// @ts-expect-error only the arena's own memory is decoded
arena.decode([1]);

// Errors.
const error = new DecodeError("mine");
same<typeof error.code, ErrorCode | undefined>();
same<typeof error.offset, number | undefined>();
export const codes: ErrorCode[] = ["INSUFFICIENT_DATA", "EXTRA_BYTES", "KEY_TYPE", "MAX_LENGTH", "ROOT_TYPE"];

// Extension data.
same<ExtData["type"], number>();
same<ExtData["data"], Uint8Array | ((pos: number) => Uint8Array)>();
// @ts-expect-error it cannot be changed
new ExtData(1, new Uint8Array(0)).type = 5;
