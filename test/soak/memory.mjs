import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import vm from "node:vm";
import { freeBytes } from "../lib/wasmHeap.mjs";

/**
 * What is in use after forced collections, in bytes but for `arenas`. `wasmMemory` is the size of the module's memory,
 * `wasmUse` what of it is allocated, or 0 where that cannot be known.
 * @typedef {{
 *   heap: number, external: number, arrayBuffers: number, wasmMemory: number, wasmUse: number, arenas: number,
 * }} MemoryUse
 */

/** Calls within calls have a session each, of several hundred kilobytes. What needs more than this is a mistake. */
const WASM_LIMIT = 32 * 2 ** 20;
const PAGE_BYTES = 64 * 1024;

v8.setFlagsFromString("--expose-gc");
/** @type {() => void} */
const collectNow = vm.runInNewContext("gc");

/** Runs the garbage collector, and the finalizers that come with later tasks, which let others go. */
async function collectGarbage() {
  for (let i = 0; i < 3; i++) {
    collectNow();
    await setImmediate();
    await setImmediate();
  }
}

/** Knows the memory of each instance of the module. To be made before the package is loaded: it stands in between. */
export class MemoryWatch {
  /** @type {WeakRef<WebAssembly.Memory>[]} */
  #arenas = [];
  /** That of all encoders and decoders. @type {WebAssembly.Memory | undefined} */
  #shared;
  /** @type {import("./library.mjs").Testing | undefined} */
  #testing;

  constructor() {
    const note = (/** @type {WebAssembly.Memory} */ memory, /** @type {boolean} */ canGrow) => {
      if (canGrow) this.#shared = memory;
      else this.#arenas.push(new WeakRef(memory));
    };
    WebAssembly.Memory = class extends WebAssembly.Memory {
      /** @param {WebAssembly.MemoryDescriptor} descriptor */
      constructor({ initial, maximum = Number.POSITIVE_INFINITY }) {
        const canGrow = maximum > initial;
        super({ initial, maximum: canGrow ? WASM_LIMIT / PAGE_BYTES : maximum });
        note(this, canGrow);
      }
    };
  }

  /**
   * To be called with the build for tests: what it has allocated is known then, to some hundred bytes, but its memory has
   * its largest size.
   * @param {import("./library.mjs").Testing} testing
   */
  useHandles(testing) {
    this.#testing = testing;
  }

  /** @returns {Promise<MemoryUse>} */
  async read() {
    await collectGarbage();
    const { heapUsed: heap, external, arrayBuffers } = process.memoryUsage();
    this.#arenas = this.#arenas.filter((memory) => memory.deref() !== undefined);
    const wasmUse = this.#wasmUse();
    const wasmMemory = this.#shared?.buffer.byteLength ?? 0;
    return { heap, external, arrayBuffers, wasmMemory, wasmUse, arenas: this.#arenas.length };
  }

  #wasmUse() {
    if (this.#testing === undefined) return 0;
    if (!this.#testing.areWorkersQuiet()) throw new Error("A call has kept a worker to itself");
    return WASM_LIMIT - freeBytes(this.#testing.sharedInstance());
  }
}
