// Builds the last commit twice, each from a clean clone in a folder of another name, and compares what comes of it, byte
// for byte:
//   npm run reproduce
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { cache, Failure, main, root, run, step } from "./lib/command.mjs";

// Not the folder for temporary files: what the compiler runs in has one of its own.
const folder = path.join(cache, "reproduce");
const clones = [path.join(folder, "one"), path.join(folder, "another/deeper/one")];

await main(async () => {
  const builds = [];
  for (const clone of clones) builds.push(await step(clone, () => buildIn(clone)));
  const [first, second] = builds;
  const files = [...new Set([...first.keys(), ...second.keys()])].sort();
  const different = files.filter((file) => first.get(file) !== second.get(file));
  if (different.length > 0) throw new Failure(`Not the same in both: ${different.join(", ")}`);
  await rm(folder, { recursive: true });
  console.log(`\n${files.length} files, the same in both:`);
  for (const file of files) console.log(`${first.get(file)}  dist/${file}`);
});

/** @param {string} clone @returns {Promise<Map<string, string>>} the hashes of the files in `dist/` */
async function buildIn(clone) {
  await rm(clone, { recursive: true, force: true });
  await mkdir(path.dirname(clone), { recursive: true });
  await run("git", ["clone", "--quiet", root, clone]);
  await run("npm", ["run", "build"], { cwd: clone, quiet: true });
  const dist = path.join(clone, "dist");
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const hashes = new Map();
  for (const file of files) {
    const content = await readFile(file);
    hashes.set(path.relative(dist, file), createHash("sha256").update(content).digest("hex"));
  }
  return hashes;
}
