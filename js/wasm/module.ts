/// <reference path="./glue.d.ts" />

import wasmBytes from "msgpack-wasm:codec.wasm";
import { instantiateGlue } from "msgpack-wasm:glue";

type Codec = ReturnType<typeof instantiateGlue>;

/**
 * Plain Emscripten glue, wrapped by the bundler, is synchronous in every version from 3.1.69 to 6 as long as
 * `instantiateWasm` calls back before it returns; a `MODULARIZE` factory became a promise in 4.0.12.
 */
function instantiate(module: WebAssembly.Module): Codec {
  return instantiateGlue({
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(module, imports);
      receive(instance);
      return instance.exports;
    },
  });
}

/** The one instance that all encoders and decoders share: sessions keep them apart. */
export const codec = instantiate(new WebAssembly.Module(wasmBytes));

/** Called after each call into the module that may have grown its memory, which detaches every view on it. */
const views: { renew(): void; isDetached(): boolean }[] = [];

export function registerView(view: { renew(): void; isDetached(): boolean }): void {
  views.push(view);
}

export function renewDetached(): void {
  for (const view of views) {
    if (view.isDetached()) view.renew();
  }
}

/** What the `create…` functions of the module return, which is null when memory is out. */
export function created<T>(object: T | null): T {
  renewDetached();
  if (object === null) throw new RangeError("msgpack-wasm: out of WebAssembly memory");
  return object;
}

const stackAtRest = codec.stackSave();

/**
 * Whether a call into the module has been broken off. The module itself throws nothing, but the engine does when the JS
 * call stack is full, and the module's own stack pointer stays where it was then: message by message its stack would
 * creep into its data. It is set by assignment, since there is no room for a call at that moment, and acted upon before
 * the next message.
 */
export const stack = { isAstray: false };

/** Puts right what a call that was broken off has left. To be called before each message. */
export function settle(): void {
  if (!stack.isAstray) return;
  codec.stackRestore(stackAtRest);
  // The call may have made memory grow before.
  renewDetached();
  stack.isAstray = false;
}
