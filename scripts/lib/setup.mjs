import { stat } from "node:fs/promises";
import path from "node:path";
import { root, run, step } from "./command.mjs";
import { setUpEmscripten } from "./emscripten.mjs";
import { needHostPackages } from "./hostPackages.mjs";

/** Installs what a build needs and is missing. */
export async function setUpBuild() {
  await setUpNpmPackages();
  return setUpEmscripten();
}

/** Installs what the native tests and the fuzzers need and is missing. */
export async function setUpNative() {
  await needHostPackages(["cmake", "ninja-build", "g++", "clang", "libclang-rt-dev", "libgtest-dev"]);
}

/** Installs what the tests need and is missing, besides what a build needs. */
export async function setUpTests() {
  await setUpNative();
  await needHostPackages(["clang-format"]);
  // What the protocols, the example and what bundlers make are tested with.
  await needHostPackages(["chromium", "redis-server"]);
}

/** Installs the browsers in which the suite runs. */
export async function setUpBrowsers() {
  await needHostPackages(["chromium", "firefox-esr", "libwebkit2gtk-4.1-0", "xvfb"]);
}

async function setUpNpmPackages() {
  /** @param {string} file */
  const timeOf = async (file) => (await stat(path.join(root, file)).catch(() => undefined))?.mtimeMs ?? 0;
  // npm writes the hidden lock file last.
  if ((await timeOf("node_modules/.package-lock.json")) >= (await timeOf("package-lock.json"))) return;
  await step("npm packages", () => run("npm", ["ci"], { quiet: true }));
}
