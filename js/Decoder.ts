import type { ContextOf } from "./context.ts";
import { showCaller } from "./DecodeError.ts";
import { ExtensionCodec, type ExtensionCodecType } from "./ExtensionCodec.ts";
import { bytesOfInput, type DecoderInput } from "./input.ts";
import { allow, type DecodeProfile, limitsOf } from "./limits.ts";
import type { DecodeSettings, KeyDecoder, Materializer } from "./Materializer.ts";
import { MessageReader } from "./MessageReader.ts";
import { NOT_SMALL, readSmall, SMALL_LENGTH } from "./SmallReader.ts";
import { SegmentSource } from "./Source.ts";
import { awaitEach, iterate, oneByOne, type ReadableStreamLike } from "./streams.ts";
import { typedArraysOf } from "./TypedArrayTable.ts";
import { sharedVocabulary } from "./Vocabulary.ts";
import { NO_TYPED_ARRAYS } from "./wasm/DecodeMemory.ts";
import { materializers } from "./workers.ts";

/** What a map key may become. */
export type MapKeyType = string | number;

/** What is decoded, and how. `null` means the default, too. */
export type DecoderOptions<ContextType = undefined> = Readonly<
  Partial<{
    /** Default: `ExtensionCodec.defaultCodec`, which knows the timestamp. */
    extensionCodec: ExtensionCodecType<ContextType>;
    /** 64-bit integers become bigints, whatever their value. Default: false. */
    useBigInt64: boolean;
    /**
     * What 64-bit integers become. `"auto"`: a bigint beyond 2^53, else a number.
     * Default: as `useBigInt64` says.
     */
    int64: "number" | "bigint" | "auto";
    /** Strings, but not keys, come out as their bytes. Default: false. */
    rawStrings: boolean;
    /** Malformed UTF-8 is a `DecodeError` instead of U+FFFD. Default: false. */
    fatalUtf8: boolean;
    /**
     * Where the defaults of all limits, and that of `onUnknownExtension`, come from. `"untrusted"`: finite ones, for
     * what strangers send. Default: none, so that there are no limits but those of the format.
     */
    profile: DecodeProfile;
    /** The longest string, or key, in bytes of UTF-8. Default: 2^32 − 1; untrusted: 2^20. */
    maxStrLength: number;
    /** The longest binary data in bytes. Default: 2^32 − 1; untrusted: 2^24. */
    maxBinLength: number;
    /** The most items of an array. Default: 2^32 − 1; untrusted: 2^20. */
    maxArrayLength: number;
    /** The most pairs of a map. Default: 2^32 − 1; untrusted: 2^16. */
    maxMapLength: number;
    /** The longest extension in bytes; `maxBinLength` holds for it, too. Default: 2^32 − 1; untrusted: 2^24. */
    maxExtLength: number;
    /** The most containers around a value. Default: no limit; untrusted: 500. */
    maxDepth: number;
    /**
     * The most items and pairs in all arrays and maps of a message together. It bounds the memory that a message can
     * take: each of them takes a byte at the least of the message, but up to some 70 of memory. Default: no limit;
     * untrusted: 2^20.
     */
    maxElements: number;
    /**
     * What becomes of an extension of which the codec makes an `ExtData`, since it does not know the type: that
     * (`"keep"`), or a `DecodeError` (`"throw"`). Default: `"keep"`; untrusted: `"throw"`.
     */
    onUnknownExtension: "keep" | "throw";
    /**
     * Binary data, typed arrays, and what extension decoders are given, have buffers of their own, instead of being views
     * that keep the whole input. Default: false.
     */
    copy: boolean;
    /** Maps become `Map`s, with keys of any type. Default: false. */
    useMap: boolean;
    /**
     * Makes a property name of a decoded key. Default: strings and numbers are taken as they are, others are a
     * `DecodeError`.
     */
    mapKeyConverter: (key: unknown) => MapKeyType;
    /** Makes strings of map keys. Default, and for `null`: the library's own tables, which are much faster. */
    keyDecoder: KeyDecoder | null;
  }>
> &
  ContextOf<ContextType>;

/**
 * What options come to. `defaultCodec` is for those that name none.
 * @throws RangeError if there is no such profile
 */
