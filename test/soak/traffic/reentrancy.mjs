import * as reference from "@msgpack/msgpack";
import { values } from "../../lib/arbitraries.mjs";

const boom = new Error("boom");
const small = values();

/** A value that a codec encodes with the very instance that asked it. */
class Wrapped {
  /** @param {unknown} inner */
  constructor(inner) {
    this.inner = inner;
  }
}

/**
 * Codecs and getters that encode and decode with the instance that has called them, several calls deep, and some that
 * throw in there.
 * @type {import("./kind.mjs").MakeKind}
 */
export function reentrancy(library, checks) {
  const { decode, encode } = library;
  const mine = instancesOf(library);
  const theirs = instancesOf(/** @type {typeof library} */ (/** @type {unknown} */ (reference)));
  const plain = { id: 7, text: "some text" };
  const plainBytes = reference.encode(plain).slice();
  const probed = [new Wrapped([1, new Wrapped({ a: "text" })]), new Wrapped("more")];

  /** The value of a property comes of calls of its own. @param {unknown} value */
  const withGetter = (value) => ({
    a: 1,
    get b() {
      checks.bytes(mine.encoder.encode(plain), plainBytes);
      checks.bytes(encode(plain), plainBytes);
      return mine.decoder.decode(encode(value));
    },
    c: "text",
  });

  return {
    name: "re-entrancy",
    run(chance) {
      for (const value of chance.sample(small, 5)) {
        let nested = /** @type {unknown} */ ([value, new Wrapped(value)]);
        for (let depth = chance.integer(5); depth > 0; depth--)
          nested = chance.isOneIn(2) ? new Wrapped([nested, depth]) : { nested: new Wrapped(nested), depth };
        const bytes = theirs.encoder.encode(nested).slice();
        checks.bytes(mine.encoder.encode(nested), bytes);
        checks.value(mine.decoder.decode(bytes), theirs.decoder.decode(bytes));

        const decoded = reference.decode(reference.encode(value));
        checks.bytes(
          mine.encoder.encode(withGetter(value)),
          reference.encode({ a: 1, b: decoded, c: "text" }),
        );

        const throwing = { list: [nested, new Wrapped([new Wrapped(boom)])] };
        checks.failure(() => mine.encoder.encode(throwing), boom);
        // 99 in the innermost: what is decoded there throws.
        const bad = Uint8Array.from([0x92, ...bytes, 0xd4, 2, 99]);
        checks.failure(() => mine.decoder.decode(bad), boom);
        checks.value(decode(plainBytes), plain);
      }
    },
    probe: () => mine.decoder.decode(mine.encoder.encode(probed)),
  };
}

/** @param {Pick<import("../library.mjs").Library, "Decoder" | "Encoder" | "ExtensionCodec">} library */
function instancesOf({ Decoder, Encoder, ExtensionCodec }) {
  const extensionCodec = new ExtensionCodec();
  const encoder = new Encoder({ extensionCodec });
  const decoder = new Decoder({ extensionCodec });
  extensionCodec.register({
    type: 1,
    encode(value) {
      if (value === boom) throw boom;
      return value instanceof Wrapped ? encoder.encode(value.inner) : null;
    },
    decode: (data) => new Wrapped(decoder.decode(data)),
  });
  extensionCodec.register({
    type: 2,
    encode: () => null,
    decode(data) {
      if (decoder.decode(data) === 99) throw boom;
      return null;
    },
  });
  return { encoder, decoder };
}
