import os from "node:os";
import { documentedCodecSource } from "../lib/documentedCodec.mjs";
import { allocationFlags } from "./allocation.mjs";
import { startProgress } from "./progress.mjs";
import { directions } from "./results.mjs";
import { runChild } from "./runChild.mjs";
import { median, summarize } from "./statistics.mjs";

/**
 * @typedef {import("./workloads.mjs").Workload} Workload
 * @typedef {import("./peers.mjs").Peer} Peer
 * @typedef {Awaited<ReturnType<typeof import("./hosts.mjs").findNode>>} NodeHost
 * @typedef {Pick<import("./results.mjs").Results, "timings" | "allocations" | "failures">} Measured
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
  effort: { warmUpSeconds: 0.2, maxSeconds: 0.35, minSamples: 4 },
  startups: 15,
  growthMegabytes: [1, 10, 100],
};

/** @type {Settings} */
export const quickSettings = {
  rounds: 1,
  effort: { warmUpSeconds: 0.05, maxSeconds: 0.1, minSamples: 3 },
  startups: 3,
  growthMegabytes: [1, 10],
};

/** For messages of 100 MB. */
const GROWTH_FLAGS = ["--max-old-space-size=8192"];

/**
 * Every workload with every library that can do it: the libraries of a workload one after the other, so that what slows
 * the machine down for a while meets them all, and in each round another one is first.
 * @param {readonly Workload[]} workloads
 * @param {readonly Peer[]} peers
 * @param {number} rounds
 * @returns {{ workload: Workload, peer: Peer }[]}
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
 * @param {NodeHost} host
 * @param {readonly Workload[]} workloads
 * @param {readonly Peer[]} peers
 * @param {Settings} settings
 * @param {ReadonlySet<Workload>} files those workloads that are a user's files, named by their paths
 * @returns {Promise<Measured>}
 */
export async function measureNode(host, workloads, peers, settings, files) {
  /** @type {Measured} */
  const measured = { timings: [], allocations: [], failures: [] };
  const source = documentedCodecSource();
  /** @type {Map<string, { workload: Workload, peer: Peer, bytes: number, samples: Record<string, number[]> }>} */
  const pools = new Map();

  /**
   * @param {"time" | "allocate"} task
   * @param {{ workload: Workload, peer: Peer }} job
   * @param {readonly string[]} flags
   * @returns {Promise<import("./child.mjs").Answer | undefined>}
   */
  const ask = async (task, { workload, peer }, flags) => {
    try {
      return await runChild(host.executable, [...flags, ...(peer.nodeFlags ?? [])], "child.mjs", {
        task,
        workload: workload.name,
        isFile: files.has(workload),
        peer: peer.id,
        documentedCodecSource: source,
        effort: settings.effort,
      });
    } catch (error) {
      const reason = /** @type {Error} */ (error).message;
      measured.failures.push({ host: host.id, workload: workload.name, library: peer.id, reason });
      return undefined;
    }
  };

  const jobs = interleave(workloads, peers, settings.rounds);
  const timing = startProgress(`${host.name}, times`, jobs.length);
  for (const job of jobs) {
    const { workload, peer } = job;
    timing.next(`${workload.name}, ${peer.id}`);
    const answer = await ask("time", job, []);
    if (answer === undefined) continue;
    const key = `${workload.name}\n${peer.id}`;
    const pool = pools.get(key) ?? { workload, peer, bytes: answer.bytes, samples: { encode: [], decode: [] } };
    for (const direction of directions) pool.samples[direction].push(...answer[direction]);
    pools.set(key, pool);
  }
  timing.end();
  for (const { workload, peer, bytes, samples } of pools.values()) {
    for (const direction of directions) {
      measured.timings.push({
        host: host.id,
        workload: workload.name,
        direction,
        library: peer.id,
        bytes,
        ...summarize(samples[direction]),
      });
    }
  }

  const rest = interleave(workloads, peers, 1);
  const allocating = startProgress(`${host.name}, allocations`, rest.length);
  const queue = rest.values();
  // No time is taken here, so these may run side by side.
  const lanes = Array.from({ length: os.availableParallelism() }, async () => {
    for (const job of queue) {
      const { workload, peer } = job;
      allocating.next(`${workload.name}, ${peer.id}`);
      const answer = await ask("allocate", job, allocationFlags);
      for (const direction of directions) {
        if (typeof answer?.[direction] !== "number") continue;
        const bytes = answer[direction];
        measured.allocations.push({ host: host.id, workload: workload.name, direction, library: peer.id, bytes });
      }
    }
  });
  await Promise.all(lanes);
  allocating.end();
  return measured;
}

/**
 * Import, first encode and first decode, each time in a fresh process, the libraries taking turns.
 * @param {NodeHost} host
 * @param {readonly Peer[]} peers
 * @param {Settings} settings
 * @returns {Promise<import("./results.mjs").Startup[]>}
 */
export async function measureStartups(host, peers, settings) {
  const progress = startProgress(`${host.name}, start-ups`, settings.startups * peers.length);
  /** @type {Map<string, number[]>} */
  const times = new Map(peers.map(({ id }) => [id, []]));
  for (let round = 0; round < settings.startups; round++) {
    for (const { id, nodeFlags = [] } of peers) {
      progress.next(id);
      times.get(id)?.push(await runChild(host.executable, nodeFlags, "startup.mjs", { peer: id }));
    }
  }
  progress.end();
  return [...times].map(([library, samples]) => ({
    host: host.id,
    library,
    milliseconds: median(samples),
    least: Math.min(...samples),
    most: Math.max(...samples),
    samples: samples.length,
  }));
}

/**
 * @param {NodeHost} host
 * @param {Settings} settings
 * @returns {Promise<import("./results.mjs").Growth[]>}
 */
export async function measureGrowth(host, { growthMegabytes }) {
  const libraries = ["msgpack-wasm", "JSON"];
  const progress = startProgress(`${host.name}, growth`, growthMegabytes.length * libraries.length);
  const growths = [];
  for (const megabytes of growthMegabytes) {
    for (const library of libraries) {
      progress.next(`${megabytes} MB, ${library}`);
      const answer = await runChild(host.executable, GROWTH_FLAGS, "growth.mjs", { library, megabytes });
      for (const direction of directions) {
        growths.push({ host: host.id, library, direction, megabytes, nanosecondsPerByte: answer[direction] });
      }
    }
  }
  progress.end();
  return growths;
}
