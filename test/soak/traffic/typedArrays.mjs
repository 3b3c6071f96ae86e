/** @typedef {import("../Chance.mjs").Chance} Chance */

const classes = [
  Float32Array,
  Float64Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
];
const MOST_HELD = 40;

/**
 * A message to hold typed arrays, and the same again, to be compared with what comes of it.
 * @param {Chance} chance
 */
export function makeMesh(chance) {
  const names = ["position", "normal", "index", "weights"].slice(0, 1 + chance.integer(4));
  const make = (/** @type {number} */ seed) => {
    const Class = classes[seed % classes.length];
    const length = [0, 1, 7, 100, 5000][seed % 5];
    return new Class(Array.from({ length }, (_, i) => (i * 7 + seed) % 100));
  };
  const seeds = names.map(() => chance.integer(1000));
  const build = () => ({
    name: "mesh",
    count: names.length,
    ...Object.fromEntries(names.map((name, i) => [name, make(seeds[i])])),
  });
  return { value: build(), expected: build(), names };
}

/**
 * Views of messages. They are held for a while, and must be what they were then.
 * @type {import("./kind.mjs").MakeKind}
 */
export function typedArrays(library, checks) {
  const { decode, Decoder, Encoder, TypedArrayCodec } = library;
  const codecs = [{}, { align: 16 }, { views: /** @type {const} */ ("copy") }].map((options) => {
    const extensionCodec = new TypedArrayCodec(options);
    const isView = options.views !== "copy";
    return { isView, encoder: new Encoder({ extensionCodec }), decoder: new Decoder({ extensionCodec }) };
  });
  /** @type {{ value: unknown, expected: unknown }[]} */
  let held = [];
  const probed = { position: new Float32Array(300).fill(1.5), index: new Uint16Array(100) };
  const extensionCodec = new TypedArrayCodec();
  const probe = { encoder: new Encoder({ extensionCodec }), decoder: new Decoder({ extensionCodec }) };
  const plain = new Encoder();

  function settle() {
    for (const { value, expected } of held) checks.value(value, expected);
    held = [];
  }

  return {
    name: "typed arrays",
    run(chance) {
      for (let i = 0; i < 6; i++) {
        const { value, expected, names } = makeMesh(chance);
        const { encoder, decoder, isView } = chance.pick(codecs);
        let message = encoder.encode(value);
        if (chance.isOneIn(2)) {
          // Behind a header of any size: positions count from the start of the buffer.
          const target = new Uint8Array(message.length + 200);
          const start = chance.integer(60);
          message = target.subarray(start, encoder.encodeInto(value, target, start));
        }
        const decoded = /** @type {Record<string, Float32Array>} */ (decoder.decode(message));
        for (const name of names)
          if (decoded[name].length > 0) checks.value(decoded[name].buffer === message.buffer, isView);
        held.push({ value: decoded, expected });
        // Without the codec they are binary data.
        checks.value(
          decode(plain.encode(value)),
          Object.fromEntries(Object.entries(expected).map(([key, item]) => [key, asBytes(item)])),
        );
      }
      if (held.length > MOST_HELD) settle();
    },
    settle,
    probe: () => probe.decoder.decode(probe.encoder.encode(probed)),
  };
}

/** @param {unknown} value */
function asBytes(value) {
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
}
