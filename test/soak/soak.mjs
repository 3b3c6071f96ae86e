// Mixed traffic for a long time, each result verified, in two threads: `npm run soak -- [--minutes N] [--seed N]`.
// Memory must stay flat, and nothing must become slower. With `--ignore-speed`, which is for machines that do other
// work meanwhile, the latter is only told.
import process from "node:process";
import { inspect, parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { judgeMemory, judgeSpeed, MAX_SLOWDOWN } from "./judge.mjs";

/** @typedef {import("./worker.mjs").Report} Report */

const INTERVALS = 60;
const MEGABYTE = 2 ** 20;
/** One has the package as it is published, one the build for tests, which tells more of its memory. */
const THREADS = ["published", "testing"];

const { values: args } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    "ignore-speed": { type: "boolean", default: false },
  },
});
const minutes = Number(args.minutes);
const seed = Number(args.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) throw new RangeError("--minutes N, --seed N");

console.log(`${minutes} minute(s) of mixed traffic in ${THREADS.length} threads with the seed ${seed}`);
const workers = THREADS.map(startWorker);
try {
  const reports = await Promise.all(workers.map(({ reports }) => reports));
  const problems = report(reports);
  for (const problem of problems) console.error(`!! ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(`!! with the seed ${seed}: ${inspect(error, { depth: 9 })}`);
  process.exitCode = 1;
} finally {
  for (const { worker } of workers) await worker.terminate();
}

/**
 * @param {string} name
 * @param {number} index
 */
function startWorker(name, index) {
  const worker = new Worker(new URL("worker.mjs", import.meta.url), {
    workerData: {
      seed: seed + index,
      isPublished: name === "published",
      seconds: minutes * 60,
      intervals: INTERVALS,
    },
  });
  /** @type {Report[]} */
  const reports = [];
  return {
    worker,
    reports: /** @type {Promise<Report[]>} */ (
      new Promise((resolve, reject) => {
        worker.on("message", (report) => {
          reports.push(report);
          if (reports.length % (INTERVALS / 10) === 0) tell(name, reports.length, report);
        });
        worker.on("error", reject);
        worker.on("exit", (code) => {
          if (code === 0 && reports.length === INTERVALS) resolve(reports);
          else
            reject(new Error(`The thread "${name}" ended with ${code} after ${reports.length} interval(s)`));
        });
      })
    ),
  };
}

/**
 * @param {string} name
 * @param {number} interval
 * @param {Report} report
 */
function tell(name, interval, { memory, kinds }) {
  const verified = kinds.reduce((sum, kind) => sum + kind.verified, 0);
  const heap = (memory.heap / MEGABYTE).toFixed(1);
  const percent = (100 * interval) / INTERVALS;
  console.log(`${name} ${percent} %: ${verified} results verified, ${heap} MB of heap`);
}

/**
 * Prints what has come of it.
 * @param {Report[][]} threads
 * @returns {string[]} what is wrong
 */
function report(threads) {
  const speed = judgeSpeed(threads.map((reports) => reports.map(({ kinds }) => kinds)));
  const last = threads.map((reports) => reports[INTERVALS - 1].kinds);
  const sum = (/** @type {number} */ i, /** @type {"verified" | "errors"} */ what) =>
    last.reduce((total, kinds) => total + kinds[i][what], 0);
  console.table(
    Object.fromEntries(
      speed.map(({ name, slowdown, ofEach }, i) => [
        name,
        {
          verified: sum(i, "verified"),
          "of these errors": sum(i, "errors"),
          slowdown: percent(slowdown),
          ...Object.fromEntries(THREADS.map((thread, t) => [`in ${thread}`, percent(ofEach[t])])),
        },
      ]),
    ),
  );
  const memory = threads
    .flatMap((reports, t) =>
      judgeMemory(reports.map(({ memory }) => memory)).map((judged) => ({ thread: THREADS[t], ...judged })),
    )
    .filter(({ first, last }) => first > 0 || last > 0);
  const amount = (/** @type {string} */ kind, /** @type {number} */ n) =>
    kind === "arenas" ? String(n) : `${(n / MEGABYTE).toFixed(2)} MB`;
  console.table(
    memory.map(({ thread, kind, first, last, allowed }) => ({
      thread,
      memory: kind,
      first: amount(kind, first),
      last: amount(kind, last),
      allowed: amount(kind, allowed),
    })),
  );
  const grown = memory
    .filter(({ isFlat }) => !isFlat)
    .map(
      ({ thread, kind, last, allowed }) =>
        `${kind} of "${thread}" has grown to ${amount(kind, last)}, above ${amount(kind, allowed)}`,
    );
  const slower = speed
    .filter(({ slowdown }) => slowdown > MAX_SLOWDOWN)
    .map(({ name, slowdown }) => `${name} takes ${percent(slowdown)} longer at the end`);
  return args["ignore-speed"] ? grown : [...grown, ...slower];
}

/** @param {number} fraction */
function percent(fraction) {
  return `${(fraction * 100).toFixed(1)} %`;
}
