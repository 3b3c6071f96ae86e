import { directions } from "./results.mjs";
import { summarize } from "./statistics.mjs";

/**
 * @typedef {import("./workloads.mjs").Workload} Workload
 * @typedef {import("./peers.mjs").Peer} Peer
 * @typedef {{ workload: Workload, peer: Peer }} Job
 *
 * @typedef {object} Settings
 * @property {number} rounds how many processes measure each workload and library: chance has a part in what V8 compiles
 * @property {import("./timing.mjs").Effort} effort
 * @property {number} startups
 * @property {readonly number[]} growthMegabytes
 */

/** @type {Settings} */
export const fullSettings = {
  rounds: 2,
  effort: { warmUpSeconds: 0.3, maxSeconds: 0.25, minSamples: 4 },
  startups: 15,
  growthMegabytes: [1, 10, 100],
};

/** @type {Settings} */
export const quickSettings = {
  rounds: 1,
  effort: { warmUpSeconds: 0.15, maxSeconds: 0.1, minSamples: 3 },
  startups: 3,
  growthMegabytes: [1, 10],
};

/**
 * Every workload with every library that can do it: the libraries of a workload one after the other, so that what slows
 * the machine down for a while meets them all, and in each round another one is first.
 * @param {readonly Workload[]} workloads
 * @param {readonly Peer[]} peers
 * @param {number} rounds
 * @returns {Job[]}
 */
export function interleave(workloads, peers, rounds) {
  return Array.from({ length: rounds }, (_, round) =>
    workloads.flatMap((workload, index) => {
      const able = peers.filter((peer) => peer.cannot(workload) === undefined);
      const first = (index + round * Math.ceil(able.length / rounds)) % able.length;
      return [...able.slice(first), ...able.slice(0, first)].map((peer) => ({ workload, peer }));
    }),
  ).flat();
}

/**
 * Takes the times of all jobs, one after the other, and pools the samples of those that are of the same thing.
 * @param {string} host
 * @param {readonly Job[]} jobs
 * @param {(job: Job) => Promise<{ bytes: number, encode: number[], decode: number[] }>} ask
 * @returns {Promise<Pick<import("./results.mjs").Results, "timings" | "failures">>}
 */
export async function timeAll(host, jobs, ask) {
  const failures = [];
  /** @type {Map<string, Job & { bytes: number, encode: number[], decode: number[] }>} */
  const pools = new Map();
  for (const job of jobs) {
    const { workload, peer } = job;
    try {
      const answer = await ask(job);
      const key = `${workload.name}\n${peer.id}`;
      const pool = pools.get(key) ?? { ...job, bytes: answer.bytes, encode: [], decode: [] };
      for (const direction of directions) pool[direction].push(...answer[direction]);
      pools.set(key, pool);
    } catch (error) {
      const reason = /** @type {Error} */ (error).message;
      failures.push({ host, workload: workload.name, library: peer.id, reason });
    }
  }
  const timings = [...pools.values()].flatMap(({ workload, peer, bytes, ...samples }) =>
    directions.map((direction) => ({
      host,
      workload: workload.name,
      direction,
      library: peer.id,
      bytes,
      ...summarize(samples[direction]),
    })),
  );
  return { timings, failures };
}
