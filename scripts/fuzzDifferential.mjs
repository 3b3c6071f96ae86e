// Runs the tests that compare with @msgpack/msgpack with many random cases:
//   npm run fuzz:differential -- [--cases 1000000] [--seed N]
// Those that fail are printed with the seed; the same seed and number bring them back.
import process from "node:process";
import { parseArgs } from "node:util";
import { build } from "./lib/build.mjs";
import { main, run } from "./lib/command.mjs";

const FILES = ["test/differential.test.ts", "test/randomOptions.test.ts"];
/** So many cases these files try by themselves. */
const USUAL_CASES = 52_000;

await main(async () => {
  await build();
  const { values } = parseArgs({ options: { cases: { type: "string" }, seed: { type: "string" } } });
  const cases = Number(values.cases ?? 1_000_000);
  const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
  console.log(`${cases} cases with the seed ${seed}`);
  process.env.FUZZ_FACTOR = String(cases / USUAL_CASES);
  process.env.FUZZ_SEED = seed;
  await run("vitest", ["run", ...FILES, "--testTimeout", "0"]);
});
