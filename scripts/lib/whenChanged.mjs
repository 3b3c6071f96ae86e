import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./command.mjs";

/**
 * Makes outputs from inputs, unless that was done before from inputs of the same content.
 *
 * @param {string} name names the stamp that remembers the inputs
 * @param {{ inputs: readonly string[], outputs: readonly string[], salt?: string }} parts files and folders,
 *   relative to the top; `salt` is whatever else the outputs depend on
 * @param {() => Promise<void>} make
 */
export async function whenChanged(name, { inputs, outputs, salt = "" }, make) {
  const stamp = path.join(root, "build/stamps", name);
  const hash = await hashOf(inputs, salt);
  const before = await readFile(stamp, "utf8").catch(() => undefined);
  if (before === hash && outputs.every((output) => existsSync(path.join(root, output)))) return;

  // A run that fails half-way leaves mixed outputs: they must not pass for those of the old stamp.
  await rm(stamp, { force: true });
  await make();
  await mkdir(path.dirname(stamp), { recursive: true });
  await writeFile(stamp, hash);
}

/**
 * @param {readonly string[]} inputs
 * @param {string} salt
 */
async function hashOf(inputs, salt) {
  const hash = createHash("sha256").update(salt);
  for (const input of inputs) {
    for (const file of await filesOf(input)) {
      hash.update(`\0${file}\0`).update(await readFile(path.join(root, file)));
    }
  }
  return hash.digest("hex");
}

/**
 * @param {string} input
 * @returns {Promise<string[]>} the file itself, or the files below the folder, in a stable order
 */
async function filesOf(input) {
  const entries = await readdir(path.join(root, input), { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  );
  if (entries === undefined) return [input];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
