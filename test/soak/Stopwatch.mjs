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

/** Takes the times of probes: the same work again and again. */
export class Stopwatch {
  #probes;
  /** How many calls make a sample. */
  #counts;

  /** @param {readonly (() => unknown)[]} probes */
  constructor(probes) {
    this.#probes = [yardstick, ...probes];
    this.#counts = this.#probes.map(() => 0);
  }

  /**
   * The time of each probe, in times of the yardstick. Of some samples the shortest counts: whatever comes between makes
   * others longer.
   * @returns {Promise<number[]>}
   */
  async read() {
    const best = this.#probes.map(() => Number.POSITIVE_INFINITY);
    for (let i = 0; i < SAMPLES; i++) {
      for (let p = 0; p < best.length; p++) {
        this.#counts[p] ||= await enough(this.#probes[p]);
        best[p] = Math.min(best[p], (await time(this.#probes[p], this.#counts[p])) / this.#counts[p]);
      }
    }
    const [unit, ...times] = best;
    return times.map((time) => time / unit);
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
