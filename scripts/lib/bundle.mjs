import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { generateDtsBundle } from "dts-bundle-generator";
import { build } from "esbuild";
import { root } from "./command.mjs";

const entry = "js/index.ts";

/** Makes `dist/`: the package as it is published. */
export async function bundle() {
  await mkdir(path.join(root, "dist"), { recursive: true });
  await bundleCode("esm", "dist/index.js");
  await bundleCode("cjs", "dist/index.cjs");
  await bundleCode("esm", "build/testing.js", "js/testing.ts");
  await bundleTypes();
  await copyFile(path.join(root, "build/wasm/codec.wasm"), path.join(root, "dist/codec.wasm"));
}

/**
 * @param {"esm" | "cjs"} format
 * @param {string} outfile
 * @param {string} [entryPoint]
 */
async function bundleCode(format, outfile, entryPoint = entry) {
  await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outfile,
    format,
    platform: "neutral",
    target: "es2022",
    bundle: true,
    minify: true,
    sourcemap: true,
    plugins: [codecModules],
  });
}

/** `import` and `require` resolve types of their own: TypeScript takes `.d.ts` for the module kind of `.js`. */
async function bundleTypes() {
  const [types] = generateDtsBundle(
    [{ filePath: path.join(root, entry), output: { noBanner: true, exportReferencedTypes: false } }],
    { preferredConfigPath: path.join(root, "tsconfig.json") },
  );
  await writeFile(path.join(root, "dist/index.d.ts"), types);
  await writeFile(path.join(root, "dist/index.d.cts"), types);
}

/**
 * Resolves the modules that `js/wasm/glue.d.ts` declares.
 *
 * @type {import("esbuild").Plugin}
 */
const codecModules = {
  name: "msgpack-wasm",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^msgpack-wasm:/ }, ({ path }) => ({ path, namespace: "msgpack-wasm" }));
    onLoad({ filter: /:codec\.base64$/, namespace: "msgpack-wasm" }, async () => ({
      contents: await readFile(path.join(root, "build/wasm/codec.wasm")),
      loader: "base64",
    }));
    onLoad({ filter: /:codec\.wasm$/, namespace: "msgpack-wasm" }, () => ({ contents: codecBytes }));
    onLoad({ filter: /:makers$/, namespace: "msgpack-wasm" }, () => ({
      contents: `export const makers = [${Array(MAKERS).fill(maker)}];`,
    }));
    onLoad({ filter: /:glue$/, namespace: "msgpack-wasm" }, async () => ({
      contents: asFunction(await readFile(path.join(root, "build/wasm/codec.js"), "utf8")),
    }));
  },
};

/**
 * Where no code may be made at run time, factories come from as many copies of one function as there shall be shapes:
 * engines learn by place in the source, and what one place has learned of many shapes is little. To copy a template and
 * overwrite its values keeps an object of many keys from becoming a dictionary, and took 44 % of the time (twitter).
 * Compressed, 64 copies are 200 bytes.
 */
const MAKERS = 64;
const maker = `(template, keys) => (values) => {
  const object = { ...template };
  for (let i = 0; i < keys.length; i++) object[keys[i]] = values.value();
  return object;
}`;

/** esbuild's `binary` loader decodes in a loop, which takes 8 ms of an import in Node 20; `Buffer` takes 0.3 ms. */
const codecBytes = `
  import base64 from "msgpack-wasm:codec.base64";
  export default globalThis.Buffer?.from(base64, "base64") ??
    Uint8Array.fromBase64?.(base64) ??
    Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
`;

/**
 * Emscripten's own wrapper (`-sMODULARIZE`) is asynchronous. Its plain glue runs at once, up to `run()`, which
 * calls the constructors that register the classes: 3.1.69 calls it at the end, 6.0 in a microtask though the
 * instance is there. So it is called here, where it does nothing the second time, and kept from running later.
 *
 * @param {string} glue
 */
function asFunction(glue) {
  return `export function instantiateGlue(Module) {\n${glue}\nrun();\nrun = () => {};\nreturn Module;\n}\n`;
}
