// Builds the fuzzers of the C++ core and runs them, two at a time:
//   npm run fuzz -- [--minutes N | --seconds N] [--minimize] [NAME…]
// Each runs for N minutes (5 by default). --minimize then makes the corpus in test/fuzz/corpus anew.
import process from "node:process";
import { parseArgs } from "node:util";
import { Failure, main, step } from "./lib/command.mjs";
import { buildFuzzers, fuzz, fuzzers, minimizeCorpus } from "./lib/fuzz.mjs";
import { setUpNative } from "./lib/setup.mjs";

await main(async () => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: {
      minutes: { type: "string", default: "5" },
      seconds: { type: "string" },
      minimize: { type: "boolean", default: false },
    },
  });
  const seconds = Number(values.seconds ?? Number(values.minutes) * 60);
  if (!(seconds > 0)) throw new Failure("--minutes and --seconds take a number above 0");
  const all = await fuzzers();
  const names = positionals.length > 0 ? positionals : all;
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Failure(`no fuzzer ${unknown.join(", ")}: there are ${all.join(", ")}`);
  await setUpNative();
  await step("Build of the fuzzers", () => buildFuzzers(names));
  await step(`Fuzzers, ${seconds} s each`, () => fuzz(names, seconds));
  if (values.minimize) for (const name of names) await minimizeCorpus(name);
});
