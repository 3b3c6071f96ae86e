// The tool for tuning: encoding and decoding beside the peers that come closest, on real documents and on a small call, in
// a minute. Unlike in the suite, each document has a process of its own in which all candidates take turns: what V8 has learned from one document (where to allocate, what to inline)
// decides about the next by factors of two and more, for all of them. Since chance has a part in that, too, there are
// three processes for each, of which the best time of each candidate counts.
//   npm run bench:compare [-- WORD…]   only the documents whose name contains one of the words
//   BENCH_NODE=path/to/node npm run bench:compare   measures on another Node (npm itself sets NODE)
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as reference from "@msgpack/msgpack";
import { Packr } from "msgpackr";
import { Decoder, Encoder } from "../dist/index.js";
import { realDocuments } from "./lib/documents.mjs";
import { measure } from "./lib/measure.mjs";
import { geometricMean } from "./suite/statistics.mjs";

/**
 * @typedef {Record<"ours" | "reference" | "msgpackr" | "JSON", number>} Times nanoseconds a call
 * @typedef {{ name: string, bytes: number, decode: Times, encode: Times }} Row
 */

const INVOCATION = "invocation";
const PROCESSES = 3;

const documents = [
  ...realDocuments(),
  { name: INVOCATION, value: [1, {}, null, "Send", [42, 7]], isJson: true },
];

/**
 * @param {string} name
 * @returns {Row}
 */
function measureDocument(name) {
  const value = documents.find((document) => document.name === name)?.value;
  const encoder = new Encoder();
  const decoder = new Decoder();
  const referenceEncoder = new reference.Encoder();
  const referenceDecoder = new reference.Decoder();
  // As others read it: no record extension.
  const packr = new Packr({ useRecords: false, variableMapSize: true });
  const bytes = referenceEncoder.encode(value);
  const json = JSON.stringify(value);
  return {
    name,
    bytes: bytes.length,
    decode: measure({
      ours: () => decoder.decode(bytes),
      reference: () => referenceDecoder.decode(bytes),
      msgpackr: () => packr.unpack(bytes),
      JSON: () => JSON.parse(json),
    }),
    encode: measure({
      ours: () => encoder.encode(value),
      reference: () => referenceEncoder.encode(value),
      msgpackr: () => packr.pack(value),
      JSON: () => Buffer.from(JSON.stringify(value)),
    }),
  };
}

/**
 * @param {"decode" | "encode"} direction
 * @param {Row[]} rows
 */
function printTable(direction, rows) {
  const headings = ["ours", "@msgpack", "msgpackr", "JSON", "×@msgpack", "×msgpackr", "×JSON"];
  console.log(`\n${direction.padEnd(14)}  bytes${headings.map((heading) => heading.padStart(11)).join("")}`);
  for (const { name, bytes, [direction]: times } of rows) {
    const peers = [times.reference, times.msgpackr, times.JSON];
    const cells = [
      ...[times.ours, ...peers].map((ns) => ns.toFixed(0)),
      ...peers.map((ns) => (ns / times.ours).toFixed(2)),
    ];
    console.log(
      name.padEnd(14) + String(bytes).padStart(7) + cells.map((cell) => cell.padStart(11)).join(""),
    );
  }
  const real = rows.filter(({ name }) => name !== INVOCATION).map((row) => row[direction]);
  if (real.length === 0) return;
  const mean = (/** @type {(times: Times) => number} */ peer) =>
    geometricMean(real.map((times) => peer(times) / times.ours)).toFixed(2);
  console.log(
    `geometric mean of the documents: ${mean((t) => t.reference)}× @msgpack/msgpack, ${mean((t) => t.msgpackr)}× msgpackr,`,
    `${mean((t) => t.JSON)}× JSON, ${mean((t) => Math.min(t.msgpackr, t.JSON))}× the faster of these two`,
  );
}

/**
 * @param {Times} a
 * @param {Times} b
 * @returns {Times}
 */
function best(a, b) {
  return {
    ours: Math.min(a.ours, b.ours),
    reference: Math.min(a.reference, b.reference),
    msgpackr: Math.min(a.msgpackr, b.msgpackr),
    JSON: Math.min(a.JSON, b.JSON),
  };
}

function main() {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "--document") {
    console.log(JSON.stringify(measureDocument(rest[0])));
    return;
  }
  const words = process.argv.slice(2);
  const node = process.env.BENCH_NODE ?? process.execPath;
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  console.log(`Node ${version}; nanoseconds a call, the best of alternating runs`);
  const wanted = documents.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const rows = wanted.map(({ name }, i) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${i + 1}/${wanted.length} ${name} …`);
    const script = fileURLToPath(import.meta.url);
    const runs = Array.from(
      { length: PROCESSES },
      () =>
        /** @type {Row} */ (
          JSON.parse(execFileSync(node, [script, "--document", name], { encoding: "utf8" }))
        ),
    );
    const [row, ...others] = runs;
    for (const other of others) {
      row.decode = best(row.decode, other.decode);
      row.encode = best(row.encode, other.encode);
    }
    return row;
  });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  printTable("decode", rows);
  printTable("encode", rows);
}

main();
