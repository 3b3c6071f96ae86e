import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { type DecodeError, Decoder, decode, ExtData, ExtensionCodec, encode } from "msgpack-wasm";
import { Packr, Unpackr } from "msgpackr";
import { describe, expect, test } from "vitest";
import { damaged, damagedMessages, tokenRows, values } from "./lib/arbitraries.mjs";
import { check } from "./lib/fuzzing.ts";
import { realMessages } from "./lib/realMessages.ts";
import { isSame, outcome } from "./lib/reference.ts";

// Against msgpackr in its plain mode, which shares neither code nor author with @msgpack/msgpack: what the one writes, the
// other reads, and what is no message for one is none for the other. Where msgpackr differs on purpose, the values
// are changed, or the messages left out, for the reasons that stand here.

const packr = new Packr({ useRecords: false, variableMapSize: true });
// 64-bit integers would be bigints.
const unpackr = new Unpackr({ useRecords: false, int64AsType: "number" });

/** The value with nil for `undefined` and for holes, which msgpackr writes as an extension of its own. */
function withoutUndefined(value: unknown): unknown {
  return value === undefined ? null : mapped(value, withoutUndefined);
}

/** The value with what msgpackr writes in other formats replaced. */
function ofEqualFormats(value: unknown): unknown {
  // Integers of more than 32 bits are float 64 there.
  if (Number.isInteger(value) && (Number(value) >= 2 ** 32 || Number(value) < -(2 ** 31))) return 0.5;
  // Years before 1970 and after 2514 are written otherwise, and so are fractions of a second.
  if (value instanceof Date) return new Date(Math.abs(Math.trunc(value.getTime() / 1e6)) * 1000);
  return mapped(value, ofEqualFormats);
}

/** A copy of an array or object with other items; all else as it is. */
function mapped(value: unknown, map: (value: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof Date) {
    return value;
  }
  if (Array.isArray(value)) return Array.from(value, map);
  const copy: object = Object.create(Object.getPrototypeOf(value));
  return Object.assign(
    copy,
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item)])),
  );
}

const agreedValues = values().map(withoutUndefined);

describe("random values", () => {
  test("that msgpackr has written are what was written", () => {
    check(agreedValues, 4000, (value) => {
      const bytes = Uint8Array.from(packr.pack(value));
      expectSame(decode(bytes), decode(encode(value)), bytes);
    });
  });

  test("that we have written are the same for msgpackr", () => {
    check(agreedValues, 4000, (value) => {
      const bytes = encode(value);
      expectSame(unpackr.unpack(bytes), decode(bytes), bytes);
    });
  });

  test("are encoded to the same bytes", () => {
    check(agreedValues.map(ofEqualFormats), 4000, (value) => {
      assert.deepStrictEqual(encode(value), Uint8Array.from(packr.pack(value)));
    });
  });
});

describe("random bytes", () => {
  test("are the same value, or an error for both", () => {
    check(fc.uint8Array({ maxLength: 48 }), 4000, compareDecoding);
  });

  test("that look like MessagePack are the same value, or an error for both", () => {
    check(tokenRows, 5000, compareDecoding);
  });

  test("that a message was damaged to are the same value, or an error for both", () => {
    check(damagedMessages, 4000, compareDecoding);
  });

  test("that a real message was damaged to are the same value, or an error for both", () => {
    check(damaged(fc.constantFrom(...realMessages())), 4000, compareDecoding);
  });
});

test("the filters let nearly everything through", () => {
  expect(compared.values).toBeGreaterThan(1000);
  expect(compared.errors).toBeGreaterThan(1000);
  const left = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  expect(left).toBeLessThan((compared.values + compared.errors) / 5);
});

const compared = { values: 0, errors: 0 };
const leftOut: Record<string, number> = {};

function compareDecoding(bytes: Uint8Array): void {
  const ours = outcome(() => decode(bytes));
  const reason = differenceIn(bytes);
  if (reason !== undefined) {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    return;
  }
  const theirs = outcome(() => unpackr.unpack(bytes));
  if ("error" in ours && "error" in theirs) {
    compared.errors++;
  } else {
    compared.values++;
    expectSame(ours, theirs, bytes);
  }
}

function expectSame(a: unknown, b: unknown, bytes: Uint8Array): void {
  assert.ok(isSame(a, b), `${Buffer.from(bytes).toString("hex")}: ${inspect(a)}, not ${inspect(b)}`);
}

/** What in a message msgpackr takes in another way, on purpose. */
function differenceIn(bytes: Uint8Array): string | undefined {
  let difference: string | undefined;
  const extensionCodec = {
    tryToEncode: () => null,
    decode(data: Uint8Array, type: number) {
      if (type !== -1) {
        // It gives some types a meaning, and refuses the others.
        difference = "an extension";
      } else {
        const time = outcome(() => ExtensionCodec.defaultCodec.decode(data, type, undefined));
        // It makes an invalid Date of these.
        if (!("value" in time && time.value instanceof Date && !Number.isNaN(time.value.getTime())))
          difference = "a timestamp that no Date can hold";
      }
      return new ExtData(type, data);
    },
  };
  const strict = outcome(() => new Decoder({ fatalUtf8: true, extensionCodec }).decode(bytes));
  const { code } = ("error" in strict ? strict.error : {}) as Partial<DecodeError>;
  // It takes nil, true and false for keys, and renames __proto__.
  if (code === "KEY_TYPE" || code === "FORBIDDEN_KEY") return "a key";
  // It makes a value of 0xc1.
  if (code === "UNKNOWN_FORMAT") return "the byte that is never used";
  // It decodes by rules of its own.
  if (code === "INVALID_UTF8") return "malformed text";
  return difference;
}
