import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import {
  Decoder,
  decode,
  decodeAsync,
  Encoder,
  ExtensionCodec,
  encode,
  wasmMemoryBytes,
} from "msgpack-wasm/testing";
import { describe, expect, test, vi } from "vitest";
import { hex, join, repeat } from "./lib/bytes.ts";
import { failure, outcome } from "./lib/reference.ts";
import { rounds } from "./lib/rounds.ts";
import { piecesOf, watched } from "./lib/streams.ts";

vi.setConfig({ testTimeout: 60_000 });

const MILLION = rounds(1_000_000);

/** Goes inwards by `step` as often as it gives something, and counts. */
function depthOf(value: unknown, step: (value: object) => unknown): { depth: number; innermost: unknown } {
  let depth = 0;
  let at = value;
  while (typeof at === "object" && at !== null) {
    at = step(at);
    depth++;
  }
  return { depth, innermost: at };
}

describe("decoding a million containers in one another", () => {
  test("arrays", () => {
    const value = decode(join(repeat([0x91], MILLION), [0xc3]));
    const { depth, innermost } = depthOf(value, (array) => {
      assert.ok(Array.isArray(array) && array.length === 1);
      return array[0];
    });
    expect([depth, innermost]).toEqual([MILLION, true]);
  });

  test("arrays with something behind each", () => {
    const bytes = join(repeat(hex("93 01"), MILLION), [0xc3], repeat([0xc2], MILLION));
    const { depth, innermost } = depthOf(decode(bytes), (array) => {
      assert.ok(Array.isArray(array) && array.length === 3 && array[0] === 1 && array[2] === false);
      return array[1];
    });
    expect([depth, innermost]).toEqual([MILLION, true]);
  });

  test("maps", () => {
    for (let i = 0; i < 2; i++) {
      const value = decode(join(repeat(hex("81 a16b"), MILLION), [0xc3]));
      const { depth, innermost } = depthOf(value, (map) => {
        assert.ok(Object.getPrototypeOf(map) === Object.prototype);
        return Reflect.get(map, "k");
      });
      expect([depth, innermost]).toEqual([MILLION, true]);
    }
  });

  test("maps with pairs before and behind each", () => {
    const bytes = join(repeat(hex("83 a161 01 a16b"), MILLION), [0xc3], repeat(hex("a17a c2"), MILLION));
    const { depth, innermost } = depthOf(decode(bytes), (map) => {
      assert.ok(Reflect.get(map, "a") === 1 && Reflect.get(map, "z") === false);
      // Nothing is left of what was kept in it meanwhile.
      assert.ok(Reflect.ownKeys(map).length === 3);
      return Reflect.get(map, "k");
    });
    expect([depth, innermost]).toEqual([MILLION, true]);
  });

  test("arrays and maps with something behind each, as a stream, and when they have been seen before", async () => {
    const levels = MILLION / 10;
    // Behind each level: a pair of the inner map, 15 items, a pair of the outer map, an item.
    const ends = hex(`a17a 07 ${"c0".repeat(15)} a179 08 09`);
    const bytes = join(repeat(hex("93 01 82 a16b dc0011 c2 82 05"), levels), [0xc3], repeat(ends, levels));
    for (let i = 0; i < 3; i++) {
      const value = await decodeAsync(watched(piecesOf(bytes, 4999)).stream);
      const { depth, innermost } = depthOf(value, (array) => {
        assert.ok(Array.isArray(array) && array.length === 3 && array[0] === 1 && array[2] === 9);
        const outer = array[1] as { k: unknown[]; y: number };
        assert.ok(outer.y === 8 && Reflect.ownKeys(outer).length === 2);
        assert.ok(outer.k.length === 17 && outer.k[0] === false && outer.k[16] === null);
        const inner = outer.k[1] as { 5: unknown; z: number };
        assert.ok(inner.z === 7 && Reflect.ownKeys(inner).length === 2);
        return inner[5];
      });
      expect([depth, innermost]).toEqual([levels, true]);
    }
  });

  test("maps as Map objects", () => {
    const value = decode(join(repeat(hex("81 05"), MILLION), [0xc3]), { useMap: true });
    const { depth, innermost } = depthOf(value, (map) => (map as Map<unknown, unknown>).get(5));
    expect([depth, innermost]).toEqual([MILLION, true]);
  });

  test("arrays and maps by turns", () => {
    const value = decode(join(repeat(hex("92 c0 82 a161 c0 a16b"), MILLION / 2), [0xc3]));
    const { depth, innermost } = depthOf(value, (container) =>
      Array.isArray(container) ? container[1] : Reflect.get(container, "k"),
    );
    expect([depth, innermost]).toEqual([MILLION, true]);
  });

  test("and none too few", () => {
    const error = failure(() => decode(repeat([0x91], MILLION)));
    expect(error).toMatchObject({ code: "INSUFFICIENT_DATA", offset: MILLION - 1 });
    expect(decode(encode([1]))).toEqual([1]);
  });
});

