import { KEPT } from "./libraryNames.mjs";
import { STREAM_MESSAGES } from "./workloads.mjs";

/**
 * What a run found: `bench/results/latest.json`. Times are nanoseconds, sizes bytes.
 * @typedef {object} Results
 * @property {string} date ISO 8601
 * @property {boolean} isQuick
 * @property {import("./hosts.mjs").Machine} machine
 * @property {LibraryInfo[]} libraries
 * @property {WorkloadInfo[]} workloads
 * @property {import("./hosts.mjs").Host[]} hosts
 * @property {Timing[]} timings
 * @property {Allocation[]} allocations
 * @property {Startup[]} startups
 * @property {Growth[]} growths
 * @property {import("./download.mjs").Download[]} downloads
 * @property {Absence[]} absences which library does not take part in what, and why
 * @property {Failure[]} failures what went wrong, contrary to what was expected
 *
 * @typedef {"encode" | "decode"} Direction
 * @typedef {{ id: string, library: string, version: string, isOurs: boolean, isMessagePack: boolean, addon?: boolean }} LibraryInfo
 * @typedef {{ name: string, group: string, messages: number, bytes: number }} WorkloadInfo bytes as MessagePack, of all messages
 * @typedef {{ host: string, workload: string, direction: Direction, library: string, bytes: number } & import("./statistics.mjs").Summary} Timing
 * @typedef {{ host: string, workload: string, direction: Direction, library: string, bytes: number }} Allocation bytes an operation
 * @typedef {{ host: string, library: string, milliseconds: number, least: number, most: number, samples: number }} Startup
 * @typedef {{ host: string, library: string, direction: Direction, megabytes: number, nanosecondsPerByte: number }} Growth
 * @typedef {{ host?: string, workload: string, library: string, reason: string }} Absence
 * @typedef {{ host: string, workload: string, library: string, reason: string }} Failure
 */

/** @type {readonly Direction[]} */
export const directions = ["decode", "encode"];

/**
 * @param {readonly import("./workloads.mjs").Workload[]} workloads
 * @param {readonly Timing[]} timings
 * @returns {WorkloadInfo[]}
 */
export function describeWorkloads(workloads, timings) {
  return workloads.map(({ name, group, kind }) => ({
    name,
    group,
    messages: kind === "stream" ? STREAM_MESSAGES : 1,
    bytes: timings.find(({ workload, library }) => workload === name && library === KEPT)?.bytes ?? 0,
  }));
}

/**
 * Times by what they are of.
 * @param {Results} results
 * @returns {(host: string, workload: string, direction: Direction, library: string) => Timing | undefined}
 */
export function timingIndex({ timings }) {
  const key = (/** @type {string[]} */ ...parts) => parts.join("\n");
  const index = new Map(
    timings.map((timing) => [key(timing.host, timing.workload, timing.direction, timing.library), timing]),
  );
  return (...parts) => index.get(key(...parts));
}

/**
 * The same for allocations.
 * @param {Results} results
 * @returns {(host: string, workload: string, direction: Direction, library: string) => number | undefined}
 */
export function allocationIndex({ allocations }) {
  const key = (/** @type {string[]} */ ...parts) => parts.join("\n");
  const index = new Map(
    allocations.map(({ host, workload, direction, library, bytes }) => [
      key(host, workload, direction, library),
      bytes,
    ]),
  );
  return (...parts) => index.get(key(...parts));
}

/** Below this, a message is a small one. */
export const SMALL_BYTES = 64;
/** From this on, goals are about throughput. */
export const LARGE_BYTES = 1024;
