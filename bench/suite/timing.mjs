/**
 * @typedef {object} Effort
 * @property {number} warmUpSeconds how long each runs before: V8 compiles in the background what it sees run often
 * @property {number} maxSeconds how long Benchmark.js takes samples
 * @property {number} minSamples
 */

/** A sample lasts at least this long: a thousand times as long as the coarsest clock is exact (20 µs, in Firefox). */
const MIN_SAMPLE_SECONDS = 0.02;

/** @type {unknown} Results go here, so that none is optimised away. */
export let sink;

/**
 * Times an operation with Benchmark.js.
 * @param {any} Benchmark
 * @param {() => unknown} run
 * @param {boolean} isAsync
 * @param {Effort} effort
 * @returns {Promise<number[]>} samples: nanoseconds an operation
 */
export async function time(Benchmark, run, isAsync, { warmUpSeconds, maxSeconds, minSamples }) {
  const end = performance.now() + warmUpSeconds * 1000;
  do {
    sink = isAsync ? await run() : run();
  } while (performance.now() < end);
  /** @type {(deferred: { resolve: () => void }) => Promise<void>} */
  const runDeferred = async (deferred) => {
    sink = await run();
    deferred.resolve();
  };
  return new Promise((resolve, reject) => {
    const benchmark = new Benchmark({
      fn: isAsync
        ? runDeferred
        : () => {
            sink = run();
          },
      defer: isAsync,
      async: true,
      maxTime: maxSeconds,
      minTime: MIN_SAMPLE_SECONDS,
      minSamples,
    });
    benchmark.on("complete", () => {
      if (benchmark.error) reject(benchmark.error);
      else resolve(benchmark.stats.sample.map((/** @type {number} */ seconds) => seconds * 1e9));
    });
    benchmark.run();
  });
}
