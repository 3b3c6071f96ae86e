// Measures SignalR's hub protocol and backplane: nanoseconds and bytes an operation, each row in processes of its own.
// node bench/signalr.mjs [PATTERN]

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { measure } from "./lib/measure.mjs";
import { signalrRows } from "./signalr/rows.mjs";
import { allocationFlags, measureAllocation } from "./suite/allocation.mjs";

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
    for (const [name, run] of Object.entries(candidates)) {
      bytes[name] = Math.round((await measureAllocation(run, false)) ?? Number.NaN);
    }
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
