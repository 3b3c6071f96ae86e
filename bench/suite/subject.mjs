import { sameValue } from "./sameValue.mjs";

/** As pieces arrive from a socket. */
const CHUNK_BYTES = 16 * 1024;

/**
 * A workload in the hands of a library: what is timed, and what its memory is measured of.
 * @typedef {object} Subject
 * @property {number} bytes of the encoded value; characters for JSON strings
 * @property {Record<string, () => unknown>} operations those that are asynchronous return promises
 */

/**
 * Prepares a workload, and makes sure that the library gives back what went in.
 * @param {import("./workloads.mjs").Workload} workload
 * @param {import("./peers.mjs").Peer} peer
 * @param {import("./peers.mjs").Environment} environment
 * @returns {Promise<Subject>}
 * @throws {Error} where it does not
 */
export async function openSubject(workload, peer, environment) {
  const value = /** @type {any} */ (await workload.make(environment.readDocument));
  const codec = await peer.open(workload.kind, environment);
  const encoded = codec.encode(value);
  const isStream = workload.kind === "stream";
  /** @type {any} */
  const input = isStream ? cut(/** @type {Uint8Array[]} */ (encoded)) : ownCopy(encoded);
  const decoded = /** @type {any} */ (await codec.decode(input));
  if (!sameValue(value, decoded)) {
    throw new Error(`${peer.id} does not give back what went in: ${workload.name}`);
  }
  const isExtension = workload.kind === "copied" || workload.kind === "aligned";
  if (isExtension && !(decoded[0].position instanceof Float32Array)) {
    throw new Error(`${peer.id} gives back no typed array: ${workload.name}`);
  }
  if (workload.kind === "aligned" && decoded[0].position.buffer !== input.buffer) {
    throw new Error(`${peer.id} does not give a view: ${workload.name}`);
  }
  return {
    bytes: isStream ? sum(input.map((/** @type {Uint8Array} */ { length }) => length)) : input.length,
    operations: { decode: () => codec.decode(input), encode: () => codec.encode(value) },
  };
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Some give a view of a buffer that they use again. What each decodes is of the class that it encodes to: in Node some
 * give a `Buffer`, and some need one.
 * @param {any} encoded
 */
function ownCopy(encoded) {
  if (typeof encoded === "string") return encoded;
  const copy = new Uint8Array(encoded);
  return globalThis.Buffer?.isBuffer(encoded) ? Buffer.from(copy.buffer) : copy;
}

/**
 * @param {Uint8Array[]} messages
 * @returns {Uint8Array[]}
 */
function cut(messages) {
  const all = new Uint8Array(sum(messages.map(({ length }) => length)));
  let at = 0;
  for (const message of messages) {
    all.set(message, at);
    at += message.length;
  }
  const chunks = [];
  for (let from = 0; from < all.length; from += CHUNK_BYTES) {
    const chunk = all.slice(from, from + CHUNK_BYTES);
    chunks.push(globalThis.Buffer?.isBuffer(messages[0]) ? Buffer.from(chunk.buffer) : chunk);
  }
  return chunks;
}
