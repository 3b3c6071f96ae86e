import process from "node:process";
import fc from "fast-check";

/** `npm run fuzz:differential` has its own; otherwise each run is like the one before. */
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** How many times as many cases as usual. */
const FACTOR = Number(process.env.FUZZ_FACTOR ?? 1);

/** Where `predicate` fails, fast-check prints the smallest case, and the seed and path that bring it back. */
export function check<T>(arbitrary: fc.Arbitrary<T>, cases: number, predicate: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, predicate), { numRuns: Math.ceil(cases * FACTOR), seed: SEED });
}
