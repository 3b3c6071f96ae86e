import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { cache, run, step } from "./command.mjs";

/**
 * Installs npm packages that are too large for everybody's `npm ci` in a folder apart, once.
 *
 * @param {string} name
 * @param {Record<string, string>} packages names and versions
 * @returns {Promise<string>} their `node_modules`
 */
export async function cachedPackages(name, packages) {
  const versions = Object.values(packages).map((version) => version.split("@").at(-1));
  const folder = path.join(cache, `${name}-${versions.join("-")}`);
  if (!existsSync(folder)) {
    await step(`npm packages for ${name} (once): ${Object.keys(packages).join(", ")}`, async () => {
      const unfinished = `${folder}.unfinished`;
      await rm(unfinished, { recursive: true, force: true });
      await mkdir(unfinished, { recursive: true });
      const manifest = { private: true, dependencies: packages };
      await writeFile(path.join(unfinished, "package.json"), JSON.stringify(manifest));
      await run("npm", ["install", "--prefix", unfinished, "--no-package-lock", "--ignore-scripts"], {
        quiet: true,
      });
      await rename(unfinished, folder);
    });
  }
  return path.join(folder, "node_modules");
}
