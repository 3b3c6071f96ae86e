import assert from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import {
  decode,
  Encoder,
  ExtensionCodec,
  encode,
  limitDecodeWindows,
  limitEncodeWindows,
  TypedArrayCodec,
} from "msgpack-wasm/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { madeDocuments, realDocuments } from "../bench/lib/documents.mjs";
import { damagedMessages, values } from "./lib/arbitraries.mjs";
import { outcome } from "./lib/reference.ts";
import { classes, sample } from "./lib/typedArrays.ts";

vi.setConfig({ testTimeout: 60_000 });

// A message of any size goes through windows of fixed size. Here they are so small that their ends fall between, and
// in, all kinds of things: nothing of that may show in the result.

afterEach(() => {
  limitDecodeWindows();
  limitEncodeWindows();
});

const documents = [...realDocuments(), ...madeDocuments()].map(({ name, value }) => ({
  name,
  value,
  bytes: encode(value),
}));

/** The longest key that may be learned, with its header, and the longest number or header. */
const CHUNK_RESERVE = 66 + 16;

describe("decoding through small windows", () => {
  const sizes = [
    { tape: 16, pooled: 0 },
    { tape: 17, pooled: 13 },
    { tape: 23, pooled: 40 },
    { tape: 64, pooled: 300 },
    { tape: 16 * 1024, pooled: 31 },
  ];
  const cases = sizes.flatMap(({ tape, pooled }) =>
    [0, 1, 7, 100].map((more) => ({ tape, pooled, chunk: pooled + CHUNK_RESERVE + more })),
  );

  test.each(documents)("gives the document $name", ({ value, bytes }) => {
    for (const { tape, pooled, chunk } of cases) {
      limitDecodeWindows(tape, chunk, pooled);
      assert.ok(isDeepStrictEqual(decode(bytes), value), `tape ${tape}, chunk ${chunk}, pooled ${pooled}`);
    }
  });

  const windows = fc.record({
    tape: fc.integer({ min: 16, max: 48 }),
    pooled: fc.integer({ min: 0, max: 70 }),
    more: fc.integer({ min: 0, max: 70 }),
  });
  const limit = ({ tape, pooled, more }: { tape: number; pooled: number; more: number }) =>
    limitDecodeWindows(tape, pooled + CHUNK_RESERVE + more, pooled);

  test("gives random values", () => {
    const property = fc.property(values(), windows, (value, window) => {
      const bytes = encode(value);
      limitDecodeWindows();
      const expected = decode(bytes);
      limit(window);
      assert.deepStrictEqual(decode(bytes), expected);
    });
    fc.assert(property, { numRuns: 4000 });
  });

  test("gives random values with any options", () => {
    const options = fc.record(
      {
        useBigInt64: fc.boolean(),
        int64: fc.constantFrom("number", "bigint", "auto"),
        rawStrings: fc.boolean(),
        useMap: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const property = fc.property(values({ bigint: true }), windows, options, (value, window, options) => {
      const bytes = encode(value, { useBigInt64: true });
      limitDecodeWindows();
      const expected = decode(bytes, options);
      limit(window);
      assert.deepStrictEqual(decode(bytes, options), expected);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  test("finds the same errors at the same places", () => {
    const property = fc.property(damagedMessages, windows, (bytes, { tape, pooled, more }) => {
      // Strings that are not pooled are measured with all that must follow them, so some errors are found earlier.
      // Keys that can be learned are always pooled: or it would matter whether they have been.
      const window = { tape, pooled: pooled + 64, more };
      limitDecodeWindows(undefined, undefined, window.pooled);
      const expected = outcome(() => decode(bytes));
      limit(window);
      const found = outcome(() => decode(bytes));
      if ("error" in expected && "error" in found) {
        assert.deepStrictEqual({ ...found.error }, { ...expected.error });
        assert.equal(String(found.error), String(expected.error));
      } else {
        // Dates out of range are invalid: not even equal to themselves, but shown alike.
        const show = (value: unknown): string => inspect(value, { depth: null, maxStringLength: null });
        assert.ok(isDeepStrictEqual(found, expected) || show(found) === show(expected));
      }
    });
    fc.assert(property, { numRuns: 4000 });
  });
});

describe("encoding through small windows", () => {
  const sizes = [
    { tape: 16, pool: 512 },
    { tape: 17, pool: 513 },
    { tape: 25, pool: 700 },
    { tape: 64, pool: 64 * 1024 },
    { tape: 16 * 1024, pool: 600 },
  ];

  test.each(documents)("gives the document $name", ({ value, bytes }) => {
    for (const { tape, pool } of sizes) {
      limitEncodeWindows(tape, pool);
      assert.ok(isDeepStrictEqual(encode(value), bytes), `tape ${tape}, pool ${pool}`);
    }
  });

  test("gives random values with any options", () => {
    const options = fc.record(
      {
        forceFloat32: fc.boolean(),
        forceIntegerToFloat: fc.boolean(),
        sortKeys: fc.boolean(),
        ignoreUndefined: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const windows = fc.tuple(fc.integer({ min: 16, max: 48 }), fc.integer({ min: 512, max: 900 }));
    const property = fc.property(
      values({ bigint: true }),
      options,
      windows,
      (value, options, [tape, pool]) => {
        const encoder = new Encoder({ ...options, useBigInt64: true });
        limitEncodeWindows();
        const expected = encoder.encode(value);
        limitEncodeWindows(tape, pool);
        assert.deepStrictEqual(encoder.encode(value), expected);
        assert.deepStrictEqual(encoder.encodeSharedRef(value).slice(), expected);
      },
    );
    fc.assert(property, { numRuns: 4000 });
  });
});

describe("messages larger than a window", () => {
  test.each(documents)(
    "the document $name within another call, which has smaller buffers",
    ({ value, bytes }) => {
      class Nested {
        readonly content: unknown;
        constructor(content: unknown) {
          this.content = content;
        }
      }
      const extensionCodec = new ExtensionCodec();
      extensionCodec.register({
        type: 1,
        encode: (object) => (object instanceof Nested ? encode(object.content) : null),
        decode: (data) => new Nested(decode(data)),
      });
      const message = encode(["before", new Nested(value), "after"], { extensionCodec });
      const [before, nested, after] = decode(message, { extensionCodec }) as unknown[];
      assert.ok(
        isDeepStrictEqual(message.subarray(message.length - 6 - bytes.length, message.length - 6), bytes),
      );
      assert.ok(isDeepStrictEqual((nested as Nested).content, value));
      expect([before, after]).toEqual(["before", "after"]);
    },
  );

  test("hundreds of long strings and of long binary data", () => {
    const value = Array.from({ length: 1500 }, (_, i) =>
      i % 2 === 0 ? "é".repeat(2000 + i) : new Uint8Array(250 + i).fill(i),
    );
    assert.ok(isDeepStrictEqual(decode(encode(value)), value));
    limitEncodeWindows(16, 512);
    limitDecodeWindows(16, 700, 512);
    assert.ok(isDeepStrictEqual(decode(encode(value)), value));
  });

  test("millions of numbers, as integers and as floats", () => {
    for (const value of [
      Array.from({ length: 1_500_000 }, (_, i) => i - 750_000),
      Array.from({ length: 1_500_000 }, (_, i) => i / 3),
      Array.from({ length: 1_500_000 }, (_, i) => (i % 1000 === 999 ? null : i % 100 === 0 ? i / 7 : i)),
    ]) {
      assert.ok(isDeepStrictEqual(decode(encode(value)), value));
    }
  });

  test("long payloads that begin where a window ends, whatever ends it", () => {
    const payloads = [new Uint8Array(70_000).fill(1), "é".repeat(40_000)];
    for (const payload of payloads) {
      for (let before = 16_350; before <= 16_400; before++) {
        // One word of the tape each, or one slot of the lane.
        for (const item of [true, 0.5]) {
          const items: unknown[] = new Array(before).fill(item);
          const value = [item === 0.5 ? [items, null] : items, payload, 5, { key: "end" }];
          assert.ok(isDeepStrictEqual(decode(encode(value)), value), `${before} × ${item}`);
        }
        const records = Array.from({ length: before >> 2 }, (_, i) => ({ a: i, b: null }));
        const value = [records, ...new Array(before & 3).fill(null), { key: payload, last: 1 }, "end"];
        assert.ok(isDeepStrictEqual(decode(encode(value)), value), `records, ${before}`);
      }
    }
  });

  test("strings of more than a window, among short ones", () => {
    for (const length of [65_535, 65_536, 65_537, 1_000_000]) {
      const value = { before: "b", text: "é€".repeat(length / 2), after: ["a".repeat(length), "z"] };
      assert.ok(isDeepStrictEqual(decode(encode(value)), value), `${length}`);
    }
  });

  test("typed arrays, aligned wherever a window ends", () => {
    const extensionCodec = new TypedArrayCodec({ align: 16, onMisaligned: "throw" });
    const mixed = new TypedArrayCodec({ align: 16, onMisaligned: "throw" });
    mixed.register({ type: 99, encode: () => null, decode: () => null });
    const value = Array.from({ length: 400 }, (_, i) => ({
      array: sample(classes[i % classes.length], (i * 7) % 130, i),
      text: "é".repeat(i % 50),
      more: [new Uint8Array((i * 13) % 600), sample(classes[0], i % 5)],
    }));
    const expected = encode(value, { extensionCodec });
    assert.ok(isDeepStrictEqual(decode(expected, { extensionCodec }), value));
    for (const [tapeWords, poolBytes] of [
      [16, 512],
      [17, 513],
      [40, 700],
      [1000, 5000],
    ]) {
      limitEncodeWindows(tapeWords, poolBytes);
      assert.ok(isDeepStrictEqual(encode(value, { extensionCodec }), expected), `${tapeWords}, ${poolBytes}`);
      assert.ok(isDeepStrictEqual(encode(value, { extensionCodec: mixed }), expected));
      limitDecodeWindows(tapeWords, poolBytes + CHUNK_RESERVE, poolBytes);
      assert.ok(isDeepStrictEqual(decode(expected, { extensionCodec }), value), `${tapeWords}, ${poolBytes}`);
    }
  });
});
