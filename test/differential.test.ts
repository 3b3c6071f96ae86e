import assert from "node:assert/strict";
import { inspect } from "node:util";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import { DecodeError, Decoder, decode, Encoder, encode } from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { madeDocuments, realDocuments } from "../bench/lib/documents.mjs";
import { damaged, damagedMessages, tokenRows, values } from "./lib/arbitraries.mjs";
import { check } from "./lib/fuzzing.ts";
import { realMessages } from "./lib/realMessages.ts";
import { isSame, outcome } from "./lib/reference.ts";

// Whoever changes the import from "@msgpack/msgpack" to "msgpack-wasm" gets the same bytes and the same values.
// Where fast-check finds a difference, it prints the seed that brings it back.

describe.each([...realDocuments(), ...madeDocuments()])("the document $name", ({ value }) => {
  const bytes = reference.encode(value);

  test("is encoded to the same bytes", () => {
    // Several times: the first ones learn the keys, the others use them.
    for (let i = 0; i < 4; i++) assert.deepStrictEqual(encode(value), bytes.slice());
    assert.deepStrictEqual(new Encoder().encodeSharedRef(value).slice(), bytes.slice());
  });

  test("is decoded to the same value", () => {
    for (let i = 0; i < 4; i++) assert.deepStrictEqual(decode(bytes), value);
  });

  test("is encoded to the same bytes with its keys sorted", () => {
    const options = { sortKeys: true };
    assert.deepStrictEqual(encode(value, options), reference.encode(value, options).slice());
  });
});

describe("random values", () => {
  test("are encoded to the same bytes, and those decoded to the same value", () => {
    check(values(), 4000, (value) => {
      const bytes = encode(value);
      assert.deepStrictEqual(bytes, reference.encode(value).slice());
      assert.deepStrictEqual(decode(bytes), reference.decode(bytes));
    });
  });

  test("are encoded to the same bytes with any options", () => {
    const flags = { forceFloat32: fc.boolean(), forceIntegerToFloat: fc.boolean() };
    const options = fc.record(
      {
        ...flags,
        sortKeys: fc.boolean(),
        ignoreUndefined: fc.boolean(),
        useBigInt64: fc.boolean(),
        maxDepth: fc.integer({ min: 0, max: 5 }),
        initialBufferSize: fc.integer({ min: 0, max: 20 }),
      },
      { requiredKeys: [] },
    );
    check(fc.tuple(values({ bigint: true, unsupported: true }), options), 4000, ([value, options]) => {
      const ours = outcome(() => encode(value, options));
      const theirs = outcome(() => reference.encode(value, options).slice());
      if ("error" in ours && "error" in theirs) {
        // A value can be too deep and unsupported, and each says what it meets first.
        assert.match(
          ours.error.message,
          /^(Too deep objects in depth \d+|Unrecognized object: \[object \w+\])/,
        );
      } else {
        assert.deepStrictEqual(ours, theirs);
      }
    });
  });

  test("come back exactly as far as MessagePack can tell them apart", () => {
    const isAllowed = (value: unknown) => !JSON.stringify(value).includes('"__proto__"');
    check(fc.jsonValue({ stringUnit: "binary" }).filter(isAllowed), 2000, (value) => {
      assert.deepStrictEqual(decode(encode(value)), decode(reference.encode(value)));
      assert.equal(
        JSON.stringify(decode(encode(value))),
        JSON.stringify(reference.decode(reference.encode(value))),
      );
    });
  });

  test("come back with bigints", () => {
    const options = { useBigInt64: true };
    check(values({ bigint: true }), 2000, (value) => {
      const bytes = reference.encode(value, options);
      assert.deepStrictEqual(decode(bytes, options), reference.decode(bytes, options));
    });
  });
});

describe("random bytes", () => {
  test("are the same value, or an error for both", () => {
    check(fc.uint8Array({ maxLength: 48 }), 4000, (bytes) => compareDecoding(bytes));
  });

  test("that look like MessagePack are the same value, or an error for both", () => {
    check(tokenRows, 5000, (bytes) => compareDecoding(bytes));
  });

  test("that a message was damaged to are the same value, or an error for both", () => {
    check(damagedMessages, 4000, (bytes) => compareDecoding(bytes));
  });

  test("that a real message was damaged to are the same value, or an error for both", () => {
    check(damaged(fc.constantFrom(...realMessages())), 4000, (bytes) => compareDecoding(bytes));
  });

  test("that a whole document was damaged to are the same value, or an error for both", () => {
    const documents = realDocuments().map(({ value }) => reference.encode(value).slice());
    check(damaged(fc.constantFrom(...documents)), 60, (bytes) => compareDecoding(bytes));
  });

  test("are the same with any options", () => {
    const length = fc.integer({ min: 0, max: 20 });
    const options = fc.record(
      {
        useBigInt64: fc.boolean(),
        rawStrings: fc.boolean(),
        maxStrLength: length,
        maxBinLength: length,
        maxArrayLength: length,
        maxMapLength: length,
        maxExtLength: length,
      },
      { requiredKeys: [] },
    );
    const messages = fc.oneof(
      tokenRows,
      damagedMessages,
      values().map((value) => encode(value)),
    );
    check(fc.tuple(messages, options), 4000, ([bytes, options]) => compareDecoding(bytes, options));
  });
});

