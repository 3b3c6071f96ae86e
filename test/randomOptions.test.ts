import assert from "node:assert/strict";
import { inspect } from "node:util";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import * as ours from "msgpack-wasm";
import { describe, expect, test } from "vitest";
import { damagedMessages, keys, values } from "./lib/arbitraries.mjs";
import { check, checkAwaited } from "./lib/fuzzing.ts";
import { isSame, type Outcome, outcome } from "./lib/reference.ts";
import { collectUntilError, piecesOf, streamOf } from "./lib/streams.ts";

// Random values and random options together, against @msgpack/msgpack. Where fast-check finds a difference, it prints
// the seed that brings it back.

type Library = Pick<typeof ours, "ExtensionCodec" | "ExtData" | "encode" | "decode">;

class Money {
  readonly amount: unknown;
  constructor(amount: unknown) {
    this.amount = amount;
  }
}

class Lines {
  readonly data: Uint8Array;
  constructor(data: Uint8Array) {
    this.data = data;
  }
}

type CodecName = "default" | "all" | "structural" | "arrays" | "none";

/** The same codec made of one library or the other. What it is asked for is `asked`, in order. */
function makeCodec(
  library: Library,
  name: CodecName,
  asked: string[],
): ours.ExtensionCodecType<string> | undefined {
  const describeKind = (input: unknown) => asked.push(Object.prototype.toString.call(input));
  if (name === "default") return undefined;
  if (name === "structural") {
    return {
      tryToEncode(input, context) {
        describeKind(input);
        return input instanceof Money ? { type: 9, data: Buffer.from(context) } : null;
      },
      decode: (data, type, context) => [context, type, Buffer.from(data).toString("hex")],
    };
  }
  const codec = new library.ExtensionCodec<string>() as ours.ExtensionCodec<string>;
  if (name === "none") return codec;
  codec.register({
    type: 1,
    encode(input, context): Uint8Array | null {
      describeKind(input);
      return input instanceof Money
        ? library.encode<string>([context, input.amount], { extensionCodec: codec, context })
        : null;
    },
    decode(data, type, context) {
      const [, amount] = library.decode<string>(data, { extensionCodec: codec, context }) as unknown[];
      return new Money([type, amount]);
    },
  });
  codec.register({
    type: 77,
    encode: (input) =>
      input instanceof Lines ? (position) => new Uint8Array([position, position >> 8, ...input.data]) : null,
    decode: (data) => new Lines(data),
  });
  codec.register({
    type: -1,
    encode: (input) => (input instanceof Date ? Buffer.from(String(input.getTime())) : null),
    decode: (data) => `date ${Buffer.from(data)}`,
  });
  if (name === "arrays") {
    codec.register({
      type: 5,
      encode: (input) =>
        Array.isArray(input) && input.length > 3
          ? Uint8Array.of(input.length)
          : typeof input === "bigint" || typeof input === "function"
            ? new Uint8Array(0)
            : null,
      decode: (data, type, context) => ({ type, context, data }),
    });
  }
  return codec;
}

const plainValues = values({ bigint: true, unsupported: true });
const codecValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: plainValues },
  {
    weight: 2,
    arbitrary: fc.array(
      fc.oneof(
        plainValues.map((value) => new Money(value)),
        plainValues,
        fc.uint8Array({ maxLength: 400 }).map((data) => new Lines(data)),
      ),
      { maxLength: 6 },
    ),
  },
  { weight: 1, arbitrary: plainValues.map((value) => ({ a: new Money({ b: new Money(value) }), c: value })) },
  {
    weight: 1,
    arbitrary: plainValues.map((value) => ({
      z: undefined,
      [Symbol("s")]: 1,
      a: { c: value, b: undefined },
    })),
  },
);

const codecNames = fc.constantFrom<CodecName>("default", "all", "structural", "arrays", "none");

const encoderOptions = fc.record(
  {
    useBigInt64: fc.boolean(),
    maxDepth: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(-1, 100, 1000)),
    sortKeys: fc.boolean(),
    forceFloat32: fc.boolean(),
    ignoreUndefined: fc.boolean(),
    forceIntegerToFloat: fc.boolean(),
    initialBufferSize: fc.integer({ min: 0, max: 20 }),
  },
  { requiredKeys: [] },
);

