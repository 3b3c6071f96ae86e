import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import { values } from "../../lib/arbitraries.mjs";

/** @typedef {import("../Chance.mjs").Chance} Chance */

const plain = values();
const withBigints = values({ bigint: true });

const ENCODER_OPTIONS = [
  {},
  { sortKeys: true },
  { ignoreUndefined: true },
  { forceFloat32: true },
  { forceIntegerToFloat: true, sortKeys: true },
  { useBigInt64: true },
  { maxDepth: 1000, initialBufferSize: 16 },
];

/** The simplest that there can be. @type {import("msgpack-wasm").KeyDecoder} */
const keyDecoder = {
  canBeCached: () => true,
  decode: (bytes, offset, length) => Buffer.from(bytes.subarray(offset, offset + length)).toString(),
};

/**
 * Random values by functions and by kept instances with options, against `@msgpack/msgpack`.
 * @type {import("./kind.mjs").MakeKind}
 */
export function generatedValues(library, checks) {
  const { decode, Decoder, Encoder, encode, encodeInto } = library;
  const encoders = ENCODER_OPTIONS.map((options) => ({
    options,
    mine: new Encoder(options),
    theirs: new reference.Encoder(options),
  }));
  /** @type {{ mine: import("msgpack-wasm").Decoder, read: (bytes: Uint8Array) => unknown }[]} */
  const decoders = [
    { mine: new Decoder(), read: (bytes) => reference.decode(bytes) },
    { mine: new Decoder({ profile: "untrusted" }), read: (bytes) => reference.decode(bytes) },
    { mine: new Decoder({ maxDepth: 40, maxElements: 1e6 }), read: (bytes) => reference.decode(bytes) },
    {
      mine: new Decoder({ useBigInt64: true }),
      read: (bytes) => reference.decode(bytes, { useBigInt64: true }),
    },
    {
      mine: new Decoder({ rawStrings: true }),
      read: (bytes) => reference.decode(bytes, { rawStrings: true }),
    },
    { mine: new Decoder({ useMap: true }), read: (bytes) => mapped(reference.decode(bytes)) },
    { mine: new Decoder({ keyDecoder }), read: (bytes) => reference.decode(bytes) },
  ];
  const copying = new Decoder({ copy: true });
  const target = new Uint8Array(2 ** 20);
  const probed = fc.sample(plain, { numRuns: 20, seed: 1 });

  return {
    name: "values",
    run(chance) {
      for (const value of chance.sample(plain, 6)) {
        const bytes = reference.encode(value).slice();
        checks.bytes(encode(value), bytes);
        const end = encodeInto(value, target, 7);
        checks.bytes(target.subarray(7, end), bytes);
        checks.value(decode(bytes), reference.decode(bytes));
        const decoder = chance.pick(decoders);
        checks.value(decoder.mine.decode(bytes), decoder.read(bytes));
        const expected = reference.decode(bytes.slice());
        const copy = copying.decode(bytes);
        bytes.fill(0xff);
        checks.value(copy, expected);
      }
      for (const value of chance.sample(withBigints, 3)) {
        const options = { useBigInt64: true };
        const bytes = encode(value, options);
        checks.bytes(bytes, reference.encode(value, options));
        checks.value(decode(bytes, options), reference.decode(bytes, options));
      }
      const { options, mine, theirs } = chance.pick(encoders);
      for (const value of chance.sample(options.useBigInt64 ? withBigints : plain, 4))
        checks.bytes(mine.encode(value), theirs.encode(value));
    },
    probe: () => probed.map((value) => decode(encode(value))),
  };
}

/**
 * What `useMap` makes of it.
 * @param {unknown} value
 * @returns {unknown}
 */
function mapped(value) {
  if (Array.isArray(value)) return value.map(mapped);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof Date)
    return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, mapped(item)]));
}
