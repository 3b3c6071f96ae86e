import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

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
const WARM_UP = { operations: 5000, milliseconds: 150 };
/** Many operations, so that what V8 allocates for itself now and then, and pages that are not full, weigh little. */
const MAX_OPERATIONS = 4096;
const MAX_MILLISECONDS = 50;
/** What operations of one run may allocate together, for a good chance that nothing need be collected. */
const MAX_BYTES = 128 * 2 ** 20;
const ATTEMPTS = 2;
const SETTLING_MILLISECONDS = 5;
/** Of so many runs the least counts: V8 allocates now and then for itself, as when it has compiled something. */
const RUNS = 3;

let collections = 0;
/** @type {unknown} */
export let sink;

/**
 * Measures the bytes that an operation allocates: on V8's heap, and outside it in what V8 knows of (array buffers,
 * strings that lie outside). What native code allocates for itself does not count.
 *
 * V8 counts collections; a run in which there was one is thrown away, and made again with fewer operations.
 * @param {() => unknown} run
 * @param {boolean} isAsync
 * @returns {Promise<number | undefined>} bytes an operation; undefined if even a single one had to collect
 */
export async function measureAllocation(run, isAsync) {
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ["gc"] });
  try {
    const end = performance.now() + WARM_UP.milliseconds;
    for (let i = 0; i < WARM_UP.operations && performance.now() < end; i++)
      sink = isAsync ? await run() : run();
    const own = (await allocate(run, isAsync, 0))?.bytes ?? 0;
    const first = await allocate(run, isAsync, 1);
    if (first === undefined) return undefined;
    let operations = Math.floor(
      Math.min(MAX_OPERATIONS, MAX_MILLISECONDS / first.milliseconds, MAX_BYTES / Math.max(1, first.bytes)),
    );
    for (;;) {
      operations = Math.max(1, operations);
      const all = [];
      for (let i = 0; i < RUNS; i++)
        all.push((await allocate(run, isAsync, operations))?.bytes ?? Number.POSITIVE_INFINITY);
      const least = Math.min(...all);
      if (Number.isFinite(least)) return Math.max(0, (least - own) / operations);
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
 * @returns {Promise<{ bytes: number, milliseconds: number } | undefined>} undefined if something was collected in every attempt
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
      return { bytes: after.heapUsed - before.heapUsed + (after.external - before.external), milliseconds };
    }
  }
  return undefined;
}
