/// <reference path="./glue.d.ts" />

import codec, { id } from "msgpack-wasm:codec.wasm";

/** What `init` takes: the codec's module compiled, its bytes, or where they are. */
export type CodecSource = WebAssembly.Module | BufferSource | URL | string;

/** Of what is needed, SIMD is what came last. */
const NEEDS =
  "msgpack-wasm needs WebAssembly with SIMD: Chrome 91, Firefox 90, Safari 16.4, Node 20, or newer";

/** The name of the custom section that says which build a module is. */
const ID_SECTION = "msgpack-wasm";

let compiled: WebAssembly.Module | null = null;
/** Why there is no module. */
let refusal: unknown;

function compileNow(): void {
  if (typeof WebAssembly === "undefined") throw new Error(NEEDS);
  if (codec instanceof WebAssembly.Module) {
    compiled = codec;
    return;
  }
  try {
    compiled = new WebAssembly.Module(codec);
  } catch (error) {
    if (!WebAssembly.validate(codec)) throw new Error(NEEDS, { cause: error });
    refusal = error;
  }
}

async function compileLater(source: BufferSource): Promise<void> {
  const module = await WebAssembly.compile(source).catch((error) => {
    refusal = error;
    throw new Error(
      "msgpack-wasm: the host does not compile WebAssembly. A Content-Security-Policy allows it by " +
        "'wasm-unsafe-eval' in its script-src; elsewhere, init() takes a compiled module",
      { cause: error },
    );
  });
  use(module);
}

/** Modules of another build have the same exports, and other insides. */
function use(module: WebAssembly.Module): void {
  const [section] = WebAssembly.Module.customSections(module, ID_SECTION);
  if (section === undefined || new TextDecoder().decode(section) !== id) {
    throw new Error("msgpack-wasm: not the codec.wasm of this version");
  }
  compiled ??= module;
  for (const call of waiting.splice(0)) call();
}

const waiting: (() => void)[] = [];

/** Calls when there is a module: now, or as soon as it is there. */
export function onceCompiled(call: () => void): void {
  if (compiled !== null) call();
  else waiting.push(call);
}

compileNow();

/**
 * Resolves when the codec can be used: at once, where the host compiles WebAssembly synchronously. Elsewhere the codec
 * is compiled asynchronously as soon as it is imported; where that fails as well, it rejects, and `init` is left.
 */
export const ready: Promise<void> =
  compiled !== null ? Promise.resolve() : compileLater(codec as BufferSource);
// Who does not wait for it sees the error at the first call.
ready.catch(() => {});

/**
 * Sees to it that the codec can be used, where it is not right after the import: hosts may refuse to compile
 * WebAssembly synchronously (Chrome did on a page's main thread up to version 114), or at all unless they did it themselves.
 * Does nothing where it can be used already.
 * @param source the module, or the bytes or the address of `msgpack-wasm/codec.wasm`. Default: the bytes within the
 * package
 * @throws Error if the host compiles none of it, if nothing is to be had from the address, or if it is the codec of
 * another version
 */
export async function init(source?: CodecSource): Promise<void> {
  if (compiled !== null) return;
  if (source === undefined) {
    await ready;
  } else if (source instanceof WebAssembly.Module) {
    use(source);
  } else if (typeof source === "string" || source instanceof URL) {
    const response = await fetch(source);
    if (!response.ok) throw new Error(`msgpack-wasm: ${response.status} for ${source}`);
    await compileLater(await response.arrayBuffer());
  } else {
    await compileLater(source);
  }
}

/** @throws Error if there is none yet */
export function compiledModule(): WebAssembly.Module {
  if (compiled === null) {
    throw new Error(
      "msgpack-wasm: the host has not compiled the codec yet: `await ready`, or init(), first",
      {
        cause: refusal,
      },
    );
  }
  return compiled;
}
