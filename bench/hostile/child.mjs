// Decodes one message in a process of its own, and says what that took:
//   node bench/hostile/child.mjs LIBRARY CASE SIZE
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";
import { hostileCases, RANDOM } from "./cases.mjs";

v8.setFlagsFromString("--expose-gc");
// The seed of the hash of keys, so that some can be made to collide.
Math.random = () => RANDOM;
const collect = vm.runInNewContext("gc");
const [library, name, size] = process.argv.slice(2);
const decode = await decoderOf(library);
const { make } = /** @type {import("./cases.mjs").HostileCase} */ (
  hostileCases.find((one) => one.name === name)
);

// What is only made when it is first needed.
for (const other of hostileCases) if (!other.isSlowToMake) attempt(other.make(1000));
const message = make(Number(size));
const before = used();
// The peak counts from here on (`man 5 proc_pid_clear_refs`).
writeFileSync("/proc/self/clear_refs", "5");
const resident = status("VmRSS");
const start = process.hrtime.bigint();
const result = attempt(message);
const nanoseconds = Number(process.hrtime.bigint() - start);
const peakBytes = status("VmHWM") - resident;
const valueBytes = used() - before;
writeSync(
  1,
  JSON.stringify({ ...told(result), messageBytes: message.length, peakBytes, valueBytes, nanoseconds }),
);

/**
 * @param {string} library
 * @returns {Promise<(bytes: Uint8Array) => unknown>}
 */
async function decoderOf(library) {
  if (library === "msgpack-wasm") return (await import("msgpack-wasm")).decode;
  if (library === "@msgpack/msgpack") return (await import("@msgpack/msgpack")).decode;
  return (await import("msgpackr")).unpack;
}

/** @param {Uint8Array} bytes */
function attempt(bytes) {
  try {
    return { value: decode(bytes) };
  } catch (error) {
    return { error: /** @type {Error & { code?: string, offset?: number }} */ (error) };
  }
}

/** @param {ReturnType<typeof attempt>} result */
function told({ error }) {
  if (error === undefined) return { outcome: "a value" };
  return { outcome: error.code ?? error.name, offset: error.offset, errorClass: error.name };
}

function used() {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @param {string} field in bytes */
function status(field) {
  const [, kilobytes] = /** @type {RegExpExecArray} */ (
    new RegExp(`${field}:\\s*(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))
  );
  return Number(kilobytes) * 1024;
}
