import { decode } from "@msgpack/msgpack";
import { fileDocument } from "../lib/documents.mjs";

/**
 * A workload of a user's own file.
 * @param {string} path ends in `.json` or `.msgpack`
 * @returns {import("./workloads.mjs").Workload}
 */
export function fileWorkload(path) {
  const { name, value, isJson } = fileDocument(path, decode);
  return { name, group: "your files", kind: "value", isJson, isQuick: true, make: () => value };
}
