import { inspect } from "node:util";
import * as reference from "@msgpack/msgpack";
import { damagedMessages, values } from "../../lib/arbitraries.mjs";

/** @typedef {import("../Chance.mjs").Chance} Chance */
/** @typedef {import("../Checks.mjs").ExpectedError} ExpectedError */
/** @typedef {import("msgpack-wasm").DecoderOptions} DecoderOptions */

const survivor = {
  id: 1,
  name: "né",
  list: [{ id: 2, name: "b" }, null, -1.5, [1, 2, 3, 4, 5], "x".repeat(100)],
};
const survivorBytes = reference.encode(survivor).slice();
const boom = new Error("boom");
const plain = values();

/**
 * What is wrong with a message, and where: `[code, bytes, options, offset in the bytes]`.
 * @type {[string, number[], DecoderOptions?, number?][]}
 */
const FAULTS = [
  ["UNKNOWN_FORMAT", [0xc1]],
  ["KEY_TYPE", [0x82, 0xa1, 0x61, 1, 0xc0, 1], {}, 4],
  ["FORBIDDEN_KEY", [0x81, 0xa9, ...Buffer.from("__proto__"), 1], {}, 1],
  ["INVALID_UTF8", [0xa2, 0x61, 0xff], { fatalUtf8: true }],
  ["MAX_LENGTH", [0xa5, 1, 1, 1, 1, 1], { maxStrLength: 4 }],
  ["MAX_LENGTH", [0xc4, 3, 1, 1, 1], { maxBinLength: 2 }],
  ["MAX_LENGTH", [0xd6, 9, 1, 1, 1, 1], { maxExtLength: 3 }],
  ["MAX_LENGTH", [0xdc, 0, 17, ...new Array(17).fill(1)], { maxArrayLength: 16 }],
  ["MAX_LENGTH", [0x83, 1, 1, 2, 2, 3, 3], { maxMapLength: 2 }],
  ["MAX_DEPTH", [0x91, 0x91, 0x91, 1], { maxDepth: 3 }, 2],
  ["MAX_ELEMENTS", [0x92, 0x94, 1, 1, 1, 1, 1], { maxElements: 19 }, 1],
  ["EXTENSION", [0xd4, 9, 1], { profile: "untrusted" }],
];

/** What comes in front of a fault: 14 values before it in an array of 15, so that 15 elements are counted. */
const FRONTS = [
  [0x9f, ...new Array(14).fill(0x2a)],
  [0x9f, ...Array.from({ length: 14 }, (_, i) => [0xa3, 0x61, 0x62, 0x61 + i]).flat()],
  [0x9f, ...new Array(14).fill([0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]).flat()],
];

/**
 * Errors of each kind, of each way to read and to write. After each, the same instances work.
 * @type {import("./kind.mjs").MakeKind}
 */
