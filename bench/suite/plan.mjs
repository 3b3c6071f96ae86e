import { summarize } from "./statistics.mjs";

/**
 * @typedef {{ workload: import("./sections.mjs").Entry, peer: import("./peers.mjs").Contestant }} Job
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
  effort: { warmUpSeconds: 0.12, maxSeconds: 0.1, minSamples: 5 },
  startups: 8,
  growthMegabytes: [1, 10, 100],
};

/** @type {Settings} */
export const quickSettings = {
  rounds: 1,
  effort: { warmUpSeconds: 0.1, maxSeconds: 0.06, minSamples: 3 },
  startups: 3,
  growthMegabytes: [1, 10],
};

/**
 * Every workload of a section with every library that can do it: the libraries of a workload one after the other, so that what slows
 * the machine down for a while meets them all, and in each round another one is first. After the first round only the
 * libraries go on that most comparisons are with, and only workloads that do not take long.
 * @param {Pick<import("./sections.mjs").Section, "workloads" | "peers">} section
 * @param {number} rounds
 * @returns {Job[]}
 */
export function interleave({ workloads, peers }, rounds) {
  return Array.from({ length: rounds }, (_, round) =>
    workloads.flatMap((workload, index) => {
      const able = peers.filter(
        (peer) => (round === 0 || (peer.isMain && !workload.isLong)) && peer.cannot(workload) === undefined,
      );
      const first = (index + round * Math.ceil(able.length / rounds)) % able.length;
      return [...able.slice(first), ...able.slice(0, first)].map((peer) => ({ workload, peer }));
    }),
  ).flat();
}

/**
 * Takes the times of all jobs, one after the other, and pools the samples of those that are of the same thing.
 * @template {Job} AnyJob
 * @param {string} host
 * @param {readonly AnyJob[]} jobs
 * @param {(job: AnyJob) => Promise<import("./child.mjs").Answer>} ask
 * @returns {Promise<Pick<import("./results.mjs").Results, "timings" | "failures">>}
 */
export async function timeAll(host, jobs, ask) {
  const failures = [];
  /** @type {Map<string, Pick<import("./results.mjs").Timing, "host" | "workload" | "operation" | "library" | "bytes"> & { samples: number[] }>} */
  const pools = new Map();
  for (const job of jobs) {
    const { workload, peer } = job;
    try {
      const { bytes, operations } = await ask(job);
      for (const [operation, samples] of Object.entries(operations)) {
        const names = { host, workload: workload.name, operation, library: peer.id };
        const key = JSON.stringify(names);
        const pool = pools.get(key) ?? { ...names, bytes, samples: [] };
        pool.samples.push(...samples);
        pools.set(key, pool);
      }
    } catch (error) {
      const reason = /** @type {Error} */ (error).message;
      failures.push({ host, workload: workload.name, library: peer.id, reason });
    }
  }
  const timings = [...pools.values()].map(({ samples, ...names }) => ({ ...names, ...summarize(samples) }));
  return { timings, failures };
}
