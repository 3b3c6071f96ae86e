import { JSON_BYTES, JSON_STRING, KEPT, NO_CODEGEN, POOLED, REFERENCE_KEPT } from "./names.mjs";
import { FLOATS_AS_BINARY, LARGEST } from "./workloads.mjs";

/**
 * @typedef {import("./workloads.mjs").Workload} Workload
 * @typedef {import("./workloads.mjs").Kind} Kind
 *
 * What a library needs of where it runs.
 * @typedef {object} Environment
 * @property {import("./workloads.mjs").ReadDocument} readDocument
 * @property {string} documentedCodecSource see `bench/lib/documentedCodec.mjs`
 *
 * For streams, `encode` takes an array of messages and gives one result for each, and `decode` takes chunks.
 * @typedef {object} Codec
 * @property {(value: any) => unknown} encode
 * @property {(input: any) => unknown} decode
 *
 * @typedef {object} Contestant
 * @property {string} id as it stands in tables and results
 * @property {string} library the npm package, or `JSON`
 * @property {boolean} isOurs
 * @property {boolean} isMessagePack
 * @property {readonly string[]} [nodeFlags]
 * @property {boolean} [isMain] Whether it is measured in several processes, as most comparisons are with it.
 * @property {(workload: any) => string | undefined} cannot why it does not take part
 * @property {(workload: any) => string | undefined} [cannotInBrowsers]
 * @property {() => Promise<boolean>} [hasAddon] Whether its native addon is in use.
 *
 * @typedef {object} Opener
 * @property {string} [download] a module that exports what a web app would import
 * @property {(kind: Kind, environment: Environment) => Promise<Codec>} open imports the library
 *
 * @typedef {Contestant & Opener} Peer
 */

/**
 * @param {Partial<Record<Kind, string>>} kinds why a kind of workload is not possible
 * @param {Record<string, string>} [names] the same for a workload
 * @returns {(workload: Workload) => string | undefined}
 */
function unable(kinds, names = {}) {
  return ({ kind, name }) => kinds[kind] ?? names[name];
}

const able = unable({});
const NO_PADDING = "its extensions do not know their position";
const noPadding = unable({ aligned: NO_PADDING });
const noStreams = unable({ stream: "its streams need Node" });

/**
 * @param {Uint8Array[]} chunks
 * @returns {AsyncIterable<Uint8Array>}
 */
async function* arriving(chunks) {
  yield* chunks;
}

/**
 * @param {AsyncIterable<unknown>} messages
 * @returns {Promise<unknown[]>}
 */
async function collect(messages) {
  const all = [];
  for await (const message of messages) all.push(message);
  return all;
}

/**
 * @param {NodeJS.ReadWriteStream} stream
 * @param {Uint8Array[]} chunks
 */
function through(stream, chunks) {
  return new Promise((resolve, reject) => {
    /** @type {unknown[]} */
    const all = [];
    stream.on("data", (message) => all.push(message));
    stream.on("end", () => resolve(all));
    stream.on("error", reject);
    for (const chunk of chunks) stream.write(/** @type {any} */ (chunk));
    stream.end();
  });
}

/**
 * @param {(value: any) => unknown} encode
 * @param {(chunks: Uint8Array[]) => unknown} decode
 * @returns {Codec}
 */
function streaming(encode, decode) {
  return { encode: (messages) => messages.map((/** @type {unknown} */ message) => encode(message)), decode };
}

/** The API that is common to us and to `@msgpack/msgpack`. @typedef {typeof import("@msgpack/msgpack")} Api */

/**
 * @param {Kind} kind
 * @param {Pick<Api, "ExtensionCodec">} api
 * @param {() => any} makeAligned
 */
function extensionsOf(kind, { ExtensionCodec }, makeAligned) {
  if (kind === "aligned") return { extensionCodec: makeAligned() };
  if (kind !== "copied") return undefined;
  const extensionCodec = new ExtensionCodec();
  extensionCodec.register({
    type: 1,
    encode: (value) =>
      value instanceof Float32Array ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : null,
    decode: (data) => new Float32Array(data.slice().buffer),
  });
  return { extensionCodec };
}

/**
 * @param {Api} api
 * @param {Kind} kind
 * @param {() => any} makeAligned
 * @param {object} [ownOptions] of our encoder
 * @returns {Codec}
 */
function instances(api, kind, makeAligned, ownOptions) {
  const options = extensionsOf(kind, api, makeAligned);
  const encoder = new api.Encoder({ ...options, ...ownOptions });
  const decoder = new api.Decoder(options);
  if (kind === "stream") {
    return streaming(
      (value) => encoder.encode(value),
      (chunks) => collect(decoder.decodeStream(arriving(chunks))),
    );
  }
  return { encode: (value) => encoder.encode(value), decode: (bytes) => decoder.decode(bytes) };
}

/**
 * @param {Api} api
 * @param {Kind} kind
 * @param {() => any} makeAligned
 * @returns {Codec}
 */
