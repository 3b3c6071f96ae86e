import {
  JSON_HUB,
  JSON_STRING,
  KEPT,
  NO_CODEGEN,
  OFFICIAL_HUB,
  POOLED,
  REDIS,
  REFERENCE_KEPT,
  SIGNALR,
  STREAMING_HUB,
} from "./names.mjs";
import { codecWorkloads, directions, indexOf, LARGE_BYTES, rowsOf, SMALL_BYTES } from "./results.mjs";
import { geometricMean } from "./statistics.mjs";
import { DOCUMENTS } from "./workloads.mjs";

/**
 * @typedef {import("./results.mjs").Results} Results
 * @typedef {import("./results.mjs").Direction} Direction
 *
 * @typedef {object} Goal
 * @property {string} host
 * @property {string} name
 * @property {string} target
 * @property {number} value `NaN` where it was not measured
 * @property {boolean | undefined} isReached undefined where it was not measured
 * @property {string} detail which workload decides, and how many there are
 *
 * @typedef {{ workload: string, value: number }} Ratio
 */

/**
 * What is asked of protocols: in each row, how many times as fast as another library it is, and what part of the bytes it
 * allocates.
 * @type {readonly { section: string, operations?: readonly string[], to: string, speed: number, bytes?: number }[]}
 */
const protocolTargets = [
  { section: SIGNALR, to: OFFICIAL_HUB, speed: 2, bytes: 1 },
  { section: SIGNALR, to: JSON_HUB, speed: 1 },
  { section: REDIS, to: REFERENCE_KEPT, speed: 2 },
  {
    section: STREAMING_HUB,
    operations: ["call", "call, answered at once"],
    to: REFERENCE_KEPT,
    speed: 1.5,
    bytes: 0.85,
  },
  { section: STREAMING_HUB, operations: ["encode and decode"], to: REFERENCE_KEPT, speed: 3 },
];

/** How much faster than its peers the codec is to be; means are geometric. */
const targets = {
  decode: { fastestMean: 3, fastestEach: 1.3, referenceMean: 8, referenceEach: 3 },
  /** JSON counts for the mean, and only MessagePack for each: from Node 22 on, `JSON.stringify` is far faster. */
  encode: { fastestMean: 1.1, fastestEach: 1.1, referenceMean: 4, referenceEach: 2 },
  encodeFastestMeanOnNode20: 1.8,
  small: { fastest: 1, reference: 2 },
  withoutCodeGeneration: { mean: 0.6, fastest: 1 },
  browser: { decode: 3, encode: 2 },
  /** Decoding: of what `JSON.parse` allocates. Encoding: of the bytes of the result, and bytes on top. */
  allocation: { decode: 1.1, encode: 1.5, encodeExtraBytes: 1024 },
};

/**
 * Computes what is reached of what the speed is to be.
 * @param {Results} results
 * @returns {Goal[]}
 */
export function computeGoals(results) {
  return results.hosts.flatMap((host) => {
    const make = host.kind === "browser" ? browserGoals : nodeGoals;
    return make(results, host).map((goal) => ({ host: host.id, ...goal }));
  });
}

/** @typedef {Omit<Goal, "host">} HostGoal */

/**
 * @param {Results} results
 * @param {import("./hosts.mjs").Host} host
 * @returns {HostGoal[]}
 */