export function errors(library, checks) {
  const { decode, decodeArrayStream, DecodeError, Decoder, decodeMulti, decodeSegments } = library;
  const { Encoder, encode, encodeInto, ExtData, ExtensionCodec } = library;
  const decoder = new Decoder();
  const encoder = new Encoder();
  const faulty = FAULTS.map(([code, bytes, options = {}, at = 0]) => ({
    code,
    bytes,
    at,
    decoder: new Decoder(options),
  }));
  const throwing = new ExtensionCodec();
  throwing.register({
    type: 1,
    encode(value) {
      if (value instanceof URL) throw boom;
      return null;
    },
    decode() {
      throw boom;
    },
  });
  const thrower = {
    encoder: new Encoder({ extensionCodec: throwing }),
    decoder: new Decoder({ extensionCodec: throwing }),
  };
  const strict = new Encoder({ maxDepth: 3 });
  const target = new Uint8Array(50);
  const url = new URL("https://example.org");
  const circular = /** @type {unknown[]} */ ([{ key: "text" }]);
  circular.push(circular);
  const getter = {
    before: ["x".repeat(1000), 1.5],
    get bad() {
      throw boom;
    },
  };
  const unencodable = /** @type {const} */ ({
    class: Error,
    message: /^Unrecognized object: \[object \w+\]/,
  });
  const tooDeep = /** @type {const} */ ({ class: Error, message: /^Too deep objects in depth/ });
  /** @type {[() => unknown, ExpectedError][]} */
  const writings = [
    [() => encoder.encode([survivor, () => 0]), unencodable],
    [() => encoder.encode({ a: [1n] }), unencodable],
    [() => encode(new Array(300).fill("text").concat(Symbol("s"))), unencodable],
    [() => encoder.encode(circular), tooDeep],
    [() => strict.encodeSharedRef([[[[1]]]]), tooDeep],
    [() => encodeInto(survivor, target, 10), { class: RangeError, message: /^The message needs \d+ byte/ }],
    [() => encoder.encode([survivor, getter]), boom],
    [() => thrower.encoder.encode([survivor, url]), boom],
    [
      () =>
        encoder.encode(
          new ExtData(1, () => {
            throw boom;
          }),
        ),
      boom,
    ],
  ];

  function survive() {
    checks.value(decoder.decode(survivorBytes), survivor);
    checks.bytes(encoder.encode(survivor), survivorBytes);
  }

  /**
   * Cut anywhere, a message is too short, whichever way it comes.
   * @param {Chance} chance
   */
  function checkTruncated(chance) {
    const [bytes] = chance.sample(plain, 1).map((value) => reference.encode(value));
    const length = chance.integer(bytes.length);
    const cut = bytes.slice(0, length);
    const short = { class: RangeError, code: "INSUFFICIENT_DATA" };
    const error = /** @type {Error & { offset: number }} */ (
      checks.failure(() => decoder.decode(cut), short)
    );
    checks.value(Number.isInteger(error.offset) && error.offset >= 0 && error.offset <= length, true);
    const missing = Number(/at least (\d+) more byte/.exec(error.message)?.[1]);
    checks.value(missing >= 1 && missing <= bytes.length - length, true);
    checks.failure(() => decodeSegments(chance.cut(cut)), { ...short, offset: error.offset });
  }

  /** @param {Chance} chance */
  async function checkFault(chance) {
    const { code, bytes, at, decoder } = chance.pick(faulty);
    const front = chance.pick(FRONTS);
    const message = Uint8Array.from([...front, ...bytes]);
    const expected = { class: DecodeError, code, offset: front.length + at };
    checks.failure(() => decoder.decode(message), expected);
    checks.failure(() => [...decoder.decodeMulti(message)], expected);
    checks.failure(() => decoder.decodeSegments(chance.cut(message)), expected);
    await checks.rejection(decoder.decodeAsync(streamOf(chance.cut(message))), expected);
  }

  /** @param {Chance} chance */
  async function checkOthers(chance) {
    const extra = Uint8Array.from([...survivorBytes, ...new Array(1 + chance.integer(9)).fill(0)]);
    const offset = survivorBytes.length;
    checks.failure(() => decoder.decode(extra), { class: RangeError, code: "EXTRA_BYTES", offset });
    const extension = Uint8Array.of(0x92, chance.integer(128), 0xd4, 1, 0);
    checks.failure(() => thrower.decoder.decode(extension), boom);
    checks.failure(() => [...decodeMulti(extension, { extensionCodec: throwing })], boom);
    await checks.rejection(decodeArrayStream(streamOf([Uint8Array.of(0x80)])).next(), {
      class: DecodeError,
      code: "ROOT_TYPE",
      offset: 0,
    });
    checks.failure(...chance.pick(writings));
  }

  /**
   * Damaged anyhow: whole and in pieces it comes to the same.
   * @param {Chance} chance
   */
  function checkDamaged(chance) {
    const [bytes] = chance.sample(damagedMessages, 1);
    let value;
    try {
      value = decode(bytes);
    } catch (error) {
      const { code, offset } = /** @type {{ code?: string, offset?: number }} */ (error);
      const isKnown = error instanceof DecodeError || error instanceof RangeError;
      checks.value(isKnown && code !== undefined && offset !== undefined, true);
      const expected = { class: /** @type {Error} */ (error).constructor, code, offset };
      checks.failure(() => decodeSegments(chance.cut(bytes)), expected);
      return;
    }
    // Invalid dates may be in it, which are neither equal nor to be encoded.
    checks.value(textOf(decodeSegments(chance.cut(bytes))), textOf(value));
  }

  const probed = survivorBytes.slice(0, -1);
  return {
    name: "errors",
    async run(chance) {
      for (let i = 0; i < 4; i++) {
        checkTruncated(chance);
        await checkFault(chance);
        await checkOthers(chance);
        checkDamaged(chance);
        survive();
      }
    },
    probe() {
      try {
        decoder.decode(probed);
      } catch {}
      return decoder.decode(survivorBytes);
    },
  };
}

/** @param {unknown} value */
function textOf(value) {
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null });
}

/** @param {readonly Uint8Array[]} pieces */
async function* streamOf(pieces) {
  yield* pieces;
}
