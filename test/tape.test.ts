import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Status } from "../js/status.ts";
import { Tag, Wide } from "../js/tape.ts";

// What both sides of the wasm border must agree on is written down on both. Here the two are compared.

const root = path.join(import.meta.dirname, "..");

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8").replace(/\/\/.*/g, "");
}

describe("the same names and numbers on both sides:", () => {
  test.each([
    ["the tags of the tape's words", "cpp/tape.hpp", "Tag", Tag],
    ["the kinds of wide words", "cpp/tape.hpp", "Wide", Wide],
    ["the statuses", "cpp/status.hpp", "Status", Status],
  ])("%s", (_, file, name, ours) => {
    expect(enumOf(read(file), name)).toEqual(ours);
  });

  test("tags fit 4 bits, and so do the kinds of wide words", () => {
    for (const table of [Tag, Wide]) {
      const numbers = Object.values(table);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(Math.max(...numbers)).toBeLessThan(16);
      expect(Math.min(...numbers)).toBe(0);
    }
  });
});

describe("the same sizes on both sides:", () => {
  const bindings = read("bindings/bindings.cpp");
  const decodeSession = classOf(bindings, "DecodeSession");
  const encodeSession = classOf(bindings, "EncodeSession");
  const keyStore = classOf(read("cpp/key_store.hpp"), "KeyStore");
  const emitter = classOf(read("cpp/emitter.hpp"), "Emitter");
  const tape = read("cpp/tape.hpp");

  test.each([
    ["js/wasm/DecodeMemory.ts", "INPUT_BYTES", decodeSession, "kInput"],
    ["js/wasm/DecodeMemory.ts", "TAPE_WORDS", decodeSession, "kTape"],
    ["js/wasm/EncodeMemory.ts", "TAPE_WORDS", encodeSession, "kTape"],
    ["js/wasm/EncodeMemory.ts", "POOL_BYTES", encodeSession, "kPool"],
    ["js/wasm/EncodeMemory.ts", "HOLES", encodeSession, "kHoles"],
    ["js/wasm/EncodeMemory.ts", "MAX_KEY_UNITS", keyStore, "kMaxUnits"],
    ["js/wasm/EncodeMemory.ts", "TEXT_UNITS", encodeSession, "kText"],
    ["js/wasm/EncodeMemory.ts", "MAX_TEXT", emitter, "kMaxText"],
    ["js/KeyTrie.ts", "MAX_NODES", keyStore, "kMaxKeys"],
    ["js/tape.ts", "MAX_PAYLOAD", tape, "kMaxPayload"],
    ["js/Materializer.ts", "MIN_RUN", tape, "kMinRun"],
    ["js/testing.ts", "DECODE_TAPE", decodeSession, "kTape"],
    ["js/testing.ts", "DECODE_BYTES", decodeSession, "kInput"],
    ["js/testing.ts", "DECODE_POOLED", tape, "kMaxPooledBytes"],
    ["js/testing.ts", "ENCODE_TAPE", encodeSession, "kTape"],
    ["js/testing.ts", "ENCODE_BYTES", encodeSession, "kPool"],
  ])("%s, %s", (file, name, theirs, theirName) => {
    expect(constantOf(read(file), name)).toBe(constantOf(theirs, theirName));
  });

  test.each([
    ["js/wasm/DecodeMemory.ts", decodeSession],
    ["js/wasm/EncodeMemory.ts", encodeSession],
  ])("the lanes in %s", (file, session) => {
    const text = read(file);
    const lengths = [
      ...text.matchAll(
        /new (?:Float64|BigUint64)Array\(\w+, [^,]*(?:decode|encode)Lane\([^()]+\), ([^)]+)\)/g,
      ),
    ];
    expect(lengths.length).toBe(2);
    for (const [, length] of lengths) expect(evaluate(length, text)).toBe(constantOf(session, "kLane"));
  });

  test("outputs have room for the largest thing that is written at once", () => {
    const least = constantOf(emitter, "kMinOutput");
    for (const name of ["FIRST_OUTPUT_BYTES", "OTHER_OUTPUT_BYTES"]) {
      expect(constantOf(read("js/wasm/EncodeMemory.ts"), name)).toBeGreaterThanOrEqual(least);
    }
  });

  test("the first chunk where typed arrays are likely holds any pooled string, key, number or header", () => {
    const short = constantOf(read("js/Materializer.ts"), "SHORT_CHUNK");
    expect(short).toBeGreaterThan(constantOf(tape, "kMaxPooledBytes") + 16);
    expect(short).toBeGreaterThan(
      constantOf(classOf(read("cpp/key_table.hpp"), "KeyTable"), "kMaxKeyLength") + 16,
    );
    expect(short).toBeLessThanOrEqual(constantOf(decodeSession, "kInput") / 2);
  });

  test("the largest alignment", () => {
    expect(constantOf(read("js/TypedArrayCodec.ts"), "MAX_ALIGN")).toBe(
      2 ** constantOf(emitter, "kMaxAlignment"),
    );
    expect(constantOf(read("js/TypedArrayTable.ts"), "MAX_BYTES")).toBe(
      2 ** 32 - 1 - 2 ** constantOf(emitter, "kMaxAlignment"),
    );
  });

  test("the longest pooled string is a small part of a pool, and of a chunk", () => {
    const pooled = constantOf(tape, "kMaxPooledBytes");
    expect(pooled).toBeLessThanOrEqual(constantOf(tape, "kPoolBytes") / 8);
    expect(pooled).toBeLessThanOrEqual(constantOf(decodeSession, "kInput") / 8);
  });
});