function nodeGoals(results, host) {
  const { ratios, all } = comparisons(results, host.id);
  const isLarge = (/** @type {WorkloadInfo} */ { bytes }) => bytes >= LARGE_BYTES;
  const isSmall = (/** @type {WorkloadInfo} */ { bytes }) => bytes < SMALL_BYTES;
  const isDocument = (/** @type {WorkloadInfo} */ { group }) => group === DOCUMENTS;
  const goals = directions.flatMap((direction) => {
    const { fastestMean, fastestEach, referenceMean, referenceEach } = targets[direction];
    const { small, withoutCodeGeneration } = targets;
    const isOnNode20 = direction === "encode" && host.id === "node-20";
    const large = `${direction}, 1 KB and more`;
    const tiny = `${direction}, under 64 bytes`;
    const slow = `${direction} without code generation, documents`;
    const [fastest, each, eachName] =
      direction === "decode"
        ? [all.decode, all.decode, "the fastest peer"]
        : [all.encode, all.messagePack, "the fastest MessagePack peer"];
    /** @typedef {[isWanted: (workload: WorkloadInfo) => boolean, others: readonly string[], ours?: string]} Which */
    const mean = (/** @type {string} */ name, /** @type {number} */ target, /** @type {Which} */ ...which) =>
      atLeastMean(name, target, ratios(direction, ...which));
    const every = (/** @type {string} */ name, /** @type {number} */ target, /** @type {Which} */ ...which) =>
      atLeast(name, target, ratios(direction, ...which));
    const reference = [REFERENCE_KEPT];
    const fastestTarget = isOnNode20 ? targets.encodeFastestMeanOnNode20 : fastestMean;
    return [
      mean(`${large}, to the fastest peer`, fastestTarget, isLarge, fastest),
      every(`${large}, to ${eachName}, each`, fastestEach, isLarge, each),
      mean(`${large}, to @msgpack/msgpack`, referenceMean, isLarge, reference),
      every(`${large}, to @msgpack/msgpack, each`, referenceEach, isLarge, reference),
      every(`${tiny}, to the fastest peer, each`, small.fastest, isSmall, fastest),
      every(`${tiny}, to @msgpack/msgpack, each`, small.reference, isSmall, reference),
      mean(`${slow}, to that with it`, withoutCodeGeneration.mean, isDocument, [KEPT], NO_CODEGEN),
      every(
        `${slow}, to the fastest peer, each`,
        withoutCodeGeneration.fastest,
        isDocument,
        fastest,
        NO_CODEGEN,
      ),
    ];
  });
  const pooled = atLeast(
    "encode with pooled results, 1 KB and more, to the fastest MessagePack peer, each",
    targets.encode.fastestEach,
    ratios("encode", isLarge, all.messagePack, POOLED),
  );
  return [
    ...goals,
    pooled,
    ...allocationGoals(results, host.id),
    ...growthGoals(results, host.id),
    ...protocolGoals(results, host.id),
  ];
}

/** @typedef {import("./results.mjs").WorkloadInfo} WorkloadInfo */

/**
 * @param {Results} results
 * @param {import("./hosts.mjs").Host} host
 * @returns {HostGoal[]}
 */
function browserGoals(results, host) {
  const { ratios } = comparisons(results, host.id);
  return directions.map((direction) =>
    atLeastMean(
      `${direction}, documents, to @msgpack/msgpack`,
      targets.browser[direction],
      ratios(direction, ({ group }) => group === DOCUMENTS, [REFERENCE_KEPT]),
    ),
  );
}

/**
 * @param {Results} results
 * @param {string} host
 */
function comparisons(results, host) {
  const timingOf = indexOf(results.timings);
  const rivals = results.libraries.filter(({ isOurs }) => !isOurs);
  const ids = (/** @type {typeof rivals} */ list) => list.map(({ id }) => id);
  const all = {
    decode: ids(rivals),
    // Bytes are what encoding is for: a string is only half of the way.
    encode: ids(rivals).filter((id) => id !== JSON_STRING),
    messagePack: ids(rivals.filter(({ isMessagePack }) => isMessagePack)),
  };
  /**
   * How many times as fast as the fastest of some libraries one of ours is.
   * @param {Direction} direction
   * @param {(workload: WorkloadInfo) => boolean} isWanted
   * @param {readonly string[]} others
   * @param {string} ours
   * @returns {Ratio[]}
   */
  const ratios = (direction, isWanted, others, ours = KEPT) =>
    codecWorkloads(results)
      .filter(isWanted)
      .flatMap(({ name }) => {
        const own = timingOf(host, name, direction, ours)?.mean;
        const times = others.flatMap((id) => timingOf(host, name, direction, id)?.mean ?? []);
        return own === undefined || times.length === 0
          ? []
          : [{ workload: name, value: Math.min(...times) / own }];
      });
  return { ratios, all };
}

/**
 * @param {Results} results
 * @param {string} host
 * @returns {HostGoal[]}
 */
function allocationGoals(results, host) {
  const allocated = indexOf(results.allocations);
  const { allocation } = targets;
  const decoded = codecWorkloads(results).flatMap(({ name }) => {
    const own = allocated(host, name, "decode", KEPT)?.bytes;
    const json = allocated(host, name, "decode", JSON_STRING)?.bytes;
    return own === undefined || json === undefined ? [] : [{ workload: name, value: own / json }];
  });
  const encoded = codecWorkloads(results).flatMap(({ name, bytes, messages }) => {
    const own = allocated(host, name, "encode", KEPT)?.bytes;
    const allowance = allocation.encode * bytes + allocation.encodeExtraBytes * messages;
    return own === undefined ? [] : [{ workload: name, value: own / allowance }];
  });
  return [
    atMost("bytes allocated by decode, to JSON.parse, each", allocation.decode, decoded),
    atMost("bytes allocated by encode, to 1.5 × the result + 1 KB, each", 1, encoded),
  ];
}

