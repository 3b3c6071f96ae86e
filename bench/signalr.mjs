// Measures SignalR's hub protocol and backplane: nanoseconds and bytes an operation, each row in processes of its own.
// node bench/signalr.mjs [PATTERN]

import { execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { measure } from "./lib/measure.mjs";
import { signalrRows } from "./signalr/rows.mjs";

/** So large a young generation that nothing is collected: what lies on the heap afterwards was allocated. */
const allocationFlags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256"];
const WARM_UP = 20_000;
const MAX_OPERATIONS = 1000;
/** Buffers outside V8's heap make it collect when they are many. */
const MAX_BYTES = 8 * 2 ** 20;
const ROUNDS = 7;

/** @param {() => unknown} run */
async function allocationOf(run) {
  for (let i = 0; i < WARM_UP; i++) run();
  const single = await allocate(run, 1);
  const operations = Math.max(1, Math.min(MAX_OPERATIONS, Math.floor(MAX_BYTES / Math.max(1, single))));
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(await allocate(run, operations));
  const own = await allocate(run, 0);
  return Math.max(0, Math.round((samples.sort((a, b) => a - b)[ROUNDS >> 1] - own) / operations));
}

/** @type {unknown} */
export let sink;

/** @param {() => unknown} run @param {number} operations */
async function allocate(run, operations) {
  // Array buffers are freed in the background, and counted as gone only then: the second collection waits for it.
  for (let i = 0; i < 2; i++) {
    /** @type {() => void} */ (globalThis.gc)();
    await setTimeout(5);
  }
  const before = process.memoryUsage();
  for (let i = 0; i < operations; i++) sink = run();
  const after = process.memoryUsage();
  return after.heapUsed - before.heapUsed + after.external - before.external;
}

const [mode, pattern = ""] = process.argv[2] === "--row" ? process.argv.slice(3) : ["", process.argv[2]];

if (mode !== "") {
  const { candidates } = /** @type {import("./signalr/rows.mjs").Row} */ (
    signalrRows().find(({ group, name }) => `${group}: ${name}` === pattern)
  );
  if (mode === "time") {
    console.log(JSON.stringify(measure(candidates, { rounds: 60, sampleMs: 5 })));
  } else {
    /** @type {Record<string, number>} */
    const bytes = {};
    for (const [name, run] of Object.entries(candidates)) bytes[name] = await allocationOf(run);
    console.log(JSON.stringify(bytes));
  }
} else {
  /** @param {string} mode @param {string} row @param {string[]} flags @returns {Record<string, number>} */
  const inChild = (mode, row, flags) => {
    const script = fileURLToPath(import.meta.url);
    return JSON.parse(
      execFileSync(process.execPath, [...flags, script, "--row", mode, row], { encoding: "utf8" }),
    );
  };
  const rows = signalrRows().map(({ group, name }) => `${group}: ${name}`);
  for (const row of rows.filter((row) => row.includes(pattern))) {
    const times = inChild("time", row, []);
    const bytes = inChild("allocation", row, allocationFlags);
    const cells = Object.entries(times).map(([name, time]) => {
      const ratio = name === "ours" ? "" : ` (${(time / times.ours).toFixed(2)}x)`;
      return `${name} ${time.toFixed(0)} ns${ratio}, ${bytes[name]} B`;
    });
    console.log(`${row.padEnd(36)} ${cells.join("; ")}`);
  }
}