describe("decoding at the depth where recursion ends", () => {
  test.each([1, 2, 99, 100, 254, 255, 256, 257, 258, 259, 300, 511, 512, 513, 1000])("%d", (depth) => {
    const containers = [
      "91",
      "92 05",
      "93 c0 c0",
      "95 01 02 03 04",
      "81 a16b",
      "82 a161 c0 a16b",
      "82 05 c0 a16b",
      `dc0011${"c0".repeat(16)}`,
    ];
    const innermost = [
      "c0",
      "90",
      "80",
      "93 01 02 03",
      "82 a161 01 a162 02",
      "96 01 02 03 04 05 06",
      "c403 010203",
      "cb3ff8000000000000",
    ];
    for (const container of containers) {
      for (const inner of innermost) {
        const bytes = join(repeat(hex(container), depth), hex(inner));
        assert.deepStrictEqual(decode(bytes), reference.decode(bytes));
      }
    }
    // With runs of numbers, points and records on the way.
    const mixed = join(
      repeat(
        hex("94 82 a161 01 a162 9a 01 02 03 04 05 06 07 08 09 0a 91 cb3ff8000000000000 a3 616263"),
        depth,
      ),
      [0xc0],
    );
    assert.deepStrictEqual(decode(mixed), reference.decode(mixed));
  });

  test("with an option that limits it", () => {
    for (const depth of [1, 2, 5, 256, 257, 1000]) {
      for (const container of ["91", "81 a16b", "92 05", "82 05 c0 a16b"]) {
        const nested = join(repeat(hex(container), depth), [0xc0]);
        assert.deepStrictEqual(new Decoder({ maxDepth: depth }).decode(nested), decode(nested));
        const error = failure(() => new Decoder({ maxDepth: depth - 1 }).decode(nested));
        assert.match(error.message, new RegExp(`^Too deep objects in depth ${depth}`));
        assert.equal(error.code, "MAX_DEPTH");
      }
    }
  });
});

describe("the encoder's maxDepth", () => {
  const nested = (
    depth: number,
    inner: unknown,
    wrap: (value: unknown) => unknown = (value) => [value],
  ): unknown => {
    let value = inner;
    for (let i = 0; i < depth; i++) value = wrap(value);
    return value;
  };
  const wraps: Record<string, (value: unknown) => unknown> = {
    arrays: (value) => [value],
    "arrays with numbers": (value) => [1, 2, 3, 4, 5, value],
    "arrays that begin with it": (value) => [value, 1, 2],
    objects: (value) => ({ k: value }),
    "objects with a null prototype": (value) => Object.assign(Object.create(null), { k: value }),
    "class instances": (value) => new Wrapper(value),
  };
  class Wrapper {
    readonly value: unknown;
    constructor(value: unknown) {
      this.value = value;
    }
  }

  test.each(Object.entries(wraps))("is 100, and counts as in @msgpack/msgpack: %s", (_, wrap) => {
    const scalars = [1, "s", null, undefined, 1.5, true, new Uint8Array(2), new Date(0)];
    for (const inner of [...scalars, [], {}, [1], { a: 1 }]) {
      const isFilled = typeof inner === "object" && inner !== null && Object.keys(inner).length > 0;
      const allowed = isFilled && !ArrayBuffer.isView(inner) ? 98 : 99;
      for (let depth = 97; depth <= 102; depth++) {
        const value = nested(depth, inner, wrap);
        if (depth <= allowed) {
          assert.deepStrictEqual(encode(value), reference.encode(value).slice());
        } else {
          const error = failure(() => encode(value));
          assert.equal(error.constructor, Error);
          assert.ok(error.message.startsWith(failure(() => reference.encode(value)).message));
          assert.match(error.message, /^Too deep objects in depth 101/);
        }
      }
    }
  });

  test.each([0, 1, 2, 3, 10, 300])("%d allows what it allows in @msgpack/msgpack", (maxDepth) => {
    const encoder = new Encoder({ maxDepth });
    const theirs = new reference.Encoder({ maxDepth });
    for (const [, wrap] of Object.entries(wraps)) {
      for (const inner of [1, null, [], {}, [1], new Uint8Array(1)]) {
        for (let depth = Math.max(0, maxDepth - 3); depth <= maxDepth + 1; depth++) {
          const value = nested(depth, inner, wrap);
          if (depth < maxDepth - (Array.isArray(inner) && inner.length > 0 ? 1 : 0)) {
            assert.deepStrictEqual(encoder.encode(value), theirs.encode(value));
          } else {
            const error = failure(() => encoder.encode(value));
            assert.ok(error.message.startsWith(failure(() => theirs.encode(value)).message));
          }
        }
      }
    }
  });

  test("does not count what ignoreUndefined leaves out", () => {
    for (const value of [
      { a: undefined },
      { a: undefined, b: undefined },
      [{ a: undefined }],
      { k: { a: undefined } },
    ]) {
      for (const maxDepth of [1, 2, 3]) {
        const options = { ignoreUndefined: true, maxDepth };
        const ours = outcome(() => encode(value, options));
        const theirs = outcome(() => reference.encode(value, options).slice());
        assert.deepStrictEqual("error" in ours, "error" in theirs, JSON.stringify({ value, maxDepth }));
        if ("value" in theirs) assert.deepStrictEqual(ours, theirs);
      }
    }
  });

  test("can be as large as the call stack allows", () => {
    const value = nested(1000, "inner", (value) => ({ list: [value] }));
    const bytes = encode(value, { maxDepth: Infinity });
    assert.deepStrictEqual(bytes, reference.encode(value, { maxDepth: Infinity }).slice());
  });

  test("starts anew in an extension's own call", () => {
    const extensionCodec = new ExtensionCodec();
    extensionCodec.register({
      type: 1,
      encode: (object) => (object instanceof Wrapper ? encode(object.value, { extensionCodec }) : null),
      decode: (data) => new Wrapper(decode(data, { extensionCodec })),
    });
    const inner = nested(99, 1);
    const value = nested(99, new Wrapper(inner));
    assert.deepStrictEqual(decode(encode(value, { extensionCodec }), { extensionCodec }), value);
  });
});

