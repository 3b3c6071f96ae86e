import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { generateDtsBundle } from "dts-bundle-generator";
import { build } from "esbuild";
import { minify } from "terser";
import { root } from "./command.mjs";
import { packBytes } from "./packBytes.mjs";

/** What users import, by the names of the files in `dist/`. All of them share the codec. */
export const entries = {
  index: "js/index.ts",
  signalr: "js/signalr/index.ts",
  "signalr-redis": "js/signalr/redis/index.ts",
  streaminghub: "js/streaminghub/index.ts",
};
const core = "js/core.ts";

/** Older browsers lack WebAssembly SIMD: so nothing newer may be in the syntax. */
const target = ["chrome91", "firefox90", "safari16.4", "node20"];

/** Makes `dist/`: the package as it is published. */
export async function bundle() {
  const dist = path.join(root, "dist");
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  const codec = withId(await readFile(path.join(root, "build/wasm/codec.wasm")));
  await writeFile(path.join(dist, "codec.wasm"), codec.bytes);
  const inlined = codecModules(codec.id, codecAsBase64(codec.bytes));
  const packed = codecModules(codec.id, packedCodec(codec.bytes));
  // Bundlers take whole files or leave them: who imports the timestamp alone gets no codec.
  const apart = { core, timestamp: "js/timestamp.ts" };
  const { index, signalr } = entries;
  await bundleCode("dist", { ...entries, ...apart }, { plugins: [inlined], format: "esm", splitting: true });
  await bundleCode(
    "dist/browser",
    { index, signalr, ...apart },
    { plugins: [packed], format: "esm", splitting: true, define: { MAY_BE_NODE: "false" } },
  );
  for (const name of Object.keys(apart)) {
    for (const extension of ["js", "js.map"]) {
      await rm(path.join(dist, `${name}.${extension}`));
      await rm(path.join(dist, "browser", `${name}.${extension}`));
    }
  }
  // esbuild splits no CommonJS.
  const outExtension = { ".js": ".cjs" };
  await bundleCode("dist", { core }, { plugins: [inlined], format: "cjs", outExtension });
  for (const [name, entry] of Object.entries(entries)) {
    const plugins = [sharedImports(entry)];
    await bundleCode("dist", { [name]: entry }, { plugins, format: "cjs", outExtension });
  }
  // Cloudflare's runtime compiles no bytes: it has the module compiled when the worker is deployed.
  const imported = codecModules(codec.id, importedCodec);
  await bundleCode(
    "dist",
    { workerd: index },
    { format: "esm", external: ["./codec.wasm"], plugins: [imported] },
  );
  await bundleCode(
    "build",
    { testing: "js/testing.ts", glue: "msgpack-wasm:glue" },
    { plugins: [inlined], format: "esm" },
  );
  await bundleTypes();
}

/**
 * @param {string} outdir
 * @param {Record<string, string>} entryPoints
 * @param {import("esbuild").BuildOptions} options
 */
async function bundleCode(outdir, entryPoints, options) {
  const { outputFiles = [] } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    chunkNames: "[name]-[hash]",
    platform: "neutral",
    external: ["node:*"],
    target,
    bundle: true,
    write: false,
    sourcemap: "external",
    define: { MAY_BE_NODE: "true" },
    ...options,
    plugins: [inlinedConstants, ...(options.plugins ?? [])],
  });
  const texts = new Map(outputFiles.map((file) => [file.path, file.text]));
  await mkdir(path.join(root, outdir), { recursive: true });
  for (const [file, code] of texts) {
    if (!file.endsWith(".map"))
      await writeMinified(file, code, /** @type {string} */ (texts.get(`${file}.map`)));
  }
}

/**
 * What terser makes is a tenth smaller than what esbuild does: it inlines, and sees through the glue's switches.
 *
 * @param {string} file
 * @param {string} code
 * @param {string} map
 */
async function writeMinified(file, code, map) {
  const { code: minified, map: minifiedMap } = await minify(code, {
    ecma: 2020,
    module: true,
    // A function that is used once must not become an expression: V8 would allocate it at each call.
    compress: { passes: 3, reduce_funcs: false },
    format: { preserve_annotations: true },
    sourceMap: { content: map, includeSources: true, url: `${path.basename(file)}.map` },
  });
  await writeFile(file, /** @type {string} */ (minified));
  await writeFile(`${file}.map`, /** @type {string} */ (minifiedMap));
}

