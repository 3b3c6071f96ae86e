import { readdir } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { chooseSeed } from "../test/lib/randomCases.mjs";
import { build } from "./lib/build.mjs";
import { main, root, run, step } from "./lib/command.mjs";
import { fuzz, fuzzers } from "./lib/fuzz.mjs";
import { setUpBrowsers, setUpTests } from "./lib/setup.mjs";

/**
 * With arguments (`npm test -- PATTERN`), they go to Vitest, and the rest is left out. `--browsers` runs the suite in
 * browsers alone, and goes with their names.
 */
const vitestArguments = process.argv.slice(2);

/** For each of the fuzzers. `npm run fuzz` runs them for longer. */
const FUZZ_SECONDS = 20;

/** `npm run soak` takes 30. */
const SOAK_MINUTES = 2;

await main(async () => {
  // One for Vitest and all hosts.
  chooseSeed();
  await build();
  if (vitestArguments[0] === "--browsers") {
    await setUpBrowsers();
    await run("node", ["test/hosts/browsers.mjs", ...vitestArguments.slice(1)]);
    return;
  }
  if (vitestArguments.length > 0) {
    await run("vitest", ["run", ...vitestArguments]);
    return;
  }
  await setUpTests();
  await setUpBrowsers();
  /** @type {[string, () => Promise<void>][]} */
  const steps = [
    ["C++ tests", () => testNatively("gcc")],
    ["C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer", () => testNatively("clang")],
    ["Fuzzers", async () => fuzz(await fuzzers(), FUZZ_SECONDS, 1)],
    ["Types", () => run("tsc", ["--noEmit"])],
    ["Biome", () => run("biome", ["check"])],
    ["clang-format", checkCppFormat],
    ["Size", () => run("node", ["scripts/size.mjs"])],
    ["Vitest", () => run("vitest", ["run"])],
    ["Soak", soak],
    ["Plain Node without code generation", testPlainly],
    ["Bundlers, runtimes, and the example", () => testHosts("bundlers", "runtimes", "example")],
    ["Browsers", () => testHosts("browsers")],
  ];
  for (const [name, work] of steps) await step(name, work);
  console.log(`\nsteps: ${steps.length} passed, 0 failed`);
});

/** @param {"gcc" | "clang"} preset */
async function testNatively(preset) {
  await run("cmake", ["--preset", preset], { quiet: true });
  await run("cmake", ["--build", "--preset", preset], { quiet: true });
  const shards = [0, 1].map((shard) => ({ GTEST_SHARD_INDEX: `${shard}`, GTEST_TOTAL_SHARDS: "2" }));
  await Promise.all(
    shards.map((shard) =>
      run(`build/${preset}/cpp_tests`, ["--gtest_brief=1"], { env: { ...process.env, ...shard } }),
    ),
  );
}

async function checkCppFormat() {
  const folders = ["cpp", "bindings", "test/cpp", "test/fuzz"];
  const sources = [];
  for (const folder of folders) {
    const names = await readdir(path.join(root, folder));
    sources.push(...names.filter((name) => /\.[ch]pp$/.test(name)).map((name) => `${folder}/${name}`));
  }
  await run("clang-format", ["--dry-run", "-Werror", ...sources]);
}

/**
 * Side by side, since each keeps little more than one core busy.
 *
 * @param {string[]} names of files in `test/hosts`
 */
async function testHosts(...names) {
  const runs = names.map((name) => run("node", [`test/hosts/${name}.mjs`], { whole: names.length > 1 }));
  const failure = (await Promise.allSettled(runs)).find(({ status }) => status === "rejected");
  if (failure !== undefined) throw /** @type {PromiseRejectedResult} */ (failure).reason;
}

/** Other work on the machine, too, makes things slower: that is told, and fails nothing here. */
async function soak() {
  await run("node", ["test/soak/soak.mjs", "--minutes", `${SOAK_MINUTES}`, "--ignore-speed"]);
}

/** Node alone: no test framework stands between the package and the flag. */
async function testPlainly() {
  await run("node", ["--disallow-code-generation-from-strings", "test/plain/run.mjs"]);
}
