import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");

/** All that the core may take from the standard library: nothing that throws, does input or output, or has state. */
const standardHeaders =
  /^<(algorithm|array|bit|cassert|climits|cmath|concepts|cstddef|cstdint|cstdlib|cstring|functional|iterator|limits|memory|new|numeric|optional|span|string_view|tuple|type_traits|utility|variant|vector)>$/;

describe("the core (cpp/)", () => {
  const core = sources("cpp", /\.[ch]pp$/);

  test("includes standard headers and its own alone, and SIMD in one place", () => {
    const own = core.map(({ file }) => `"${path.basename(file)}"`);
    const simd = /#ifdef __wasm_simd128__\s+#include <wasm_simd128.h>/;
    const foreign = core.flatMap(({ file, code }) => {
      const checked = file === "cpp/simd.hpp" ? code.replace(simd, "") : code;
      const headers = matches(checked, /#include\s+(\S+)/g);
      return headers
        .filter((header) => !standardHeaders.test(header) && !own.includes(header))
        .map(within(file));
    });
    expect(foreign).toEqual([]);
  });

  test("has no exceptions, no RTTI, nothing of Emscripten", () => {
    const words = /\b(throw|try|catch|typeid|dynamic_cast|emscripten\w*|__EMSCRIPTEN__|EM_(?:ASM|JS)\w*)\b/g;
    expect(core.flatMap(({ file, code }) => matches(code, words).map(within(file)))).toEqual([]);
  });
});

describe("the JavaScript side (js/)", () => {
  const scripts = sources("js", /(?<!\.d)\.ts$/);
  const isInner = ({ file }: Source) => file.startsWith("js/wasm/");

  test("leaves the module to js/wasm/", () => {
    const outer = scripts.filter((source) => !isInner(source));
    const module = /("msgpack-wasm:(?:glue|codec\.wasm)"|\bWebAssembly\.\w+)/g;
    expect(outer.flatMap(({ file, code }) => matches(code, module).map(within(file)))).toEqual([]);
  });

  test("gives js/wasm/ its plain constants and nothing else", () => {
    const foreign = scripts.filter(isInner).flatMap(({ file, code }) => {
      const modules = matches(code, /\b(?:from|import)\s*\(?\s*"([^"]+)"/g);
      return modules.filter((name) => /^\.\.\/(?!(tape|status)\.ts$)/.test(name)).map(within(file));
    });
    expect(foreign).toEqual([]);
  });
});

interface Source {
  /** Relative to the top of the checkout. */
  file: string;
  /** The text without its comments. */
  code: string;
}

function sources(folder: string, pattern: RegExp): Source[] {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => pattern.test(name)).map((name) => `${folder}/${name}`);
  return files.map((file) => ({ file, code: withoutComments(readFileSync(path.join(root, file), "utf8")) }));
}

/** Strings are kept, and may hold what looks like a comment. */
function withoutComments(text: string): string {
  const stringOrComment = /("(?:[^"\\\n]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g;
  return text.replace(stringOrComment, (_, string: string | undefined) => string ?? "");
}

/** What the first group matches, each time. */
function matches(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].map(([, group]) => group);
}

function within(file: string): (found: string) => string {
  return (found) => `${file}: ${found}`;
}