/** Constants alone. */
const constants = ["js/status.ts", "js/tape.ts", "js/signalr/MessageType.ts"].map((file) =>
  path.join(root, file),
);

/** Where esbuild sees an enum, it writes the numbers and leaves out the table: it does not for an object that chunks share. */
const inlinedConstants = {
  name: "msgpack-wasm-constants",
  /** @param {import("esbuild").PluginBuild} build */
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      if (!constants.includes(file)) return undefined;
      const text = await readFile(file, "utf8");
      const contents = text.replace(
        /^export const (\w+) = (\{[^}]*\}) as const;$/gm,
        (_, name, members) => `export enum ${name} ${members.replaceAll(":", " =")}`,
      );
      return { contents, loader: "ts" };
    });
  },
};

/**
 * Leaves what a CommonJS entry requires from outside its own folder to the entry in whose folder that is, or to
 * `dist/core.cjs`. The main entry, which lies at the top, has nothing but such imports.
 *
 * @param {string} entry
 * @returns {import("esbuild").Plugin}
 */
function sharedImports(entry) {
  const own = folderOf(entry);
  const others = Object.entries(entries).filter(([name]) => name !== "index");
  /** @param {string} file */
  const homeOf = (file) => {
    if (entry !== entries.index && (file.startsWith(own) || constants.includes(file))) return undefined;
    const home = others.find(([, other]) => file.startsWith(folderOf(other)));
    return `./${home?.[0] ?? "core"}.cjs`;
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
 * @param {string} id
 * @param {string} codec the code of the one with the wasm module, but for the id
 * @returns {import("esbuild").Plugin}
 */
function codecModules(id, codec) {
  return {
    name: "msgpack-wasm",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^msgpack-wasm:/ }, ({ path }) => ({ path, namespace: "msgpack-wasm" }));
      onLoad({ filter: /:codec\.wasm$/, namespace: "msgpack-wasm" }, () => ({
        contents: `${codec}\nexport const id = "${id}";\n`,
        resolveDir: path.join(root, "js/wasm"),
      }));
      onLoad({ filter: /:makers$/, namespace: "msgpack-wasm" }, () => ({
        contents: `export const makers = [${Array(MAKERS).fill(maker)}];`,
      }));
      onLoad({ filter: /:glue$/, namespace: "msgpack-wasm" }, async () => ({
        contents: asFunction(await readFile(path.join(root, "build/wasm/codec.js"), "utf8")),
      }));
    },
  };
}

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

const importedCodec = `
  import codec from "./codec.wasm";
  export default codec;
`;

/**
 * For Node, where what counts is the start: 0.1 ms by `Buffer`, instead of 1.9 ms and more (Node 20, 2026-12).
 *
 * @param {Uint8Array} bytes
 */
function codecAsBase64(bytes) {
  return `
    const text = "${Buffer.from(bytes).toString("base64")}";
    const { Buffer } = globalThis;
    export default Buffer ? Buffer.from(text, "base64") : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  `;
}

/**
 * For browsers, where what counts is the size.
 *
 * @param {Uint8Array} bytes
 */
function packedCodec(bytes) {
  const { text, singles } = packBytes(bytes);
  return `
    import { unpackBytes } from "./packedBytes.ts";
    export default unpackBytes(${JSON.stringify(text)}, "${singles}", ${bytes.length});
  `;
}

/**
 * Adds a custom section that tells one build from another.
 *
 * @param {Uint8Array} module
 */
function withId(module) {
  const id = createHash("sha256").update(module).digest("hex").slice(0, 12);
  const name = "msgpack-wasm";
  const section = Buffer.from(`${String.fromCharCode(name.length)}${name}${id}`, "latin1");
  return { id, bytes: Buffer.concat([module, Uint8Array.of(0, section.length), section]) };
}

/**
 * Emscripten's own wrapper (`-sMODULARIZE`) is asynchronous. Its plain glue runs at once, up to `run()`, which
 * calls the constructors that register the functions: 3.1.69 calls it at the end, 6.0 in a microtask though the
 * instance is there. So it is called here, where it does nothing the second time, and kept from running later. 6.0.5 puts
 * a promise in the place of the exports, which are there, too.
 *
 * @param {string} glue
 */
function asFunction(glue) {
  const synchronous = glue.replace(";wasmExports=createWasm();", ";createWasm();");
  return `export function instantiateGlue(Module) {\n${synchronous}\nrun();\nrun = () => {};\nreturn Module;\n}\n`;
}
