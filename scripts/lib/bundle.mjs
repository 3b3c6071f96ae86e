import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { generateDtsBundle } from "dts-bundle-generator";
import { build } from "esbuild";
import { root } from "./command.mjs";

/** What users import, by the names of the files in `dist/`. All of them share the codec, which is in `core`. */
export const entries = {
  index: "js/index.ts",
  signalr: "js/signalr/index.ts",
  "signalr-redis": "js/signalr/redis/index.ts",
  streaminghub: "js/streaminghub/index.ts",
};
const core = "js/core.ts";

/** @type {["esm" | "cjs", string][]} */
const formats = [
  ["esm", "js"],
  ["cjs", "cjs"],
];

/** Makes `dist/`: the package as it is published. */
export async function bundle() {
  await mkdir(path.join(root, "dist"), { recursive: true });
  for (const [format, extension] of formats) {
    await bundleCode(format, `dist/core.${extension}`, core, [codecModules]);
    for (const [name, entry] of Object.entries(entries)) {
      await bundleCode(format, `dist/${name}.${extension}`, entry, [sharedImports(entry, extension)]);
    }
  }
  await bundleCode("esm", "build/testing.js", "js/testing.ts", [codecModules]);
  await bundleTypes();
  await copyFile(path.join(root, "build/wasm/codec.wasm"), path.join(root, "dist/codec.wasm"));
}

/**
 * @param {"esm" | "cjs"} format
 * @param {string} outfile
 * @param {string} entryPoint
 * @param {import("esbuild").Plugin[]} plugins
 */
async function bundleCode(format, outfile, entryPoint, plugins) {
  await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outfile,
    format,
    platform: "neutral",
    external: ["node:*"],
    target: "es2022",
    bundle: true,
    minify: true,
    sourcemap: true,
    plugins,
  });
}

/** Constants alone, which each entry has for itself. */
const constants = ["js/status.ts", "js/tape.ts", "js/signalr/MessageType.ts"].map((file) =>
  path.join(root, file),
);

/**
 * Leaves what an entry imports from outside its own folder to the entry in whose folder that is, or to `dist/core`. The
 * main entry, which lies at the top, has nothing but such imports.
 *
 * @param {string} entry
 * @param {string} extension
 * @returns {import("esbuild").Plugin}
 */
function sharedImports(entry, extension) {
  const own = folderOf(entry);
  const others = Object.entries(entries).filter(([name]) => name !== "index");
  /** @param {string} file */
  const homeOf = (file) => {
    if (entry !== entries.index && (file.startsWith(own) || constants.includes(file))) return undefined;
    const home = others.find(([, other]) => file.startsWith(folderOf(other)));
    return `./${home?.[0] ?? "core"}.${extension}`;
  };
  return {
    name: "msgpack-wasm-shared",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path: request, resolveDir, kind }) => {
        const home = kind === "entry-point" ? undefined : homeOf(path.join(resolveDir, request));
        return home === undefined ? undefined : { path: home, external: true };
      });
    },
  };
}

/** @param {string} entry */
function folderOf(entry) {
  return path.join(root, path.dirname(entry)) + path.sep;
}

/** `import` and `require` resolve types of their own: TypeScript takes `.d.ts` for the module kind of `.js`. */
async function bundleTypes() {
  const names = Object.keys(entries);
  const bundles = generateDtsBundle(
    Object.values(entries).map((entry) => ({
      filePath: path.join(root, entry),
      output: { noBanner: true, exportReferencedTypes: false },
    })),
    { preferredConfigPath: path.join(root, "tsconfig.json") },
  );
  for (const [i, types] of bundles.entries()) {
    await writeFile(path.join(root, `dist/${names[i]}.d.ts`), types);
    await writeFile(path.join(root, `dist/${names[i]}.d.cts`), types);
  }
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
