import * as reference from "@msgpack/msgpack";
import { values } from "../../lib/arbitraries.mjs";

/** @typedef {Uint8Array} Piece */

const plain = values();

/**
 * Messages cut anywhere, in streams that end, that are left in the middle, and in one that goes on for the whole run.
 * @type {import("./kind.mjs").MakeKind}
 */
export function streams(library, checks) {
  const { decodeArrayStream, decodeAsync, Decoder, decodeMulti, decodeMultiStream } = library;
  const decoder = new Decoder({ profile: "untrusted" });
  const endless = new Pipe();
  const fromEndless = decodeMultiStream(endless.pieces());
  const probed = [1, "two", { three: [3, 3.5, "three"] }, new Array(300).fill("text")].map((value) =>
    reference.encode(value).slice(),
  );
  const probedPieces = probed.flatMap((bytes) => [bytes.slice(0, 5), bytes.slice(5)]);

  return {
    name: "streams",
    async run(chance) {
      const messages = chance.sample(plain, 6).map((value) => reference.encode(value).slice());
      const expected = messages.map((bytes) => reference.decode(bytes));
      const all = joined(messages);

      checks.value(await collect(decodeMultiStream(streamOf(chance.cut(all)))), expected);
      checks.value(await decoder.decodeAsync(streamOf(chance.cut(messages[0]))), expected[0]);
      const array = joined([Uint8Array.of(0x90 | messages.length), ...messages]);
      checks.value(await collect(decodeArrayStream(streamOf(chance.cut(array)))), expected);

      let next = 0;
      endless.push(chance.cut(all));
      while (next < expected.length) checks.value((await fromEndless.next()).value, expected[next++]);

      await checkLeft(chance, all, expected);
      const cut = messages[1].slice(0, chance.integer(messages[1].length));
      await checks.rejection(decodeAsync(streamOf(chance.cut(cut))), {
        class: RangeError,
        code: "INSUFFICIENT_DATA",
      });
    },
    probe: () => collect(decodeMultiStream(streamOf(probedPieces))),
  };

  /**
   * Left by `return`, or with nothing but a collection to come.
   * @param {import("../Chance.mjs").Chance} chance
   * @param {Uint8Array} all
   * @param {unknown[]} expected
   */
  async function checkLeft(chance, all, expected) {
    const source = { isCancelled: false };
    for await (const value of decodeMultiStream(cancellable(chance.cut(all), source))) {
      checks.value(value, expected[0]);
      break;
    }
    checks.value(source.isCancelled, true);
    const waiting = new Pipe();
    const unfinished = decodeMultiStream(waiting.pieces());
    waiting.push([all.slice(0, -1)]);
    for (const value of expected.slice(0, -1)) checks.value((await unfinished.next()).value, value);
    void unfinished.next();
    checks.value(decodeMulti(all).next().value, expected[0]);
  }
}

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  return Uint8Array.from(Buffer.concat(parts));
}

/** A stream into which pieces are put. */
class Pipe {
  /** @type {Piece[]} */
  #waiting = [];
  #wake = () => {};

  /** @param {readonly Piece[]} pieces */
  push(pieces) {
    this.#waiting.push(...pieces);
    this.#wake();
  }

  /** @returns {AsyncGenerator<Piece, void, void>} */
  async *pieces() {
    for (;;) {
      const pieces = this.#waiting;
      this.#waiting = [];
      yield* pieces;
      if (this.#waiting.length === 0)
        await /** @type {Promise<void>} */ (
          new Promise((resolve) => {
            this.#wake = resolve;
          })
        );
    }
  }
}

/**
 * @param {readonly Piece[]} pieces
 * @returns {AsyncGenerator<Piece, void, void>}
 */
async function* streamOf(pieces) {
  yield* pieces;
}

/**
 * @param {readonly Piece[]} pieces
 * @param {{ isCancelled: boolean }} source
 * @returns {AsyncGenerator<Piece, void, void>}
 */
async function* cancellable(pieces, source) {
  try {
    yield* pieces;
  } finally {
    source.isCancelled = true;
  }
}

/** @param {AsyncIterable<unknown>} items */
async function collect(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}
