// The whole suite in Debian's browsers: in a page and in a worker, over a Content-Security-Policy, with a clean console.
// Arguments: names of browsers, and after `--` a pattern of names of test files.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { root } from "../../scripts/lib/command.mjs";
import { browsers } from "./lib/browsers.mjs";
import { bundleSuite } from "./lib/bundleSuite.mjs";
import { installPacked } from "./lib/installed.mjs";

const end = process.argv.indexOf("--");
const wanted = process.argv.slice(2, end === -1 ? undefined : end);
const pattern = end === -1 ? undefined : process.argv[end + 1];

const consumer = await installPacked();
const suite = path.join(consumer, "suite");
await bundleSuite(suite, { package: "../package/index.js", testing: "../testing/testing.js" });

const dist = path.join(consumer, "node_modules/msgpack-wasm/dist");

/**
 * Where what is served lies. Pages have the build for browsers, which bundlers take for them, workers the one for all
 * hosts, which whoever uses no bundler may take.
 *
 * @type {Record<string, string>}
 */
const folders = {
  "page/package": path.join(dist, "browser"),
  "worker/package": dist,
  "page/suite": suite,
  "worker/suite": suite,
  "page/testing": path.join(root, "build"),
  "worker/testing": path.join(root, "build"),
};

/** Scripts come from files alone: the policy allows no others. @type {Record<string, [type: string, content: string]>} */
const pages = {
  "/page": ["text/html", page("/page/run.js")],
  "/worker": ["text/html", page("/worker.js")],
  "/worker.js": ["text/javascript", `new Worker("/worker/run.js" + location.search, { type: "module" });`],
};
pages["/page/run.js"] = pages["/worker/run.js"] = [
  "text/javascript",
  `
      const query = new URLSearchParams(location.search);
      const refused = [];
      addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
        refused.push(blockedURI + " by " + violatedDirective);
      });
      const run = async () => {
        const { decode, encode, init, ready } = await import("./package/index.js");
        const worksAtOnce = decode(encode("x".repeat(1000))).length === 1000;
        await Promise.all([ready, init()]);
        const { runTests } = await import("./suite/suite.js");
        return { worksAtOnce, ...(await runTests(${JSON.stringify(pattern)}, +query.get("part"), +query.get("parts"))), refused };
      };
      const report = (results) => fetch("/results" + location.search, { method: "POST", body: JSON.stringify(results) });
      run().then(report, (error) => report({ failures: [String(error.stack)] }));
  `,
];

/** @param {string} script */
function page(script) {
  return `<!doctype html><meta charset="utf-8"><title>Tests</title><script type="module" src="${script}"></script>`;
}

/** @type {Record<string, string>} */
const types = { ".js": "text/javascript", ".wasm": "application/wasm" };

/** What waits for results, by the number of the visit. @type {((results: Record<string, any>) => void)[]} */
const waiting = [];

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  const [, place, folder, name] = pathname.split("/");
  response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
  // Without these, pages have no SharedArrayBuffer.
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
  if (pathname === "/results") {
    const results = JSON.parse(await text(request));
    response.end();
    waiting[Number(searchParams.get("visit"))](results);
  } else if (pathname === "/favicon.ico") {
    response.writeHead(204).end();
  } else if (pages[pathname] !== undefined) {
    const [type, content] = pages[pathname];
    response.setHeader("Content-Type", type).end(content);
  } else {
    const file = path.join(folders[`${place}/${folder}`] ?? consumer, path.basename(name ?? ""));
    response.setHeader("Content-Type", types[path.extname(file)] ?? "application/octet-stream");
    createReadStream(file)
      .on("error", () => response.writeHead(404).end())
      .pipe(response);
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());

/** Ten times what the slowest browser takes. A hanging one must not hold up the rest for ever. */
const LIMIT_MINUTES = 8;

/**
 * How many times a browser begins anew, each time with a part of the tests. WebKit gives memory back in so small pieces
 * that the kernel may come to refuse it more (`vm.max_map_count`): then it says that it is out of memory.
 *
 * @type {Record<string, number>}
 */
const parts = { WebKit: 4 };

/**
 * @param {string} name
 * @param {"page" | "worker"} place
 */
async function runIn(name, place) {
  const start = performance.now();
  const all = {
    passed: 0,
    skipped: 0,
    problems: /** @type {string[]} */ ([]),
    slowest: /** @type {string[]} */ ([]),
  };
  const count = parts[name] ?? 1;
  for (let part = 0; part < count; part++) {
    const { messages, results } = await visit(name, place, `part=${part}&parts=${count}`);
    const { passed = 0, skipped = 0, worksAtOnce, refused = [], failures, slowest = [] } = results;
    all.passed += passed;
    all.skipped += skipped;
    all.slowest.push(...slowest);
    all.problems.push(
      ...failures,
      ...refused.map((/** @type {string} */ what) => `refused by the policy: ${what}`),
      ...messages.map((message) => `console: ${message}`),
      ...(worksAtOnce === true ? [] : ["it did not work at once"]),
    );
  }
  const { passed, skipped, problems } = all;
  if (passed === 0) problems.push("no test passed");
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(
    `${name}, ${place}: ${passed} passed, ${problems.length} failed, ${skipped} for Node alone (${seconds} s)`,
  );
  for (const problem of problems) console.log(`  FAIL ${problem}`);
  if (process.env.SLOWEST !== undefined) console.log(all.slowest.join("\n"));
  if (problems.length > 0) process.exitCode = 1;
}

/**
 * @param {string} name
 * @param {string} place
 * @param {string} query
 */
async function visit(name, place, query) {
  const number = waiting.length;
  /** @type {Promise<Record<string, any>>} */
  const isDone = new Promise((resolve) => waiting.push(resolve));
  const limit = setTimeout(() => {
    console.error(`${name}, ${place}: no results after ${LIMIT_MINUTES} minutes`);
    process.exit(1);
  }, LIMIT_MINUTES * 60_000);
  const messages = await browsers[name](`http://127.0.0.1:${port}/${place}?visit=${number}&${query}`, isDone);
  clearTimeout(limit);
  return { messages, results: await isDone };
}

const names = Object.keys(browsers).filter((name) => wanted.length === 0 || wanted.includes(name));
for (const name of names) await Promise.all([runIn(name, "page"), runIn(name, "worker")]);
server.close();
