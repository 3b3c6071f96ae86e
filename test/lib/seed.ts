// Runs before each file of tests: all random values of a run come from one seed, and each test tells how many cases it
// has tried.
import fc from "fast-check";
import { afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** How many random cases the test has tried. */
    cases?: number;
  }
}

let cases = 0;

fc.configureGlobal({
  seed: Number(process.env.FUZZ_SEED),
  reporter(details) {
    cases += details.numRuns;
    if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
  },
});

afterEach(({ task }) => {
  task.meta.cases = cases;
  cases = 0;
});
