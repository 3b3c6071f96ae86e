// Measures what the whole contract costs: an extension codec that is asked for every object, beside the same codec on
// @msgpack/msgpack, and streams in small pieces, beside the same bytes in large ones.
//   node bench/contract.mjs
import * as reference from "@msgpack/msgpack";
import * as ours from "../dist/index.js";
import { realDocuments } from "./lib/documents.mjs";
import { measure } from "./lib/measure.mjs";

const SMALL = 1024;
const LARGE = 1024 * 1024;
const STREAM_BYTES = 64 * LARGE;
const RUNS = 7;

class Point {}

/**
 * @template {ours.ExtensionCodec | reference.ExtensionCodec} Codec
 * @param {Codec} codec
 */
function withPoints(codec) {
  codec.register({
    type: 1,
    encode: (value) => (value instanceof Point ? new Uint8Array(1) : null),
    decode: () => new Point(),
  });
  return { extensionCodec: codec };
}

function measureCodec() {
  const value = realDocuments().find(({ name }) => name === "twitter")?.value;
  const bytes = reference.encode(value);
  const [encoder, decoder] = [ours.Encoder, ours.Decoder].map(
    (Class) => new Class(withPoints(new ours.ExtensionCodec())),
  );
  const referenceEncoder = new reference.Encoder(withPoints(new reference.ExtensionCodec()));
  const referenceDecoder = new reference.Decoder(withPoints(new reference.ExtensionCodec()));
  return {
    encode: measure({
      ours: () => /** @type {ours.Encoder} */ (encoder).encode(value),
      reference: () => referenceEncoder.encode(value),
    }),
    decode: measure({
      ours: () => /** @type {ours.Decoder} */ (decoder).decode(bytes),
      reference: () => referenceDecoder.decode(bytes),
    }),
  };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} size
 */
function* segments(bytes, size) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/**
 * @param {Uint8Array} bytes
 * @param {number} size
 */
async function* cut(bytes, size) {
  yield* segments(bytes, size);
}

/**
 * The least that a reader of binary data can do: it copies each piece to where it belongs.
 * @param {AsyncIterable<Uint8Array>} pieces
 * @param {number} length
 */
async function copy(pieces, length) {
  const all = new Uint8Array(length);
  let at = 0;
  for await (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/**
 * @param {(size: number) => Promise<unknown>} read
 * @returns {Promise<[small: number, large: number]>} milliseconds, the best of some runs that take turns
 */
async function measureStream(read) {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < RUNS; run++) {
    for (const [i, size] of [SMALL, LARGE].entries()) {
      const start = performance.now();
      await read(size);
      best[i] = Math.min(best[i], performance.now() - start);
    }
  }
  return /** @type {[number, number]} */ (best);
}

async function main() {
  console.log(`Node ${process.version}\n\nan extension codec that is asked for every object of twitter`);
  for (const [direction, times] of Object.entries(measureCodec())) {
    console.log(
      `${direction}  ${(times.ours / 1e3).toFixed(0).padStart(6)} µs  ${(times.reference / times.ours).toFixed(2)}× @msgpack/msgpack`,
    );
  }
  const record = (/** @type {number} */ i) => ({
    id: i,
    name: `record number ${i}`,
    tags: ["a", "b"],
    x: i * 1.5,
  });
  const records = ours.encode(Array.from({ length: STREAM_BYTES / 54 }, (_, i) => record(i)));
  const binary = ours.encode(new Uint8Array(STREAM_BYTES));
  console.log("\n64 MB in pieces of 1 KB, beside pieces of 1 MB");
  /** @type {[string, (size: number) => Promise<unknown>][]} */
  const streams = [
    ["records", (size) => ours.decodeAsync(cut(records, size))],
    ["records as segments", async (size) => ours.decodeSegments(segments(records, size))],
    ["one bin", (size) => ours.decodeAsync(cut(binary, size))],
    ["a bare copy of the bin", (size) => copy(cut(binary, size), binary.length)],
  ];
  for (const [name, read] of streams) {
    const [small, large] = await measureStream(read);
    console.log(
      `${name.padEnd(22)}  ${small.toFixed(0).padStart(5)} ms and ${large.toFixed(0).padStart(4)} ms: ${(small / large).toFixed(2)}×`,
    );
  }
}

await main();