/** The fragments by which users of @msgpack/msgpack tell errors apart. */
const FRAGMENTS = [
  /Too deep objects in depth \d+/,
  /Unrecognized object: \[object \w+\]/,
  /Unrecognized type byte: 0x[0-9a-f]{2}/,
  /The type of key must be string or number but \w+/,
  /The key __proto__ is not allowed/,
  /Max length exceeded: UTF-8 byte length \(\d+\) > maxStrLength \(\d+\)/,
  /Max length exceeded: bin length \(\d+\) > maxBinLength \(\d+\)/,
  /Max length exceeded: array length \(\d+\) > maxArrayLength \(\d+\)/,
  /Max length exceeded: map length \(\d+\) > maxMapLength/,
  /Max length exceeded: ext length \(\d+\) > maxExtLength \(\d+\)/,
  /Unrecognized data size for timestamp \(expected 4, 8, or 12\): \d+/,
  /Unrecognized array type byte: 0x[0-9a-f]{2}/,
  /Extra \d+ of \d+ byte\(s\) found at buffer\[\d+\]/,
];

/** Class and words of an error, without what we add. */
function kindOfError(error: Error): string {
  const fragment = FRAGMENTS.map((pattern) => pattern.exec(error.message)?.[0]).find(
    (found) => found !== undefined,
  );
  const isShort = /Insufficient data|Offset is outside the bounds/.test(error.message);
  return `${error.name}: ${isShort ? "insufficient" : (fragment ?? error.message)}`;
}

const counts = { values: 0, errors: 0, leftOut: 0, otherErrorFirst: 0 };

/**
 * Requires the same value, or errors of the same class and words. Where a message has two errors, one of them may be
 * found first by one and the other by the other if `mayDiffer`: we know that a message is too short, and that a key
 * is a container, before we look inside, and look at bytes before we call codecs and converters.
 */
function compare(mine: Outcome, theirs: Outcome, what: () => string, mayDiffer = false): void {
  if ("error" in mine && "error" in theirs) {
    const [mineIs, theirsIs] = [kindOfError(mine.error), kindOfError(theirs.error)];
    if (mayDiffer && mineIs !== theirsIs) {
      counts.otherErrorFirst++;
      assert.ok(isExpected(mine.error), what());
    } else {
      counts.errors++;
      assert.equal(mineIs, theirsIs, what());
    }
  } else {
    counts.values++;
    assert.ok(
      isSame(mine, theirs),
      `${what()}: ${inspect(mine, { depth: 9 })}, not ${inspect(theirs, { depth: 9 })}`,
    );
  }
}

/** Whether it is an error that decoders, or the codec and the converters here, may throw. */
function isExpected(error: Error): boolean {
  return (
    error instanceof ours.DecodeError ||
    error instanceof RangeError ||
    (error instanceof TypeError && /not iterable/.test(error.message))
  );
}

/** Whether two errors in a message may be found in another order. */
function mayDiffer(mine: Outcome, theirs: Outcome, name: CodecName, converter: string): boolean {
  if (!("error" in mine && "error" in theirs)) return false;
  const message = mine.error.message + theirs.error.message;
  const callsBack = (name !== "default" && name !== "none") || converter === "throwing";
  return callsBack || /Insufficient|The type of key|The key __proto__|timestamp/.test(message);
}

describe("encoding random values with random options", () => {
  test("gives the same bytes or the same error, and asks the codec for the same", () => {
    const all = fc.tuple(codecValues, encoderOptions, codecNames);
    check(all, 5000, ([value, options, name]) => {
      const [mine, theirs]: string[][] = [[], []];
      const withCodec = (library: Library, asked: string[]) => ({
        ...options,
        extensionCodec: makeCodec(library, name, asked),
        context: "ctx",
      });
      compare(
        outcome(() => ours.encode<string>(value, withCodec(ours, mine))),
        outcome(() =>
          reference
            .encode<string>(value, withCodec(reference as unknown as Library, theirs) as never)
            .slice(),
        ),
        () => inspect({ value, options, name }, { depth: 9 }),
      );
      assert.deepEqual(mine, theirs);
    });
  });

  test("by instances that are used again and again, errors between", () => {
    const pairs = fc.sample(fc.tuple(encoderOptions, codecNames), 20).map(([options, name]) => {
      const withCodec = (library: Library) => ({
        ...options,
        extensionCodec: makeCodec(library, name, []),
        context: "ctx",
      });
      return [
        new ours.Encoder<string>(withCodec(ours)),
        new reference.Encoder<string>(withCodec(reference as unknown as Library) as never),
      ] as const;
    });
    check(fc.tuple(codecValues, fc.nat({ max: pairs.length - 1 })), 3000, ([value, i]) => {
      const [mine, theirs] = pairs[i];
      const what = () => `encoder ${i}: ${inspect(value, { depth: 9 })}`;
      compare(
        outcome(() => mine.encode(value)),
        outcome(() => theirs.encode(value)),
        what,
      );
      compare(
        outcome(() => mine.encodeSharedRef(value).slice()),
        outcome(() => theirs.encodeSharedRef(value).slice()),
        what,
      );
    });
  });
});

