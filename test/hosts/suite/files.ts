// What tests use of `node:fs`, `node:module` and `node:path` to read the real documents, which are a part of the bundle.
import { texts } from "msgpack-wasm-documents";

export const basename = (file: string): string => file.slice(file.lastIndexOf("/") + 1);
export const dirname = (file: string): string => file.slice(0, file.lastIndexOf("/"));
export const join = (...parts: string[]): string => parts.join("/");
export default { basename, dirname, join };

export function createRequire(): { resolve(name: string): string } {
  return { resolve: (name) => name };
}

export function readFileSync(file: string): string {
  const text = texts[basename(file)];
  if (text === undefined) throw new Error(`Node alone has the file ${file}`);
  return text;
}

function missing(): never {
  throw new Error("Node alone has this function of node:fs");
}

export {
  missing as closeSync,
  missing as openSync,
  missing as readSync,
  missing as rmSync,
  missing as writeFileSync,
};
