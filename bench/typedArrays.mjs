// Measures what the suite does not ask of typed arrays, all candidates of a table taking turns in one process:
//   1. decoding in an arena beside decoding elsewhere;
//   2. whether the size of an array has a part in what it costs to decode;
//   3. encoding large arrays beside the bare copy of their bytes.
//   node bench/typedArrays.mjs
import * as reference from "@msgpack/msgpack";
import { Decoder, Encoder, TypedArrayCodec, WasmArena } from "../dist/index.js";
import { documentedCodec } from "./lib/documentedCodec.mjs";
import { measure } from "./lib/measure.mjs";

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

/** @param {number} length */
function floats(length) {
  return new Float32Array(length).map((_, i) => Math.sin(i));
}

const extensionCodec = new TypedArrayCodec();
const documented = documentedCodec(reference.ExtensionCodec);
const encoder = new Encoder({ extensionCodec });
const decoder = new Decoder({ extensionCodec });
const theirEncoder = new reference.Encoder({ extensionCodec: documented });

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

function measureArena() {
  const bytes = encoder.encode([{ position: floats(1000) }]);
  const arena = new WasmArena(64 * KILOBYTE);
  const room = arena.allocate(bytes.length);
  room.set(bytes);
  print("decode [{ position: Float32Array(1000) }]", {
    ...measure({
      "from a buffer": () => decoder.decode(bytes),
      "in an arena": () => arena.decode(room),
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
measureArena();
measureSizes();
measureLarge();