const length = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.constantFrom(255, 256, 65_535, 2 ** 32 - 1, 2 ** 32, Number.POSITIVE_INFINITY),
);

/** By name, so that a counterexample can be read. */
const converters: Record<string, ((key: unknown) => string | number) | undefined> = {
  none: undefined,
  String: (key) => `<${String(key)}>`,
  JSON: (key) => JSON.stringify(key, (_, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? "",
  numbers: (key) => (typeof key === "number" ? key : typeof key === "string" ? key : 7),
  throwing(key) {
    if (typeof key === "string") return key;
    throw new RangeError(`no key: ${typeof key}`);
  },
  merging: () => "same",
};

const decoderOptions = fc.record(
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
const converterNames = fc.constantFrom(...Object.keys(converters), "none", "none");

type Limits = Pick<
  ours.DecoderOptions,
  | "useBigInt64"
  | "rawStrings"
  | "maxStrLength"
  | "maxBinLength"
  | "maxArrayLength"
  | "maxMapLength"
  | "maxExtLength"
>;

/** Messages of what others than we may write: keys of every type, extensions, the larger formats. */
const messages = fc.oneof(
  {
    weight: 2,
    arbitrary: values({ bigint: true }).map((value) =>
      reference.encode(value, { useBigInt64: true }).slice(),
    ),
  },
  { weight: 2, arbitrary: damagedMessages },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(fc.oneof(keys, plainKeys()), values()), { maxLength: 6 })
      .map((pairs) => ours.encode(new Map(pairs))),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(
        fc.oneof(
          fc.tuple(fc.constantFrom(-128, -2, 0, 1, 5, 9, 77, 127), fc.uint8Array({ maxLength: 40 })),
          fc.tuple(fc.constant(-1), fc.uint8Array({ minLength: 0, maxLength: 13 })),
        ),
        { maxLength: 4 },
      )
      .map((list) => ours.encode(list.map(([type, data]) => new ours.ExtData(type, data)))),
  },
  { weight: 1, arbitrary: codecMessages() },
);

function plainKeys(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, false, 5, -7, 1.5, 2 ** 40, "__proto__"),
    fc.constantFrom<unknown>([1], new Map([["a", 1]]), Uint8Array.of(1), new Date(5)),
  );
}

/** What codecs above write. */
function codecMessages(): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc
    .array(
      fc.oneof(
        values().map((value) => new Money(value)),
        fc.uint8Array({ maxLength: 9 }).map((data) => new Lines(data)),
      ),
      {
        maxLength: 4,
      },
    )
    .map((list) =>
      ours.encode<string>(list, { extensionCodec: makeCodec(ours, "all", []), context: "c", maxDepth: 1000 }),
    );
}

