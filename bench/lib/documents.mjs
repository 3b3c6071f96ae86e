import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { documentNames } from "../suite/workloads.mjs";

/**
 * @typedef {object} Document
 * @property {string} name
 * @property {unknown} value
 * @property {boolean} isJson Whether JSON can hold it without loss.
 */

/**
 * The nine real documents: those of the npm package `simdjson`.
 * @returns {Document[]}
 */
export function realDocuments() {
  return documentNames.map((name) => ({ name, value: readDocument(name), isJson: true }));
}

/** @param {string} name one of `documentNames` */
export function readDocument(name) {
  return JSON.parse(readFileSync(documentPath(name), "utf8"));
}

/** @param {string} name one of `documentNames` */
export function documentPath(name) {
  const simdjson = dirname(createRequire(import.meta.url).resolve("simdjson/package.json"));
  return join(simdjson, "jsonexamples", `${name}.json`);
}

/**
 * What real documents lack: a long array of numbers, and typed arrays.
 * @returns {Document[]}
 */
export function madeDocuments() {
  const samples = Float32Array.from({ length: 4096 }, (_, i) => Math.sin(i / 32));
  return [
    {
      name: "1,000 numbers",
      value: Array.from({ length: 1000 }, (_, i) => Math.sin(i) * 1000),
      isJson: true,
    },
    {
      name: "typed arrays",
      value: {
        label: "mesh",
        // MessagePack's bin is what they become, so bytes are what comes back.
        positions: new Uint8Array(samples.buffer),
        indices: new Uint8Array(Uint16Array.from({ length: 6000 }, (_, i) => i).buffer),
        mask: new Uint8Array(500).fill(7),
      },
      isJson: false,
    },
  ];
}

/**
 * A user's own file.
 * @param {string} path ends in `.json` or `.msgpack`
 * @param {(bytes: Uint8Array) => unknown} decode
 * @returns {Document}
 */
export function fileDocument(path, decode) {
  const bytes = readFileSync(path);
  if (path.endsWith(".json")) {
    return { name: basename(path), value: JSON.parse(bytes.toString("utf8")), isJson: true };
  }
  if (path.endsWith(".msgpack")) {
    const value = decode(bytes);
    return { name: basename(path), value, isJson: false };
  }
  throw new Error(`${path}: a name that ends in .json or .msgpack is needed`);
}
