import process from "node:process";

/** Chooses the seed of all random cases of a run, unless the environment has one. */
export function chooseSeed() {
  process.env.FUZZ_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
}

/** @typedef {import("vitest/node").Reporter} Reporter */

/**
 * Says with which seed the random cases of a run are made, and counts those that were tried.
 *
 * @implements {Reporter}
 */
export class CaseCounter {
  cases = 0;

  onTestRunStart() {
    console.log(`Random cases have the seed ${process.env.FUZZ_SEED}: FUZZ_SEED in the environment sets it.`);
  }

  /** @param {import("vitest/node").TestCase} test */
  onTestCaseResult(test) {
    this.cases += test.meta().cases ?? 0;
  }

  onTestRunEnd() {
    console.log(`${this.cases} random cases with FUZZ_SEED=${process.env.FUZZ_SEED}`);
  }
}
