// Runs the tests that compare with other codecs again and again, each time with other random cases:
//   npm run fuzz:differential -- [--cases 1000000] [--seed N]
// The first run has the seed N, the next one N + 1, and so on, until there were so many cases. It ends at the first
// that fails; its seed alone, with `--cases 1`, brings that back.
import process from "node:process";
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";
import { CaseCounter } from "../test/lib/randomCases.mjs";
import { build } from "./lib/build.mjs";
import { Failure, main } from "./lib/command.mjs";

const FILES = [
  "test/differential.test.ts",
  "test/msgpackr.test.ts",
  "test/randomOptions.test.ts",
  "test/signalr/differential.test.ts",
];

await main(async () => {
  const { values } = parseArgs({ options: { cases: { type: "string" }, seed: { type: "string" } } });
  const wanted = Number(values.cases ?? 1_000_000);
  let seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  if (!(wanted > 0) || !Number.isInteger(seed)) throw new Failure("--cases and --seed take a number");
  await build();
  let cases = 0;
  for (const first = seed; cases < wanted; seed++) {
    process.env.FUZZ_SEED = String(seed);
    const counter = new CaseCounter();
    const vitest = await startVitest("test", FILES, {
      watch: false,
      testTimeout: 0,
      reporters: ["dot", counter],
    });
    await vitest.close();
    cases += counter.cases;
    if (process.exitCode) throw new Failure(`Cases with the seed ${seed} fail`);
    console.log(`${cases} cases with the seeds ${first} to ${seed}, and no difference`);
  }
});
