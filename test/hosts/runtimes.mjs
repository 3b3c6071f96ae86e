// The suite's core in Node 20 to 26, Deno, Bun and workerd, from the packed tarball.
// Arguments: names of runtimes ("Node 22", "Deno").
import { execFile, spawn } from "node:child_process";
import { copyFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { build } from "esbuild";
import { root } from "../../scripts/lib/command.mjs";
import { bundleSuite } from "./lib/bundleSuite.mjs";
import { installPacked } from "./lib/installed.mjs";
import { setUpRuntimes } from "./lib/runtimes.mjs";

/** Of the suite: what depends on the host, and on what it does at import. Random and long tests are left to browsers. */
const CORE =
  "^(additions|badInput|badKeys|buffers|extensions|objects|options|small|streams|typedArrays|vectors)\\.";

const { runtimes, workerd } = await setUpRuntimes();
const consumer = await installPacked();
const names = { package: "msgpack-wasm", testing: path.join(root, "build/testing.js") };
await bundleSuite(path.join(consumer, "suite"), names);

/** @param {string} name */
const fileOf = (name) => path.join(consumer, name);

// How it is loaded: each prints what the last one of the others prints.
const use = `console.log(JSON.stringify(decode(encode({ a: ["é", 1.5, null] }))));`;
const printed = `{"a":["é",1.5,null]}\n`;
await writeFile(fileOf("import.mjs"), `import { decode, encode } from "msgpack-wasm"; ${use}`);
await writeFile(fileOf("require.cjs"), `const { decode, encode } = require("msgpack-wasm"); ${use}`);
await writeFile(fileOf("library.mjs"), `export { decode, encode } from "msgpack-wasm";`);
await writeFile(fileOf("requireEsm.cjs"), `const { decode, encode } = require("./library.mjs"); ${use}`);
await writeFile(
  fileOf("thread.mjs"),
  `import { Worker } from "node:worker_threads"; new Worker(new URL("./import.mjs", import.meta.url));`,
);
await writeFile(
  fileOf("run.mjs"),
  `
    const { runTests } = await import("./suite/suite.js");
    const { passed, skipped, failures } = await runTests(${JSON.stringify(CORE)});
    console.log(JSON.stringify({ passed, skipped, failures }));
  `,
);

/**
 * @param {string} name
 * @param {readonly string[]} command
 */
async function runIn(name, [file, ...options]) {
  /** @param {string} program */
  const outputOf = async (program) => {
    const { stdout } = await promisify(execFile)(file, [...options, fileOf(program)], {
      cwd: consumer,
      maxBuffer: 1e9,
    });
    return stdout;
  };
  const ways = ["import.mjs", "require.cjs", "thread.mjs"];
  // Node has it from 22.12 on.
  if (name !== "Node 20") ways.push("requireEsm.cjs");
  /** @type {string[]} */
  const failures = [];
  for (const way of ways) {
    const output = await outputOf(way).catch((error) => String(error));
    if (output !== printed) failures.push(`${way}: ${output}`);
  }
  const results = JSON.parse((await outputOf("run.mjs")).trim().split("\n").at(-1) ?? "");
  report(name, results.passed, [...failures, ...results.failures], `and by ${ways.join(", ")}`);
}

/**
 * @param {string} name
 * @param {number} passed
 * @param {string[]} failures
 * @param {string} what
 */
function report(name, passed, failures, what) {
  const problems = passed > 0 ? failures : ["no test passed", ...failures];
  console.log(`${name}: ${passed} passed, ${problems.length} failed, ${what}`);
  for (const problem of problems) console.log(`  FAIL ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/**
 * Cloudflare's runtime, as its own tools use it: the code is one bundle, for the condition `workerd`, and `codec.wasm` a
 * module that the runtime compiles itself. The compatibility date is one from before there were finalizers.
 */
async function runInWorkerd() {
  await writeFile(
    fileOf("worker.mjs"),
    `
      import { decode, encode, init, ready } from "msgpack-wasm";
      import { runTests } from "./suite/suite.js";
      await ready;
      await init();
      if (decode(encode("x".repeat(1000))).length !== 1000) throw new Error("It does not work at once");
      export default {
        async fetch() {
          const { passed, skipped, failures } = await runTests(${JSON.stringify(CORE)});
          return Response.json({ passed, skipped, failures });
        },
      };
    `,
  );
  await build({
    absWorkingDir: consumer,
    entryPoints: ["worker.mjs"],
    outdir: "worker",
    bundle: true,
    // A file of its own for each file of tests, as elsewhere.
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["*.wasm", "node:*"],
    logLevel: "error",
  });
  const files = (await readdir(fileOf("worker"))).filter((name) => name.endsWith(".js"));
  await copyFile(fileOf("node_modules/msgpack-wasm/dist/codec.wasm"), fileOf("worker/codec.wasm"));
  await writeFile(
    fileOf("worker/config.capnp"),
    `
      using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [(name = "main", worker = .worker)],
        sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
      );
      const worker :Workerd.Worker = (
        modules = [
          (name = "worker.js", esModule = embed "worker.js"),
          ${files
            .filter((name) => name !== "worker.js")
            .map((name) => `(name = "${name}", esModule = embed "${name}"),`)
            .join("\n")}
          (name = "codec.wasm", wasm = embed "codec.wasm"),
        ],
        compatibilityDate = "2024-09-23",
      );
    `,
  );
  const server = spawn(workerd, ["serve", "--control-fd=1", fileOf("worker/config.capnp")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const { port } = await new Promise((resolve, reject) => {
      server.stdout.on("data", (line) => {
        const event = JSON.parse(line);
        if (event.event === "listen") resolve(event);
      });
      server.on("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
    });
    const { passed, failures } = await (await fetch(`http://127.0.0.1:${port}/`)).json();
    report("workerd", passed, failures, "with the module that it has compiled");
  } finally {
    server.removeAllListeners("exit");
    server.kill();
  }
}

const wanted = process.argv.slice(2);
/** @param {string} name */
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
for (const [name, command] of Object.entries(runtimes)) {
  if (isWanted(name)) await runIn(name, command);
}
if (isWanted("workerd")) await runInWorkerd();
