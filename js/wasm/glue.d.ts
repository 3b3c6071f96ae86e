/** False in the build for browsers, which leaves out what only Node has a use for. */
declare const MAY_BE_NODE: boolean;

/**
 * The modules that the bundler makes: two of what Emscripten made, one of copies (scripts/lib/bundle.mjs).
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

declare module "msgpack-wasm:makers" {
  /**
   * Functions that do the same: each makes, of an object and its keys, a factory of such objects. An engine learns for
   * each of them apart.
   */
  export const makers: readonly ((
    template: Record<string, unknown>,
    keys: readonly string[],
  ) => (values: { value(): unknown }) => Record<string, unknown>)[];
}
