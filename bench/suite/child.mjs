// A process of its own for one library and one workload: what V8 has learned from one decides about the next by factors
// of two and more.

import { readDocument } from "../lib/documents.mjs";
import { fileWorkload } from "./fileWorkload.mjs";
import { findPeer } from "./peers.mjs";
import { openSubject } from "./subject.mjs";
import { findWorkload } from "./workloads.mjs";

/**
 * @typedef {object} Task
 * @property {"time" | "allocate" | "growth"} task
 * @property {string} workload its name, or the path of a file
 * @property {boolean} isFile
 * @property {string} peer
 * @property {string} documentedCodecSource
 * @property {import("./timing.mjs").Effort} effort
 *
 * Of `time`: samples, nanoseconds an operation. Of `allocate`: bytes an operation, `null` where that is unknown.
 * @typedef {{ bytes: number, encode: any, decode: any }} Answer
 */

/** @type {Task} */
const { task, workload: name, isFile, peer: id, documentedCodecSource, effort } = JSON.parse(process.argv[2]);
const workload = isFile ? fileWorkload(name) : findWorkload(name);
const subject = await openSubject(workload, findPeer(id), { readDocument, documentedCodecSource });

/** @type {(run: () => unknown, isAsync: boolean) => Promise<unknown>} */
let measure;
if (task === "time") {
  const { Benchmark } = await import("./nodeBenchmark.mjs");
  const { time } = await import("./timing.mjs");
  measure = (run, isAsync) => time(Benchmark, run, isAsync, effort);
} else {
  const { measureAllocation } = await import("./allocation.mjs");
  measure = async (run, isAsync) => (await measureAllocation(run, isAsync)) ?? null;
}
/** @type {Answer} */
const answer = {
  bytes: subject.bytes,
  encode: await measure(subject.encode, false),
  decode: await measure(subject.decode, subject.isAsync),
};
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit();
