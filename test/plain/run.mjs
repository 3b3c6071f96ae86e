// Run as `node --disallow-code-generation-from-strings test/plain/run.mjs`, as Content-Security-Policies and some
// hosts have it. Vitest cannot run there, so this does without.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import * as reference from "@msgpack/msgpack";
import fc from "fast-check";
import { madeDocuments, realDocuments } from "../../bench/lib/documents.mjs";
import * as esm from "../../dist/index.js";
import { damagedMessages, values } from "../lib/arbitraries.mjs";
import { check, finish } from "./checks.mjs";

const cjs = /** @type {typeof esm} */ (createRequire(import.meta.url)("../../dist/index.cjs"));

/** More than it takes until a shape would be compiled. */
const MANY = 300;

check("code generation is refused, as this run wants it", () => {
  assert.throws(() => new Function("return 1"), EvalError);
  // biome-ignore lint/security/noGlobalEval: to see that it is refused
  assert.throws(() => eval("1"), EvalError);
});

for (const [format, { decode, encode, TypedArrayCodec, WasmArena }] of Object.entries({
  ESM: esm,
  CommonJS: cjs,
})) {
  /** @param {unknown} value */
  const checkBothWays = (value) => {
    const bytes = encode(value);
    assert.deepStrictEqual(bytes, reference.encode(value).slice());
    assert.deepStrictEqual(decode(bytes), reference.decode(bytes));
  };

  for (const { name, value } of [...realDocuments(), ...madeDocuments()]) {
    check(`${format}: the document ${name}, again and again`, () => {
      const bytes = reference.encode(value).slice();
      for (let i = 0; i < 5; i++) {
        assert.deepStrictEqual(encode(value), bytes);
        assert.deepStrictEqual(decode(bytes), value);
      }
    });
  }

  check(`${format}: random values`, () => {
    fc.assert(fc.property(values(), checkBothWays), { numRuns: 1500 });
  });

  check(`${format}: random values, each in many records of a shape`, () => {
    const names = fc.uniqueArray(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.constantFrom("constructor", '"', "\u2028", "1", "\0"),
      ),
      { minLength: 1, maxLength: 6 },
    );
    const shaped = fc.tuple(
      names.filter((keys) => !keys.includes("__proto__")),
      values(),
    );
    const property = fc.property(shaped, ([keys, value]) => {
      const record = Object.fromEntries(keys.map((key, i) => [key, i === 0 ? value : i]));
      const bytes = encode(new Array(20).fill(record));
      const expected = reference.decode(bytes);
      for (let i = 0; i < MANY; i += 20) assert.deepStrictEqual(decode(bytes), expected);
    });
    fc.assert(property, { numRuns: 100 });
  });

  check(`${format}: records, far more than it takes to compile their shape elsewhere`, () => {
    const records = Array.from({ length: MANY }, (_, i) => ({
      id: i,
      name: `n${i}`,
      place: { x: i / 3, y: -i },
      tags: ["t"],
    }));
    for (let i = 0; i < 10; i++) checkBothWays(records);
    for (const record of records) checkBothWays(record);
  });

  check(`${format}: more shapes than are made better, of few keys and of many`, () => {
    for (let shape = 0; shape < 100; shape++) {
      const keys = Array.from({ length: 1 + (shape % 45) }, (_, i) => `${shape} ${i}`);
      const record = Object.fromEntries(keys.map((key, i) => [key, [i, i / 2, `${i}`, null, { i }][i % 5]]));
      const bytes = encode(Array(MANY).fill(record));
      for (const copy of /** @type {unknown[]} */ (decode(bytes))) assert.deepStrictEqual(copy, record);
    }
  });

  check(`${format}: a call stack that is nearly full leaves no damage`, () => {
    const records = Array.from({ length: 30 }, (_, i) => ({
      id: i,
      name: `né ${i}`,
      list: [[i, 0.5], { deep: [i] }],
    }));
    const bytes = reference.encode(records).slice();
    /**
     * Calls where there is no stack left, then with ever more of it, until the call succeeds.
     * @param {() => void} call
     * @returns {boolean}
     */
    const atTheEdge = (call) => {
      let isDone = false;
      try {
        isDone = atTheEdge(call);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
      if (!isDone) call();
      return true;
    };
    Error.stackTraceLimit = 0;
    for (let i = 0; i < 1500; i++) {
      atTheEdge(() => decode(bytes));
      atTheEdge(() => encode(records));
      assert.deepStrictEqual(decode(bytes), records);
      assert.deepStrictEqual(encode(records), bytes);
    }
    Error.stackTraceLimit = 10;
  });

  check(`${format}: typed arrays, and records with them in an arena`, () => {
    const extensionCodec = new TypedArrayCodec();
    const records = Array.from({ length: MANY }, (_, id) => ({ id, data: Float32Array.of(id, id / 2) }));
    const bytes = encode(records, { extensionCodec });
    assert.deepStrictEqual(decode(bytes, { extensionCodec }), records);
    const arena = new WasmArena(bytes.length);
    const room = arena.allocate(bytes.length);
    room.set(bytes);
    for (let i = 0; i < 3; i++) assert.deepStrictEqual(arena.decode(room), records);
  });

  check(`${format}: damaged messages are errors, and leave nothing behind`, () => {
    const sample = { id: 1, list: [1, 2.5, "né"] };
    const sampleBytes = encode(sample);
    const property = fc.property(damagedMessages, (bytes) => {
      try {
        decode(bytes);
      } catch (error) {
        assert.ok(error instanceof Error && "code" in error && "offset" in error);
      }
      assert.deepStrictEqual(decode(sampleBytes), sample);
    });
    fc.assert(property, { numRuns: 1000 });
  });
}

finish();
