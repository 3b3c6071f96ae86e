import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { build } from "esbuild";
import { documentedCodecSource } from "../../../bench/lib/documentedCodec.mjs";
import { realDocuments } from "../../../bench/lib/documents.mjs";
import { root } from "../../../scripts/lib/command.mjs";
import { filesForNode } from "../suite/needsNode.mjs";

const suite = path.join(root, "test/hosts/suite");

/**
 * Makes one module of the tests that run in any host, with `runTests` as its export (see `suite/run.ts`). The package
 * and its build for tests are left outside: they are imported by the given names.
 *
 * @param {string} folder where `suite.js` goes, and what it imports
 * @param {{ package: string, testing: string }} names
 */
export async function bundleSuite(folder, names) {
  await build({
    entryPoints: [path.join(suite, "run.ts")],
    outdir: folder,
    entryNames: "suite",
    // A file of its own for each file of tests: some look for its name in the stack of an error.
    splitting: true,
    chunkNames: "[name]-[hash]",
    keepNames: true,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    sourcemap: false,
    logLevel: "error",
    inject: [path.join(suite, "globals.ts")],
    loader: { ".json": "json" },
    define: { FUZZ_SEED: process.env.FUZZ_SEED ?? "1" },
    tsconfigRaw: "{}",
    plugins: [inAnyHost(names)],
  });
}

/**
 * @param {{ package: string, testing: string }} names
 * @returns {import("esbuild").Plugin}
 */
function inAnyHost(names) {
  /** @type {Record<string, string>} */
  const replaced = {
    vitest: "vitest.ts",
    "fast-check": "fastCheck.ts",
    "node:assert/strict": "assert.ts",
    "node:util": "assert.ts",
    "node:fs": "files.ts",
    "node:module": "files.ts",
    "node:path": "files.ts",
  };
  return {
    name: "any-host",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^msgpack-wasm$/ }, () => ({ path: names.package, external: true }));
      onResolve({ filter: /^msgpack-wasm\/testing$/ }, () => ({ path: names.testing, external: true }));
      onResolve(
        { filter: /^(vitest|fast-check|node:(assert\/strict|util|fs|module|path))$/ },
        ({ path: name }) => ({
          path: path.join(suite, replaced[name]),
        }),
      );
      onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, namespace: "node" }));
      onLoad({ filter: /.*/, namespace: "node" }, ({ path: name }) => ({ contents: ofNode(name) }));
      onResolve({ filter: /^msgpack-wasm-tests$/ }, ({ path: name }) => ({ path: name, namespace: "tests" }));
      onLoad({ filter: /.*/, namespace: "tests" }, async () => ({
        contents: await listOfTests(),
        resolveDir: suite,
      }));
      onLoad({ filter: /test\/lib\/rounds\.ts$/ }, async () => ({
        contents: await readFile(path.join(suite, "rounds.ts"), "utf8"),
        loader: "ts",
      }));
      onLoad({ filter: /bench\/lib\/documentedCodec\.mjs$/ }, () => ({
        contents: `export function documentedCodec(ExtensionCodec) { ${documentedCodecSource()} }`,
      }));
      onResolve({ filter: /^msgpack-wasm-documents$/ }, ({ path: name }) => ({
        path: name,
        namespace: "documents",
      }));
      onLoad({ filter: /.*/, namespace: "documents" }, () => ({ contents: textsOfDocuments() }));
    },
  };
}

/**
 * A module of Node where there is none: whatever is used of it throws.
 *
 * @param {string} name
 */
function ofNode(name) {
  return `
    const missing = (what) => new Proxy(function () {}, {
      get: (_, key) => (typeof key === "symbol" ? undefined : missing(what + "." + key)),
      apply() { throw new Error("Node alone has " + what); },
      construct() { throw new Error("Node alone has " + what); },
    });
    module.exports = new Proxy({}, { get: (_, key) => key === "__esModule" ? false : missing("${name} " + String(key)) });
  `;
}

async function listOfTests() {
  const names = (await readdir(path.join(root, "test"))).filter((name) => name.endsWith(".test.ts"));
  const unknown = Object.keys(filesForNode).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`needsNode.ts names files that are not there: ${unknown.join(", ")}`);
  const entries = names
    .filter((name) => filesForNode[name] === undefined)
    .map((name) => `${JSON.stringify(name)}: () => import(${JSON.stringify(path.join(root, "test", name))})`);
  return `export const files = { ${entries.join(", ")} };`;
}

/** The files that tests read: the real documents. */
function textsOfDocuments() {
  const texts = realDocuments().map(({ name, value }) => [`${name}.json`, JSON.stringify(value)]);
  return `export const texts = ${JSON.stringify(Object.fromEntries(texts))};`;
}
