// One small app by five bundlers with their default settings, from the packed tarball, in development and production
// mode where they differ; each is opened in Chromium and used.
// Arguments: names of bundlers.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { cachedPackages } from "../../scripts/lib/cachedPackages.mjs";
import { root, run } from "../../scripts/lib/command.mjs";
import { browsers } from "./lib/browsers.mjs";
import { installPacked } from "./lib/installed.mjs";

const folder = await cachedPackages("bundlers", {
  webpack: "5.113.0",
  "webpack-cli": "7.3.1",
  rollup: "4.68.8",
  // Rollup finds no packages without it.
  "@rollup/plugin-node-resolve": "16.0.3",
  parcel: "2.16.4",
});
const consumer = await installPacked();
const own = path.join(root, "node_modules/.bin");
const cached = path.join(folder, ".bin");
const nodeResolve = path.join(folder, "@rollup/plugin-node-resolve/dist/es/index.js");

/** It reports to whoever serves it. */
const app = `
  import { decode, encode, TypedArrayCodec } from "msgpack-wasm";

  const extensionCodec = new TypedArrayCodec();
  const value = { text: "né ".repeat(500), samples: Float32Array.of(0.5, 1.5), list: [1, -2, 3.5, null, true] };
  const back = decode(encode(value, { extensionCodec }), { extensionCodec });
  const isSame = back.text === value.text && back.samples[1] === 1.5 && back.list.join() === value.list.join();
  fetch("http://127.0.0.1:" + new URLSearchParams(location.search).get("to") + "/", {
    method: "POST",
    mode: "no-cors",
    body: isSame ? "works" : JSON.stringify(back),
  });
`;
/** Who wants nothing but the timestamp gets no codec. */
const small = `
  import { encodeTimeSpecToTimestamp } from "msgpack-wasm";
  console.log(encodeTimeSpecToTimestamp({ sec: 1, nsec: 0 }).join());
`;
const page = (/** @type {string} */ script) =>
  `<!doctype html><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;

/**
 * By the names of the bundlers, what makes `dist/` of `main.js`, or of `index.html` where that is what it wants.
 *
 * @type {Record<string, string[]>}
 */
const builds = {
  "Vite, production": [`${own}/vite`, "build", "--logLevel", "error"],
  "webpack, development": [`${cached}/webpack`, "--mode", "development", "--entry", "./main.js"],
  "webpack, production": [`${cached}/webpack`, "--mode", "production", "--entry", "./main.js"],
  Rollup: [`${cached}/rollup`, "-i", "main.js", "-d", "dist", "-p", nodeResolve, "--silent"],
  "esbuild, development": [`${own}/esbuild`, "main.js", "--outdir=dist", "--bundle", "--log-level=error"],
  "esbuild, production": [
    `${own}/esbuild`,
    "main.js",
    "--outdir=dist",
    "--bundle",
    "--minify",
    "--log-level=error",
  ],
  "Parcel, production": [`${cached}/parcel`, "build", "index.html", "--log-level", "error"],
};

/** Those that serve the page themselves for development, at the port given. @type {Record<string, (port: number) => string[]>} */
const servers = {
  "Vite, development": (port) => [`${own}/vite`, "--host", "127.0.0.1", "--port", `${port}`, "--strictPort"],
  "Parcel, development": (port) => [`${cached}/parcel`, "serve", "index.html", "--port", `${port}`],
};

/** @param {string} name */
async function makeApp(name) {
  const at = path.join(consumer, name.replace(/\W+/g, "-"));
  await mkdir(at);
  await writeFile(path.join(at, "package.json"), `{ "private": true, "type": "module" }\n`);
  await writeFile(path.join(at, "main.js"), app);
  await writeFile(path.join(at, "index.html"), page("./main.js"));
  return at;
}

/** Takes what the apps say. @type {(what: string) => void} */
let receive = () => {};
/** The app that is served, a folder. */
let served = "";
const types = { ".html": "text/html", ".js": "text/javascript" };
const server = createServer(async (request, response) => {
  if (request.method === "POST") {
    receive(await text(request));
    response.end();
    return;
  }
  const { pathname } = new URL(request.url ?? "", "http://localhost");
  const file = path.join(served, pathname === "/" ? "index.html" : pathname);
  response.setHeader("Content-Type", Reflect.get(types, path.extname(file)) ?? "application/octet-stream");
  createReadStream(file)
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());

/**
 * @param {string} name
 * @param {string} origin
 */
async function open(name, origin) {
  /** @type {Promise<string>} */
  const isDone = new Promise((resolve) => {
    receive = resolve;
  });
  const messages = await browsers.Chromium(`${origin}/?to=${port}`, isDone);
  const problems = [
    (await isDone) === "works" ? "" : `it said ${await isDone}`,
    ...messages.filter(isProblem),
  ];
  report(name, problems.filter(Boolean));
}

/** Development servers say hello. @param {string} message */
function isProblem(message) {
  return !/^(debug|info|log|verbose): /.test(message);
}

/**
 * @param {string} name
 * @param {string[]} problems
 */
function report(name, problems) {
  console.log(`${name}: ${problems.length === 0 ? "works" : "FAIL"}`);
  for (const problem of problems) console.log(`  FAIL ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

const wanted = process.argv.slice(2);
/** @param {string} name */
const isWanted = (name) => wanted.length === 0 || wanted.some((part) => name.startsWith(part));

for (const [name, [command, ...options]] of Object.entries(builds)) {
  if (!isWanted(name)) continue;
  const at = await makeApp(name);
  await run(command, options, { quiet: true, cwd: at });
  served = path.join(at, "dist");
  // Of the others, what they make is a script.
  if (!/^(Vite|Parcel)/.test(name)) {
    const [script] = (await readdir(served)).filter((file) => file.endsWith("main.js"));
    await writeFile(path.join(served, "index.html"), page(script));
  }
  await open(name, `http://127.0.0.1:${port}`);

  await writeFile(path.join(at, "main.js"), small);
  if (/development/.test(name)) continue;
  await rm(served, { recursive: true });
  await run(command, options, { quiet: true, cwd: at });
  const codes = await Promise.all(
    (await readdir(served, { recursive: true, encoding: "utf8" }))
      .filter((file) => file.endsWith(".js"))
      .map((file) => readFile(path.join(served, file), "utf8")),
  );
  const code = codes.join("");
  const problems = code.includes("WebAssembly") ? [`the timestamp alone brings ${code.length} bytes`] : [];
  report(`${name}, the timestamp alone (${code.length} bytes)`, problems);
}

for (const [name, commandFor] of Object.entries(servers)) {
  if (!isWanted(name)) continue;
  const at = await makeApp(name);
  const ownPort = await freePort();
  const [command, ...options] = commandFor(ownPort);
  const child = spawn(command, options, { cwd: at, stdio: "ignore" });
  const origin = `http://127.0.0.1:${ownPort}`;
  try {
    while (
      !(await fetch(origin).then(
        (response) => response.ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
      await sleep(100);
    }
    await open(name, origin);
  } finally {
    child.kill();
  }
}
server.close();

/** @returns {Promise<number>} */
async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
