import { decode } from "@msgpack/msgpack";
import { fileDocument } from "../lib/documents.mjs";
import { FILES } from "./names.mjs";

/**
 * A workload of a user's own file.
 * @param {string} path ends in `.json` or `.msgpack`
 * @returns {import("./workloads.mjs").Workload} named by its path
 */
export function fileWorkload(path) {
  const { value, isJson } = fileDocument(path, decode);
  return { name: path, group: FILES, kind: "value", isJson, isQuick: true, make: () => value };
}
