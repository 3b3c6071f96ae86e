// A fresh process: what a byte costs in messages of a size.
import { decode, encode } from "../../dist/index.js";
import { records } from "./values.mjs";

/**
 * @typedef {object} GrowthTask
 * @property {"msgpack-wasm" | "JSON"} library
 * @property {number} megabytes of MessagePack, roughly
 */

const RECORDS_IN_MEGABYTE = 6900;
/** @type {unknown} */
export let sink;

/** @type {GrowthTask} */
const { library, megabytes } = JSON.parse(process.argv[2]);
const value = records(megabytes * RECORDS_IN_MEGABYTE);
const isOurs = library === "msgpack-wasm";
/** @type {any} */
const encoded = isOurs ? encode(value) : JSON.stringify(value);
const answer = {
  library,
  megabytes,
  encode: best(() => (isOurs ? encode(value) : JSON.stringify(value))),
  decode: best(() => (isOurs ? decode(encoded) : JSON.parse(encoded))),
};
process.stdout.write(JSON.stringify(answer));

/**
 * The best of some: noise only ever adds. Small ones are done often enough to be compiled.
 * @param {() => unknown} run
 * @returns {number} nanoseconds a byte
 */
function best(run) {
  let least = Number.POSITIVE_INFINITY;
  const times = Math.max(4, Math.ceil(60 / megabytes));
  for (let i = 0; i < times; i++) {
    sink = undefined;
    const start = performance.now();
    sink = run();
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1e6) / encoded.length;
}