/** The members of a C++ enum, with their names as JavaScript writes constants: `kLongStr` is `LONG_STR`. */
function enumOf(text: string, name: string): Record<string, number> {
  const body = new RegExp(`enum (?:class )?${name}\\b[^{]*\\{([^}]*)\\}`).exec(text)?.[1] ?? "";
  return Object.fromEntries(
    [...body.matchAll(/\bk(\w+) = (\d+)/g)].map(([, member, number]) => [
      member.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase(),
      Number(number),
    ]),
  );
}

/** The part of a C++ file from the head of a class to the next one's. */
function classOf(text: string, name: string): string {
  const start = text.search(new RegExp(`^class ${name}\\b.*\\{`, "m"));
  expect(start, `class ${name}`).toBeGreaterThanOrEqual(0);
  const end = text.indexOf("\nclass ", start);
  return text.slice(start, end < 0 ? undefined : end);
}

function constantOf(text: string, name: string): number {
  const expression = new RegExp(`\\b${name} = ([^;]+);`).exec(text)?.[1];
  expect(expression, name).toBeDefined();
  return evaluate(expression as string, text);
}

/** The value of a sum, product or power of literals and of other constants of the same text. */
function evaluate(expression: string, text: string): number {
  let rest = expression
    .replace(/\b[A-Za-z]\w*\b/g, (name) => String(constantOf(text, name)))
    .replace(/(?<=\d)(?:_(?=\d)|U\b)/g, "");
  const operations: [RegExp, (a: number, b: number) => number][] = [
    [/(\d+) << (\d+)/, (a, b) => a * 2 ** b],
    [/(\d+) \*\* (\d+)/, (a, b) => a ** b],
    [/(\d+) \* (\d+)/, (a, b) => a * b],
    [/(\d+) \+ (\d+)/, (a, b) => a + b],
    [/(\d+) - (\d+)/, (a, b) => a - b],
  ];
  for (const [pattern, apply] of operations) {
    for (let match = pattern.exec(rest); match !== null; match = pattern.exec(rest)) {
      rest = rest
        .replace(match[0], String(apply(Number(match[1]), Number(match[2]))))
        .replace(/\((\d+)\)/g, "$1");
    }
  }
  expect(rest, expression).toMatch(/^\d+$/);
  return Number(rest);
}