export function settingsOf<ContextType>(
  options: DecoderOptions<ContextType> | undefined | null,
  defaultCodec: ExtensionCodecType<undefined> = ExtensionCodec.defaultCodec,
): DecodeSettings {
  const int64 = options?.int64 ?? (options?.useBigInt64 ? "bigint" : "number");
  const useMap = options?.useMap ?? false;
  const mapKeyConverter = options?.mapKeyConverter ?? null;
  const keyDecoder = options?.keyDecoder ?? null;
  const anyKey = useMap || mapKeyConverter !== null;
  const extensionCodec = (options?.extensionCodec ?? defaultCodec) as ExtensionCodecType<unknown>;
  const typedArrays = typedArraysOf(extensionCodec);
  const { context } = (options ?? {}) as { context?: unknown };
  const profile = options?.profile;
  const limits = limitsOf(options, profile);
  const onUnknownExtension = options?.onUnknownExtension ?? (profile == null ? "keep" : "throw");
  const rawStrings = options?.rawStrings ?? false;
  const copies = options?.copy ?? false;
  const keysInLine = anyKey || keyDecoder !== null;
  return {
    extensionCodec,
    typedArrays,
    context,
    isBulky: false,
    isCallers:
      extensionCodec !== defaultCodec ||
      context !== undefined ||
      mapKeyConverter !== null ||
      keyDecoder !== null,
    isSimple: !keysInLine && !rawStrings && !copies && allow(limits, SMALL_LENGTH),
    keysInLine,
    useMap,
    mapKeyConverter,
    keyDecoder,
    copies,
    refusesUnknown: onUnknownExtension === "throw",
    modes: {
      limits,
      int64: int64 === "bigint" ? 1 : int64 === "auto" ? 2 : 0,
      rawStrings,
      fatalUtf8: options?.fatalUtf8 ?? false,
      maxFrameLength: 0,
      anyKey,
      rawKeys: keyDecoder !== null,
      elementSizes: typedArrays?.elementSizes ?? NO_TYPED_ARRAYS,
    },
  };
}

/**
 * The value that begins at `offset`, whatever follows it.
 * @throws as `Decoder.decode`
 */
export function valueAt(bytes: Uint8Array, offset: number, settings: DecodeSettings): unknown {
  const small = readSmall(bytes, settings, offset, false);
  if (small !== NOT_SMALL) return small;
  if (sharedVocabulary.wantsToRelearn && materializers.isQuiet) sharedVocabulary.relearn();
  const materializer = materializers.find();
  try {
    materializer.isBusy = true;
    return materializer.decodeAt(bytes, offset, settings);
  } finally {
    materializer.isBusy = false;
    materializer.detach();
  }
}

/** Decodes messages with the same options. An instance costs next to nothing: what is learned of keys is shared. */
export class Decoder<ContextType = undefined> {
  static readonly name = "Decoder";
  readonly #settings: DecodeSettings;

  /** @throws RangeError if there is no such profile as `options` name */
  constructor(options?: DecoderOptions<ContextType>) {
    this.#settings = settingsOf(options);
  }

