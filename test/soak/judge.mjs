import { geometricMean, median } from "../../bench/suite/statistics.mjs";

/** @typedef {import("./memory.mjs").MemoryUse} MemoryUse */

/** The part of a run that does not count: V8 goes on compiling for a while. */
const WARM_UP = 0.2;

/** Slower than that is too slow. */
export const MAX_SLOWDOWN = 0.05;

const MEGABYTE = 2 ** 20;

/**
 * How far the last quarter may be above the first. What V8 keeps of its own (compiled code, feedback, strings) comes and
 * goes by some hundred kilobytes; the module's memory grows in steps, but what is allocated in it must stay.
 * @type {Record<keyof MemoryUse, (first: number) => number>}
 */
const SLACK = {
  heap: (first) => first * 0.05 + MEGABYTE,
  external: (first) => first * 0.03 + MEGABYTE / 2,
  arrayBuffers: (first) => first * 0.03 + MEGABYTE / 2,
  wasmMemory: (first) => first * 0.2,
  wasmUse: () => MEGABYTE / 16,
  arenas: () => 1,
};

export const memoryKinds = /** @type {(keyof MemoryUse)[]} */ (Object.keys(SLACK));

/**
 * The first and the last quarter of what comes after the warm-up.
 * @param {readonly number[]} samples at least 5
 */
function quarters(samples) {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP));
  const length = Math.ceil(warm.length / 4);
  return [warm.slice(0, length), warm.slice(-length)];
}

/**
 * @param {readonly MemoryUse[]} samples
 * @returns {{ kind: keyof MemoryUse, first: number, last: number, allowed: number, isFlat: boolean }[]}
 */
export function judgeMemory(samples) {
  return memoryKinds.map((kind) => {
    const [first, last] = quarters(samples.map((sample) => sample[kind])).map(median);
    const allowed = first + SLACK[kind](first);
    return { kind, first, last, allowed, isFlat: last <= allowed };
  });
}

/**
 * By how much each kind of traffic takes longer at the end than at the beginning (0.05 is 5 %): in each thread, and in the
 * geometric mean of them, since what slows down does so in all. The shortest time of a quarter counts: it depends on the
 * moment how much of the tables of keys and shapes other traffic has taken.
 * @param {readonly (readonly (readonly { name: string, time: number }[])[])[]} threads the kinds of each report
 * @returns {{ name: string, slowdown: number, ofEach: number[] }[]}
 */
export function judgeSpeed(threads) {
  return threads[0][0].map(({ name }, i) => {
    const ratios = threads.map((reports) => {
      const [first, last] = quarters(reports.map((kinds) => kinds[i].time));
      return Math.min(...last) / Math.min(...first);
    });
    return { name, slowdown: geometricMean(ratios) - 1, ofEach: ratios.map((ratio) => ratio - 1) };
  });
}
