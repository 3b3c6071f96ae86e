// A process of its own for one library and one workload: what V8 has learned from one decides about the next by factors
// of two and more.

import { readDocument } from "../lib/documents.mjs";
import { findSection } from "./sections.mjs";

/**
 * @typedef {object} Task
 * @property {"time" | "allocate"} task
 * @property {string} section
 * @property {string} workload
 * @property {string} peer
 * @property {string} documentedCodecSource
 * @property {import("./timing.mjs").Effort} effort
 *
 * Of `time`, by operation: samples, nanoseconds. Of `allocate`: bytes, `null` where they are unknown.
 * @typedef {{ bytes: number, operations: Record<string, any> }} Answer
 */

/** @type {Task} */
const { task, section, workload, peer, documentedCodecSource, effort } = JSON.parse(process.argv[2]);
const subject = await findSection(section).open(workload, peer, { readDocument, documentedCodecSource });

/** @type {(run: () => unknown) => Promise<unknown>} */
let measure;
if (task === "time") {
  const { Benchmark } = await import("./nodeBenchmark.mjs");
  const { time } = await import("./timing.mjs");
  measure = (run) => time(Benchmark, run, effort);
} else {
  const { measureAllocation } = await import("./allocation.mjs");
  measure = async (run) => (await measureAllocation(run)) ?? null;
}
/** @type {Answer} */
const answer = { bytes: subject.bytes, operations: {} };
for (const [operation, run] of Object.entries(subject.operations)) {
  answer.operations[operation] = await measure(run);
}
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit();
