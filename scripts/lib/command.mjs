import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The top of the checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** For what is large and stays the same: it serves all checkouts. */
export const cache = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"),
  "msgpack-wasm",
);

/** A failure that its message explains in full; no stack is shown. */
export class Failure extends Error {}

/**
 * Runs a command to its end, with the npm packages' commands on its PATH.
 *
 * @param {string} command
 * @param {readonly string[]} [args]
 * @param {{ quiet?: boolean, whole?: boolean, env?: NodeJS.ProcessEnv, cwd?: string }} [options] `quiet` shows the output
 *   only on failure, `whole` when it is complete; `cwd` is the top of the checkout by default
 * @returns {Promise<void>}
 * @throws {Failure} when it cannot be run or does not exit with 0
 */
export async function run(
  command,
  args = [],
  { quiet = false, whole = false, env = withNpmCommands(process.env), cwd = root } = {},
) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: quiet || whole ? ["ignore", "pipe", "pipe"] : "inherit",
  });
  /** @type {Buffer[]} */
  const output = [];
  child.stdout?.on("data", (chunk) => output.push(chunk));
  child.stderr?.on("data", (chunk) => output.push(chunk));
  /** @type {string} */
  const end = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code === null ? `ended by ${signal}` : `exit code ${code}`));
  });
  if (whole) process.stdout.write(Buffer.concat(output));
  if (end !== "exit code 0") {
    if (!whole) process.stderr.write(Buffer.concat(output));
    throw new Failure(`${command} ${args.join(" ")}: ${end}`);
  }
}

/**
 * Does one step under a headline and tells how long it took.
 *
 * @template T
 * @param {string} name
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  console.log(`\n== ${name}`);
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const result = await work();
    console.log(`== ${name}: done in ${seconds()}`);
    return result;
  } catch (error) {
    console.error(`\n!! ${name}: failed after ${seconds()}`);
    throw error;
  }
}

/**
 * The body of a script: a failure ends it with exit code 1 and its message alone.
 *
 * @param {() => Promise<void>} body
 */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Failure ? `!! ${error.message}` : error);
    process.exitCode = 1;
  }
}

/**
 * Finds a command without starting it.
 *
 * @param {string} name
 * @returns {boolean}
 */
export function isOnPath(name) {
  return (process.env.PATH ?? "").split(path.delimiter).some((directory) => {
    try {
      accessSync(path.join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @param {NodeJS.ProcessEnv} env */
function withNpmCommands(env) {
  return { ...env, PATH: `${path.join(root, "node_modules/.bin")}${path.delimiter}${env.PATH}` };
}
