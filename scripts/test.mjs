import { readdir } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { build } from "./lib/build.mjs";
import { main, root, run, step } from "./lib/command.mjs";
import { fuzz, fuzzers } from "./lib/fuzz.mjs";
import { setUpBrowsers, setUpTests } from "./lib/setup.mjs";

/**
 * With arguments (`npm test -- PATTERN`), they go to Vitest, and the rest is left out. `--browsers` runs the suite in
 * browsers, which takes some 7 minutes, and goes with their names.
 */
const vitestArguments = process.argv.slice(2);

/** For each of the fuzzers. `npm run fuzz` runs them for longer. */
const FUZZ_SECONDS = 20;

await main(async () => {
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
  /** @type {[string, () => Promise<void>][]} */
  const steps = [
    ["C++ tests", () => testNatively("native")],
    ["C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer", () => testNatively("sanitize")],
    ["Fuzzers", async () => fuzz(await fuzzers(), FUZZ_SECONDS, 1)],
    ["Types", () => run("tsc", ["--noEmit"])],
    ["Biome", () => run("biome", ["check"])],
    ["clang-format", checkCppFormat],
    ["Size", () => run("node", ["scripts/size.mjs"])],
    ["Vitest", () => run("vitest", ["run"])],
    ["Plain Node without code generation", testPlainly],
    ["Bundlers", () => run("node", ["test/hosts/bundlers.mjs"])],
    ["Runtimes", () => run("node", ["test/hosts/runtimes.mjs"])],
    ["Example", () => run("node", ["test/hosts/example.mjs"])],
  ];
  for (const [name, work] of steps) await step(name, work);
  console.log(`\nsteps: ${steps.length} passed, 0 failed`);
});

/** @param {"native" | "sanitize"} preset */
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

/** Node alone: no test framework stands between the package and the flag. */
async function testPlainly() {
  await run("node", ["--disallow-code-generation-from-strings", "test/plain/run.mjs"]);
}
