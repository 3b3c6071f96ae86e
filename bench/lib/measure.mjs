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
export function measure(candidates, options) {
  const samples = takeSamples(/** @type {Name[]} */ (Object.keys(candidates)), options);
  let next = samples.next();
  while (!next.done) next = samples.next(time(candidates[next.value.name], next.value.repeats));
  return next.value;
}

/**
 * As `measure`, for what returns promises, which are awaited one by one.
 * @template {string} Name
 * @param {Record<Name, () => unknown>} candidates
 * @param {Options} [options]
 * @returns {Promise<Record<Name, number>>} nanoseconds a call
 */
export async function measureAsync(candidates, options) {
  const samples = takeSamples(/** @type {Name[]} */ (Object.keys(candidates)), options);
  let next = samples.next();
  while (!next.done) next = samples.next(await timeAsync(candidates[next.value.name], next.value.repeats));
  return next.value;
}

/**
 * Says whom to time, and how often, and is told how many nanoseconds that took.
 * @template {string} Name
 * @param {Name[]} names
 * @param {Options} [options]
 * @returns {Generator<{ name: Name, repeats: number }, Record<Name, number>, number>} returns nanoseconds a call
 */
function* takeSamples(names, { rounds = 12, sampleMs = 15, warmUpMs = 300 } = {}) {
  const best = /** @type {Record<Name, number>} */ ({});
  const repeats = /** @type {Record<Name, number>} */ ({});
  for (const name of names) {
    best[name] = Infinity;
    repeats[name] = 1;
    const start = performance.now();
    while (performance.now() - start < warmUpMs) {
      const nanoseconds = (yield { name, repeats: repeats[name] }) / repeats[name];
      repeats[name] = Math.max(1, Math.round((sampleMs * 1e6) / nanoseconds));
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const nanoseconds = (yield { name, repeats: repeats[name] }) / repeats[name];
      best[name] = Math.min(best[name], nanoseconds);
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

/**
 * @param {() => unknown} run
 * @param {number} repeats
 * @returns {Promise<number>} nanoseconds
 */
async function timeAsync(run, repeats) {
  const start = process.hrtime.bigint();
  for (let i = 0; i < repeats; i++) {
    sink = await run();
    sink = undefined;
  }
  return Number(process.hrtime.bigint() - start);
}