/**
 * @param {Results} results
 * @param {string} host
 * @returns {HostGoal[]}
 */
function growthGoals(results, host) {
  const rows = results.growths.filter((growth) => growth.host === host);
  const sizes = rows.map(({ megabytes }) => megabytes);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  /**
   * @param {string} library
   * @param {Direction} direction
   */
  const growthOf = (library, direction) => {
    const [small, large] = [least, most].map(
      (size) =>
        rows.find((row) => row.library === library && row.direction === direction && row.megabytes === size)
          ?.nanosecondsPerByte ?? Number.NaN,
    );
    return large / small;
  };
  return directions.map((direction) => {
    const [ours, json] = [growthOf("msgpack-wasm", direction), growthOf("JSON", direction)];
    const name = direction === "decode" ? "JSON.parse" : "JSON.stringify";
    const span = rows.length === 0 ? "1 to 100 MB" : `${least} to ${most} MB`;
    return {
      name: `${direction}, time per byte from ${span}, to the growth of ${name}`,
      target: "≤ 1",
      value: ours / json,
      isReached: Number.isNaN(ours / json) ? undefined : ours <= json,
      detail: Number.isNaN(ours / json) ? "" : `grows ${ours.toFixed(2)}×, ${name} ${json.toFixed(2)}×`,
    };
  });
}

/**
 * @param {Results} results
 * @param {string} host
 * @returns {HostGoal[]}
 */
function protocolGoals(results, host) {
  const timingOf = indexOf(results.timings);
  const allocated = indexOf(results.allocations);
  return protocolTargets.flatMap(({ section: name, operations, to, speed, bytes }) => {
    const section = results.sections.find((candidate) => candidate.name === name);
    const rows = section === undefined ? [] : rowsOf(section, operations);
    /** @type {(find: (workload: string, operation: string, id: string) => number | undefined) => Ratio[]} */
    const ratios = (find) =>
      rows.flatMap(({ label, workload, operation }) => {
        const [own, other] = [KEPT, to].map((id) => find(workload, operation, id));
        return own === undefined || other === undefined ? [] : [{ workload: label, value: own / other }];
      });
    const what = operations === undefined ? name : `${name}, ${operations[0]}`;
    const faster = ratios((...row) => {
      const mean = timingOf(host, ...row)?.mean;
      return mean === undefined ? undefined : 1 / mean;
    });
    const fewer = ratios((...row) => allocated(host, ...row)?.bytes);
    return [
      atLeast(`${what}, to ${to}, each`, speed, faster),
      ...(bytes === undefined ? [] : [atMost(`${what}, bytes allocated, to ${to}, each`, bytes, fewer)]),
    ];
  });
}

/**
 * @param {string} name
 * @param {number} target
 * @param {Ratio[]} ratios
 * @returns {HostGoal}
 */
function atLeastMean(name, target, ratios) {
  const value = geometricMean(ratios.map((ratio) => ratio.value));
  return {
    name: `${name}, geometric mean`,
    target: `≥ ${target}`,
    value,
    isReached: ratios.length === 0 ? undefined : value >= target,
    detail: ratios.length === 0 ? "" : `of ${ratios.length}`,
  };
}

/**
 * @param {string} name
 * @param {number} target
 * @param {Ratio[]} ratios
 * @returns {HostGoal}
 */
function atLeast(name, target, ratios) {
  const missed = ratios.filter(({ value }) => value < target).sort((a, b) => a.value - b.value);
  return extreme(name, `≥ ${target}`, ratios, missed, Math.min);
}

/**
 * @param {string} name
 * @param {number} target
 * @param {Ratio[]} ratios
 * @returns {HostGoal}
 */
function atMost(name, target, ratios) {
  const missed = ratios.filter(({ value }) => value > target).sort((a, b) => b.value - a.value);
  return extreme(name, `≤ ${target}`, ratios, missed, Math.max);
}

/**
 * @param {string} name
 * @param {string} target
 * @param {Ratio[]} ratios
 * @param {Ratio[]} missed
 * @param {(...values: number[]) => number} worst
 * @returns {HostGoal}
 */
function extreme(name, target, ratios, missed, worst) {
  if (ratios.length === 0) return { name, target, value: Number.NaN, isReached: undefined, detail: "" };
  const list = missed.map(({ workload, value }) => `${workload} ${value.toFixed(2)}`).join(", ");
  return {
    name,
    target,
    value: worst(...ratios.map(({ value }) => value)),
    isReached: missed.length === 0,
    detail:
      missed.length === 0 ? `all ${ratios.length}` : `${missed.length} of ${ratios.length} not: ${list}`,
  };
}