describe("decoding random messages with random options", () => {
  test("gives the same value or the same error", () => {
    const all = fc.tuple(messages, decoderOptions, codecNames, converterNames);
    check(all, 8000, ([bytes, options, name, converter]) => compareDecoding(bytes, options, name, converter));
  });

  test("by instances that are used again and again, errors between", () => {
    const settings = fc.sample(fc.tuple(decoderOptions, codecNames, converterNames), 20);
    const decoders = settings.map((setting) => new ours.Decoder<string>(withCodec(ours, ...setting)));
    check(fc.tuple(messages, fc.nat({ max: settings.length - 1 })), 3000, ([bytes, i]) => {
      const fresh = outcome(() => ours.decode<string>(bytes, withCodec(ours, ...settings[i])));
      const kept = outcome(() => decoders[i].decode(bytes));
      compare(kept, fresh, () => `decoder ${i}: ${Buffer.from(bytes).toString("hex")}`);
    });
  });

  test("from streams cut anywhere is what decode says", async () => {
    const all = fc.tuple(
      messages,
      decoderOptions,
      codecNames,
      converterNames,
      fc.integer({ min: 1, max: 40 }),
    );
    await checkAwaited(all, 1500, async ([bytes, options, name, converter, size]) => {
      const settings = withCodec(ours, options, name, converter);
      const whole = outcome(() => ours.decode<string>(bytes, settings));
      const what = () =>
        `${Buffer.from(bytes).toString("hex")} by ${size}, ${inspect({ options, name, converter })}`;
      const stream = streamOf(...piecesOf(bytes, size));
      const { items, error } = await collectUntilError(ours.decodeMultiStream<string>(stream, settings));
      if ("value" in whole) {
        assert.equal(error, null, what());
        assert.ok(isSame(items, [whole.value]), what());
      } else if (error !== null) {
        if (items.length === 0) compare({ error }, whole, what, mayDiffer({ error }, whole, name, converter));
      } else {
        assert.match(kindOfError(whole.error), /Extra|insufficient/, what());
      }
      const segments = outcome(() => ours.decodeSegments<string>(piecesOf(bytes, size), settings));
      compare(segments, whole, what, mayDiffer(segments, whole, name, converter));
    });
  });
});

test("the filters let nearly everything through", () => {
  expect(counts.values).toBeGreaterThan(5000);
  expect(counts.errors).toBeGreaterThan(3000);
  expect(counts.leftOut).toBeLessThan((counts.values + counts.errors) / 8);
  expect(counts.otherErrorFirst).toBeLessThan(counts.errors / 5);
});

function withCodec(library: Library, options: Limits, name: CodecName, converter: string) {
  return {
    ...options,
    extensionCodec: makeCodec(library, name, []),
    context: "ctx",
    mapKeyConverter: converters[converter],
  };
}

function compareDecoding(bytes: Uint8Array, options: Limits, name: CodecName, converter: string): void {
  const what = () => `${Buffer.from(bytes).toString("hex")} ${inspect({ options, name, converter })}`;
  const mine = outcome(() => ours.decode<string>(bytes, withCodec(ours, options, name, converter)));
  if (isAgreed(bytes, options, name)) {
    const bounded = { ...options, maxArrayLength: Math.min(options.maxArrayLength ?? 2 ** 20, 2 ** 20) };
    const theirs = outcome(() =>
      reference.decode<string>(
        bytes,
        withCodec(reference as unknown as Library, bounded, name, converter) as never,
      ),
    );
    compare(mine, theirs, what, mayDiffer(mine, theirs, name, converter));
  } else {
    counts.leftOut++;
  }
}

/** Whether a message has nothing in it of which both make something else: malformed text, or too many nanoseconds. */
function isAgreed(bytes: Uint8Array, options: Limits, name: CodecName): boolean {
  let isFine = true;
  const see = (data: Uint8Array): string => {
    try {
      return fatal.decode(data);
    } catch {
      isFine = false;
      return "";
    }
  };
  const probe: ours.ExtensionCodecType<undefined> = {
    tryToEncode: () => null,
    decode(data, type) {
      if (type === -1 && (name === "default" || name === "none")) {
        const spec = outcome(() => reference.decodeTimestampToTimeSpec(data));
        if ("value" in spec && (spec.value as ours.TimeSpec).nsec > 999_999_999) isFine = false;
      }
      // What a codec decodes within may be text, whatever the options of the message around it.
      if (type === 1 && name !== "default")
        isFine &&= isAgreed(data, { ...options, rawStrings: false }, name);
      return null;
    },
  };
  outcome(() =>
    reference.decode(bytes, {
      ...options,
      useBigInt64: false,
      maxArrayLength: Math.min(options.maxArrayLength ?? 2 ** 20, 2 ** 20),
      extensionCodec: probe as reference.ExtensionCodecType<undefined>,
      mapKeyConverter: () => "x",
      keyDecoder: {
        canBeCached: () => true,
        decode: (all, at, length) => see(all.subarray(at, at + length)) && "x",
      },
    }),
  );
  if (options.rawStrings) return isFine;
  // Strings in the places of values, by their bytes.
  const strings = outcome(() =>
    new ours.Decoder({ fatalUtf8: true, mapKeyConverter: () => "x", extensionCodec: probe }).decode(bytes),
  );
  if ("error" in strings && "code" in strings.error && strings.error.code === "INVALID_UTF8") return false;
  return isFine;
}

const fatal = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