test("the filters below let nearly everything through", () => {
  expect(compared.values).toBeGreaterThan(1000);
  expect(compared.errors).toBeGreaterThan(1000);
  expect(compared.leftOut).toBeLessThan((compared.values + compared.errors) / 10);
});

const compared = { values: 0, errors: 0, leftOut: 0 };

/** Requires the same value or an error from both, but where we differ on purpose. */
function compareDecoding(bytes: Uint8Array, options: Limits = {}): void {
  const ours = outcome(() => decode(bytes, options));
  if ("error" in ours) checkDetails(ours.error, bytes);
  if (hasMalformedText(bytes, options)) {
    // The bytes of strings can be compared, those of keys cannot.
    if (options.rawStrings || hasMalformedKey(bytes, options)) {
      compared.leftOut++;
    } else {
      compareDecoding(bytes, { ...options, rawStrings: true });
    }
    return;
  }
  const theirs = outcome(() =>
    reference.decode(bytes, { ...boundedBy(bytes, options), extensionCodec: strictCodec }),
  );
  if ("error" in ours && "error" in theirs) {
    compared.errors++;
  } else {
    compared.values++;
    assert.ok(
      isSame(ours, theirs),
      `${Buffer.from(bytes).toString("hex")}: ${inspect(ours)}, not ${inspect(theirs)}`,
    );
  }
}

interface Limits {
  useBigInt64?: boolean;
  rawStrings?: boolean;
  maxStrLength?: number;
  maxBinLength?: number;
  maxArrayLength?: number;
  maxMapLength?: number;
  maxExtLength?: number;
}

/** Malformed text: we make U+FFFD of it as the WHATWG says, they whatever comes of it. */
function hasMalformedText(bytes: Uint8Array, options: Limits): boolean {
  const strict = outcome(() => new Decoder({ ...options, fatalUtf8: true }).decode(bytes));
  const isMalformed =
    "error" in strict && strict.error instanceof DecodeError && strict.error.code === "INVALID_UTF8";
  return isMalformed || hasMalformedKey(bytes, options);
}

function hasMalformedKey(bytes: Uint8Array, options: Limits): boolean {
  let found = false;
  const keyDecoder = {
    canBeCached: () => true,
    decode(bytes: Uint8Array, offset: number, length: number) {
      const text = outcome(() => fatalUtf8.decode(bytes.subarray(offset, offset + length)));
      found ||= "error" in text;
      return "";
    },
  };
  outcome(() => reference.decode(bytes, { ...boundedBy(bytes, options), keyDecoder }));
  return found;
}

const fatalUtf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** Lying lengths: they allocate what a header promises, so they are told how much there can be at all. */
function boundedBy(bytes: Uint8Array, options: Limits): Limits {
  return { ...options, maxArrayLength: Math.min(options.maxArrayLength ?? Infinity, bytes.length) };
}

/** Timestamps with more than 999,999,999 nanoseconds: we reject them. */
const strictCodec = new reference.ExtensionCodec();
strictCodec.register({
  type: reference.EXT_TIMESTAMP,
  encode: reference.encodeTimestampExtension,
  decode(data) {
    const { nsec } = reference.decodeTimestampToTimeSpec(data);
    if (nsec > 999_999_999) throw new reference.DecodeError("Nanoseconds out of range");
    return reference.decodeTimestampExtension(data);
  },
});

function checkDetails(error: Error & { code?: unknown; offset?: unknown }, bytes: Uint8Array): void {
  const ofEnd = error.code === "INSUFFICIENT_DATA" || error.code === "EXTRA_BYTES";
  assert.ok(ofEnd ? error instanceof RangeError : error instanceof DecodeError, error.stack);
  assert.ok(
    typeof error.offset === "number" && error.offset >= 0 && error.offset <= bytes.length,
    error.stack,
  );
}
