// Measures typed arrays, all candidates of a table taking turns in one process:
//   1. a mesh beside @msgpack/msgpack with the zero-copy codec of its documentation, and beside the two other ways to
//      write numbers (an array of them, an extension that copies);
//   2. whether the size of an array has a part in what it costs to decode;
//   3. encoding large arrays beside the bare copy of their bytes.
// The suite (npm run bench -- --filter Float32Array) has the bytes that they allocate, and other libraries.
//   node bench/typedArrays.mjs
import * as reference from "@msgpack/msgpack";
import {
  Decoder,
  decode,
  Encoder,
  ExtensionCodec,
  encode,
  TypedArrayCodec,
  WasmArena,
} from "../dist/index.js";
import { documentedCodec } from "./lib/documentedCodec.mjs";
import { measure } from "./lib/measure.mjs";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** @param {number} length */
function floats(length) {
  return new Float32Array(length).map((_, i) => Math.sin(i));
}

function copyingCodec() {
  const codec = new ExtensionCodec();
  codec.register({
    type: 1,
    encode: (value) =>
      value instanceof Float32Array ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : null,
    decode: (data) => new Float32Array(data.slice().buffer),
  });
  return codec;
}

const extensionCodec = new TypedArrayCodec();
const documented = documentedCodec(reference.ExtensionCodec);
const encoder = new Encoder({ extensionCodec });
const decoder = new Decoder({ extensionCodec });
const theirEncoder = new reference.Encoder({ extensionCodec: documented });
const theirDecoder = new reference.Decoder({ extensionCodec: documented });

/**
 * @param {string} heading
 * @param {Record<string, number>} times nanoseconds a call; ratios are to the first
 */
function print(heading, times) {
  const [first] = Object.values(times);
  console.log(`\n${heading}`);
  for (const [name, time] of Object.entries(times)) {
    console.log(
      `  ${name.padEnd(44)}${time.toFixed(0).padStart(12)} ns${(time / first).toFixed(2).padStart(10)}×`,
    );
  }
}

/** Mind that each candidate has its own: a shared one would show V8 many shapes. */
function measureMesh() {
  const value = [{ position: floats(1000) }];
  const asNumbers = [{ position: [...value[0].position] }];
  const copying = { extensionCodec: copyingCodec() };
  const numbersEncoder = new Encoder();
  const copyingEncoder = new Encoder(copying);
  print("encode [{ position: Float32Array(1000) }]", {
    ...measure({
      ours: () => encode(value, { extensionCodec }),
      "@msgpack/msgpack, its documented codec": () => reference.encode(value, { extensionCodec: documented }),
      "ours, a kept encoder": () => encoder.encode(value),
      "@msgpack/msgpack, a kept encoder": () => theirEncoder.encode(value),
      "ours, an extension that copies": () => copyingEncoder.encode(value),
      "ours, an array of numbers": () => numbersEncoder.encode(asNumbers),
    }),
  });
  const bytes = encoder.encode(value);
  const theirBytes = theirEncoder.encode(value);
  const copiedBytes = copyingEncoder.encode(value);
  const numberBytes = numbersEncoder.encode(asNumbers);
  const numbersDecoder = new Decoder();
  const copyingDecoder = new Decoder(copying);
  const arena = new WasmArena(64 * KILOBYTE);
  const room = arena.allocate(bytes.length);
  room.set(bytes);
  print("decode [{ position: Float32Array(1000) }]", {
    ...measure({
      ours: () => decode(bytes, { extensionCodec }),
      "@msgpack/msgpack, its documented codec": () =>
        reference.decode(theirBytes, { extensionCodec: documented }),
      "ours, a kept decoder": () => decoder.decode(bytes),
      "@msgpack/msgpack, a kept decoder": () => theirDecoder.decode(theirBytes),
      "ours, in an arena": () => arena.decode(room),
      "ours, an extension that copies": () => copyingDecoder.decode(copiedBytes),
      "ours, an array of numbers": () => numbersDecoder.decode(numberBytes),
    }),
  });
}

function measureSizes() {
  const [small, large] = [4 * KILOBYTE, 100 * MEGABYTE].map((size) => encoder.encode(floats(size / 4)));
  print("decode an array, by its size", {
    ...measure({
      "4 KB": () => decoder.decode(small),
      "100 MB": () => decoder.decode(large),
    }),
  });
}

function measureLarge() {
  for (const size of [64 * KILOBYTE, MEGABYTE, 16 * MEGABYTE]) {
    const array = floats(size / 4);
    const bytes = new Uint8Array(array.buffer);
    print(`encode an array of ${size / KILOBYTE} KB`, {
      ...measure({
        "new Uint8Array(n), set": () => {
          const copy = new Uint8Array(bytes.length + 16);
          copy.set(bytes, 16);
          return copy;
        },
        ours: () => encoder.encode(array),
        "@msgpack/msgpack, its documented codec": () => theirEncoder.encode(array),
      }),
    });
  }
}

console.log(
  `Node ${process.version}; nanoseconds a call, the best of alternating runs, and the ratio to the first`,
);
measureMesh();
measureSizes();
measureLarge();