  /**
   * Decodes the one value that `buffer` holds. Binary data in it are views of `buffer`.
   * @throws DecodeError if that is no MessagePack, or more than the options allow
   * @throws RangeError if it ends too early, or goes on after the value
   */
  decode(buffer: DecoderInput): unknown {
    return decodeOne(buffer, this.#settings);
  }

  /**
   * Decodes the value that begins at `offset`, and says where it ends.
   * @throws as `decode`, but not for what follows the value
   */
  decodeSingle(buffer: DecoderInput, offset = 0): { value: unknown; nextOffset: number } {
    const bytes = bytesOfInput(buffer);
    if (!Number.isInteger(offset) || offset < 0 || offset > bytes.length) {
      throw new RangeError(`Offset ${offset} is not within the ${bytes.length} byte(s) of the buffer`);
    }
    return withMaterializer((materializer) => {
      const value = materializer.decodeAt(bytes, offset, this.#settings);
      return { value, nextOffset: materializer.position };
    });
  }

  /**
   * Decodes the one value that lies in several buffers, one after the other, without joining them. Binary data in it
   * are views where they lie in one buffer, else copies.
   * @throws as `decode`
   */
  decodeSegments(chunks: Iterable<DecoderInput>): unknown {
    const source = new SegmentSource();
    for (const chunk of chunks) source.push(bytesOfInput(chunk));
    return withMaterializer((materializer) => materializer.decodeWhole(source, this.#settings));
  }

  /**
   * Decodes the values that `buffer` holds, none or more. Thousands may be read ahead of the one that is asked for.
   * @throws as `decode`, when the value in question is asked for
   */
  *decodeMulti(buffer: DecoderInput): Generator<unknown, void, unknown> {
    const reader = new MessageReader(this.#settings, true);
    reader.push(bytesOfInput(buffer));
    reader.end();
    try {
      while (!reader.isAtEnd) yield* reader.batch();
    } finally {
      reader.release();
    }
  }

  /**
   * Decodes the one value that a stream brings.
   * @throws as `decode`; the stream is cancelled then
   */
  async decodeAsync(stream: ReadableStreamLike<DecoderInput>): Promise<unknown> {
    const reader = new MessageReader(this.#settings);
    try {
      let values: unknown[] = [];
      for await (const chunk of iterate(stream)) {
        reader.push(bytesOfInput(chunk));
        if (values.length === 0) values = reader.batch();
        if (values.length > 0) reader.expectEnd();
      }
      reader.end();
      return (values.length > 0 ? values : reader.batch())[0];
    } finally {
      reader.release();
    }
  }

  /**
   * Decodes the items of the one array that a stream brings, each as soon as it is there.
   * @throws as `decode`, and DecodeError if the value is no array; the stream is cancelled then
   */
  decodeArrayStream(stream: ReadableStreamLike<DecoderInput>): AsyncGenerator<unknown, void, unknown> {
    const reader = new MessageReader(this.#settings);
    return this.#oneByOne(stream, reader, () => reader.items());
  }

  /**
   * Decodes the values that a stream brings, none or more, each as soon as it is there.
   * @throws as `decode`; the stream is cancelled then
   */
  decodeStream(stream: ReadableStreamLike<DecoderInput>): AsyncGenerator<unknown, void, unknown> {
    const reader = new MessageReader(this.#settings, true);
    return this.#oneByOne(stream, reader, () => (reader.isAtEnd ? [] : reader.batch()));
  }

  /** What `read` gives of a stream, again and again until that is nothing. */
  #oneByOne(
    stream: ReadableStreamLike<DecoderInput>,
    reader: MessageReader,
    read: () => unknown[],
  ): AsyncGenerator<unknown, void, unknown> {
    const batches = batchesOf(stream, reader, read);
    // What a codec makes of an extension may be a promise.
    return this.#settings.isCallers ? awaitEach(batches) : oneByOne(batches);
  }
}

/** As `Decoder.decode`, for those who need no decoder: bundlers leave out its other methods, and what these need. */
export function decodeOne(buffer: DecoderInput, settings: DecodeSettings): unknown {
  // As `withMaterializer`, without the closure: a small message takes no longer than to make and call one.
  const bytes = bytesOfInput(buffer);
  const small = readSmall(bytes, settings, 0, true);
  if (small !== NOT_SMALL) return small;
  if (sharedVocabulary.wantsToRelearn && materializers.isQuiet) sharedVocabulary.relearn();
  const materializer = materializers.find();
  try {
    materializer.isBusy = true;
    return materializer.decode(bytes, settings);
  } catch (error) {
    showCaller(error, decodeOne);
    throw error;
  } finally {
    materializer.isBusy = false;
    materializer.detach();
  }
}

async function* batchesOf(
  stream: ReadableStreamLike<DecoderInput>,
  reader: MessageReader,
  read: () => unknown[],
): AsyncGenerator<unknown[], void, unknown> {
  try {
    for await (const chunk of iterate(stream)) {
      reader.push(bytesOfInput(chunk));
      for (let batch = read(); batch.length > 0; batch = read()) yield batch;
    }
    reader.end();
    for (let batch = read(); batch.length > 0; batch = read()) yield batch;
  } finally {
    reader.release();
  }
}

function withMaterializer<T>(work: (materializer: Materializer) => T): T {
  if (sharedVocabulary.wantsToRelearn && materializers.isQuiet) sharedVocabulary.relearn();
  const materializer = materializers.find();
  try {
    materializer.isBusy = true;
    return work(materializer);
  } catch (error) {
    showCaller(error, withMaterializer);
    throw error;
  } finally {
    materializer.isBusy = false;
    materializer.detach();
  }
}
