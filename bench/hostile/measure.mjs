import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * What decoding a message came to.
 * @typedef {object} Measurement
 * @property {string} outcome "a value", the code or the class of the error, or how the process ended
 * @property {number} [offset]
 * @property {number} messageBytes
 * @property {number} peakBytes how much more memory the process had at the most
 * @property {number} valueBytes how much more it had in use afterwards
 * @property {number} nanoseconds
 */

/** In place of a library: the value is built, without a message. */
export const PLAIN = "plain JS";
/** The outcome where a library has nothing for a case. */
export const NO_FUNCTION = "no such function";
/** In so many bytes at a time the streams arrive. */
export const STREAM_PIECE = 65_536;

const MOST_MEGABYTES = 2048;
const script = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Decodes messages one after another in a process of its own. There V8 may keep no more than 1 MB of new objects before
 * it looks for garbage: otherwise that would be most of what is measured.
 * @param {string} library
 * @param {string[]} names of the cases
 * @param {number} size
 * @param {number} [seconds] that it may take; 0 for any number
 * @returns {Promise<(Partial<Measurement> & { outcome: string })[]>} the last one without figures, if the process came to an end
 */
export function measure(library, names, size, seconds = 0) {
  return inProcess(script("child.mjs"), [library, String(size), ...names], seconds);
}

/**
 * Encodes a value that makes trouble, in a process of its own.
 * @param {string} library
 * @param {string} name of the case
 * @param {number} [seconds] that it may take; 0 for any number
 * @returns {Promise<{ outcome: string, peakBytes?: number }>}
 */
export async function measureEncoding(library, name, seconds = 0) {
  const [measurement] = await inProcess(script("encodeChild.mjs"), [library, "-", name], seconds);
  return measurement;
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {number} seconds
 * @returns {Promise<(Partial<Measurement> & { outcome: string })[]>}
 */
async function inProcess(file, args, seconds) {
  const flags = ["--max-semi-space-size=1", `--max-old-space-size=${MOST_MEGABYTES}`];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, ...args], {
      timeout: seconds * 1000,
      killSignal: "SIGKILL",
    });
    return parsed(stdout);
  } catch (error) {
    const {
      killed,
      signal,
      stdout = "",
      stderr = "",
    } = /** @type {{ killed?: boolean, signal?: string | null, stdout?: string, stderr?: string }} */ (error);
    if (!killed && (signal ?? null) === null) throw error;
    if (killed) return [...parsed(stdout), { outcome: `> ${seconds} s` }];
    const isOut = /out of memory/i.test(stderr);
    return [
      ...parsed(stdout),
      { outcome: isOut ? `> ${MOST_MEGABYTES} MB, the process dies` : "the process dies" },
    ];
  }
}

/** @param {string} lines */
const parsed = (lines) =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /** @type {Measurement} */ (JSON.parse(line)));
