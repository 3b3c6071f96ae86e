import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { cache, Failure, isOnPath, root, run, step } from "./command.mjs";
import { needHostPackages } from "./hostPackages.mjs";

/** What Debian 13 has; the code is built with 6.0 as well. Debian 12 has 3.1.6, which knows no `--emit-tsd`. */
const minimumVersion = [3, 1, 69];

/** By the releases of Debian that can be chosen: its names, 14 being what is to be released next. */
const suites = new Map([
  ["13", "trixie"], // has Emscripten 3.1.69
  ["14", "testing"], // had 6.0.5 in December 2026
]);

/** The release that was asked for; else 13, where the machine has no Emscripten. */
const chosen = process.env.MSGPACK_WASM_DEBIAN;
const release = chosen ?? "13";

/** A Debian of its own. The last number grows with changes of makeDebian.sh. */
const debian = path.join(cache, `debian${release}-1`);

/**
 * An Emscripten with CMake and Ninja.
 *
 * @typedef {object} Emscripten
 * @property {string} id changes when the toolchain does
 * @property {(command: string, args: readonly string[]) => Promise<void>} run runs a command where `emcc`,
 *   `cmake` and `ninja` are on the PATH, in the top of the checkout
 */

/**
 * Finds the Emscripten of this machine, or sets one up apart from it.
 *
 * @returns {Promise<Emscripten>}
 */
export async function setUpEmscripten() {
  const version = chosen === undefined ? hostVersion() : undefined;
  if (version !== undefined && isRecent(version)) {
    await needHostPackages(["cmake", "ninja-build"]);
    return { id: `host ${version}`, run: (command, args) => run(command, args, { quiet: true }) };
  }
  const suite = suites.get(release);
  if (suite === undefined) {
    throw new Failure(`MSGPACK_WASM_DEBIAN is ${release}; it can be ${[...suites.keys()].join(" or ")}`);
  }
  await needHostPackages(["bubblewrap"]);
  if (!existsSync(debian)) {
    await needHostPackages(["debootstrap"]);
    await step(`Emscripten: a Debian ${release} in ${debian} (once, some minutes)`, () =>
      run("scripts/lib/makeDebian.sh", [debian, suite], { quiet: true }),
    );
  }
  return { id: debian, run: runInDebian };
}

/**
 * Of all that is outside, a command in the Debian sees only the checkout. The temporary folder is mounted
 * first, as the checkout may lie in it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 */
async function runInDebian(command, args) {
  const view = [
    ["--bind", debian, "/"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    ["--tmpfs", "/tmp"],
    ["--bind", root, root],
    ["--chdir", root],
  ];
  // Emscripten's own variables (EM_CACHE, EM_CONFIG…) must not leak in.
  const env = { PATH: `${root}/node_modules/.bin:/usr/bin:/bin`, HOME: "/tmp", LC_ALL: "C.UTF-8" };
  await run("bwrap", ["--die-with-parent", ...view.flat(), command, ...args], { quiet: true, env });
}

/** @returns {string | undefined} */
function hostVersion() {
  return isOnPath("emcc") ? execFileSync("emcc", ["-dumpversion"], { encoding: "utf8" }).trim() : undefined;
}

/** @param {string} version */
function isRecent(version) {
  const numbers = version.split(/[.-]/).map(Number);
  const different = minimumVersion.findIndex((minimum, index) => numbers[index] !== minimum);
  return different === -1 || numbers[different] > minimumVersion[different];
}
