import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * What decoding a message came to.
 * @typedef {object} Measurement
 * @property {string} outcome "a value", the code or the class of the error, or how the process ended
 * @property {string} [errorClass]
 * @property {number} [offset]
 * @property {number} messageBytes
 * @property {number} peakBytes how much more memory the process had at the most
 * @property {number} valueBytes how much more it had afterwards
 * @property {number} nanoseconds
 */

const child = fileURLToPath(new URL("child.mjs", import.meta.url));

/**
 * Decodes a message in a process of its own. There V8 may keep no more than 1 MB of new objects before it looks for
 * garbage: otherwise that would be most of what is measured.
 * @param {string} library
 * @param {string} name of the case
 * @param {number} size
 * @param {number} [seconds] that it may take; 0 for any number
 * @returns {Promise<Partial<Measurement> & { outcome: string }>}
 */
export async function measure(library, name, size, seconds = 0) {
  const flags = ["--max-semi-space-size=1", "--max-old-space-size=2048"];
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...flags, child, library, name, String(size)],
      {
        timeout: seconds * 1000,
        killSignal: "SIGKILL",
      },
    );
    return JSON.parse(stdout);
  } catch (error) {
    const { killed, signal, stderr } = /** @type {{ killed?: boolean, signal?: string, stderr?: string }} */ (
      error
    );
    if (killed) return { outcome: `more than ${seconds} s` };
    if (/out of memory/.test(stderr ?? "")) return { outcome: "out of memory" };
    if (signal === undefined || signal === null) throw error;
    return { outcome: `ended by ${signal}` };
  }
}
