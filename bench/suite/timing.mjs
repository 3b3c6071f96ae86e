/**
 * @typedef {object} Effort
 * @property {number} warmUpSeconds how long each runs before: V8 compiles in the background what it sees run often
 * @property {number} maxSeconds how long Benchmark.js takes samples
 * @property {number} minSamples
 */

/** A sample lasts at least this long: the coarsest clock (20 µs, in Firefox) is then exact to 0.4 %. */
const MIN_SAMPLE_SECONDS = 0.005;
/** Benchmark.js throws a sample away that is too short, and takes a longer one: so they aim at more than is needed. */
const MARGIN = 1.25;
/** After so long the warm-up looks at the clock. */
const CHUNK_MILLISECONDS = 10;
/** Promises are awaited for so long together, so that what Benchmark.js does for each batch weighs nothing. */
const BATCH_SECONDS = 0.001;

/** @type {unknown} Results go here, so that none is optimised away. */
export let sink;

/**
 * Times an operation with Benchmark.js.
 * @param {any} Benchmark
 * @param {() => unknown} run what gives a promise is asynchronous
 * @param {Effort} effort
 * @returns {Promise<number[]>} samples: nanoseconds an operation
 */
export async function time(Benchmark, run, { warmUpSeconds, maxSeconds, minSamples }) {
  const first = run();
  const isAsync = first instanceof Promise;
  await first;
  const seconds = await warmUp(run, isAsync, warmUpSeconds);
  const batch = isAsync ? Math.ceil(BATCH_SECONDS / seconds) : 1;
  /** @type {(deferred: { resolve: () => void }) => Promise<void>} */
  const runDeferred = async (deferred) => {
    for (let i = 0; i < batch; i++) sink = await run();
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
      delay: 0.001,
      initCount: Math.ceil((MARGIN * MIN_SAMPLE_SECONDS) / (seconds * batch)),
      maxTime: maxSeconds,
      minTime: MIN_SAMPLE_SECONDS,
      minSamples,
    });
    benchmark.on("complete", () => {
      if (benchmark.error) reject(benchmark.error);
      else resolve(benchmark.stats.sample.map((/** @type {number} */ each) => (each * 1e9) / batch));
    });
    benchmark.run();
  });
}

/**
 * Time in which this process works: on a busy machine that passes more slowly than others do, and what is to be compiled
 * meanwhile is not ready any sooner.
 * @param {number} milliseconds
 * @returns {() => boolean} whether it is over
 */
export function startClock(milliseconds) {
  const read = () => [performance.now(), (globalThis.process?.cpuUsage?.().user ?? Infinity) / 1000];
  const ends = read().map((start) => start + milliseconds);
  return () => read().every((now, index) => now >= ends[index]);
}

/**
 * @param {() => unknown} run
 * @param {boolean} isAsync
 * @param {number} least seconds
 * @returns {Promise<number>} seconds an operation takes at best
 */
async function warmUp(run, isAsync, least) {
  const isOver = startClock(least * 1000);
  let best = Number.POSITIVE_INFINITY;
  for (let calls = 1; ; ) {
    const before = performance.now();
    if (isAsync) for (let i = 0; i < calls; i++) sink = await run();
    else for (let i = 0; i < calls; i++) sink = run();
    const now = performance.now();
    // A clock may be so coarse that no time seems to have passed.
    if (now > before) best = Math.min(best, (now - before) / 1000 / calls);
    if (isOver() && now > before) return best;
    if (now - before < CHUNK_MILLISECONDS) calls *= 2;
  }
}
