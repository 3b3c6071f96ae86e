// The package with handles for its tests; it is built apart and not published.
import { limitSmallReader } from "./SmallReader.ts";
import { wasmMemoryBytes } from "./wasm/DecodeMemory.ts";
import { sharedInstance } from "./wasm/module.ts";
import { materializers, walkers } from "./workers.ts";

export * from "./index.ts";
export * from "./signalr/index.ts";
export { Status } from "./status.ts";
export { CallTable } from "./streaminghub/CallTable.ts";
export { ClientCodec } from "./streaminghub/ClientCodec.ts";
export { HubConnection } from "./streaminghub/HubConnection.ts";
export { hubMethod } from "./streaminghub/HubMethod.ts";
export * from "./streaminghub/index.ts";
export { clientOf } from "./streaminghub/StreamingHubClient.ts";
export { Tag, Wide } from "./tape.ts";
export { limitSmallReader, sharedInstance, wasmMemoryBytes };

const DECODE_TAPE = 32 * 1024;
const DECODE_BYTES = 128 * 1024;
const DECODE_POOLED = 512;
const ENCODE_TAPE = 16 * 1024;
const ENCODE_BYTES = 64 * 1024;

/**
 * Makes the decoder's windows small, so that their ends fall everywhere in a message: at least 16 words of tape, and
 * chunks with room for the longest pooled string, a key, and 16 bytes. Small messages go through them, too. Without
 * arguments: as usual.
 */
export function limitDecodeWindows(
  tapeWords = DECODE_TAPE,
  chunkBytes = DECODE_BYTES,
  pooledBytes = DECODE_POOLED,
): void {
  const isUsual = tapeWords === DECODE_TAPE && chunkBytes === DECODE_BYTES && pooledBytes === DECODE_POOLED;
  limitSmallReader(isUsual ? undefined : -1);
  materializers.find().limitWindow(tapeWords, chunkBytes, pooledBytes);
}

/** Makes the encoder's windows small: at least 16 words of tape, and a pool of at least 512. */
export function limitEncodeWindows(tapeWords = ENCODE_TAPE, poolBytes = ENCODE_BYTES): void {
  walkers.find().limitWindow(tapeWords, poolBytes);
}

/** Whether no call has kept a worker to itself. */
export function areWorkersQuiet(): boolean {
  return materializers.isQuiet && walkers.isQuiet;
}
