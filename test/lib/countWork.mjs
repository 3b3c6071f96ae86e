// Counts what the JS of the package does to decode hostile messages of two sizes, the one twice as large as the other: V8
// notes how often each piece of code is run. Prints, for each case, both numbers:
//   node test/lib/countWork.mjs SIZE
import { Session } from "node:inspector/promises";
import process from "node:process";
import { hostileCases } from "../../bench/hostile/cases.mjs";

const size = Number(process.argv[2]);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
// Before the package is loaded: what is compiled already has no counters.
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const { decode, decodeAsync } = await import("msgpack-wasm");

/** @type {Record<string, number[]>} */
const counts = {};
for (const one of hostileCases) {
  if (one.isFixed) continue;
  // What is learned at first is no part of it, nor what is compiled.
  for (let i = 0; i < 3; i++) await attempt(one, one.make(1000));
  counts[one.name] = [];
  for (const bytes of [one.make(size), one.make(2 * size)]) {
    await work();
    await attempt(one, bytes);
    counts[one.name].push(await work());
  }
}
console.log(JSON.stringify(counts));

/** @param {import("../../bench/hostile/cases.mjs").HostileCase} one @param {Uint8Array} bytes */
async function attempt({ isStream = false }, bytes) {
  try {
    if (isStream) await decodeAsync(pieces(bytes));
    else decode(bytes);
  } catch {
    // What it is about is for others to say.
  }
}

/** @param {Uint8Array} bytes */
async function* pieces(bytes) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

/** How many characters of the package's code, and of what it has compiled, were run since it was asked last. */
async function work() {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  let characters = 0;
  for (const { url, functions } of result) {
    if (url.startsWith("node:") || url.includes("/bench/") || url.includes("countWork")) continue;
    for (const { ranges } of functions) characters += charactersRun(ranges);
  }
  return characters;
}

/**
 * V8 leaves out a block that was run as often as the one around it, so blocks cannot be counted.
 * @param {{ startOffset: number, endOffset: number, count: number }[]} ranges of a function, each behind those around it
 */
function charactersRun(ranges) {
  let characters = 0;
  /** @type {typeof ranges} */
  const around = [];
  for (const range of ranges) {
    while (around.length > 0 && around[around.length - 1].endOffset <= range.startOffset) around.pop();
    const outerCount = around.length > 0 ? around[around.length - 1].count : 0;
    characters += (range.count - outerCount) * (range.endOffset - range.startOffset);
    around.push(range);
  }
  return characters;
}
