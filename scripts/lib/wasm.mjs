import { rm } from "node:fs/promises";
import path from "node:path";
import { root, step } from "./command.mjs";
import { whenChanged } from "./whenChanged.mjs";

/** What Emscripten makes: the glue, the module, and the types of what it binds. */
export const wasmOutputs = ["build/wasm/codec.js", "build/wasm/codec.wasm", "build/wasm/codec.d.ts"];

const toolFiles = ["CMakeLists.txt", "CMakePresets.json"];

/**
 * Compiles the codec to WebAssembly.
 *
 * @param {import("./emscripten.mjs").Emscripten} emscripten
 */
export async function buildWasm(emscripten) {
  const inputs = [...toolFiles, "cpp", "bindings"];
  await whenChanged("wasm", { inputs, outputs: wasmOutputs, salt: emscripten.id }, () =>
    step("WebAssembly", async () => {
      // CMake keeps paths of the toolchain it was configured with.
      await whenChanged("toolchain", { inputs: toolFiles, outputs: [], salt: emscripten.id }, async () => {
        await rm(path.join(root, "build/wasm"), { recursive: true, force: true });
        await emscripten.run("emcmake", ["cmake", "--preset", "wasm"]);
      });
      await emscripten.run("cmake", ["--build", "--preset", "wasm"]);
    }),
  );
}
