// Sends the data of the example, and its page once that is built: `node server.mjs dist`.
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { encode, TypedArrayCodec } from "msgpack-wasm";

const extensionCodec = new TypedArrayCodec();
const RECORDS = 10_000;

/** A torus. */
function makeMesh(around = 160, across = 60) {
  const position = new Float32Array(around * across * 3);
  const index = new Uint16Array(around * across * 6);
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < across; j++) {
      const at = i * across + j;
      const [u, v] = [(i / around) * 2 * Math.PI, (j / across) * 2 * Math.PI];
      const radius = 0.68 + 0.28 * Math.cos(v) * (1 + 0.12 * Math.sin(9 * u));
      position.set([radius * Math.cos(u), radius * Math.sin(u), 0.28 * Math.sin(v)], at * 3);
      const [right, below] = [((i + 1) % around) * across + j, i * across + ((j + 1) % across)];
      const beyond = ((i + 1) % around) * across + ((j + 1) % across);
      index.set([at, right, below, below, right, beyond], at * 6);
    }
  }
  return { name: "torus", position, index };
}

/**
 * What a sensor has measured.
 *
 * @param {number} id
 */
function makeRecord(id) {
  return {
    id,
    name: `sensor ${id}`,
    place: [Math.sin(id) * 90, Math.cos(id) * 180],
    values: Float32Array.from({ length: 48 }, (_, i) => Math.sin(id + i / 8)),
  };
}

/** An array is its header and its items: so it can be sent before it is there as a whole. */
function* recordsInChunks() {
  const header = new Uint8Array(5);
  new DataView(header.buffer).setUint8(0, 0xdd);
  new DataView(header.buffer).setUint32(1, RECORDS);
  yield header;
  for (let id = 0; id < RECORDS; id += 250) {
    yield Buffer.concat(
      Array.from({ length: 250 }, (_, i) => encode(makeRecord(id + i), { extensionCodec })),
    );
  }
}

/** JSON knows no typed arrays. @type {(key: string, value: unknown) => unknown} */
const asArrays = (_, value) =>
  value instanceof Float32Array || value instanceof Uint16Array ? [...value] : value;

/** @type {Record<string, () => { type: string, body: Uint8Array | string | Readable }>} */
const api = {
  "/api/mesh.msgpack": () => ({ type: "application/msgpack", body: encode(makeMesh(), { extensionCodec }) }),
  "/api/mesh.json": () => {
    return { type: "application/json", body: JSON.stringify(makeMesh(), asArrays) };
  },
  "/api/records.msgpack": () => ({ type: "application/msgpack", body: Readable.from(recordsInChunks()) }),
  "/api/records.json": () => ({
    type: "application/json",
    body: JSON.stringify(
      Array.from({ length: RECORDS }, (_, id) => makeRecord(id)),
      asArrays,
    ),
  }),
};

const pageFolder = path.resolve(process.argv[2] ?? "dist");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  // No eval is needed; WebAssembly is.
  response.setHeader(
    "Content-Security-Policy",
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:",
  );
  if (Object.hasOwn(api, pathname)) {
    const { type, body } = api[pathname]();
    response.setHeader("Content-Type", type).setHeader("X-Records", RECORDS);
    if (body instanceof Readable) body.pipe(response);
    else response.end(body);
    return;
  }
  const file = path.join(pageFolder, path.normalize(pathname === "/" ? "/index.html" : pathname));
  response.setHeader("Content-Type", Reflect.get(types, path.extname(file)) ?? "application/octet-stream");
  createReadStream(file)
    .on("error", () => response.writeHead(404).end())
    .pipe(response);
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}/`);
});
