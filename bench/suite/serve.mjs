import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { documentedCodecSource } from "../lib/documentedCodec.mjs";
import { documentPath } from "../lib/documents.mjs";
import { documentNames } from "./workloads.mjs";

/**
 * Isolated from other origins, a page gets the finest clock that a browser gives: 5 µs in Chromium, 20 µs in Firefox.
 */
const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cache-Control": "no-store",
};

const TYPES = { js: "text/javascript", json: "application/json", html: "text/html; charset=utf-8" };

/** @param {string} name */
function pagePath(name) {
  return fileURLToPath(new URL(`page/${name}`, import.meta.url));
}

/**
 * Builds the page and serves it on this machine.
 * @param {object} [options]
 * @param {number} [options.port] default: any
 * @param {unknown} [options.plan] what the page is to measure for the suite
 * @param {(path: string, body: string) => void} [options.onPost] what the page sends
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serve({ port = 0, plan = {}, onPost = () => {} } = {}) {
  const files = await buildPage();
  files.set("/plan.json", JSON.stringify(plan));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "POST") {
      onPost(pathname, await text(request));
      response.writeHead(204, HEADERS).end();
      return;
    }
    const document = documentNames.find((name) => pathname === `/documents/${name}.json`);
    const content = document ? await readFile(documentPath(document)) : files.get(pathname);
    const type = TYPES[/** @type {keyof typeof TYPES} */ (pathname.split(".").at(-1))] ?? TYPES.html;
    response.writeHead(content === undefined ? 404 : 200, { ...HEADERS, "Content-Type": type }).end(content);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: chosen } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${chosen}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @returns {Promise<Map<string, string | Uint8Array>>} */
async function buildPage() {
  const { outputFiles } = await build({
    entryPoints: { page: pagePath("page.mjs"), worker: pagePath("worker.mjs") },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outdir: "/",
    // Of msgpack5, what it ships for browsers: its sources need Node's modules.
    alias: { msgpack5: "msgpack5/dist/msgpack5.js" },
    define: { global: "globalThis" },
    write: false,
    logLevel: "error",
  });
  return new Map(
    /** @type {[string, string | Uint8Array][]} */ ([
      ["/", await readFile(pagePath("index.html"))],
      ["/documentedCodec.js", documentedCodecSource()],
      ...outputFiles.map(({ path, contents }) => [path, contents]),
    ]),
  );
}
