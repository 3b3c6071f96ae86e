import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Decoder, decode, Encoder, encode, wasmMemoryBytes } from "msgpack-wasm/testing";
import { describe, expect, test, vi } from "vitest";
import { bigEndian, hex, join, repeat } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";

vi.setConfig({ testTimeout: 120_000 });
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heapBytes(): number {
  // What only weak references and finalizers held goes in the second.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const MEGABYTE = 2 ** 20;
const WASM_LIMIT = 8 * MEGABYTE;

/** Of each kind of value something, with little for JS to keep alive a byte. */
const record = {
  id: 123_456,
  name: "a record of the large message",
  values: Array.from({ length: 60 }, (_, i) => i / 7),
  note: "a long text that ends nowhere near a window. ".repeat(25),
  data: new Uint8Array(900).fill(1),
  tags: ["a", "é", null, true, -5, { x: 1.5, y: 2.5 }],
};

describe("a message of 300 MB", () => {
  const recordBytes = encode(record);
  const count = Math.ceil((300 * 1e6) / recordBytes.length);

  test("is encoded in less than 8 MB of wasm memory", () => {
    const bytes = encode(new Array(count).fill(record));
    expect(bytes.length).toBe(count * recordBytes.length + 5);
    const step = recordBytes.length;
    for (const i of [0, 1, 1000, count >> 1, count - 1]) {
      assert.deepStrictEqual(bytes.slice(5 + i * step, 5 + (i + 1) * step), recordBytes);
    }
    expect(wasmMemoryBytes()).toBeLessThan(WASM_LIMIT);
  });

  test("is decoded in less than 8 MB of wasm memory", () => {
    const bytes = new Uint8Array(count * recordBytes.length + 5);
    bytes.set(join([0xdd], bigEndian(count, 4)));
    bytes.set(recordBytes, 5);
    bytes.copyWithin(5 + recordBytes.length, 5, 5 + recordBytes.length);
    // Each copy doubles what is there.
    for (let size = recordBytes.length; size < count * recordBytes.length; size *= 2)
      bytes.copyWithin(5 + size, 5, 5 + size);
    const records = decode(bytes) as (typeof record)[];
    expect(records.length).toBe(count);
    for (const i of [0, 1, 1000, count >> 1, count - 1]) assert.deepStrictEqual(records[i], record);
    expect(wasmMemoryBytes()).toBeLessThan(WASM_LIMIT);
  });

  test("is refused in less, when it ends too early", () => {
    const bytes = join([0xdd], bigEndian(100_001, 4), repeat(encode([1, "two", { three: 3 }]), 100_000));
    expect(failure(() => decode(bytes))).toMatchObject({ code: "INSUFFICIENT_DATA" });
    expect(wasmMemoryBytes()).toBeLessThan(WASM_LIMIT);
  });
});

describe("a typed array of 256 MB", () => {
  /** Runs in a process of its own, since a peak is one for all time (and `maxRSS` begins with the parent's). Says how much more it has needed at the most. */
  function peakGrowth(body: string): { grown: number; result: number } {
    const library = new URL("../dist/index.js", import.meta.url);
    const script = `
      import { readFileSync } from "node:fs";
      import { TypedArrayCodec, decode, encode, encodeInto } from ${JSON.stringify(library)};
      const options = { extensionCodec: new TypedArrayCodec() };
      const array = new Float32Array(64 * 2 ** 20).fill(1.5);
      decode(encode({ array: new Float32Array(1000) }, options), options);
      const peak = () => /VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1] * 1024;
      ${body}
      console.log(JSON.stringify({ grown: peak() - before, result }));
    `;
    return JSON.parse(
      execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
    );
  }

  test("is encoded with the memory of the result and less than 8 MB", () => {
    const { grown, result } = peakGrowth(`
      const before = peak();
      const message = encode({ array, more: [array.subarray(0, 1000)] }, options);
      const result = message.length;
    `);
    expect(result).toBeGreaterThan(256 * MEGABYTE);
    // The result itself shows that this measures what it should.
    expect(grown).toBeGreaterThan(250 * MEGABYTE);
    expect(grown - result).toBeLessThan(8 * MEGABYTE);
  });

  test("is written into a target, and decoded, with less than 8 MB", () => {
    const { grown, result } = peakGrowth(`
      const target = new Uint8Array(257 * 2 ** 20).fill(1);
      const before = peak();
      const end = encodeInto({ array }, target, 13, options);
      const decoded = decode(target.subarray(13, end), options);
      const result = decoded.array.buffer === target.buffer ? decoded.array.length : -1;
    `);
    expect(result).toBe(64 * 2 ** 20);
    expect(grown).toBeLessThan(8 * MEGABYTE);
  });
});

describe("what decoded strings keep alive", () => {
  // V8 makes a string of 13 characters or more that is cut from another a view of that: it keeps the whole alive.
  const pieces: Record<string, string> = {
    "of ASCII": "a text of 20 letters",
    "of other text": "ein Text, à 20 Lett.",
  };

  test.each(Object.entries(pieces))("is a few KB each at the most: %s", (_, text) => {
    const bytes = encode(Array.from({ length: 3000 }, (_, i) => `${text}${i}`));
    const kept: unknown[] = [];
    const before = heapBytes();
    for (let i = 0; i < 500; i++) kept.push((decode(bytes) as unknown[])[i * 5]);
    const perString = (heapBytes() - before) / kept.length;
    expect(kept[499]).toBe(`${text}2495`);
    // A pool holds at most 8192 bytes; the whole message would be 65,000 or more.
    expect(perString).toBeLessThan(8192 + 1024);
  });

  test("is the string alone when it is long", () => {
    const bytes = encode(Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(600, "x")));
    const kept: unknown[] = [];
    const before = heapBytes();
    for (let i = 0; i < 500; i++) kept.push((decode(bytes) as unknown[])[i % 100]);
    expect((heapBytes() - before) / kept.length).toBeLessThan(1200);
  });
});

