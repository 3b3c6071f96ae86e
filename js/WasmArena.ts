import type { SplitUndefined } from "./context.ts";
import { showCaller } from "./DecodeError.ts";
import { type DecoderOptions, settingsOf } from "./Decoder.ts";
import { type DecodeSettings, Materializer } from "./Materializer.ts";
import { Pool } from "./Pool.ts";
import { NOT_SMALL, readSmall } from "./SmallReader.ts";
import { PlacedSource } from "./Source.ts";
import { TypedArrayCodec } from "./TypedArrayCodec.ts";
import { Vocabulary } from "./Vocabulary.ts";
import { ArenaMemory, MAX_ARENA_BYTES } from "./wasm/ArenaMemory.ts";
import type { WasmMemory } from "./wasm/module.ts";

const ALIGNMENT = 16;

/** Made when it is first needed: not every host has what the codec needs. */
let defaults: { readonly codec: TypedArrayCodec; readonly settings: DecodeSettings } | undefined;

function settingsFor<ContextType>(options: DecoderOptions<ContextType> | undefined): DecodeSettings {
  if (defaults === undefined) {
    const codec = new TypedArrayCodec();
    defaults = { codec, settings: settingsOf(null, codec) };
  }
  return options == null ? defaults.settings : settingsOf(options, defaults.codec);
}

/**
 * Wasm memory of fixed size, to receive messages into and to decode them where they are: with a `TypedArrayCodec`,
 * typed arrays are views of it, and so is binary data.
 *
 * No other work of this package, of whatever size, detaches such a view, and each keeps the whole memory alive: none
 * dangles, and nothing must be freed. To make an arena takes a millisecond or two. It takes 8 MB of address space more
 * than it is asked for, where the codec has its own data; of these, and of the rest, only pages that are used take
 * memory.
 */
export class WasmArena {
  static readonly name = "WasmArena";
  /** What `allocate` can give in all, in bytes. */
  readonly byteLength: number;
  readonly #memory: ArenaMemory;
  readonly #vocabulary: Vocabulary;
  readonly #materializers: Pool<Materializer>;
  /** Bytes from the start of the block to where free room begins. */
  #used = 0;

  /** @throws RangeError if `byteLength` is no integer from 0 to 2^31 − 2^22, or the host has no such memory */
  constructor(byteLength: number) {
    if (!Number.isInteger(byteLength) || byteLength < 0 || byteLength > MAX_ARENA_BYTES) {
      throw new RangeError(`An arena has an integer of 0 to ${MAX_ARENA_BYTES} byte(s), not ${byteLength}`);
    }
    this.byteLength = byteLength;
    this.#memory = new ArenaMemory(byteLength);
    this.#vocabulary = new Vocabulary(() => this.#memory.instance);
    this.#materializers = new Pool(() => new Materializer(this.#vocabulary));
  }

  /**
   * The memory, to be handed to other wasm modules; it does not grow. They may use what `allocate` has given. The rest
   * is the codec's.
   */
  get memory(): WasmMemory {
    return this.#memory.instance.memory;
  }

  /**
   * Room for `n` bytes over wasm memory: `byteOffset`, which is also the address for wasm modules, is a multiple of 16.
   * It is not cleared.
   * @throws RangeError if the arena has no such room, or `n` is no integer from 0 on
   */
  allocate(n: number): Uint8Array<ArrayBuffer> {
    if (!Number.isInteger(n) || n < 0)
      throw new RangeError(`An integer of 0 or more bytes expected, not ${n}`);
    const start = Math.ceil(this.#used / ALIGNMENT) * ALIGNMENT;
    if (start + n > this.byteLength) {
      const free = Math.max(0, this.byteLength - start);
      throw new RangeError(
        `The arena of ${this.byteLength} byte(s) has ${free} left, not ${n}: reset() reuses it`,
      );
    }
    this.#used = start + n;
    return new Uint8Array(this.memory.buffer, this.#memory.start + start, n);
  }

  /**
   * Decodes the one value that `bytes` holds: what `allocate` has given, or a part of it. The bytes are read where they
   * are and copied nowhere.
   * @param options as for `decode`, but the default of `extensionCodec` is a `TypedArrayCodec`
   * @throws as `decode`, and RangeError if `bytes` are not in this arena, or the value is so deep, or decoded within so
   * many other calls, that the codec's part of the memory is full
   */
  decode<ContextType = undefined>(
    bytes: Uint8Array,
    options?: DecoderOptions<SplitUndefined<ContextType>>,
  ): unknown {
    this.#mustHold(bytes);
    const settings = settingsFor(options);
    const small = readSmall(bytes, settings, 0, true);
    if (small !== NOT_SMALL) return small;
    const source = new PlacedSource();
    source.set(bytes);
    if (this.#vocabulary.wantsToRelearn && this.#materializers.isQuiet) this.#vocabulary.relearn();
    const materializer = this.#materializers.find();
    try {
      materializer.isBusy = true;
      return materializer.decodeWhole(source, settings);
    } catch (error) {
      showCaller(error, this.decode);
      throw error;
    } finally {
      materializer.isBusy = false;
      materializer.detach();
    }
  }

  /**
   * Makes all of the arena free again. Views that have been given out, and typed arrays that have been decoded, stay
   * valid, but they share their memory with what `allocate` gives from now on: they will show the bytes of the next
   * messages. So reset an arena when nobody reads its old views any more, and make a new one otherwise.
   */
  reset(): void {
    this.#used = 0;
  }

  #mustHold(bytes: Uint8Array): void {
    const start = bytes.byteOffset - this.#memory.start;
    if (bytes.buffer !== this.memory.buffer || start < 0 || start + bytes.length > this.byteLength) {
      throw new RangeError("The bytes are not in this arena: allocate() gives room in it");
    }
  }
}
