import { documentedCodecSource } from "../lib/documentedCodec.mjs";
import { allocationFlags } from "./allocation.mjs";
import { interleave, timeAll } from "./plan.mjs";
import { startProgress } from "./progress.mjs";
import { directions } from "./results.mjs";
import { runChild } from "./runChild.mjs";
import { median } from "./statistics.mjs";

/**
 * @typedef {import("./plan.mjs").Settings} Settings
 * @typedef {import("./peers.mjs").Peer} Peer
 * @typedef {import("./sections.mjs").Section} Section
 * @typedef {Awaited<ReturnType<typeof import("./hosts.mjs").findNode>>} NodeHost
 * @typedef {Pick<import("./results.mjs").Results, "timings" | "allocations" | "failures">} Measured
 */

/**
 * No time is taken where allocations are measured, so these may run side by side, even on two cores, as each sleeps for
 * half of its time. One may need 2 GB.
 */
const ALLOCATION_LANES = 4;
/** For messages of 100 MB. */
const GROWTH_FLAGS = ["--max-old-space-size=8192"];

/**
 * @param {NodeHost} host
 * @param {readonly Section[]} sections
 * @param {Settings} settings
 * @returns {Promise<Measured>}
 */
export async function measureNode(host, sections, settings) {
  const source = documentedCodecSource();
  const interleaveAll = (/** @type {number} */ rounds) =>
    sections.flatMap((section) =>
      interleave(section, rounds).map((job) => ({ ...job, section: section.name })),
    );
  /**
   * @param {"time" | "allocate"} task
   * @param {ReturnType<typeof interleaveAll>[number]} job
   * @param {readonly string[]} flags
   * @returns {Promise<import("./child.mjs").Answer>}
   */
  const ask = (task, { section, workload, peer }, flags) =>
    runChild(host.executable, [...flags, ...(peer.nodeFlags ?? [])], "child.mjs", {
      task,
      section,
      workload: workload.name,
      peer: peer.id,
      documentedCodecSource: source,
      effort: settings.effort,
    });

  const jobs = interleaveAll(settings.rounds);
  const timing = startProgress(`${host.name}, times`, jobs.length);
  /** @type {Measured} */
  const measured = {
    allocations: [],
    ...(await timeAll(host.id, jobs, (job) => {
      timing.next(`${job.workload.name}, ${job.peer.id}`);
      return ask("time", job, []);
    })),
  };
  timing.end();

  const rest = interleaveAll(1);
  const allocating = startProgress(`${host.name}, allocations`, rest.length);
  const queue = rest.values();
  const lanes = Array.from({ length: ALLOCATION_LANES }, async () => {
    for (const job of queue) {
      const { workload, peer } = job;
      allocating.next(`${workload.name}, ${peer.id}`);
      const names = { host: host.id, workload: workload.name, library: peer.id };
      try {
        const { operations } = await ask("allocate", job, allocationFlags);
        for (const [operation, bytes] of Object.entries(operations)) {
          if (bytes !== null) measured.allocations.push({ ...names, operation, bytes });
        }
      } catch (error) {
        measured.failures.push({ ...names, reason: /** @type {Error} */ (error).message });
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
