// Measures calls of a StreamingHub: nanoseconds and bytes an operation, each row in processes of its own.
// node bench/streaminghub.mjs [PATTERN]

import { execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { measure, measureAsync } from "./lib/measure.mjs";
import { candidates, rows } from "./streaminghub/rows.mjs";

/** So large a young generation that nothing is collected: what lies on the heap afterwards was allocated. */
const allocationFlags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256"];
const OPERATIONS = 10_000;
const ROUNDS = 7;
const PROCESSES = 2;

/** @param {() => unknown} run @param {boolean} isAsync */
async function allocationOf(run, isAsync) {
  for (let i = 0; i < 5; i++) await allocate(run, isAsync, OPERATIONS);
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(await allocate(run, isAsync, OPERATIONS));
  return Math.round(samples.sort((a, b) => a - b)[ROUNDS >> 1] / OPERATIONS);
}

/** @type {unknown} */
export let sink;

/** @param {() => unknown} run @param {boolean} isAsync @param {number} operations */
async function allocate(run, isAsync, operations) {
  // Array buffers are freed in the background, and counted as gone only then: the second collection waits for it.
  for (let i = 0; i < 2; i++) {
    /** @type {() => void} */ (globalThis.gc)();
    await setTimeout(5);
  }
  const before = process.memoryUsage();
  if (isAsync) for (let i = 0; i < operations; i++) sink = await run();
  else for (let i = 0; i < operations; i++) sink = run();
  const after = process.memoryUsage();
  return after.heapUsed - before.heapUsed + after.external - before.external;
}

/**
 * In a process of its own, V8 compiles the client for one codec, as in a program that uses it.
 * @param {"time" | "allocation"} mode @param {string} row @param {string} candidate
 * @returns {number}
 */
function inChild(mode, row, candidate) {
  const args = [fileURLToPath(import.meta.url), "--row", mode, row, candidate];
  const flags = mode === "time" ? [] : allocationFlags;
  return Number(execFileSync(process.execPath, [...flags, ...args], { encoding: "utf8" }));
}

/** @param {string} mode @param {string} name @param {string} candidate */
async function measureRow(mode, name, candidate) {
  const row = rows.find((each) => nameOf(each) === name);
  if (row === undefined) throw new Error(`There is no row ${name}`);
  const { open, isAsync } = row;
  const run = open(candidate);
  if (mode === "allocation") return allocationOf(run, isAsync);
  return (await (isAsync ? measureAsync : measure)({ run }, { rounds: 20 })).run;
}

/** @param {import("./streaminghub/rows.mjs").Row} row */
const nameOf = ({ group, name }) => `${group}: ${name}`;

if (process.argv[2] === "--row") {
  const [mode, row, candidate] = process.argv.slice(3);
  console.log(await measureRow(mode, row, candidate));
} else {
  const [, , pattern = ""] = process.argv;
  for (const row of rows.map(nameOf).filter((row) => row.includes(pattern))) {
    /** @type {Record<string, number>} */
    const times = { ours: Infinity, msgpack: Infinity };
    for (let process = 0; process < PROCESSES; process++) {
      for (const name of candidates) times[name] = Math.min(times[name], inChild("time", row, name));
    }
    const [ours, theirs] = candidates.map((name) => inChild("allocation", row, name));
    const faster = (times.msgpack / times.ours).toFixed(2);
    const fewer = (100 * (1 - ours / theirs)).toFixed(0);
    console.log(
      `${row.padEnd(32)} ${times.ours.toFixed(0)} ns, ${ours} B; @msgpack/msgpack ${times.msgpack.toFixed(0)} ns, ${theirs} B: ${faster}x, ${fewer} % fewer bytes`,
    );
  }
}
