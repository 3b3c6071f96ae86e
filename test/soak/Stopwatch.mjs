const SAMPLES = 16;
/** A sample lasts at least this long, in ms. */
const MIN_SAMPLE = 1;

/** @type {unknown} Results go here, so that none is optimised away. */
export let sink;

const text = JSON.stringify(
  Array.from({ length: 200 }, (_, id) => ({ id, name: `name ${id}`, values: [id / 7, -id, null] })),
);
/** Work that has nothing to do with the package: it tells how fast the machine is. */
const yardstick = () => JSON.stringify(JSON.parse(text));

/**
 * Takes the time of a probe, which does the same work each time.
 *
 * Of some samples the shortest counts: whatever comes between makes others longer. Before, the probe runs for a while, since
 * it is slower where other traffic has filled the tables of keys and shapes, until enough of its own are missed and they are
 * learned anew.
 */
export class Stopwatch {
  #probe;
  #runUp;
  /** How many calls of the yardstick and of the probe make a sample. @type {[number, number] | undefined} */
  #counts;

  /**
   * @param {() => unknown} probe
   * @param {number} runUp how many samples long it runs before
   */
  constructor(probe, runUp) {
    this.#probe = probe;
    this.#runUp = runUp;
  }

  /** @returns {Promise<number>} the time of a call, in times of the yardstick's */
  async read() {
    this.#counts ??= [await enough(yardstick), await enough(this.#probe)];
    const [yards, probes] = this.#counts;
    await time(this.#probe, probes * this.#runUp);
    let [unit, best] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = 0; i < SAMPLES; i++) {
      unit = Math.min(unit, (await time(yardstick, yards)) / yards);
      best = Math.min(best, (await time(this.#probe, probes)) / probes);
    }
    return best / unit;
  }
}

/**
 * @param {() => unknown} probe
 * @returns {Promise<number>} how many calls take long enough
 */
async function enough(probe) {
  for (let count = 1; ; count *= 2) {
    if ((await time(probe, count)) >= MIN_SAMPLE) return count;
  }
}

/**
 * @param {() => unknown} probe
 * @param {number} count
 * @returns {Promise<number>} in ms
 */
async function time(probe, count) {
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    sink = probe();
    if (sink instanceof Promise) await sink;
  }
  return performance.now() - start;
}
