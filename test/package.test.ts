import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const folder = mkdtempSync(path.join(tmpdir(), "msgpack-wasm-package-"));
const consumer = path.join(folder, "consumer");
afterAll(() => rmSync(folder, { recursive: true }));

const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root));
mkdirSync(consumer);
writeFileSync(path.join(consumer, "package.json"), `{ "private": true }`);
run("npm", ["install", "--offline", path.join(folder, packed.filename)]);

test("the tarball holds what is published, and nothing else", () => {
  // What the entry points share has names made of its content.
  const files = packed.files
    .map((file: { path: string }) => file.path.replace(/-[0-9A-Z]{8}\./, "-*."))
    .sort();
  expect(files).toEqual([
    "LICENSE",
    "README.md",
    "dist/browser/chunk-*.js",
    "dist/browser/chunk-*.js",
    "dist/browser/chunk-*.js.map",
    "dist/browser/chunk-*.js.map",
    "dist/browser/index.js",
    "dist/browser/index.js.map",
    "dist/chunk-*.js",
    "dist/chunk-*.js",
    "dist/chunk-*.js.map",
    "dist/chunk-*.js.map",
    "dist/codec.wasm",
    "dist/index.cjs",
    "dist/index.cjs.map",
    "dist/index.d.cts",
    "dist/index.d.ts",
    "dist/index.js",
    "dist/index.js.map",
    "dist/workerd.js",
    "dist/workerd.js.map",
    "package.json",
  ]);
});

test("publint has nothing to say about it", async () => {
  const { messages } = await publint({
    pkgDir: path.join(consumer, "node_modules/msgpack-wasm"),
    pack: false,
  });
  expect(messages).toEqual([]);
});

test("arethetypeswrong finds nothing wrong, however it is resolved", async () => {
  const tarball = new Uint8Array(readFileSync(path.join(folder, packed.filename)));
  // The module is a file to find; it has no types.
  const options = { excludeEntrypoints: ["./codec.wasm"] };
  const analysis = await checkPackage(createPackageFromTarballData(tarball), options);
  expect(analysis).toMatchObject({ packageName: "msgpack-wasm", types: { kind: "included" }, problems: [] });
});

test("nothing runs when it is installed, and nothing else is needed to run it", () => {
  const manifest = JSON.parse(
    readFileSync(path.join(consumer, "node_modules/msgpack-wasm/package.json"), "utf8"),
  );
  expect(manifest).not.toHaveProperty("dependencies");
  for (const script of ["preinstall", "install", "postinstall"])
    expect(manifest.scripts).not.toHaveProperty(script);
  expect(manifest).toMatchObject({ sideEffects: false, engines: { node: ">=20" } });
});

describe("installed in an empty folder, it works right after loading", () => {
  const use = `
    const bytes = encode({ text: "h\\u00e9", list: [1, 2.5, null, true] });
    console.log(Buffer.from(bytes).toString("hex"), JSON.stringify(decode(bytes)));
  `;
  const expected = `82a474657874a368c3a9a46c6973749401cb4004000000000000c0c3 {"text":"hé","list":[1,2.5,null,true]}\n`;

  test("by import", () => {
    writeFileSync(path.join(consumer, "use.mjs"), `import { decode, encode } from "msgpack-wasm"; ${use}`);
    expect(run("node", ["use.mjs"])).toBe(expected);
  });

  test("by require", () => {
    writeFileSync(
      path.join(consumer, "use.cjs"),
      `const { decode, encode } = require("msgpack-wasm"); ${use}`,
    );
    expect(run("node", ["use.cjs"])).toBe(expected);
  });

  test("and its module is found by its name", () => {
    const compile = `
      const file = fs.readFileSync(require.resolve("msgpack-wasm/codec.wasm"));
      console.log(new WebAssembly.Module(file) instanceof WebAssembly.Module);
    `;
    expect(run("node", ["-e", compile])).toBe("true\n");
  });
});

test("its types need no other file, and none is any", () => {
  const types = readFileSync(path.join(consumer, "node_modules/msgpack-wasm/dist/index.d.ts"), "utf8");
  const code = types.replace(/\/\*[\s\S]*?\*\//g, "");
  expect(code.match(/\b(any|import|from|reference)\b/g)).toBeNull();
});

describe("its types are found", { timeout: 60_000 }, () => {
  // A type of `any`, as of a module without types, would accept the number.
  const use = `
    import { decode, encode } from "msgpack-wasm";
    export const bytes: Uint8Array = encode([1]);
    export const value: unknown = decode(bytes);
    // @ts-expect-error
    export const wrong: number = encode([1]);
  `;

  test.each([
    ["by import, as Node resolves", "node16.mts", ["--module", "node16"]],
    ["by require, as Node resolves", "node16.cts", ["--module", "node16"]],
    ["as bundlers resolve", "bundler.ts", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ])("%s", (_, file, options) => {
    writeFileSync(path.join(consumer, file), use);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    expect(run("node", [tsc, "--noEmit", "--strict", "--target", "es2022", ...options, file])).toBe("");
  });
});

/** Runs a command and gives what it prints; an error shows what it printed. */
function run(command: string, args: string[], cwd = consumer): string {
  return execFileSync(command, args, { cwd, encoding: "utf8" });
}
