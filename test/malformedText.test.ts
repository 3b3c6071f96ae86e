import assert from "node:assert/strict";
import { DecodeError, Decoder, encode } from "msgpack-wasm";
import { describe, expect, test, vi } from "vitest";
import { hex, join, repeat, str } from "./lib/bytes.ts";
import { failure } from "./lib/reference.ts";

vi.setConfig({ testTimeout: 60_000 });

const decoder = new Decoder();

describe("malformed UTF-8 becomes U+FFFD as the WHATWG says", () => {
  const classes: Record<string, string> = {
    "a continuation byte alone": "80",
    "the last continuation byte alone": "bf",
    "many of them": "80bf80bf80",
    "a lead that is none": "c0",
    another: "c1",
    "a lead above U+10FFFF": "f5",
    "the byte ff": "ff",
    "the bytes fe and f8": "fef8",
    "two bytes for one": "c080",
    "two bytes for 7f": "c1bf",
    "three bytes for two": "e09fbf",
    "three bytes for one": "e08080",
    "four bytes for three": "f08fbfbf",
    "four bytes for one": "f0808080",
    "a high surrogate": "eda080",
    "a low surrogate": "edbfbf",
    "a pair of surrogates": "eda0bdedb880",
    "a value above U+10FFFF": "f4908080",
    "two bytes cut to one": "c3",
    "three cut to one": "e2",
    "three cut to two": "e282",
    "four cut to one": "f0",
    "four cut to two": "f09f",
    "four cut to three": "f09f98",
    "cut ones in a row": "e282e2f09f98c3f09f",
    "cut by ASCII": "e28241f09f4241c342",
    "leads that differ in what may follow": "e080f080edbff490e0a0ed9f",
  };
  const lengths = [...Array.from({ length: 16 }, (_, i) => i + 1), 17, 31, 32, 33, 63, 64, 65, 66];
  const longLengths = [127, 128, 255, 256, 257, 511, 512, 513, 600, 70_000];
  const whatwg = new TextDecoder("utf-8", { ignoreBOM: true });

  /** Text around the malformed part: one byte, and two bytes, a character. */
  const fillers = ["61", "c3a9"];

  function texts(part: Uint8Array, length: number): Uint8Array[] {
    const room = length - part.length;
    if (room < 0) return [];
    const last = [room, room - 1, room - 2, room - 15, room - 16];
    const places =
      length <= 66 ? [...Array(room + 1).keys()] : [0, 1, 2, 3, 7, 8, 15, 16, 17, room >> 1, ...last];
    return places.flatMap((place) =>
      fillers.map((filler) => {
        const text = repeat(hex(filler), length).slice(0, length);
        text.set(part, place);
        return text;
      }),
    );
  }

  // What follows begins with bytes that could continue a sequence: {}, [{}], "\x80" malformed, and 0xbf as a header.
  const rest = hex("80 9180 a180");
  const restValues = [{}, [{}], "\ufffd"];

  test.each(Object.entries(classes))("in values: %s", (_, part) => {
    for (const length of [...lengths, ...longLengths]) {
      for (const text of texts(hex(part), length)) {
        const decoded = decoder.decode(join([0x94], str(text), rest));
        assert.deepStrictEqual(
          decoded,
          [whatwg.decode(text), ...restValues],
          `${Buffer.from(text).toString("hex")}`,
        );
      }
    }
  });

  test.each(Object.entries(classes))("in keys, new and known: %s", (_, part) => {
    for (const length of [...lengths, ...longLengths]) {
      for (const text of texts(hex(part), length)) {
        const map = join([0x82], str(text), [0x80], hex("a16b 9180"));
        const value = { [whatwg.decode(text)]: {}, k: [{}] };
        const decoded = decoder.decode(join([0x93], map, map, map));
        assert.deepStrictEqual(decoded, [value, value, value], `${Buffer.from(text).toString("hex")}`);
      }
    }
  });

  test.each(Object.entries(classes))("at the end of the input, whatever lies behind it: %s", (_, part) => {
    for (const length of [...lengths, ...longLengths]) {
      const text = join(repeat([0x61], Math.max(length - part.length / 2, 0)), hex(part));
      for (const behind of [0x80, 0x9f, 0xbf, 0x41]) {
        const message = str(text);
        const memory = join([behind], message, repeat([behind], 20));
        const decoded = decoder.decode(memory.subarray(1, message.length + 1));
        assert.equal(decoded, whatwg.decode(text));
      }
    }
  });

  test("also where @msgpack/msgpack reads into the next value", () => {
    expect(decoder.decode(hex("92 a1e3 a2 4142"))).toEqual(["\ufffd", "AB"]);
  });

  test("or is an error, if one asks for that", () => {
    const strict = new Decoder({ fatalUtf8: true });
    for (const part of Object.values(classes)) {
      for (const length of [3, 12, 13, 33, 512, 513, 600, 70_000]) {
        const text = join(repeat([0x61], length), hex(part));
        const error = failure(() => strict.decode(join([0x92, 0xc0], str(text))));
        assert.ok(error instanceof DecodeError);
        assert.equal(error.code, "INVALID_UTF8");
        assert.equal(error.offset, 2, `${length} bytes`);
      }
    }
    expect(strict.decode(encode(["é€😀", "\ufeff", "x".repeat(600)]))).toEqual([
      "é€😀",
      "\ufeff",
      "x".repeat(600),
    ]);
  });

  test("or is an error in keys, new and known, if one asks for that", () => {
    const strict = new Decoder({ fatalUtf8: true });
    for (const length of [1, 12, 63, 64, 65, 600]) {
      const message = join([0x81], str(join(repeat([0x61], length - 1), [0xff])), [0xc0]);
      for (let i = 0; i < 5; i++) {
        decoder.decode(message);
        assert.equal(
          failure(() => strict.decode(message)).code,
          "INVALID_UTF8",
          `${length} bytes, sight ${i}`,
        );
      }
    }
  });
});

describe("a byte order mark", () => {
  test.each([3, 4, 12, 13, 15, 16, 31, 32, 200, 201, 255, 256, 511, 512, 513, 600, 70_000])(
    "stays where it is in text of %d bytes",
    (length) => {
      const text = `\ufeff${"a".repeat(length - 3)}`;
      expect(decoder.decode(encode(text))).toBe(text);
      expect(decoder.decode(encode(["x", text, "y"]))).toEqual(["x", text, "y"]);
      for (let i = 0; i < 3; i++) expect(decoder.decode(encode({ [text]: text }))).toEqual({ [text]: text });
      const inside = `é${text}`;
      expect(decoder.decode(encode([inside]))).toEqual([inside]);
    },
  );
});
