/** False in the build for browsers, which leaves out what only Node has a use for. */
declare const MAY_BE_NODE: boolean;

/**
 * The two modules that the bundler makes of what Emscripten made (scripts/lib/bundle.mjs).
 */
declare module "msgpack-wasm:glue" {
  type Bindings = import("../../build/wasm/codec").EmbindModule;

  interface GlueOptions {
    /** What the instance shall work in. */
    wasmMemory: WebAssembly.Memory;
    /** Instantiates the module and hands the instance to `receive`, both before it returns. */
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): WebAssembly.Exports;
  }

  /** A fresh instance, with what `bindings/` binds, ready when the call returns. */
  export function instantiateGlue(options: GlueOptions): Bindings & {
    /** The module's own stack pointer. */
    stackSave(): number;
    stackRestore(pointer: number): void;
  };
}

declare module "msgpack-wasm:codec.wasm" {
  /** Compiled already, where the host does not compile bytes. */
  const codec: Uint8Array<ArrayBuffer> | WebAssembly.Module;
  export default codec;
  /** What the module's custom section `msgpack-wasm` says. */
  export const id: string;
}
