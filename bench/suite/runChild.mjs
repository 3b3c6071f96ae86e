import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const TIMEOUT_MILLISECONDS = 600_000;
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

/**
 * Runs one of the suite's scripts in a process of its own.
 * @param {string} executable of Node
 * @param {readonly string[]} flags
 * @param {string} script its name
 * @param {unknown} task its argument, as JSON
 * @returns {Promise<any>} the JSON that it prints
 * @throws {Error} with the first line that says why, where it fails
 */
export async function runChild(executable, flags, script, task) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  try {
    const { stdout } = await execute(executable, [...flags, file, JSON.stringify(task)], {
      timeout: TIMEOUT_MILLISECONDS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return JSON.parse(stdout);
  } catch (error) {
    const output = String(/** @type {{ stderr?: string }} */ (error).stderr ?? "");
    const reason = output.split("\n").find((line) => /^\w*Error\b/.test(line));
    throw new Error(reason ?? (output.trim() || String(error)));
  }
}
