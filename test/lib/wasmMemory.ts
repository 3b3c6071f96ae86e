import { vi } from "vitest";
import { type Allocator, type Instance, takeAllOf } from "./wasmHeap.mjs";

type Testing = typeof import("msgpack-wasm/testing");

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
