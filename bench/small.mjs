// Tunes SMALL_BYTES of js/SmallReader.ts: decodes messages of growing size in JavaScript alone and by way of the
// tokenizer. It stands where the two are level over all kinds of messages.
//   npm run build && node bench/small.mjs
import { measure } from "./lib/measure.mjs";

// The build with handles for tests has no types.
const { Decoder, encode, limitSmallReader } = await import(
  new URL("../build/testing.js", import.meta.url).href
);

/** @type {Record<string, (size: number) => unknown>} */
const kinds = {
  "short strings": (size) => Array.from({ length: size / 6 }, (_, i) => `text${i}`.slice(0, 5)),
  "one string": (size) => "a".repeat(size),
  integers: (size) => Array.from({ length: Math.min(size / 3, 15) }, (_, i) => 1000 + i),
  floats: (size) => Array.from({ length: Math.min(size / 9, 15) }, (_, i) => i + 0.5),
  records: (size) =>
    Array.from({ length: Math.max(1, size / 32) }, (_, id) => ({ id, name: "abc", x: 1.5, ok: true })),
  "an invocation": (size) => [1, {}, null, "Target", [42, "x".repeat(size / 2), true], []],
};

for (const size of [32, 64, 96, 128, 192]) {
  for (const [name, make] of Object.entries(kinds)) {
    const bytes = encode(make(size));
    const decoder = new Decoder();
    /** @param {number} limit */
    const run = (limit) => () => {
      limitSmallReader(limit);
      return decoder.decode(bytes);
    };
    const times = measure({ alone: run(1024), tokenizer: run(-1) }, { rounds: 8, warmUpMs: 100 });
    const ratio = (times.tokenizer / times.alone).toFixed(2);
    console.log(
      `${name.padEnd(14)}${String(bytes.length).padStart(4)} bytes${times.alone.toFixed(0).padStart(6)} ns alone,` +
        `${times.tokenizer.toFixed(0).padStart(6)} ns by the tokenizer: ${ratio}`,
    );
  }
}
