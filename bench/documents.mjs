// The main job: encodes and decodes real documents through wasm, checks each round trip, and says how long it took.
//   npm start                the documents of the npm package `simdjson`, and two that they lack
//   npm start -- FILE…       your own .json or .msgpack files
import { isDeepStrictEqual } from "node:util";
import * as reference from "@msgpack/msgpack";
import { Decoder, Encoder } from "../dist/index.js";
import { fileDocument, madeDocuments, realDocuments } from "./lib/documents.mjs";
import { measure } from "./lib/measure.mjs";

const TIMING = { rounds: 8, sampleMs: 10, warmUpMs: 200 };
const HEADINGS = ["MessagePack", "JSON", "encode", "×@msgpack", "×JSON", "decode", "×@msgpack", "×JSON"];
const NAME_WIDTH = 16;
const COLUMN_WIDTH = 11;

const encoder = new Encoder();
const decoder = new Decoder();
const referenceEncoder = new reference.Encoder();
const referenceDecoder = new reference.Decoder();

function nothing() {}

/** @param {string} line */
function progress(line) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}

/** @param {number} nanoseconds */
function duration(nanoseconds) {
  return nanoseconds < 1e6 ? `${(nanoseconds / 1e3).toFixed(1)} µs` : `${(nanoseconds / 1e6).toFixed(2)} ms`;
}

/**
 * @param {import("./lib/documents.mjs").Document} document
 * @returns {string[]} the cells of its row
 * @throws {Error} if what comes back is not what went in
 */
function measureDocument({ name, value, isJson }) {
  const bytes = encoder.encode(value);
  if (!isDeepStrictEqual(decoder.decode(bytes), value))
    throw new Error(`${name}: decoding gave another value`);
  if (!isDeepStrictEqual(bytes, referenceEncoder.encode(value))) {
    throw new Error(`${name}: @msgpack/msgpack encodes it differently`);
  }
  const json = isJson ? JSON.stringify(value) : "";
  const encoding = measure(
    {
      ours: () => encoder.encode(value),
      reference: () => referenceEncoder.encode(value),
      JSON: isJson ? () => Buffer.from(JSON.stringify(value)) : nothing,
    },
    TIMING,
  );
  const decoding = measure(
    {
      ours: () => decoder.decode(bytes),
      reference: () => referenceDecoder.decode(bytes),
      JSON: isJson ? () => JSON.parse(json) : nothing,
    },
    TIMING,
  );
  const cells = (/** @type {Record<string, number>} */ times) => [
    duration(times.ours),
    (times.reference / times.ours).toFixed(2),
    isJson ? (times.JSON / times.ours).toFixed(2) : "–",
  ];
  return [
    bytes.length.toLocaleString("en"),
    isJson ? Buffer.byteLength(json).toLocaleString("en") : "–",
    ...cells(encoding),
    ...cells(decoding),
  ];
}

function main() {
  const files = process.argv.slice(2);
  const documents =
    files.length > 0
      ? files.map((file) => fileDocument(file, (bytes) => decoder.decode(bytes)))
      : [...realDocuments(), ...madeDocuments()];
  console.log(
    `\nRound trips through wasm on Node ${process.version}. Sizes in bytes; times are the best of alternating`,
  );
  console.log(
    "runs in one process; ×: how many times as long the other takes (JSON to and from bytes or text).\n",
  );
  console.log(
    "document".padEnd(NAME_WIDTH) + HEADINGS.map((heading) => heading.padStart(COLUMN_WIDTH)).join(""),
  );
  documents.forEach((document, i) => {
    progress(`${i + 1}/${documents.length} ${document.name} …`);
    const cells = measureDocument(document);
    progress("");
    console.log(document.name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(COLUMN_WIDTH)).join(""));
  });
  console.log(`\n${documents.length} of ${documents.length} round trips gave back what went in.`);
}

try {
  main();
} catch (error) {
  progress("");
  console.error(`!! ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
