import type { ContextOf } from "./context.ts";
import { ExtensionCodec, type ExtensionCodecType } from "./ExtensionCodec.ts";
import { bytesOfInput, type DecoderInput } from "./input.ts";
import { type DecodeSettings, relearn } from "./Materializer.ts";
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
    /** The longest string in bytes of UTF-8. Default: 2^32 − 1. */
    maxStrLength: number;
    /** The longest binary data in bytes. Default: 2^32 − 1. */
    maxBinLength: number;
    /** The most items of an array. Default: 2^32 − 1. */
    maxArrayLength: number;
    /** The most pairs of a map. Default: 2^32 − 1. */
    maxMapLength: number;
    /** The longest extension in bytes. Default: 2^32 − 1. */
    maxExtLength: number;
    /** The most containers around a value. Default: no limit. */
    maxDepth: number;
    /** Maps become `Map`s, with keys of any type. Default: false. */
    useMap: boolean;
    /**
     * Makes a property name of a decoded key. Default: strings and numbers are taken as they are, others are a
     * `DecodeError`.
     */
    mapKeyConverter: (key: unknown) => MapKeyType;
  }>
> &
  ContextOf<ContextType>;

const UINT32_MAX = 2 ** 32 - 1;

function settingsOf<ContextType>(options: DecoderOptions<ContextType> | undefined | null): DecodeSettings {
  const limit = (value: number | undefined): number => Math.max(0, Math.min(value ?? UINT32_MAX, UINT32_MAX));
  const int64 = options?.int64 ?? (options?.useBigInt64 ? "bigint" : "number");
  const useMap = options?.useMap ?? false;
  const mapKeyConverter = options?.mapKeyConverter ?? null;
  return {
    extensionCodec: (options?.extensionCodec ?? ExtensionCodec.defaultCodec) as ExtensionCodecType<unknown>,
    context: (options as { context?: unknown } | undefined)?.context,
    maxStrLength: limit(options?.maxStrLength),
    maxBinLength: limit(options?.maxBinLength),
    maxArrayLength: limit(options?.maxArrayLength),
    maxMapLength: limit(options?.maxMapLength),
    maxExtLength: limit(options?.maxExtLength),
    maxDepth: limit(options?.maxDepth),
    int64: int64 === "bigint" ? 1 : int64 === "auto" ? 2 : 0,
    rawStrings: options?.rawStrings ?? false,
    fatalUtf8: options?.fatalUtf8 ?? false,
    anyKey: useMap || mapKeyConverter !== null,
    useMap,
    mapKeyConverter,
  };
}

/** Decodes messages with the same options. An instance costs next to nothing: what is learned of keys is shared. */
export class Decoder<ContextType = undefined> {
  readonly #settings: DecodeSettings;

  constructor(options?: DecoderOptions<ContextType>) {
    this.#settings = settingsOf(options);
  }

  /**
   * Decodes the one value that `buffer` holds. Binary data in it are views of `buffer`.
   * @throws DecodeError if that is no MessagePack, or more than the options allow
   * @throws RangeError if it ends too early, or goes on after the value
   */
  decode(buffer: DecoderInput): unknown {
    if (materializers.isQuiet) relearn();
    const materializer = materializers.take();
    try {
      return materializer.decode(bytesOfInput(buffer), this.#settings);
    } finally {
      materializers.giveBack(materializer);
    }
  }
}
