import { execFileSync } from "node:child_process";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { cachedPackages } from "../../scripts/lib/cachedPackages.mjs";
import { Failure } from "../../scripts/lib/command.mjs";

/**
 * Where things are measured.
 * @typedef {object} Host
 * @property {string} id
 * @property {"node" | "browser"} kind
 * @property {string} name with its version
 * @property {string} engine the JavaScript engine with its version, where that is known
 */

const PLATFORMS = { linux: "linux", darwin: "darwin", win32: "win" };

/**
 * Finds a Node of a version, or installs it from npm, outside the checkout.
 * @param {string} version a major version, or a full one
 * @returns {Promise<Host & { executable: string }>}
 */
export async function findNode(version) {
  if (!/^\d+(\.\d+\.\d+)?$/.test(version))
    throw new Failure(`--node takes versions, like 20,26: not ${version}`);
  const own = process.versions.node;
  if (version === own || version === own.split(".")[0]) return describeNode(process.execPath);
  const platform = PLATFORMS[/** @type {keyof typeof PLATFORMS} */ (process.platform)];
  const name = `node-${platform}-${process.arch}`;
  const folder = await cachedPackages("node", { [name]: version });
  const file = process.platform === "win32" ? "node.exe" : "node";
  return describeNode(path.join(folder, name, "bin", file));
}

/** @param {string} executable */
function describeNode(executable) {
  const script = "JSON.stringify([process.versions.node, process.versions.v8])";
  const [node, v8] = JSON.parse(execFileSync(executable, ["-p", script], { encoding: "utf8" }));
  const major = node.split(".")[0];
  return {
    id: `node-${major}`,
    kind: /** @type {const} */ ("node"),
    name: `Node ${node}`,
    engine: `V8 ${v8}`,
    executable,
  };
}

/**
 * @typedef {ReturnType<typeof describeMachine>} Machine
 */
export function describeMachine() {
  const processors = os.cpus();
  return {
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
  };
}
