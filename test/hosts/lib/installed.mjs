import { rmSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { root, run } from "../../../scripts/lib/command.mjs";

/**
 * Packs the package, and installs it from the tarball in an empty folder, as a user would: outside the checkout, whose
 * settings some tools would find. The folder is gone when this process ends.
 *
 * @returns {Promise<string>} the folder
 */
export async function installPacked() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "msgpack-wasm-hosts-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { quiet: true });
  await writeFile(path.join(folder, "package.json"), `{ "private": true, "type": "module" }\n`);
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const tarball = path.join(folder, `msgpack-wasm-${version}.tgz`);
  await run("npm", ["install", "--prefix", folder, "--offline", tarball], { quiet: true });
  return folder;
}
