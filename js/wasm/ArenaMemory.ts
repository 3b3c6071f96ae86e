import { Instance, MAX_PAGES, PAGE_BYTES, type WasmMemory } from "./module.ts";
import { makeHostText } from "./text.ts";

/**
 * For the codec itself: its data and tables, some 2 MB with one session, and for sessions of calls within calls and
 * the stacks of deep messages what is left. Pages that are never used take no memory.
 */
const CODEC_BYTES = 8 * 1024 * 1024;

/** The most bytes that an arena can have. */
export const MAX_ARENA_BYTES = MAX_PAGES * PAGE_BYTES - CODEC_BYTES;

/** An instance of the module in memory of fixed size, with a block for input that is decoded where it lies. */
export class ArenaMemory {
  readonly instance: Instance;
  /** The address of the block, a multiple of 16. */
  readonly start: number;

  /** @throws RangeError if the host has no such memory */
  constructor(byteLength: number) {
    const pages = Math.ceil((CODEC_BYTES + byteLength) / PAGE_BYTES);
    this.instance = new Instance(fixedMemory(pages), makeHostText());
    this.start = this.instance.codec.createBlock(byteLength);
    if (this.start === 0) throw new RangeError(`msgpack-wasm: no room for an arena of ${byteLength} byte(s)`);
  }
}

function fixedMemory(pages: number): WasmMemory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch (cause) {
    throw new RangeError(
      `msgpack-wasm: the host has no ${pages * PAGE_BYTES} byte(s) of WebAssembly memory`,
      {
        cause,
      },
    );
  }
}
