import assert from "node:assert/strict";
import { closeSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import {
  DecodeError,
  type DecoderOptions,
  decode,
  ExtData,
  ExtensionCodec,
  encode,
  TypedArrayCodec,
  WasmArena,
  wasmMemoryBytes,
} from "msgpack-wasm/testing";
import { describe, expect, test, vi } from "vitest";
import { madeDocuments, realDocuments } from "../bench/lib/documents.mjs";
import { damagedMessages, values } from "./lib/arbitraries.mjs";
import { hex, join, repeat } from "./lib/bytes.ts";
import { collectGarbage } from "./lib/collect.ts";
import { failure, isSame, outcome } from "./lib/reference.ts";
import { classes, type Sample, sample } from "./lib/typedArrays.ts";

vi.setConfig({ testTimeout: 60_000 });

const options = { extensionCodec: new TypedArrayCodec() };

/** A message in room of its own. */
function received(arena: WasmArena, message: Uint8Array): Uint8Array {
  const room = arena.allocate(message.length);
  room.set(message);
  return room;
}

describe("an arena's memory", () => {
  test("is given out in pieces that begin at multiples of 16", () => {
    const arena = new WasmArena(1000);
    const first = arena.allocate(1);
    const second = arena.allocate(17);
    const third = arena.allocate(0);
    for (const room of [first, second, third]) {
      expect(room.buffer).toBe(arena.memory.buffer);
      expect(room.byteOffset % 16).toBe(0);
    }
    expect([first.length, second.length, third.length]).toStrictEqual([1, 17, 0]);
    expect(second.byteOffset).toBe(first.byteOffset + 16);
    expect(third.byteOffset).toBe(second.byteOffset + 32);
    expect(arena.byteLength).toBe(1000);
  });

  test("is all there: no byte less, and a RangeError that names sizes for each more", () => {
    for (const size of [0, 1, 15, 16, 17, 65_536, 1_000_003]) {
      const arena = new WasmArena(size);
      expect(arena.allocate(size).length).toBe(size);
      const error = failure(() => arena.allocate(1));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toContain(`${size} byte(s)`);
      expect(error.message).toContain("0 left, not 1");
      arena.reset();
      expect(failure(() => arena.allocate(size + 1)).message).toContain(`${size} left, not ${size + 1}`);
      // What was refused took nothing.
      expect(arena.allocate(size).length).toBe(size);
    }
    const arena = new WasmArena(100);
    arena.allocate(50);
    expect(failure(() => arena.allocate(37)).message).toContain("36 left, not 37");
    expect(arena.allocate(36).length).toBe(36);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 31, Infinity, "5" as unknown as number])(
    "has no size of %s",
    (size) => {
      expect(failure(() => new WasmArena(size))).toBeInstanceOf(RangeError);
      expect(failure(() => new WasmArena(100).allocate(size))).toBeInstanceOf(RangeError);
    },
  );

  test("does not grow", () => {
    const arena = new WasmArena(1000);
    const before = arena.memory.buffer;
    expect(() => arena.memory.grow(1)).toThrow(RangeError);
    expect(arena.memory.buffer).toBe(before);
  });

  test("can be handed to another module, which reads an array at its byteOffset", () => {
    const arena = new WasmArena(10_000);
    const [position] = arena.decode(
      received(arena, encode([Float32Array.of(0, 1.5)], options)),
    ) as Float32Array[];
    // (import "a" "m" (memory 1)) (func (export "first") (param i32) (result f32) (f32.load (local.get 0)))
    const module = new WebAssembly.Module(
      hex(`0061736d01000000 010601 60017f017d 0208010161016d020001 03020100
           070901056669727374 0000 0a0901070020002a02000b`),
    );
    const { exports } = new WebAssembly.Instance(module, { a: { m: arena.memory } });
    const first = exports.first as (address: number) => number;
    expect(first(position.byteOffset + 4)).toBe(1.5);
    position[1] = -7;
    expect(first(position.byteOffset + 4)).toBe(-7);
  });
});

describe("decoding in an arena", () => {
  const arena = new WasmArena(8 * 2 ** 20);
  const inArena = (message: Uint8Array, from?: DecoderOptions) => {
    arena.reset();
    return arena.decode(received(arena, message), from);
  };

  test("gives views of wasm memory, of every class, and of binary data", () => {
    const value = [
      ...classes.map((Class, i) => sample(Class, 3 + i * 100)),
      new Uint8Array(3),
      new Uint8Array(5000),
    ];
    const room = received(arena, encode(value, options));
    const decoded = arena.decode(room) as Sample[];
    expect(decoded).toStrictEqual(value);
    for (const view of decoded) {
      expect(view.buffer).toBe(arena.memory.buffer);
      expect(view.byteOffset).toBeGreaterThan(room.byteOffset);
      expect(view.byteOffset).toBeLessThan(room.byteOffset + room.length);
    }
    // The functions of the package do the same, by way of their own memory.
    expect((decode(room, options) as Sample[])[0].buffer).toBe(arena.memory.buffer);
  });

  test("copies the bytes nowhere", () => {
    const own = new WasmArena(2 ** 20);
    // No two places of it are alike, and as numbers on a lane its values have their bytes the other way round.
    const marks = Array.from({ length: 20_000 }, (_, i) => 1e300 + i * 1e290);
    const position = Float64Array.from({ length: 1000 }, (_, i) => i * Math.PI);
    const message = encode({ marks, position }, options);
    const decoded = own.decode(received(own, message)) as { marks: number[] };
    expect(decoded.marks).toStrictEqual(marks);
    const whole = Buffer.from(own.memory.buffer);
    for (let at = 10; at < message.length - 40; at += 997) {
      const piece = message.subarray(at, at + 40);
      const found = whole.indexOf(piece);
      expect(found).toBeGreaterThan(0);
      expect(whole.indexOf(piece, found + 1)).toBe(-1);
    }
  });

  test.each([...realDocuments(), ...madeDocuments()])(
    "gives the document $name, again and again",
    ({ value }) => {
      const message = encode(value);
      for (let i = 0; i < 3; i++) assert.deepStrictEqual(inArena(message), value);
    },
  );

  test("gives what decode gives, value or error, whatever the message", () => {
    const both = fc.oneof(
      { weight: 3, arbitrary: values().map((value) => encode(value)) },
      { weight: 2, arbitrary: damagedMessages },
    );
    fc.assert(
      fc.property(
        both,
        fc.constantFrom({}, { useMap: true }, { rawStrings: true }, { int64: "auto" as const }),
        (message, from) => {
          const codec = { ...from, extensionCodec: new ExtensionCodec() };
          const here = outcome(() => inArena(message, codec));
          const there = outcome(() => decode(message, codec));
          if ("error" in there) {
            assert.ok("error" in here);
            assert.equal(here.error.message, there.error.message);
            assert.equal(here.error.name, there.error.name);
          } else {
            assert.ok("value" in here && isSame(here.value, there.value));
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  test("reads a part of what was allocated, at any place", () => {
    const message = encode({ a: Float32Array.of(1, 2), b: "text" }, options);
    arena.reset();
    const room = arena.allocate(1000);
    for (let at = 0; at < 40; at++) {
      room.set(message, at);
      const decoded = arena.decode(room.subarray(at, at + message.length)) as { a: Float32Array };
      expect(decoded).toStrictEqual({ a: Float32Array.of(1, 2), b: "text" });
      expect(decoded.a.buffer === arena.memory.buffer).toBe(at % 4 === 0);
    }
  });

  test("reads to the last byte of the arena", () => {
    const message = encode({ text: "at the very end", list: [1, 2.5, null] });
    const tight = new WasmArena(message.length);
    for (let i = 0; i < 5; i++) {
      tight.reset();
      expect(tight.decode(received(tight, message))).toStrictEqual({
        text: "at the very end",
        list: [1, 2.5, null],
      });
    }
  });

  test("refuses bytes that are elsewhere", () => {
    const { memory } = arena;
    const room = received(arena, hex("c0"));
    const wrong = [
      hex("c0"),
      Buffer.from([0xc0]),
      new Uint8Array(memory.buffer),
      new Uint8Array(memory.buffer, 16, 1),
      received(new WasmArena(10), hex("c0")),
    ];
    for (const bytes of wrong) {
      const error = failure(() => arena.decode(bytes));
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toContain("not in this arena");
    }
    expect(arena.decode(room)).toBe(null);
  });

  test("takes the options of decode, with a TypedArrayCodec for those that name none", () => {
    expect(inArena(hex("81 01 d605 02 00 0000".replaceAll(" ", "")), { useMap: true })).toBeInstanceOf(Map);
    expect(inArena(hex("d5010100"), { extensionCodec: new ExtensionCodec() })).toBeInstanceOf(ExtData);
    expect(failure(() => inArena(hex("a3616263"), { maxStrLength: 2 }))).toMatchObject({
      code: "MAX_LENGTH",
    });
    const codec = new TypedArrayCodec<number>();
    codec.register({ type: 30, encode: () => null, decode: (data, _, factor) => data[0] * factor });
    arena.reset();
    expect(arena.decode<number>(received(arena, hex("d41e05")), { extensionCodec: codec, context: 3 })).toBe(
      15,
    );
  });

  test("has the errors of decode, and works after each", () => {
    const bad = [
      "c1",
      "",
      "0000",
      "92c0",
      "81c0c0",
      "a261",
      "91d6010000 00000000".replace(" ", ""),
      "d46300",
      "91c70901020000",
    ];
    for (const text of bad) {
      const message = hex(text);
      const error = failure(() => inArena(message));
      expect(error.message).toBe(failure(() => decode(message, options)).message);
      expect(error).toHaveProperty("offset");
      expect(inArena(encode({ key: "value" }))).toStrictEqual({ key: "value" });
    }
    expect(failure(() => inArena(hex("91d60100000000")))).toBeInstanceOf(DecodeError);
  });

  test("survives a full JS call stack", () => {
    const value = [{ a: [1, { b: "text" }], c: Float32Array.of(1) }];
    const message = encode(value, options);
    const atTheEdge = (): boolean => {
      let isDone = false;
      try {
        isDone = atTheEdge();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
      if (!isDone) inArena(message);
      return true;
    };
    for (let i = 0; i < 30; i++) {
      atTheEdge();
      expect(inArena(message)).toStrictEqual(value);
    }
  });

  test("works within itself, and says when its memory is out", () => {
    const own = new WasmArena(1000);
    const inner = received(own, encode({ in: Float32Array.of(1) }, options));
    const nested = (depth: number): unknown => {
      const codec = new TypedArrayCodec();
      codec.register({
        type: 40,
        encode: () => null,
        decode: () => (depth === 0 ? own.decode(inner) : nested(depth - 1)),
      });
      return own.decode(outer, { extensionCodec: codec });
    };
    const outer = received(own, hex("92d42800a161"));
    expect(nested(2)).toStrictEqual([[[{ in: Float32Array.of(1) }, "a"], "a"], "a"]);
    const error = failure(() => nested(100));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toContain("out of WebAssembly memory");
    expect(nested(2)).toStrictEqual([[[{ in: Float32Array.of(1) }, "a"], "a"], "a"]);
  });

  test("takes as many levels as there is room for the message, and goes on", () => {
    const depth = 2_000_000;
    let value: unknown = inArena(join(repeat([0x92], depth), repeat([0xc0], depth + 1)));
    for (let i = 0; i < depth; i++) {
      const [inner, nothing]: unknown[] = value as unknown[];
      assert.equal(nothing, null);
      value = inner;
    }
    expect(value).toBe(null);
    expect(inArena(encode([1]))).toStrictEqual([1]);
  });

  test("learns keys of its own, of any number", () => {
    const own = new WasmArena(2 ** 20);
    for (let i = 0; i < 300; i++) {
      const list = Array.from({ length: 100 }, (_, k) => ({ [`key ${i} ${k % 40}`]: k, same: i }));
      own.reset();
      expect(own.decode(received(own, encode(list)))).toStrictEqual(list);
    }
  });
});

describe("views of an arena", () => {
  const mesh = { position: sample(classes[0], 5000), index: Uint32Array.of(1, 2, 3) };
  const message = encode(mesh, options);

  test("stay as they are whatever other work is done", () => {
    const arena = new WasmArena(100_000);
    const decoded = arena.decode(received(arena, message)) as typeof mesh;
    const before = wasmMemoryBytes();
    // The stack of a deep message makes the shared memory grow.
    decode(join(repeat([0x92], 400_000), repeat([0xc0], 400_001)));
    expect(wasmMemoryBytes()).toBeGreaterThan(before);
    const large = encode(new Array(200_000).fill("some text to be written"));
    expect(decode(large)).toHaveLength(200_000);
    for (let i = 0; i < 20; i++) new WasmArena(100_000).allocate(100_000).fill(255);
    expect(decoded).toStrictEqual(mesh);
    expect(decoded.position.buffer).toBe(arena.memory.buffer);
  });

  test("keep their memory alive when the arena is gone", async () => {
    const decoded: (typeof mesh)[] = [];
    for (let i = 0; i < 20; i++) {
      const arena = new WasmArena(100_000);
      decoded.push(arena.decode(received(arena, message)) as typeof mesh);
    }
    await collectGarbage();
    for (let i = 0; i < 20; i++) new WasmArena(100_000).allocate(100_000).fill(255);
    for (const views of decoded) expect(views).toStrictEqual(mesh);
  });

  test("and nothing else does: arenas are collected, with no call to free them", async () => {
    const arenas: WeakRef<WasmArena>[] = [];
    for (let i = 0; i < 100; i++) {
      const arena = new WasmArena(50 * 2 ** 20);
      arena.decode(received(arena, message));
      arenas.push(new WeakRef(arena));
      if (i % 10 === 0) await collectGarbage();
    }
    await collectGarbage();
    expect(arenas.filter((arena) => arena.deref() !== undefined).length).toBeLessThan(10);
  });

  test("show the next message after reset(), as its documentation says", () => {
    const arena = new WasmArena(100_000);
    const { position } = arena.decode(received(arena, message)) as typeof mesh;
    const other = { ...mesh, position: sample(classes[0], 5000, 1) };
    arena.reset();
    expect(position).toStrictEqual(mesh.position);
    arena.decode(received(arena, encode(other, options)));
    expect(position).toStrictEqual(other.position);
  });
});

describe("messages received into an arena", () => {
  const mesh = {
    name: "triangle",
    position: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
    index: Uint16Array.of(0, 1, 2),
  };
  const message = encode(mesh, options);

  test("from a file", () => {
    const file = path.join(tmpdir(), `msgpack-wasm-arena-${process.pid}.msgpack`);
    writeFileSync(file, message);
    const descriptor = openSync(file, "r");
    try {
      const arena = new WasmArena(4096);
      const room = arena.allocate(message.length);
      expect(readSync(descriptor, room)).toBe(message.length);
      const decoded = arena.decode(room) as typeof mesh;
      expect(decoded).toStrictEqual(mesh);
      expect(decoded.position.buffer).toBe(arena.memory.buffer);
    } finally {
      closeSync(descriptor);
      rmSync(file);
    }
  });

  test("from a fetch body, chunk by chunk", async () => {
    const server = createServer((_, response) => {
      response.write(message.subarray(0, 20));
      setTimeout(() => response.end(message.subarray(20)), 10);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const arena = new WasmArena(4096);
      const room = arena.allocate(arena.byteLength);
      let length = 0;
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        room.set(chunk, length);
        length += chunk.length;
      }
      const decoded = arena.decode(room.subarray(0, length)) as typeof mesh;
      expect(decoded).toStrictEqual(mesh);
      expect(decoded.index.buffer).toBe(arena.memory.buffer);
    } finally {
      server.close();
    }
  });
});
