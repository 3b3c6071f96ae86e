// Decodes what a stranger might send, with this library and its peers, each message in a process of its own, and prints
// the table of SECURITY.md (Linux only, some 10 minutes):
//   npm run bench:hostile [-- WORD]   only the cases with WORD in their names
import process from "node:process";
import { hostileCases, SIZES } from "./hostile/cases.mjs";
import { measure } from "./hostile/measure.mjs";

const LIBRARIES = ["msgpack-wasm", "@msgpack/msgpack", "msgpackr"];
const MEGABYTE = 2 ** 20;
const MOST_SECONDS = 20;
const word = process.argv[2] ?? "";

const columns = ["outcome", "peak", "value", "time"];
console.log(
  `| message | ${LIBRARIES.flatMap((name) => columns.map((column) => `${name}: ${column}`)).join(" | ")} |`,
);
console.log(`| --- |${" --- | ---: | ---: | ---: |".repeat(LIBRARIES.length)}`);
for (const { name, isFixed = false } of hostileCases.filter((one) => one.name.includes(word))) {
  const cells = [];
  for (const library of LIBRARIES) cells.push(...(await row(library, name, isFixed)));
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}

/** @param {string} library @param {string} name @param {boolean} isFixed */
async function row(library, name, isFixed) {
  const measured = [];
  for (const size of isFixed ? SIZES.slice(0, 1) : SIZES)
    measured.push(await measure(library, name, size, MOST_SECONDS));
  const { outcome, peakBytes, valueBytes, messageBytes } = measured[measured.length - 1];
  const ofMessage = (/** @type {number | undefined} */ bytes) => {
    if (bytes === undefined || messageBytes === undefined) return "";
    return isFixed ? `${(bytes / MEGABYTE).toFixed(1)} MB` : `${(bytes / messageBytes).toFixed(1)}×`;
  };
  const times = measured.map(({ nanoseconds = Number.NaN, messageBytes: all = Number.NaN }) =>
    isFixed
      ? `${(nanoseconds / 1000).toFixed(0)} µs`
      : (nanoseconds / all).toFixed(nanoseconds / all < 10 ? 1 : 0),
  );
  const time = times.every((text) => text !== "NaN") ? times.join(" → ") : "";
  return [outcome, ofMessage(peakBytes), outcome === "a value" ? ofMessage(valueBytes) : "", time];
}
