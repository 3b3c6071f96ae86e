// Measures calls of a StreamingHub: nanoseconds and bytes an operation, each row in processes of its own.
// node bench/streaminghub.mjs [PATTERN]

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { measure, measureAsync } from "./lib/measure.mjs";
import { candidates, rows } from "./streaminghub/rows.mjs";
import { allocationFlags, measureAllocation } from "./suite/allocation.mjs";

const PROCESSES = 2;

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
  if (mode === "allocation") return Math.round((await measureAllocation(run, isAsync)) ?? Number.NaN);
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
