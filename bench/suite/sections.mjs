import { fileWorkload } from "./fileWorkload.mjs";
import {
  FILES,
  JSON_HUB,
  KEPT,
  OFFICIAL_HUB,
  REDIS,
  REFERENCE_KEPT,
  SIGNALR,
  STREAMING_HUB,
} from "./names.mjs";
import { findPeer, peers } from "./peers.mjs";
import { codec } from "./results.mjs";
import { openSubject } from "./subject.mjs";
import { findWorkload, workloads } from "./workloads.mjs";

/**
 * What is compared with what: workloads, and the libraries that do the same with them.
 * @typedef {object} Section
 * @property {string} name
 * @property {readonly string[]} operations what is measured of each workload
 * @property {string} reference the library that charts compare with
 * @property {readonly Entry[]} workloads
 * @property {readonly Contestant[]} peers
 * @property {Open} open
 *
 * @typedef {Pick<import("./workloads.mjs").Workload, "name" | "group" | "isQuick" | "isLong" | "messages">} Entry a workload
 * @typedef {import("./peers.mjs").Contestant} Contestant
 *
 * Prepares a workload in the hands of a library, and makes sure that it gives back what went in.
 * @callback Open
 * @param {string} workload
 * @param {string} library its id
 * @param {import("./peers.mjs").Environment} environment
 * @returns {Promise<import("./subject.mjs").Subject>}
 */

/**
 * @param {string} name
 * @param {readonly string[]} operations
 * @param {Record<string, string>} libraries by their ids; ours first, then the reference
 * @param {Record<string, { isQuick?: boolean }>} entries
 * @param {() => Promise<{ open: Open }>} load imports what is needed only by who measures this
 * @returns {Section}
 */
function protocol(name, operations, libraries, entries, load) {
  return {
    name,
    operations,
    reference: Object.keys(libraries)[1],
    workloads: Object.entries(entries).map(([entry, rest]) => ({ name: entry, group: name, ...rest })),
    peers: Object.entries(libraries).map(([id, library]) => ({
      id,
      library,
      isOurs: id === KEPT,
      isMessagePack: id !== JSON_HUB,
      isMain: true,
      cannot: () => undefined,
    })),
    open: async (...parts) => (await load()).open(...parts),
  };
}

const OURS = { [KEPT]: "msgpack-wasm" };
const REFERENCE = { [REFERENCE_KEPT]: "@msgpack/msgpack" };
const QUICK = { isQuick: true };

/** @type {readonly Section[]} */
export const sections = [
  {
    ...codec,
    workloads,
    peers,
    open: (workload, library, environment) =>
      openSubject(findWorkload(workload), findPeer(library), environment),
  },
  protocol(
    SIGNALR,
    ["read", "write"],
    { ...OURS, [OFFICIAL_HUB]: OFFICIAL_HUB, [JSON_HUB]: "@microsoft/signalr" },
    { "no arguments": {}, "few arguments": QUICK, "many arguments": {}, "large arguments": QUICK },
    () => import("../protocols/signalr.mjs"),
  ),
  protocol(
    REDIS,
    ["read", "write"],
    { ...OURS, ...REFERENCE },
    {
      ack: {},
      "group command": QUICK,
      "invocation, 0 exclusions": {},
      "invocation, 2 exclusions": QUICK,
      "invocation, 20 exclusions": {},
    },
    () => import("../protocols/redis.mjs"),
  ),
  protocol(
    STREAMING_HUB,
    ["call", "call, answered at once", "encode and decode"],
    { ...OURS, ...REFERENCE },
    {
      "void, no parameters": {},
      "ValueTask, no parameters": {},
      "int, no parameters": {},
      "int, three parameters": {},
      "string, no parameters": {},
      "string, three parameters": QUICK,
    },
    () => import("../protocols/streaminghub.mjs"),
  ),
];

/**
 * A user's own files.
 * @param {readonly string[]} paths end in `.json` or `.msgpack`
 * @returns {Section}
 */
export function fileSection(paths) {
  return {
    ...codec,
    name: FILES,
    workloads: paths.map(fileWorkload),
    peers,
    open: (path, library, environment) => openSubject(fileWorkload(path), findPeer(library), environment),
  };
}

/** @param {string} name */
export function findSection(name) {
  const found = [...sections, fileSection([])].find((section) => section.name === name);
  if (found === undefined) throw new Error(`There is no section ${name}`);
  return found;
}
