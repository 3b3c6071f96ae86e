// Decodes messages, in a process that does nothing else, and says what each took:
//   node bench/hostile/child.mjs LIBRARY SIZE CASE…
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import process from "node:process";
import v8 from "node:v8";
import vm from "node:vm";
import { hostileCases, RANDOM } from "./cases.mjs";
import { NO_FUNCTION, PLAIN, STREAM_PIECE } from "./measure.mjs";

v8.setFlagsFromString("--expose-gc");
// The seed of the hash of keys, so that some can be made to collide.
Math.random = () => RANDOM;
const collect = vm.runInNewContext("gc");
const [library, size, ...names] = process.argv.slice(2);
const { decode, decodeAsync } = await decodersOf(library);
// What is only made when it is first needed.
for (const one of hostileCases) if (!one.isSlowToMake) await attempt(one, one.make(1000), 1000);
// What one message leaves behind counts as the next one's.
const resident = await settled();
for (const name of names) {
  const one = /** @type {import("./cases.mjs").HostileCase} */ (
    hostileCases.find((all) => all.name === name)
  );
  writeSync(1, `${JSON.stringify(await measured(one, one.make(Number(size))))}\n`);
}

async function settled() {
  collect();
  // Memory outside the heap is given back by tasks of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 1));
  collect();
  return status("VmRSS");
}

/** @param {import("./cases.mjs").HostileCase} one @param {Uint8Array} message */
async function measured(one, message) {
  await settled();
  const before = used();
  // The peak counts from here on (`man 5 proc_pid_clear_refs`).
  writeFileSync("/proc/self/clear_refs", "5");
  const start = process.hrtime.bigint();
  const result = await attempt(one, message, Number(size));
  const nanoseconds = Number(process.hrtime.bigint() - start);
  const peakBytes = status("VmHWM") - resident - message.length;
  await settled();
  const valueBytes = used() - before;
  return { ...told(result), messageBytes: message.length, peakBytes, valueBytes, nanoseconds };
}

/**
 * @typedef {(bytes: Uint8Array) => unknown} Decode
 * @typedef {(stream: AsyncIterable<Uint8Array>) => Promise<unknown>} DecodeAsync
 */

/**
 * @param {string} name of the library
 * @returns {Promise<{ decode?: Decode, decodeAsync?: DecodeAsync }>}
 */
async function decodersOf(name) {
  if (name === PLAIN) return {};
  if (name === "msgpackr") return { decode: (await import("msgpackr")).unpack };
  return name === "msgpack-wasm" ? import("msgpack-wasm") : import("@msgpack/msgpack");
}

/** @param {import("./cases.mjs").HostileCase} one @param {Uint8Array} bytes @param {number} bytesAsked */
async function attempt({ build, isStream = false }, bytes, bytesAsked) {
  try {
    if (library === PLAIN) return { value: build?.(bytesAsked) };
    if (!isStream) return { value: decode?.(bytes) };
    return decodeAsync === undefined ? { outcome: NO_FUNCTION } : { value: await decodeAsync(pieces(bytes)) };
  } catch (error) {
    return { error: /** @type {Error & { code?: string, offset?: number }} */ (error) };
  }
}

/** @param {Uint8Array} bytes */
async function* pieces(bytes) {
  for (let at = 0; at < bytes.length; at += STREAM_PIECE) yield bytes.subarray(at, at + STREAM_PIECE);
}

/** @param {{ error?: Error & { code?: string, offset?: number }, outcome?: string }} result */
function told({ error, outcome = "a value" }) {
  if (error === undefined) return { outcome };
  return { outcome: error.code ?? error.name, offset: error.offset };
}

function used() {
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
