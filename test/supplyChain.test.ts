import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const read = (file: string) => readFileSync(path.join(import.meta.dirname, "..", file));

describe("what the package is made of", () => {
  const manifest = JSON.parse(read("package.json").toString());
  const lock = JSON.parse(read("package-lock.json").toString());

  test("needs nothing at run time but what the user has chosen to use it with", () => {
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).not.toHaveProperty("optionalDependencies");
    for (const name of Object.keys(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta[name]).toStrictEqual({ optional: true });
    }
  });

  test("development uses exact versions, and the lock file holds the hash of each package and names no registry", () => {
    for (const version of Object.values(manifest.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(lock.lockfileVersion).toBeGreaterThanOrEqual(3);
    for (const [name, entry] of Object.entries<Record<string, unknown>>(lock.packages)) {
      expect(entry, name).not.toHaveProperty("resolved");
      if (name !== "" && entry.link !== true && entry.inBundle !== true) {
        expect(entry.integrity, name).toMatch(/^sha(512|1)-/);
      }
    }
    expect(read("package-lock.json").toString()).not.toMatch(
      /https?:\/\/(?![^"]*(fund|sponsor|collective))[^"]*\.tgz/,
    );
  });
});

describe("the module", () => {
  const module = new WebAssembly.Module(read("dist/codec.wasm"));
  /** Emscripten shortens the names, and its glue says what they are short for. */
  const glue = read("build/wasm/codec.js").toString();
  const [, list = ""] = /wasmImports\s*=\s*{([^}]*)}/.exec(glue) ?? [];
  const imported = new Map(
    list.split(",").map((pair) => pair.split(":").map((part) => part.trim()) as [string, string]),
  );

  test("is given memory, what makes that grow, and what registers functions; nothing of the host", () => {
    const imports = WebAssembly.Module.imports(module);
    expect(imports.filter(({ kind }) => kind !== "function")).toMatchObject([{ kind: "memory" }]);
    const names = imports.map(({ name }) => imported.get(name) ?? name);
    expect(names.filter((name) => !/^_+embind_register_[a-z0-9_]+$/.test(name)).sort()).toStrictEqual([
      "_emscripten_resize_heap",
      "wasmMemory",
    ]);
  });

  test("has its constructors, free, the stack pointer, and the table of its functions for others to use", () => {
    const exports = WebAssembly.Module.exports(module);
    expect(exports.filter(({ kind }) => kind !== "function")).toMatchObject([{ kind: "table" }]);
    const uses = exports.map(({ name }) => {
      // From Emscripten 6 on, the glue calls the constructors without giving them a name.
      if (glue.includes(`initRuntime(){runtimeInitialized=true;wasmExports["${name}"]()`))
        return "wasm_call_ctors";
      const named = new RegExp(`(\\w+)\\s*=\\s*(?:Module\\["\\w+"\\]\\s*=\\s*)?wasmExports\\["${name}"\\]`);
      return named.exec(glue)?.[1];
    });
    expect(uses.map((name) => name?.replace(/^_+/, "")).sort()).toStrictEqual([
      "emscripten_stack_get_current",
      "emscripten_stack_restore",
      "free",
      "wasmTable",
      "wasm_call_ctors",
    ]);
  });

  test("tells its build by a custom section, and has no other", () => {
    expect(WebAssembly.Module.customSections(module, "msgpack-wasm")).toHaveLength(1);
    for (const name of ["name", "producers", "sourceMappingURL", ".debug_info"]) {
      expect(WebAssembly.Module.customSections(module, name), name).toHaveLength(0);
    }
  });
});