function functions({ encode, decode, decodeMultiStream, ...api }, kind, makeAligned) {
  if (kind === "stream") {
    return streaming(encode, (chunks) => collect(decodeMultiStream(arriving(chunks))));
  }
  const options = extensionsOf(kind, api, makeAligned);
  if (options === undefined) return { encode: (value) => encode(value), decode: (bytes) => decode(bytes) };
  return { encode: (value) => encode(value, options), decode: (bytes) => decode(bytes, options) };
}

/**
 * @param {typeof instances} use
 * @param {object} [ownOptions]
 */
function openOurs(use, ownOptions) {
  return async (/** @type {Kind} */ kind) => {
    const ours = await import("../../dist/index.js");
    return use(/** @type {any} */ (ours), kind, () => new ours.TypedArrayCodec(), ownOptions);
  };
}

/** @param {typeof instances} use */
function openReference(use) {
  return async (/** @type {Kind} */ kind, /** @type {Environment} */ { documentedCodecSource }) => {
    const reference = await import("@msgpack/msgpack");
    return use(reference, kind, () =>
      new Function("ExtensionCodec", documentedCodecSource)(reference.ExtensionCodec),
    );
  };
}

/**
 * @param {Kind} kind
 * @param {object} options
 * @returns {Promise<Codec>}
 */
async function openMsgpackr(kind, options) {
  const { Packr, decodeIter } = await import("msgpackr");
  const packr = new Packr({ ...options, moreTypes: kind === "copied" });
  if (kind === "stream") {
    return streaming(
      (value) => packr.pack(value),
      (chunks) => collect(/** @type {any} */ (decodeIter)(arriving(chunks), options)),
    );
  }
  return { encode: (value) => packr.pack(value), decode: (bytes) => packr.unpack(bytes) };
}

const utf8Encoder = new TextEncoder();
const utf8Decoder = new TextDecoder();

/** @type {(text: string) => Uint8Array} */
const toBytes = globalThis.Buffer ? (text) => Buffer.from(text) : (text) => utf8Encoder.encode(text);
/** @type {(bytes: Uint8Array) => string} */
const toText = globalThis.Buffer
  ? (bytes) => /** @type {Buffer} */ (bytes).toString()
  : (bytes) => utf8Decoder.decode(bytes);

/** @param {Uint8Array[]} chunks lines of JSON */
async function parseLines(chunks) {
  const decoder = new TextDecoder();
  const all = [];
  let rest = "";
  for await (const chunk of arriving(chunks)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) all.push(JSON.parse(line));
  }
  return all;
}

/** @param {Workload} workload */
function cannotJson({ kind, isJson }) {
  if (kind !== "stream" && !isJson) return "JSON has no binary data";
  return undefined;
}

const OURS = { library: "msgpack-wasm", isOurs: true, isMessagePack: true, cannot: able };
const REFERENCE = { library: "@msgpack/msgpack", isOurs: false, isMessagePack: true, cannot: able };
const MSGPACKR = {
  library: "msgpackr",
  isOurs: false,
  isMessagePack: true,
  cannot: noPadding,
  cannotInBrowsers: noStreams,
  hasAddon: async () => (await import("msgpackr")).isNativeAccelerationEnabled,
};
const JSON_PEER = { library: "JSON", isOurs: false, isMessagePack: false, cannot: cannotJson };

