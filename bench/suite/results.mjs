import { CODEC, FILES, KEPT, REFERENCE_KEPT } from "./names.mjs";

/**
 * What a run found: `bench/results/latest.json`. Times are nanoseconds, sizes bytes.
 * @typedef {object} Results
 * @property {string} date ISO 8601
 * @property {boolean} isQuick
 * @property {import("./hosts.mjs").Machine} machine
 * @property {LibraryInfo[]} libraries
 * @property {SectionInfo[]} sections
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
 * @typedef {{ name: string, operations: readonly string[], reference: string, workloads: WorkloadInfo[] }} SectionInfo
 * @typedef {{ name: string, group: string, messages: number, bytes: number }} WorkloadInfo bytes as MessagePack, of all messages
 * @typedef {{ host: string, workload: string, operation: string, library: string, bytes: number } & import("./statistics.mjs").Summary} Timing
 * @typedef {{ host: string, workload: string, operation: string, library: string, bytes: number }} Allocation bytes an operation
 * @typedef {{ host: string, library: string, milliseconds: number, least: number, most: number, samples: number }} Startup
 * @typedef {{ host: string, library: string, direction: Direction, megabytes: number, nanosecondsPerByte: number }} Growth
 * @typedef {{ host?: string, workload: string, library: string, reason: string }} Absence
 * @typedef {{ host: string, workload: string, library: string, reason: string }} Failure
 */

/** @type {readonly Direction[]} */
export const directions = ["decode", "encode"];

/** The codec itself, in which most goals are set. */
export const codec = { name: CODEC, operations: directions, reference: REFERENCE_KEPT };

/**
 * @param {Pick<import("./sections.mjs").Section, "name" | "operations" | "reference" | "workloads">} section
 * @param {readonly Timing[]} timings
 * @returns {SectionInfo}
 */
export function describeSection({ name, operations, reference, workloads }, timings) {
  return {
    name,
    operations,
    reference,
    workloads: workloads.map(({ name: workload, group, messages = 1 }) => ({
      name: workload,
      group,
      messages,
      bytes: timings.find((timing) => timing.workload === workload && timing.library === KEPT)?.bytes ?? 0,
    })),
  };
}

/**
 * Whether a section is about the codec, of which a user's files are a part, and not about a protocol.
 * @param {{ name: string }} section
 */
export function isCodec({ name }) {
  return name === CODEC || name === FILES;
}

/**
 * The workloads that the goals of the codec are about.
 * @param {Pick<Results, "sections">} results
 */
export function codecWorkloads({ sections }) {
  return sections.filter(isCodec).flatMap(({ workloads }) => workloads);
}

/**
 * What is measured in a section, each workload with each operation.
 * @param {SectionInfo} section
 * @param {readonly string[]} [operations] default: all
 * @returns {{ label: string, workload: string, operation: string, bytes: number }[]}
 */
export function rowsOf({ workloads, operations: all }, operations = all) {
  return operations.flatMap((operation) =>
    workloads.map(({ name, bytes }) => ({
      label: `${operation}: ${name}`,
      workload: name,
      operation,
      bytes,
    })),
  );
}

/**
 * Times, or allocations, by what they are of.
 * @template {Allocation} Measurement
 * @param {readonly Measurement[]} measurements
 * @returns {(host: string, workload: string, operation: string, library: string) => Measurement | undefined}
 */
export function indexOf(measurements) {
  const key = (/** @type {string[]} */ ...parts) => parts.join("\n");
  const index = new Map(
    measurements.map((each) => [key(each.host, each.workload, each.operation, each.library), each]),
  );
  return (...parts) => index.get(key(...parts));
}

/** Below this, a message is a small one. */
export const SMALL_BYTES = 64;
/** From this on, goals are about throughput. */
export const LARGE_BYTES = 1024;
