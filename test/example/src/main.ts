import { decode, decodeArrayStream, TypedArrayCodec } from "msgpack-wasm";
import { draw, type Mesh } from "./draw.ts";

interface Sensor {
  readonly id: number;
  readonly name: string;
  readonly place: readonly [number, number];
  readonly values: Float32Array;
}

/** Typed arrays are extensions: whoever sends and whoever receives them has this codec. */
const extensionCodec = new TypedArrayCodec();

function element<T extends Element>(id: string): T {
  return document.querySelector<T>(`#${id}`) as T;
}

async function loadMesh(): Promise<void> {
  const buffer = await (await fetch("/api/mesh.msgpack")).arrayBuffer();
  const start = performance.now();
  const mesh = decode(buffer, { extensionCodec }) as Mesh;
  const time = performance.now() - start;

  const text = await (await fetch("/api/mesh.json")).text();
  const startOfJson = performance.now();
  const { position, index } = JSON.parse(text) as { position: number[]; index: number[] };
  // A renderer wants typed arrays.
  const arrays = [Float32Array.from(position), Uint16Array.from(index)];
  const timeOfJson = performance.now() - startOfJson;

  draw(element<HTMLCanvasElement>("canvas"), mesh);
  const isView = mesh.position.buffer === buffer && mesh.index.buffer === buffer;
  show("mesh", `${arrays[1].length / 3} triangles${isView ? ", no copy" : ""}`, [
    ["msgpack-wasm", buffer.byteLength, time],
    ["JSON", text.length, timeOfJson],
  ]);
}

async function streamRecords(): Promise<void> {
  const response = await fetch("/api/records.msgpack");
  if (response.body === null) throw new Error("The response has no body");
  const total = Number(response.headers.get("X-Records"));
  const progress = element<HTMLProgressElement>("progress");
  progress.max = total;

  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        controller.enqueue(chunk);
      },
    }),
  );
  let count = 0;
  let highest = 0;
  const start = performance.now();
  for await (const record of decodeArrayStream(counted, { extensionCodec })) {
    highest = Math.max(highest, ...(record as Sensor).values);
    if (++count % 500 === 0) progress.value = count;
  }
  const time = performance.now() - start;
  progress.value = count;
  element("count").textContent = `${count} records, of which the highest value is ${highest.toFixed(3)}`;

  const startOfJson = performance.now();
  const text = await (await fetch("/api/records.json")).text();
  JSON.parse(text);
  const timeOfJson = performance.now() - startOfJson;
  show("records", "with the transfer", [
    ["msgpack-wasm, streamed", bytes, time],
    ["JSON, in one piece", text.length, timeOfJson],
  ]);
}

function show(id: string, what: string, rows: readonly (readonly [string, number, number])[]): void {
  const table = element<HTMLTableElement>(id);
  table.replaceChildren();
  const cells = [
    [what, "bytes", "ms"],
    ...rows.map(([name, bytes, time]) => [name, bytes.toLocaleString("en"), time.toFixed(2)]),
  ];
  for (const [i, texts] of cells.entries()) {
    const row = table.insertRow();
    for (const [j, text] of texts.entries()) {
      const cell = document.createElement(i === 0 || j === 0 ? "th" : "td");
      cell.textContent = text;
      row.append(cell);
    }
  }
}

function onClick(id: string, work: () => Promise<void>): void {
  const button = element<HTMLButtonElement>(id);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await work();
    } finally {
      button.disabled = false;
    }
  });
}

onClick("load", loadMesh);
onClick("stream", streamRecords);