/** @type {readonly Peer[]} */
export const peers = [
  {
    ...OURS,
    id: KEPT,
    isMain: true,
    open: openOurs(instances),
    download: `export * from "../dist/index.js"`,
  },
  { ...OURS, id: "msgpack-wasm, functions", open: openOurs(functions) },
  // As msgpackr's and cbor-x's, its results are parts of larger buffers.
  { ...OURS, id: POOLED, open: openOurs(instances, { pooled: true }) },
  {
    ...OURS,
    id: NO_CODEGEN,
    open: openOurs(instances),
    nodeFlags: ["--disallow-code-generation-from-strings"],
  },
  {
    ...REFERENCE,
    id: REFERENCE_KEPT,
    isMain: true,
    open: openReference(instances),
    download: `export * from "@msgpack/msgpack"`,
  },
  { ...REFERENCE, id: "@msgpack/msgpack, functions", open: openReference(functions) },
  {
    ...MSGPACKR,
    id: "msgpackr, useRecords: false",
    isMain: true,
    open: (kind) => openMsgpackr(kind, { useRecords: false }),
    download: `export { Packr, Unpackr, pack, unpack } from "msgpackr"`,
  },
  {
    ...MSGPACKR,
    id: "msgpackr, records",
    // By an extension that only msgpackr reads, with each message complete in itself.
    open: (kind) => openMsgpackr(kind, {}),
  },
  {
    ...MSGPACKR,
    id: "msgpackr, functions",
    cannot: unable({
      aligned: NO_PADDING,
      copied: "its functions take no options",
      stream: "its functions take no options",
    }),
    async open() {
      const { pack, unpack } = await import("msgpackr");
      return { encode: (value) => pack(value), decode: (bytes) => unpack(bytes) };
    },
  },
  {
    id: "msgpack-lite",
    library: "msgpack-lite",
    isOurs: false,
    isMessagePack: true,
    cannot: noPadding,
    cannotInBrowsers: noStreams,
    download: `export { default } from "msgpack-lite"`,
    async open(kind) {
      const { default: lite } = await import("msgpack-lite");
      if (kind === "stream") {
        return streaming(
          (value) => lite.encode(value),
          (chunks) => through(lite.createDecodeStream(), chunks),
        );
      }
      return { encode: (value) => lite.encode(value), decode: (bytes) => lite.decode(bytes) };
    },
  },
  {
    id: "notepack.io",
    library: "notepack.io",
    isOurs: false,
    isMessagePack: true,
    cannot: unable(
      { aligned: NO_PADDING, copied: "it has no extensions", stream: "it has no streams" },
      { [FLOATS_AS_BINARY]: "it makes a byte of each float" },
    ),
    cannotInBrowsers: ({ isJson }) => (isJson ? undefined : "it reads binary data as ArrayBuffers"),
    download: `export { default } from "notepack.io"`,
    async open() {
      const { default: notepack } = /** @type {any} */ (await import("notepack.io"));
      return { encode: (value) => notepack.encode(value), decode: (bytes) => notepack.decode(bytes) };
    },
  },
  {
    id: "msgpack5",
    library: "msgpack5",
    isOurs: false,
    isMessagePack: true,
    cannot: unable(
      { aligned: NO_PADDING },
      {
        [FLOATS_AS_BINARY]: "it encodes typed arrays as maps",
        [LARGEST]: "it takes half a minute",
      },
    ),
    // Its sources need Node's modules; this is what it ships for browsers.
    download: `export { default } from "msgpack5/dist/msgpack5.js"`,
    async open(kind) {
      const { default: msgpack5 } = await import("msgpack5");
      const codec = msgpack5();
      if (kind === "copied") {
        codec.register(
          1,
          Float32Array,
          (/** @type {Float32Array} */ value) =>
            new Uint8Array(value.buffer, value.byteOffset, value.byteLength),
          (/** @type {Uint8Array} */ data) => new Float32Array(Uint8Array.from(data).buffer),
        );
      }
      // It encodes to a list of buffers; `slice` makes one of them.
      if (kind === "stream") {
        return streaming(
          (value) => codec.encode(value).slice(),
          (chunks) => through(codec.decoder(), chunks),
        );
      }
      return { encode: (value) => codec.encode(value).slice(), decode: (bytes) => codec.decode(bytes) };
    },
  },
  {
    id: "cbor-x",
    library: "cbor-x",
    isOurs: false,
    // CBOR: another format for the same values.
    isMessagePack: false,
    cannot: noPadding,
    cannotInBrowsers: noStreams,
    // The version of the addon is an override in package.json: of the latest, not all prebuilt files can be had.
    hasAddon: async () => (await import("cbor-x")).isNativeAccelerationEnabled,
    download: `export { Encoder, Decoder, encode, decode } from "cbor-x"`,
    async open(kind) {
      const { Encoder, decodeIter } = /** @type {any} */ (await import("cbor-x"));
      const encoder = new Encoder({ useRecords: false });
      if (kind === "stream") {
        return streaming(
          (value) => encoder.encode(value),
          (chunks) => collect(decodeIter(arriving(chunks), { useRecords: false })),
        );
      }
      return { encode: (value) => encoder.encode(value), decode: (bytes) => encoder.decode(bytes) };
    },
  },
  {
    ...JSON_PEER,
    id: JSON_BYTES,
    isMain: true,
    async open(kind) {
      if (kind === "stream") return streaming((value) => toBytes(`${JSON.stringify(value)}\n`), parseLines);
      return {
        encode: (value) => toBytes(JSON.stringify(value)),
        decode: (bytes) => JSON.parse(toText(bytes)),
      };
    },
  },
  {
    ...JSON_PEER,
    id: JSON_STRING,
    isMain: true,
    cannot: (workload) => (workload.kind === "stream" ? "streams are of bytes" : cannotJson(workload)),
    async open() {
      return { encode: (value) => JSON.stringify(value), decode: (text) => JSON.parse(text) };
    },
  },
];

/** Those that a browser can run. */
export const browserPeers = peers
  .filter(({ nodeFlags }) => nodeFlags === undefined)
  .map(({ cannotInBrowsers, ...peer }) => ({
    ...peer,
    cannot: (/** @type {Workload} */ workload) => peer.cannot(workload) ?? cannotInBrowsers?.(workload),
  }));

/** @param {string} id */
export function findPeer(id) {
  const peer = peers.find((candidate) => candidate.id === id);
  if (peer === undefined) throw new Error(`There is no library ${id}`);
  return peer;
}
