import { instantiateGlue } from "msgpack-wasm:glue";
import { compiledModule } from "./loading.ts";
import { type HostText, hostText } from "./text.ts";

export type Codec = ReturnType<typeof instantiateGlue>;

/** The address of something that the module has made. */
export type Handle = number;

export type WasmMemory = WebAssembly.Memory;

export const PAGE_BYTES = 64 * 1024;
/** What the module declares: the least pages that it needs, and the most that it can address. */
const MIN_PAGES = 32;
export const MAX_PAGES = 32 * 1024;

/**
 * Plain Emscripten glue, wrapped by the bundler, is synchronous in every version from 3.1.69 to 6 as long as
 * `instantiateWasm` calls back before it returns; a `MODULARIZE` factory became a promise in 4.0.12.
 */
function instantiate(wasmMemory: WasmMemory): Codec {
  const module = compiledModule();
  const bindings = instantiateGlue({
    wasmMemory,
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(module, imports);
      receive(instance);
      return instance.exports;
    },
  });
  // V8 has made a dictionary of what so many functions were added to by name: a call takes 7 ns or more then, but 3.5 by
  // a copy.
  return { ...bindings };
}

/** What holds views on an instance's memory. */
export interface Views {
  renew(): void;
  isDetached(): boolean;
}

/** An instance of the module, and what must be seen to before and after calls into it. */
export class Instance {
  readonly memory: WasmMemory;
  readonly codec: Codec;
  /** Text in its memory. */
  readonly text: HostText;
  /**
   * Whether a call into the module has been broken off. The module itself throws nothing, but the engine does when the
   * JS call stack is full, and the module's own stack pointer stays where it was then: message by message its stack
   * would creep into its data. It is set by assignment, since there is no room for a call at that moment, and acted
   * upon before the next message.
   */
  isAstray = false;
  readonly #stackAtRest: number;
  readonly #views: Views[] = [];

  constructor(memory: WasmMemory, text: HostText) {
    this.memory = memory;
    this.codec = instantiate(memory);
    this.text = text;
    this.#stackAtRest = this.codec.stackSave();
  }

  registerView(view: Views): void {
    this.#views.push(view);
  }

  /** To be called after each call into the module that may have grown its memory, which detaches every view on it. */
  renewDetached(): void {
    for (const view of this.#views) {
      if (view.isDetached()) view.renew();
    }
  }

  /** What functions of the module return that make something: 0 when memory is out. */
  created(handle: Handle): Handle {
    this.renewDetached();
    if (handle === 0) throw new RangeError("msgpack-wasm: out of WebAssembly memory");
    return handle;
  }

  /** Puts right what a call that was broken off has left. To be called before each message. */
  settle(): void {
    if (!this.isAstray) return;
    this.codec.stackRestore(this.#stackAtRest);
    // The call may have made memory grow before.
    this.renewDetached();
    this.isAstray = false;
  }
}

let shared: Instance | undefined;

/**
 * The one instance that all encoders and decoders share: sessions keep them apart.
 * @throws Error if the host has not compiled the module yet
 */
export function sharedInstance(): Instance {
  shared ??= new Instance(new WebAssembly.Memory({ initial: MIN_PAGES, maximum: MAX_PAGES }), hostText);
  return shared;
}