describe("nothing stays behind", () => {
  test("after 100,000 errors", () => {
    const bad = [
      [
        "c1",
        "",
        "dd7fffffff",
        "81c0c0",
        "81a95f5f70726f746f5f5fc0",
        "92c0",
        "0000",
        "d4ff00",
        "a261",
        "cb00",
      ].map(hex),
      join(repeat([0x91], 1000), [0xc1]),
      join(encode(Array.from({ length: 300 }, (_, i) => `text ${i}`)), [0]),
      encode({ a: "x".repeat(2000), b: new Uint8Array(2000) }).subarray(0, -1),
    ].flat();
    const circular: unknown[] = ["text", { key: 1 }];
    circular.push(circular);
    const unencodable = [
      () => 0,
      { a: [1, "x".repeat(3000), new Uint8Array(300), Symbol("s")] },
      circular,
      1n,
    ];
    const decoder = new Decoder();
    const encoder = new Encoder();
    // Stack traces would take most of the time.
    Error.stackTraceLimit = 0;
    const cause = (count: number) => {
      for (let i = 0; i < count; i++) {
        failure(() => decoder.decode(bad[i % bad.length]));
        failure(() => encoder.encode(unencodable[i % unencodable.length]));
      }
    };
    cause(2000);
    const heap = heapBytes();
    const wasm = wasmMemoryBytes();
    cause(50_000);
    expect(wasmMemoryBytes()).toBe(wasm);
    expect(heapBytes() - heap).toBeLessThan(2 * MEGABYTE);
    Error.stackTraceLimit = 10;
  });

  test("of a message, once its value is gone", () => {
    const use = () => {
      const text = "x".repeat(MEGABYTE);
      const bytes = encode({ data: new Uint8Array(4 * MEGABYTE), text, list: new Array(100_000).fill("é") });
      decode(bytes);
    };
    use();
    const before = heapBytes();
    for (let i = 0; i < 20; i++) use();
    expect(heapBytes() - before).toBeLessThan(MEGABYTE);
    expect(wasmMemoryBytes()).toBeLessThan(WASM_LIMIT);
  });

  test("of instances: thousands of them share what they need", () => {
    const value = { a: 1, text: "some text" };
    const wasm = wasmMemoryBytes();
    for (let i = 0; i < 20_000; i++) new Decoder().decode(new Encoder().encode(value));
    expect(wasmMemoryBytes()).toBe(wasm);
  });

  test("of keys that come but once: 200,000 of them", () => {
    const before = heapBytes();
    for (let i = 0; i < 400; i++) {
      const object = Object.fromEntries(Array.from({ length: 500 }, (_, k) => [`once ${i} ${k}`, k]));
      decode(encode(object));
      if (i % 4 === 0) decode(encode([{ [`twice ${i}`]: 1 }, { [`twice ${i}`]: 2 }, { [`twice ${i}`]: 3 }]));
    }
    expect(wasmMemoryBytes()).toBeLessThan(WASM_LIMIT);
    expect(heapBytes() - before).toBeLessThan(8 * MEGABYTE);
  });
});