describe("circular values", () => {
  const array: unknown[] = [1, 2, 3, 4];
  array.push(array);
  const object: Record<string, unknown> = { a: 1, list: [1, 2] };
  object.self = { object };
  const crossed = [array, { object }];

  test.each([
    ["array", array],
    ["object", object],
    ["both", crossed],
  ])("%s: an error, and then everything works", (_, value) => {
    const encoder = new Encoder();
    for (let i = 0; i < 200; i++) {
      const error = failure(() => encoder.encode(value));
      assert.equal(error.constructor, Error);
      assert.match(error.message, /^Too deep objects in depth 101/);
      assert.deepStrictEqual(decode(encoder.encode({ a: 1, list: [1, 2] })), { a: 1, list: [1, 2] });
    }
  });

  test("without a limit: the call stack's error, and then everything works", () => {
    const encoder = new Encoder({ maxDepth: Infinity });
    for (let i = 0; i < 200; i++) {
      for (const value of [array, object, crossed]) {
        assert.ok(failure(() => encoder.encode(value)) instanceof RangeError);
        assert.deepStrictEqual(decode(encoder.encode({ a: 1, list: [1, 2] })), { a: 1, list: [1, 2] });
      }
    }
  });
});

describe("a call stack that is nearly full", () => {
  const records = Array.from({ length: 30 }, (_, i) => ({
    id: i,
    name: `né ${i}`,
    list: [[i, 0.5], { deep: [i] }],
  }));
  const bytes = reference.encode(records).slice();

  /** Calls where there is no stack left, then with ever more of it, until the call succeeds. */
  function atTheEdge(call: () => void): boolean {
    let isDone = false;
    try {
      isDone = atTheEdge(call);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    if (!isDone) {
      call();
      isDone = true;
    }
    return isDone;
  }

  /** Takes 8 bytes of stack for each of its arguments, so that the end of the stack falls everywhere in the call. */
  function padded(call: () => unknown, ..._padding: number[]): void {
    call();
  }

  test("leaves no damage, however often it happens", () => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    const wasm = wasmMemoryBytes();
    for (let i = 0; i < rounds(1500); i++) {
      const padding = new Array(i % 50).fill(0);
      assert.ok(atTheEdge(() => padded(() => decode(bytes), ...padding)));
      assert.ok(atTheEdge(() => padded(() => encode(records), ...padding)));
      assert.deepStrictEqual(decode(bytes), records);
      assert.deepStrictEqual(encode(records), bytes);
    }
    Error.stackTraceLimit = stackTraceLimit;
    expect(wasmMemoryBytes()).toBe(wasm);
  });

  test("also with keys that are learned just then", () => {
    for (let i = 0; i < rounds(300); i++) {
      const fresh = records.map((record) => ({ ...record, [`edge${i}`]: i }));
      const freshBytes = reference.encode(fresh).slice();
      assert.ok(atTheEdge(() => void decode(freshBytes)));
      assert.ok(atTheEdge(() => void encode(fresh)));
      assert.deepStrictEqual(decode(freshBytes), fresh);
      assert.deepStrictEqual(encode(fresh), freshBytes);
    }
  });
});
