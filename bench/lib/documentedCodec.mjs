import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";

/**
 * The zero-copy codec for `Float32Array` (type 0) that the documentation of `@msgpack/msgpack` shows, read from there.
 * @returns {string} the body of a function of `ExtensionCodec`, the class, that returns the codec
 */
export function documentedCodecSource() {
  const folder = dirname(createRequire(import.meta.url).resolve("@msgpack/msgpack/package.json"));
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```typescript\n([\s\S]*?)^```/gm)].map(([, code]) => code);
  const example = blocks.find((code) => code.includes("EXT_TYPE_FLOAT32ARRAY"));
  if (example === undefined)
    throw new Error("The README of @msgpack/msgpack shows no codec for Float32Array");
  const { code } = transformSync(example, { loader: "ts" });
  return `${code}\nreturn extensionCodec;`;
}

/**
 * @template Codec
 * @param {new () => Codec} ExtensionCodec
 * @returns {Codec}
 */
export function documentedCodec(ExtensionCodec) {
  return new Function("ExtensionCodec", documentedCodecSource())(ExtensionCodec);
}
