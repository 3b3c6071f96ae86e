import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { build } from "./lib/build.mjs";
import { Failure, main, root } from "./lib/command.mjs";

/** What is recorded, in bytes; a larger figure is written down with `npm run size -- --record`. */
const record = path.join(root, "bench/size.json");
const ALLOWED_GROWTH = 1.02;

await main(async () => {
  await build();
  const sizes = await measure();
  const recorded = JSON.parse(await readFile(record, "utf8"));
  console.log(`${"bytes, of an app that uses".padEnd(30)}${columns("minified", "gzip", "recorded")}`);
  for (const [name, { minified, gzip }] of Object.entries(sizes)) {
    console.log(`${name.padEnd(30)}${columns(minified, gzip, recorded[name] ?? "-")}`);
  }
  const gzipped = Object.fromEntries(Object.entries(sizes).map(([name, { gzip }]) => [name, gzip]));
  if (process.argv.includes("--record")) {
    await writeFile(record, `${JSON.stringify(gzipped, null, 2)}\n`);
    return;
  }
  const grown = Object.keys(gzipped).filter((name) => !(gzipped[name] <= recorded[name] * ALLOWED_GROWTH));
  if (grown.length > 0) {
    throw new Failure(`More than 2 % larger than recorded: ${grown.join("; ")} (npm run size -- --record)`);
  }
});

/** @typedef {{ minified: number, gzip: number }} Size */

/** @returns {Promise<Record<string, Size>>} */
async function measure() {
  const both = await app("export { decode, encode } from 'msgpack-wasm'");
  const text = sizeOf(/** @type {RegExpMatchArray} */ (both.match(/"(?:[^"\\]|\\.){10000,}"/))[0]);
  const glue = sizeOf(await readFile(path.join(root, "build/glue.js"), "utf8"));
  const whole = sizeOf(both);
  return {
    "encode and decode": whole,
    "  the module, as text": text,
    "  embind's glue": glue,
    "  the rest": {
      minified: whole.minified - text.minified - glue.minified,
      gzip: whole.gzip - text.gzip - glue.gzip,
    },
    "all exports": sizeOf(await app("export * from 'msgpack-wasm'")),
    "encode alone": sizeOf(await app("export { encode } from 'msgpack-wasm'")),
    "decode alone": sizeOf(await app("export { decode } from 'msgpack-wasm'")),
    "the timestamp helpers alone": sizeOf(
      await app("export { decodeTimestampToTimeSpec } from 'msgpack-wasm'"),
    ),
    "codec.wasm": sizeOf(await readFile(path.join(root, "dist/codec.wasm"))),
  };
}

/**
 * What a bundler makes of an app that does nothing else.
 *
 * @param {string} contents
 */
async function app(contents) {
  // An npm package: there after `build()` alone.
  const esbuild = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    // A package finds itself by its name; not by the sources, which is what tsconfig.json makes of that.
    stdin: { contents, resolveDir: root },
    tsconfigRaw: "{}",
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  return outputFiles[0].text;
}

/**
 * @param {string | Uint8Array} content
 * @returns {Size}
 */
function sizeOf(content) {
  return { minified: Buffer.byteLength(content), gzip: gzipSync(content, { level: 9 }).length };
}

/** @param {(string | number)[]} values */
function columns(...values) {
  return values.map((value) => String(value).padStart(10)).join("");
}
