import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { peers } from "./peers.mjs";

/** @typedef {{ library: string, minified: number, gzipped: number }} Download bytes */

/**
 * What a web app downloads of each library: bundled and minified by esbuild, compressed by gzip.
 * @returns {Promise<Download[]>}
 */
export async function measureDownloads() {
  const downloads = [];
  for (const { library, download } of peers) {
    if (download === undefined) continue;
    const { outputFiles } = await build({
      stdin: { contents: download, resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      write: false,
      logLevel: "error",
    });
    const [{ contents }] = outputFiles;
    downloads.push({ library, minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length });
  }
  return downloads;
}
