import { execFile } from "node:child_process";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { Failure, root, run } from "./command.mjs";

/** Inputs that were found to reach what others do not, and those that failed. Neither is part of the repository. */
const found = "build/fuzz/corpus";
const failed = "build/fuzz/failed";
const kept = "test/fuzz/corpus";
const words = "test/fuzz/words.dict";

/** As many run at once as CI has cores. */
const AT_ONCE = 2;
const MAX_BYTES = 2048;
/** An input takes milliseconds; the machine may be busy, or asleep. */
const TIMEOUT_SECONDS = 120;

/** @returns {Promise<string[]>} the names of the fuzzers: of their sources */
export async function fuzzers() {
  const files = await readdir(path.join(root, "test/fuzz"));
  return files.filter((file) => file.endsWith(".cpp")).map((file) => path.parse(file).name);
}

/** @param {readonly string[]} names */
export async function buildFuzzers(names) {
  await run("cmake", ["--preset", "clang"], { quiet: true });
  const targets = names.flatMap((name) => ["--target", binaryOf(name)]);
  await run("cmake", ["--build", "--preset", "clang", ...targets], { quiet: true });
}

/**
 * Runs fuzzers that have been built, two at a time, and reports on each.
 *
 * @param {readonly string[]} names
 * @param {number} seconds for each
 * @param {number} [seed] chooses the inputs; default: another one each time
 * @throws {Failure} when an input fails
 */
export async function fuzz(names, seconds, seed = 0) {
  const waiting = [...names];
  /** @type {string[]} */
  const failures = [];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const failure = await fuzzOne(name, seconds, seed);
      if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0) throw new Failure(failures.join("\n   "));
}

/**
 * @param {string} name
 * @param {number} seconds
 * @param {number} seed
 * @returns {Promise<string | undefined>} what to say of an input that failed
 */
async function fuzzOne(name, seconds, seed) {
  await mkdir(path.join(root, found, name), { recursive: true });
  await mkdir(path.join(root, failed), { recursive: true });
  const args = [
    `-max_total_time=${seconds}`,
    `-max_len=${MAX_BYTES}`,
    `-timeout=${TIMEOUT_SECONDS}`,
    `-seed=${seed}`,
    `-dict=${words}`,
    `-artifact_prefix=${failed}/${name}-`,
    "-print_final_stats=1",
    `${found}/${name}`,
    `${kept}/${name}`,
  ];
  const { log, hasFailed } = await libFuzzer(name, args);
  if (!hasFailed) {
    console.log(report(name, log));
    return undefined;
  }
  console.error(log.slice(log.search(/^.*(Failure|ERROR: |runtime error: )/m)));
  const file = /Test unit written to (\S+)/.exec(log)?.[1];
  return `${name} fails. To replay: build/clang/${binaryOf(name)} ${file ?? ""}`;
}

/**
 * Replaces what is kept in the repository by the smallest of the inputs found, as many as together reach all that
 * the inputs found do.
 *
 * @param {string} name
 */
export async function minimizeCorpus(name) {
  const folder = path.join(root, kept, name);
  const smaller = `${folder}.smaller`;
  await rm(smaller, { recursive: true, force: true });
  await mkdir(smaller, { recursive: true });
  const args = ["-merge=1", "-use_counters=0", `-max_len=${MAX_BYTES}`, smaller, `${found}/${name}`, folder];
  const { log, hasFailed } = await libFuzzer(name, args);
  if (hasFailed) throw new Failure(`${name}: ${log}`);
  await rm(folder, { recursive: true, force: true });
  await rename(smaller, folder);
  console.log(`${name}: ${(await readdir(folder)).length} inputs kept`);
}

/**
 * @param {string} name
 * @param {string[]} args
 */
async function libFuzzer(name, args) {
  const binary = path.join(root, "build/clang", binaryOf(name));
  // The fuzzer makes and drops memory all the time: to remember less of what was dropped makes it twice as fast.
  const env = { ...process.env, ASAN_OPTIONS: "quarantine_size_mb=8:malloc_context_size=4" };
  try {
    const { stderr } = await promisify(execFile)(binary, args, { cwd: root, env, maxBuffer: 2 ** 28 });
    return { log: stderr, hasFailed: false };
  } catch (error) {
    const { stdout = "", stderr = error } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    return { log: `${stdout}${stderr}`, hasFailed: true };
  }
}

/** @param {string} name */
function binaryOf(name) {
  return `fuzz_${name}`;
}

/**
 * @param {string} name
 * @param {string} log
 */
function report(name, log) {
  const edges = /DONE +cov: (\d+)/.exec(log)?.[1];
  const inputs = /DONE .* corp: (\d+)/.exec(log)?.[1];
  const executions = /number_of_executed_units: +(\d+)/.exec(log)?.[1];
  const rate = /average_exec_per_sec: +(\d+)/.exec(log)?.[1];
  return `${name}: ${executions} executions (${rate}/s), ${edges} edges covered, ${inputs} inputs in the corpus`;
}
