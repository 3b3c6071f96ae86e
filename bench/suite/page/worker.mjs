// A worker of its own for one library and one workload: it has an engine and a heap of its own, as a process of Node does.
import benchmark from "benchmark";
import lodash from "lodash";
import { findPeer } from "../peers.mjs";
import { openSubject } from "../subject.mjs";
import { time } from "../timing.mjs";
import { findWorkload } from "../workloads.mjs";

/** In a bundle it does not find what it needs by itself. */
const Benchmark = benchmark.runInContext({ _: lodash });

/** @param {string} name */
async function readDocument(name) {
  return (await fetch(`documents/${name}.json`)).json();
}

/**
 * @param {{ workload: string, peer: string, effort: import("../timing.mjs").Effort }} task
 */
async function measure({ workload, peer, effort }) {
  const documentedCodecSource = await (await fetch("documentedCodec.js")).text();
  const environment = { readDocument, documentedCodecSource };
  const subject = await openSubject(findWorkload(workload), findPeer(peer), environment);
  /** @type {import("../child.mjs").Answer} */
  const answer = { bytes: subject.bytes, operations: {} };
  for (const [operation, run] of Object.entries(subject.operations)) {
    answer.operations[operation] = await time(Benchmark, run, effort);
  }
  return answer;
}

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ answer: await measure(data) });
  } catch (error) {
    postMessage({ failure: String(error) });
  }
});
