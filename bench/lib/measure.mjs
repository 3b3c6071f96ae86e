/** @typedef {{ rounds?: number, sampleMs?: number, warmUpMs?: number }} Options */

/**
 * Times candidates in turn, so that what slows the machine for a moment slows all of them. The best time of each
 * counts: noise only ever adds.
 * @template {string} Name
 * @param {Record<Name, () => unknown>} candidates
 * @param {Options} [options] `sampleMs` is how long each candidate runs in a round, `warmUpMs` how long before the first:
 *   V8 compiles in the background what it sees run often.
 * @returns {Record<Name, number>} nanoseconds a call
 */
export function measure(candidates, { rounds = 12, sampleMs = 15, warmUpMs = 300 } = {}) {
  const names = /** @type {Name[]} */ (Object.keys(candidates));
  const best = /** @type {Record<Name, number>} */ ({});
  const repeats = /** @type {Record<Name, number>} */ ({});
  for (const name of names) {
    best[name] = Infinity;
    repeats[name] = 1;
    const start = performance.now();
    while (performance.now() - start < warmUpMs) {
      const nanoseconds = time(candidates[name], repeats[name]) / repeats[name];
      repeats[name] = Math.max(1, Math.round((sampleMs * 1e6) / nanoseconds));
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      best[name] = Math.min(best[name], time(candidates[name], repeats[name]) / repeats[name]);
    }
  }
  return best;
}

/** @type {unknown} Results go here, so that none is optimised away, and leave again, so that none burdens the next call. */
export let sink;

/**
 * @param {() => unknown} run
 * @param {number} repeats
 * @returns {number} nanoseconds
 */
function time(run, repeats) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < repeats; i++) {
    sink = run();
    sink = undefined;
  }
  return Number(process.hrtime.bigint() - start);
}
