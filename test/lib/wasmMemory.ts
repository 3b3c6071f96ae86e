import { vi } from "vitest";

type Testing = typeof import("msgpack-wasm/testing");
type Instance = ReturnType<Testing["sharedInstance"]>;
/** The glue has it, though nothing is bound to it. */
type Allocator = Instance["codec"] & { _free(address: number): void };

/** A codec of its own, whose memory may grow up to so many pages of 64 KB. */
export async function loadWithPages(maximum: number): Promise<Testing> {
  vi.resetModules();
  const { Memory } = WebAssembly;
  const testing: Testing = await import("msgpack-wasm/testing");
  class LimitedMemory extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super({ ...descriptor, maximum });
    }
  }
  WebAssembly.Memory = LimitedMemory;
  try {
    testing.sharedInstance();
  } finally {
    WebAssembly.Memory = Memory;
  }
  return testing;
}

const BLOCKS = [512 * 1024, 64 * 1024, 8192, 1024, 128, 0];

/** Takes all memory that is free, in blocks. */
function takeAll(codec: Allocator): { blocks: number[]; bytes: number } {
  const blocks: number[] = [];
  let bytes = 0;
  for (const size of BLOCKS) {
    for (let block = codec.createBlock(size); block !== 0; block = codec.createBlock(size)) {
      blocks.push(block);
      bytes += size + 128;
    }
  }
  return { blocks, bytes };
}

function freeAll(codec: Allocator, blocks: number[]): void {
  // From the last to the first, so that what is freed joins what is free behind it.
  for (const block of blocks.reverse()) codec._free(block);
}

/** How many bytes a codec whose memory is limited can still give, within a few hundred. */
export function freeBytes(instance: Instance): number {
  const codec = instance.codec as Allocator;
  const { blocks, bytes } = takeAll(codec);
  freeAll(codec, blocks);
  instance.renewDetached();
  return bytes;
}

/** Takes all memory. Returns what gives it back. */
export function takeAllOf(instance: Instance): () => void {
  const codec = instance.codec as Allocator;
  const { blocks } = takeAll(codec);
  instance.renewDetached();
  return () => freeAll(codec, blocks);
}

/** Does `work` while so many bytes are free in one piece, and no others. */
export function withFreeBytes<T>(instance: Instance, bytes: number, work: () => T): T {
  const codec = instance.codec as Allocator;
  const room = bytes > 0 ? codec.createBlock(bytes) : 0;
  const release = takeAllOf(instance);
  if (room !== 0) codec._free(room);
  try {
    return work();
  } finally {
    release();
  }
}
