import * as reference from "@msgpack/msgpack";
import { realDocuments } from "../../../bench/lib/documents.mjs";

/**
 * Large messages, by every call that takes or gives a whole one.
 * @type {import("./kind.mjs").MakeKind}
 */
export function documents(library, checks) {
  const { decode, decodeSegments, decodeSingle, Decoder, Encoder, encode, encodeInto } = library;
  const all = realDocuments().map(({ name, value }) => ({
    name,
    value,
    bytes: reference.encode(value).slice(),
    sorted: reference.encode(value, { sortKeys: true }).slice(),
  }));
  const longest = Math.max(...all.map(({ bytes }) => bytes.length));
  const target = new Uint8Array(longest + 100);
  const encoder = new Encoder();
  const sorting = new Encoder({ sortKeys: true });
  const decoders = [
    new Decoder(),
    new Decoder({ profile: "untrusted" }),
    new Decoder({ copy: true, fatalUtf8: true, maxDepth: 20 }),
    new Decoder({ int64: "auto" }),
  ];

  /** @type {((document: typeof all[number], chance: import("../Chance.mjs").Chance) => void)[]} */
  const writings = [
    ({ value, bytes }) => checks.bytes(encode(value), bytes),
    ({ value, bytes }) => checks.bytes(encoder.encode(value), bytes),
    ({ value, bytes }) => checks.bytes(encoder.encodeSharedRef(value), bytes),
    ({ value, sorted }) => checks.bytes(sorting.encode(value), sorted),
    ({ value, bytes }, chance) => {
      const start = chance.integer(100);
      const end = encodeInto(value, target, start);
      checks.bytes(target.subarray(start, end), bytes);
    },
  ];
  /** @type {((bytes: Uint8Array, chance: import("../Chance.mjs").Chance) => unknown)[]} */
  const readings = [
    (bytes) => decode(bytes),
    (bytes, chance) => chance.pick(decoders).decode(bytes),
    (bytes, chance) => decodeSegments(chance.cut(bytes)),
    (bytes) => decodeSingle(bytes).value,
  ];
  const [probed] = all.filter(({ name }) => name === "github_events");

  return {
    name: "documents",
    run(chance) {
      const document = chance.pick(all);
      for (let i = 0; i < 2; i++) {
        chance.pick(writings)(document, chance);
        const value = chance.pick(readings)(document.bytes, chance);
        // To compare all of it takes ten times as long as to decode it; what it is encoded to says as much.
        if (chance.isOneIn(8)) checks.value(value, document.value);
        else checks.bytes(encode(value), document.bytes);
      }
    },
    probe: () => decode(encode(probed.value)),
  };
}
