// Encodes one of the values that make trouble, and says what came of it:
//   node bench/hostile/encodeChild.mjs LIBRARY - CASE
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import process from "node:process";
import * as reference from "@msgpack/msgpack";
import { hostileValues, Marked } from "./encodeCases.mjs";
import { NO_FUNCTION } from "./measure.mjs";

const [library, , name] = process.argv.slice(2);
const { make, codec } = /** @type {import("./encodeCases.mjs").HostileValue} */ (
  hostileValues.find((one) => one.name === name)
);
const STILL = { still: ["works", 1, 2.5] };

/** @typedef {(value: unknown) => Uint8Array} Encode */
const encode = await encoderOf();
if (encode === null) {
  tell({ outcome: NO_FUNCTION });
} else {
  encode(STILL);
  const value = make(encode);
  // The peak counts from here on (`man 5 proc_pid_clear_refs`).
  writeFileSync("/proc/self/clear_refs", "5");
  const resident = status("VmRSS");
  const result = outcomeOf(encode, value);
  const peakBytes = status("VmHWM") - resident;
  tell({ outcome: works(encode) ? result : `${result}, and fails from then on`, peakBytes });
}

/** @returns {Promise<Encode | null>} */
async function encoderOf() {
  if (library === "msgpackr") {
    if (codec !== undefined) return null;
    const { Packr } = await import("msgpackr");
    const packr = new Packr({ useRecords: false });
    return (object) => packr.pack(object);
  }
  const { Encoder, ExtensionCodec } =
    library === "msgpack-wasm" ? await import("msgpack-wasm") : await import("@msgpack/msgpack");
  const extensionCodec = new ExtensionCodec();
  if (codec !== undefined) {
    extensionCodec.register({
      type: 1,
      encode: (object) =>
        object instanceof Marked ? /** @type {Uint8Array<ArrayBuffer>} */ (codec(object)) : null,
      decode: (data) => data,
    });
  }
  const encoder = new Encoder({ extensionCodec });
  return (object) => encoder.encode(object);
}

/** @param {Encode} run @param {unknown} value */
function outcomeOf(run, value) {
  let bytes;
  try {
    bytes = run(value);
  } catch (error) {
    return /** @type {Error} */ (error).name;
  }
  try {
    reference.decode(bytes);
    return "a message";
  } catch {
    return "a broken message";
  }
}

/** @param {Encode} run */
function works(run) {
  try {
    return JSON.stringify(reference.decode(run(STILL))) === JSON.stringify(STILL);
  } catch {
    return false;
  }
}

/** @param {object} told */
function tell(told) {
  writeSync(1, `${JSON.stringify(told)}\n`);
}

/** @param {string} field in bytes */
function status(field) {
  const [, kilobytes] = /** @type {RegExpExecArray} */ (
    new RegExp(`${field}:\\s*(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))
  );
  return Number(kilobytes) * 1024;
}
