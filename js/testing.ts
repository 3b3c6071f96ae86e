// The package with handles for its tests; it is built apart and not published.
import { wasmMemoryBytes } from "./wasm/DecodeMemory.ts";
import { materializers, walkers } from "./workers.ts";

export * from "./index.ts";
export { Status } from "./status.ts";
export { Tag, Wide } from "./tape.ts";
export { wasmMemoryBytes };

const DEFAULT_TAPE = 16 * 1024;
const DEFAULT_BYTES = 64 * 1024;
const DEFAULT_POOLED = 512;

/**
 * Makes the decoder's windows small, so that their ends fall everywhere in a message: at least 16 words of tape, and
 * chunks with room for the longest pooled string, a key, and 16 bytes. Without arguments: as usual.
 */
export function limitDecodeWindows(
  tapeWords = DEFAULT_TAPE,
  chunkBytes = DEFAULT_BYTES,
  pooledBytes = DEFAULT_POOLED,
): void {
  materializers.find().limitWindow(tapeWords, chunkBytes, pooledBytes);
}

/** Makes the encoder's windows small: at least 16 words of tape, and a pool of at least 512. */
export function limitEncodeWindows(tapeWords = DEFAULT_TAPE, poolBytes = DEFAULT_BYTES): void {
  walkers.find().limitWindow(tapeWords, poolBytes);
}
