import fc from "fast-check";

/** Not every host of the tests has a process. */
const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;

/** `npm run fuzz:differential` has its own; otherwise each run is like the one before. */
const SEED = Number(env?.FUZZ_SEED ?? 1);
/** How many times as many cases as usual. */
const FACTOR = Number(env?.FUZZ_FACTOR ?? 1);

/** In milliseconds, 0 for none. */
export const FUZZ_TIMEOUT = env?.FUZZ_FACTOR === undefined ? 60_000 : 0;

/** Where `predicate` fails, fast-check prints the smallest case, and the seed and path that bring it back. */
export function check<T>(arbitrary: fc.Arbitrary<T>, cases: number, predicate: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, predicate), { numRuns: Math.ceil(cases * FACTOR), seed: SEED });
}
