// One of the threads: traffic by an instance of the package of its own, and now and then a report.
import { parentPort, workerData } from "node:worker_threads";
import { Chance } from "./Chance.mjs";
import { Checks } from "./Checks.mjs";
import { loadPublished, loadTesting } from "./library.mjs";
import { MemoryWatch } from "./memory.mjs";
import { Stopwatch } from "./Stopwatch.mjs";
import { traffic } from "./traffic/index.mjs";

/** @typedef {import("./memory.mjs").MemoryUse} MemoryUse */
/** @typedef {{ name: string, verified: number, errors: number, time: number }} KindReport `time` is that of the probe */
/** @typedef {{ memory: MemoryUse, kinds: KindReport[] }} Report */
/** @typedef {{ seed: number, isPublished: boolean, seconds: number, intervals: number }} Task */

/** Before the first report: until then code is compiled, keys are learned, and buffers get their size. */
const WARM_UP_ROUNDS = 400;
/** Of an interval, however slow the machine is. */
const MIN_ROUNDS = 5;

/** The part of all time that probes run before theirs is taken. */
const RUN_UP_SHARE = 0.1;

const { seed, isPublished, seconds, intervals } = /** @type {Task} */ (workerData);

const watch = new MemoryWatch();
const library = await load();
const chance = new Chance(seed);
const runUp = Math.ceil((seconds * 1000 * RUN_UP_SHARE) / intervals / traffic.length);
const kinds = await Promise.all(
  traffic.map(async (make) => {
    const checks = new Checks();
    const kind = make(library, checks);
    return { checks, kind, stopwatch: new Stopwatch(kind.probe, runUp), probed: await kind.probe() };
  }),
);

const start = performance.now();
let rounds = 0;
while (rounds < WARM_UP_ROUNDS) await doRound();
for (let interval = 1; interval <= intervals; interval++) {
  const end = start + (seconds * 1000 * interval) / intervals;
  const least = rounds + MIN_ROUNDS;
  while (rounds < least || performance.now() < end) await doRound();
  for (const { kind } of kinds) kind.settle?.();
  /** @type {number[]} */
  const times = [];
  for (const { checks, kind, stopwatch, probed } of kinds) {
    times.push(await stopwatch.read());
    checks.value(await kind.probe(), probed);
  }
  /** @type {Report} */
  const report = {
    memory: await watch.read(),
    kinds: kinds.map(({ kind, checks }, i) => ({
      name: kind.name,
      verified: checks.verified,
      errors: checks.errors,
      time: times[i],
    })),
  };
  parentPort?.postMessage(report);
}

async function load() {
  if (isPublished) return loadPublished();
  const testing = await loadTesting();
  watch.useHandles(testing);
  return testing;
}

/** Some traffic of each kind. */
async function doRound() {
  rounds++;
  for (const { kind, checks } of chance.shuffled(kinds)) {
    try {
      await kind.run(chance);
    } catch (error) {
      throw new Error(`${kind.name}, in round ${rounds}, behind ${checks.verified} results that were right`, {
        cause: error,
      });
    }
  }
}
