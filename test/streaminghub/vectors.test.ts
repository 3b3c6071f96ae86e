import { readFileSync } from "node:fs";
import { decode } from "@msgpack/msgpack";
import { methodId, packArguments, StreamingHubCodec } from "msgpack-wasm/streaminghub";
import { describe, expect, test } from "vitest";
import { idOf, readFromClient, type ServerSent, writeToClient } from "./lib/wire.ts";

interface Vector {
  name: string;
  direction: "server->client" | "client->server";
  /** "both": it is written so, too; "parse": others write it; "invalid": it is refused. */
  kind: "both" | "parse" | "invalid";
  hex: string;
  message: Record<string, unknown> & {
    type: string;
    bodyHex?: string;
    metadataHex?: string;
    args?: unknown[];
  };
}

interface Vectors {
  methodIds: Record<string, { int32: number; msgpackHex: string }>;
  vectors: Vector[];
}

const file: Vectors = JSON.parse(readFileSync(new URL("./vectors.json", import.meta.url), "utf8"));
const codec = new StreamingHubCodec();

function read({ direction, hex }: Vector) {
  const bytes = Buffer.from(hex, "hex");
  return direction === "server->client" ? codec.readServerMessage(bytes) : codec.readClientMessage(bytes);
}

/** What a vector says of a message, as the codec has it. */
function expected({ message: { bodyHex, metadataHex, args, methodName, value, ...fields } }: Vector) {
  return {
    ...fields,
    ...(bodyHex === undefined ? {} : { value: decode(Buffer.from(bodyHex, "hex")) }),
    ...(metadataHex === undefined ? {} : { metadata: Buffer.from(metadataHex, "hex") }),
  };
}

test("the file has them all", () => {
  expect(Object.keys(file.methodIds).length).toBe(16);
  expect(file.vectors.length).toBe(74);
});

test.each(Object.entries(file.methodIds))("the id of %s", (name, { int32 }) => {
  expect(methodId(name)).toBe(int32);
  expect(idOf(name)).toBe(int32);
});

describe("messages that are read", () => {
  test.each(file.vectors.filter(({ kind }) => kind !== "invalid"))("$name", (vector) => {
    expect(read(vector)).toEqual(expected(vector));
  });
});

describe("messages that are written", () => {
  test.each(file.vectors.filter(({ kind }) => kind === "both"))("$name", (vector) => {
    expect(Buffer.from(codec.write(read(vector))).toString("hex")).toBe(vector.hex);
  });

  const packed = file.vectors.filter(({ message }) => message?.args !== undefined);
  test.each(packed.filter(({ name }) => name !== "test_request_Parameter_Many"))(
    "the arguments of $name",
    (vector) => {
      expect(read(vector)).toHaveProperty("value", packArguments(vector.message.args as unknown[]));
    },
  );
});

describe("messages that are refused", () => {
  test.each(file.vectors.filter(({ kind }) => kind === "invalid"))("$name", (vector) => {
    expect(() => read(vector)).toThrow(
      expect.objectContaining({
        code: expect.stringMatching(/FIELD|INSUFFICIENT_DATA/),
        offset: expect.any(Number),
      }),
    );
  });
});

describe("the server of the tests", () => {
  const vectorsOf = (direction: string, ...kinds: string[]) =>
    file.vectors.filter((vector) => vector.direction === direction && kinds.includes(vector.kind));
  /** As the vector has it, with the body as it stands. */
  const raw = ({ message: { bodyHex, metadataHex, args, methodName, value, ...fields } }: Vector) => ({
    ...fields,
    ...(bodyHex === undefined ? {} : { body: new Uint8Array(Buffer.from(bodyHex, "hex")) }),
    ...(metadataHex === undefined ? {} : { metadata: new Uint8Array(Buffer.from(metadataHex, "hex")) }),
  });

  const written = vectorsOf("server->client", "both", "parse");
  // Who tests clients leaves out the byte that a server appends.
  test.each(written.filter(({ name }) => name !== "clientHeartbeatResponse_test"))(
    "writes $name",
    (vector) => {
      expect(writeToClient(raw(vector) as unknown as ServerSent).toString("hex")).toBe(vector.hex);
    },
  );

  test.each(vectorsOf("client->server", "both", "parse"))("reads $name", (vector) => {
    expect(readFromClient(Buffer.from(vector.hex, "hex"))).toEqual(raw(vector));
  });

  test.each(vectorsOf("client->server", "invalid"))("refuses $name", (vector) => {
    expect(() => readFromClient(Buffer.from(vector.hex, "hex"))).toThrow();
  });
});
