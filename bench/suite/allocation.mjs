import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { startClock } from "./timing.mjs";

/**
 * What a process must be started with. The young generation is so large that thousands of operations fit into it before
 * anything must be collected, and the old one may grow that far, too: V8 allocates there at once what has lived long
 * before. What lies on the heap after a number of operations, beyond what lay there before, is then all that they
 * allocated, garbage included.
 */
export const allocationFlags = [
  "--expose-gc",
  "--min-semi-space-size=512",
  "--max-semi-space-size=512",
  "--initial-old-space-size=4096",
  "--max-old-space-size=8192",
];

/** V8 compiles code in the background that allocates less than before. */
const WARM_UP = { operations: 5000, milliseconds: 100 };
/** Many operations, so that what V8 allocates for itself now and then, and pages that are not full, weigh little. */
const MAX_OPERATIONS = 4096;
const MAX_MILLISECONDS = 50;
/** What operations of one run may allocate together, for a good chance that nothing need be collected. */
const MAX_BYTES = 128 * 2 ** 20;
const ATTEMPTS = 2;
const SETTLING_MILLISECONDS = 5;
const MIN_RUNS = 3;
/** Single operations that tell how many a run may have: more than one, as not each need allocate as much. */
const PROBES = 4;
/** In all runs together: a library may allocate a large buffer once for several results. */
const MIN_OPERATIONS = 8;

let collections = 0;
/** @type {unknown} */
export let sink;

/** @typedef {{ heap: number, outside: number, milliseconds: number }} Run what its operations allocated, in bytes */

/**
 * Measures the bytes that an operation allocates: on V8's heap, and outside it in what V8 knows of (array buffers,
 * strings that lie outside). What native code allocates for itself does not count.
 *
 * V8 counts collections; a run in which there was one is thrown away, and made again with fewer operations.
 * @param {() => unknown} run what gives a promise is asynchronous
 * @returns {Promise<number | undefined>} bytes an operation; undefined if even a single one had to collect
 */
export async function measureAllocation(run) {
  const first = run();
  const isAsync = first instanceof Promise;
  await first;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ["gc"] });
  try {
    const isOver = startClock(WARM_UP.milliseconds);
    for (let i = 0; i < WARM_UP.operations && !isOver(); i++) sink = isAsync ? await run() : run();
    const own = await allocate(run, isAsync, 0);
    const probes = await repeat(run, isAsync, 1, PROBES);
    if (own === undefined || probes.length === 0) return undefined;
    const milliseconds = Math.max(...probes.map((each) => each.milliseconds));
    const budget = MAX_BYTES / Math.max(1, ...probes.map(({ heap, outside }) => heap + outside));
    let operations = Math.floor(Math.min(MAX_OPERATIONS, MAX_MILLISECONDS / milliseconds, budget));
    for (;;) {
      operations = Math.max(1, operations);
      const wanted = Math.max(MIN_RUNS, MIN_OPERATIONS / operations);
      const runs = operations === 1 ? probes : [];
      runs.push(...(await repeat(run, isAsync, operations, wanted - runs.length)));
      if (runs.length > 0) {
        // V8 allocates on its heap now and then for itself, as when it has compiled something: the least counts. Outside
        // are buffers, some of which serve several operations: there it is the mean.
        const heap = Math.min(...runs.map((each) => each.heap)) - own.heap;
        const outside = runs.reduce((sum, each) => sum + each.outside, 0) / runs.length - own.outside;
        return Math.max(0, (heap + outside) / operations);
      }
      if (operations === 1) return undefined;
      operations = Math.floor(operations / 4);
    }
  } finally {
    observer.disconnect();
  }
}

/**
 * @param {() => unknown} run
 * @param {boolean} isAsync
 * @param {number} operations
 * @param {number} times
 * @returns {Promise<Run[]>} up to the first in which something was collected
 */
async function repeat(run, isAsync, operations, times) {
  const runs = [];
  while (runs.length < times) {
    const next = await allocate(run, isAsync, operations);
    if (next === undefined) break;
    runs.push(next);
  }
  return runs;
}

/**
 * @param {() => unknown} run
 * @param {boolean} isAsync
 * @param {number} operations
 * @returns {Promise<Run | undefined>} undefined if something was collected in every attempt
 */
async function allocate(run, isAsync, operations) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    sink = undefined;
    // Array buffers are freed in the background, and counted as gone only when that is over: the second collection waits
    // for it. Observers hear of collections later, too.
    for (let i = 0; i < 2; i++) {
      /** @type {() => void} */ (globalThis.gc)();
      await setTimeout(SETTLING_MILLISECONDS);
    }
    collections = 0;
    const before = process.memoryUsage();
    const start = performance.now();
    if (isAsync) for (let i = 0; i < operations; i++) sink = await run();
    else for (let i = 0; i < operations; i++) sink = run();
    const milliseconds = performance.now() - start;
    const after = process.memoryUsage();
    await setTimeout(SETTLING_MILLISECONDS);
    if (collections === 0) {
      // Array buffers are part of what is external.
      return {
        heap: after.heapUsed - before.heapUsed,
        outside: after.external - before.external,
        milliseconds,
      };
    }
  }
  return undefined;
}
