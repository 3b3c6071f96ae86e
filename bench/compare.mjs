// Measures encoding and decoding beside the peers, on real documents and on a small call, in one process.
//   node bench/compare.mjs [WORD…]   only the documents whose name contains one of the words
import * as reference from "@msgpack/msgpack";
import { Packr } from "msgpackr";
import { Decoder, Encoder } from "../dist/index.js";
import { realDocuments } from "./lib/documents.mjs";
import { geometricMean, measure } from "./lib/measure.mjs";

const words = process.argv.slice(2);
const wanted = (/** @type {string} */ name) =>
  words.length === 0 || words.some((word) => name.includes(word));

const encoder = new Encoder();
const decoder = new Decoder();
const referenceEncoder = new reference.Encoder();
const referenceDecoder = new reference.Decoder();
// As others read it: no record extension.
const packr = new Packr({ useRecords: false, variableMapSize: true });

const invocation = [1, {}, null, "Send", [42, 7]];
const documents = [...realDocuments(), { name: "invocation", value: invocation, isJson: true }].filter(
  ({ name }) => wanted(name),
);

console.log(`Node ${process.version}; nanoseconds a call, the best of alternating runs\n`);

for (const direction of ["decode", "encode"]) {
  /** @type {({ name: string, bytes: number } & Record<"ours" | "reference" | "msgpackr" | "JSON", number>)[]} */
  const rows = [];
  for (const { name, value } of documents) {
    const bytes = referenceEncoder.encode(value);
    const json = JSON.stringify(value);
    const times = measure(
      direction === "decode"
        ? {
            ours: () => decoder.decode(bytes),
            reference: () => referenceDecoder.decode(bytes),
            msgpackr: () => packr.unpack(bytes),
            JSON: () => JSON.parse(json),
          }
        : {
            ours: () => encoder.encode(value),
            reference: () => referenceEncoder.encode(value),
            msgpackr: () => packr.pack(value),
            JSON: () => Buffer.from(JSON.stringify(value)),
          },
    );
    rows.push({ name, bytes: bytes.length, ...times });
  }
  console.log(
    `${direction.padEnd(16)} bytes        ours   @msgpack   msgpackr       JSON   ×@msgpack  ×msgpackr  ×JSON`,
  );
  for (const row of rows) {
    console.log(
      row.name.padEnd(14),
      String(row.bytes).padStart(7),
      ...[row.ours, row.reference, row.msgpackr, row.JSON].map((ns) => ns.toFixed(0).padStart(10)),
      ...[row.reference, row.msgpackr, row.JSON].map((ns) => (ns / row.ours).toFixed(2).padStart(9)),
    );
  }
  const real = rows.filter(({ name }) => name !== "invocation");
  if (real.length > 0) {
    const mean = (/** @type {(row: (typeof rows)[0]) => number} */ peer) =>
      geometricMean(real.map((row) => peer(row) / row.ours)).toFixed(2);
    console.log(
      `geometric mean of the documents: ${mean((r) => r.reference)}× @msgpack/msgpack, ${mean((r) => r.msgpackr)}× msgpackr,`,
      `${mean((r) => r.JSON)}× JSON, ${mean((r) => Math.min(r.msgpackr, r.JSON))}× the faster of these two\n`,
    );
  }
}
