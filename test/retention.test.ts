import { execFileSync } from "node:child_process";
import { decode, decodeSegments, ExtData, ExtensionCodec, encode, TypedArrayCodec } from "msgpack-wasm";
import { describe, expect, test } from "vitest";

const extensionCodec = new TypedArrayCodec();
extensionCodec.register({ type: 100, encode: () => null, decode: (data) => data });
const message = encode(
  [
    new Uint8Array([1, 2, 3]),
    new Uint8Array(1000).fill(4),
    new Float32Array([0.5, 1.5]),
    new ExtData(100, new Uint8Array(20)),
  ],
  { extensionCodec },
);

/** The buffers of what a message of binary data, typed arrays and extensions becomes. */
const buffersOf = (value: unknown) => (value as ArrayBufferView[]).map(({ buffer }) => buffer);

describe("copy: true", () => {
  test.each([
    ["a Uint8Array", message],
    ["a Buffer", Buffer.from(message)],
    ["a view of shared memory", new Uint8Array(new SharedArrayBuffer(message.length))],
  ])("leaves nothing of the input in what comes out, of %s", (_, input) => {
    input.set(message);
    const views = decode(input, { extensionCodec });
    const copies = decode(input, { extensionCodec, copy: true });
    expect(new Set(buffersOf(views))).toStrictEqual(new Set([input.buffer]));
    for (const [i, buffer] of buffersOf(copies).entries()) {
      expect(buffer).toBeInstanceOf(ArrayBuffer);
      expect(buffer).not.toBe(input.buffer);
      expect(buffer.byteLength).toBe((copies as ArrayBufferView[])[i].byteLength);
    }
    expect((copies as Uint8Array[]).map((one) => [...one])).toStrictEqual(
      (views as Uint8Array[]).map((one) => [...one]),
    );
  });

  test("holds for small messages, raw strings, unknown extensions, and pieces", () => {
    const small = encode([new Uint8Array([1, 2])]);
    expect((decode(small, { copy: true }) as Uint8Array[])[0].buffer).not.toBe(small.buffer);
    const text = encode(["some text"]);
    expect((decode(text, { copy: true, rawStrings: true }) as Uint8Array[])[0].buffer).not.toBe(text.buffer);
    const unknown = encode([new ExtData(9, new Uint8Array([1, 2]))]);
    const [ext] = decode(unknown, { copy: true, extensionCodec: new ExtensionCodec() }) as ExtData[];
    expect((ext.data as Uint8Array).buffer).not.toBe(unknown.buffer);
    const pieces = [message.subarray(0, 500), message.subarray(500)];
    for (const buffer of buffersOf(decodeSegments(pieces, { extensionCodec, copy: true })))
      expect(buffer).not.toBe(message.buffer);
  });
});

/** Two pools of 8 KB. */
const FEW_KB = 16 * 1024;

/** Runs in a process of its own, which holds nothing else. Says how many bytes what is kept of each message takes. */
function kept(make: string, keep: string): number {
  const script = `
    import { decode, encode } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url))};
    const used = async () => {
      let least = Infinity;
      for (let i = 0; i < 8; i++) {
        gc();
        // Buffers go in a later task, and so do the compiler's own.
        await new Promise((resolve) => setTimeout(resolve, 20));
        const { heapUsed, external } = process.memoryUsage();
        least = Math.min(least, heapUsed + external);
      }
      return least;
    };
    const make = (i) => encode(${make});
    const keep = (bytes) => ${keep};
    let held = Array.from({ length: 5 }, (_, i) => keep(make(i)));
    const holding = await used();
    held = null;
    // What the process took for itself meanwhile (code, feedback) is in both, and so in neither.
    console.log((holding - (await used())) / 5);
  `;
  const flags = ["--expose-gc", "--input-type=module", "-e", script];
  return Number.parseFloat(execFileSync(process.execPath, flags, { encoding: "utf8" }));
}

describe("what is kept of a message of 10 MB", { timeout: 300_000 }, () => {
  const texts =
    "Array.from({ length: 400_000 }, (_, k) => 'a text of 20 l. ' + String(i * 1000 + k).padStart(8, '0'))";
  const binary = "[new Uint8Array(10e6), new Uint8Array(1000)]";

  test("is a few KB for a string of 20 characters", () => {
    expect(kept(texts, "decode(bytes)[200_000].slice(0, 20)")).toBeLessThan(FEW_KB);
    expect(kept(texts.replace("of 20", "à 20 "), "decode(bytes)[200_000]")).toBeLessThan(FEW_KB);
    expect(
      kept(
        `Object.fromEntries(${texts}.slice(0, 60_000).map((text) => [text, text.repeat(5)]))`,
        "Object.keys(decode(bytes))[30_000]",
      ),
    ).toBeLessThan(FEW_KB);
  });

  test("is all of it for binary data, unless they are copied", () => {
    expect(kept(binary, "decode(bytes)[1]")).toBeGreaterThan(9.9e6);
    expect(kept(binary, "decode(bytes, { copy: true })[1]")).toBeLessThan(FEW_KB);
    expect(kept(binary, "decode(bytes)[1].slice()")).toBeLessThan(FEW_KB);
  });
});
