import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { HubMessage } from "@microsoft/signalr";
import { MessagePackHubProtocol as OfficialProtocol } from "@microsoft/signalr-protocol-msgpack";
import { DecodeError, ExtensionCodec, encode, TypedArrayCodec } from "msgpack-wasm";
import { MessagePackHubProtocol } from "msgpack-wasm/signalr";
import { describe, expect, test } from "vitest";
import { failure } from "../lib/reference.ts";
import { bufferOf, joined, Log, official } from "./lib/messages.ts";

const ours = new MessagePackHubProtocol();

function hex(buffer: ArrayBuffer): string {
  return Buffer.from(buffer).toString("hex");
}

function frame(body: unknown): ArrayBuffer {
  const bytes = encode(body);
  return bufferOf(Uint8Array.of(bytes.length, ...bytes));
}

function invocation(...args: unknown[]): HubMessage {
  return { type: 1, target: "t", arguments: args };
}

test("it is, to those who look, what the official one is", () => {
  const { name, version, transferFormat } = ours;
  expect({ name, version, transferFormat }).toEqual({
    name: official.name,
    version: official.version,
    transferFormat: official.transferFormat,
  });
  expect(MessagePackHubProtocol.name).toBe(OfficialProtocol.name);
  expect(Object.keys(new MessagePackHubProtocol(null))).toEqual(["name", "version", "transferFormat"]);
});

describe("what is written", () => {
  test("is a buffer of exact length that nobody else writes to", () => {
    const samples: HubMessage[] = [
      { type: 6 },
      invocation(),
      invocation("x".repeat(100)),
      invocation("x".repeat(10_000), new Uint8Array(1000)),
    ];
    const written = samples.map((message) => ours.writeMessage(message));
    const before = written.map(hex);
    for (const message of samples) new Uint8Array(ours.writeMessage(message)).fill(0xff);
    expect(written.map(hex)).toEqual(before);
    for (const buffer of written) {
      expect(buffer).toBeInstanceOf(ArrayBuffer);
      expect(buffer.byteLength).toBe(
        Buffer.from(official.writeMessage(samples[written.indexOf(buffer)])).length,
      );
    }
  });

  test.each([0x7f, 0x80, 0x3fff, 0x4000, 0x1fffff, 0x200000])(
    "has the right length before %d bytes",
    (size) => {
      for (const value of ["x".repeat(size - 16), new Uint8Array(size - 16)]) {
        const message = invocation(value);
        const written = ours.writeMessage(message);
        expect(Buffer.from(written).equals(Buffer.from(official.writeMessage(message)))).toBe(true);
        expect(ours.parseMessages(written, null)).toHaveLength(1);
      }
    },
  );

  test("may take more than the codec holds at a time", () => {
    const list = Array.from({ length: 20_000 }, (_, i) => ({
      id: i,
      text: `text ${i}`,
      data: new Uint8Array(i % 300),
    }));
    const message = { type: 2, invocationId: "1", item: list } as HubMessage;
    const written = ours.writeMessage(message);
    expect(written.byteLength).toBeGreaterThan(2 ** 21);
    expect(Buffer.from(written).equals(Buffer.from(official.writeMessage(message)))).toBe(true);
    assert.deepStrictEqual(ours.parseMessages(written, null), official.parseMessages(written, new Log()));
  });

  test("may be a message within a message", () => {
    const extensionCodec = new ExtensionCodec();
    class Inner {}
    extensionCodec.register({
      type: 1,
      encode: (value) =>
        value instanceof Inner ? new Uint8Array(ours.writeMessage({ type: 8, sequenceId: 5 })) : null,
      decode: (data) => ours.parseMessages(data, null)[0],
    });
    const protocol = new MessagePackHubProtocol({ extensionCodec });
    const written = protocol.writeMessage(invocation(1, new Inner(), "z"));
    expect(protocol.parseMessages(written, null)).toMatchObject([
      { arguments: [1, { type: 8, sequenceId: 5 }, "z"] },
    ]);
  });

  test("is right after an error", () => {
    const expected = hex(ours.writeMessage(invocation(1, "a")));
    const circular: unknown[] = [];
    circular.push(circular);
    const getter = {
      get property(): never {
        throw new TypeError("of the getter");
      },
    };
    for (const wrong of [circular, getter, Symbol("s"), 1n]) {
      expect(() => ours.writeMessage(invocation("before", wrong))).toThrow();
      expect(hex(ours.writeMessage(invocation(1, "a")))).toBe(expected);
      expect(hex(encode([1]).buffer)).toBe("9101");
    }
  });
});

describe("what is read", () => {
  test("may lie anywhere in a buffer", () => {
    const whole = Buffer.concat([
      Buffer.alloc(5),
      Buffer.from(ours.writeMessage(invocation(7, "text"))),
      Buffer.alloc(9),
    ]);
    const view = whole.subarray(5, whole.length - 9);
    const [expected] = ours.parseMessages(ours.writeMessage(invocation(7, "text")), null);
    expect(ours.parseMessages(view, null)).toEqual([expected]);
    expect(ours.parseMessages(new DataView(view.buffer, view.byteOffset, view.length), null)).toEqual([
      expected,
    ]);
    const shared = new Uint8Array(new SharedArrayBuffer(view.length));
    shared.set(view);
    expect(ours.parseMessages(shared, null)).toEqual([expected]);
    expect(ours.parseMessages(shared.buffer as unknown as ArrayBuffer, null)).toEqual([expected]);
  });

  test("is what the official package refuses, refused in its words", () => {
    for (const input of [null, undefined, 5, {}, [2, 0x91, 6], "text"]) {
      expect(() => ours.parseMessages(input as unknown as ArrayBuffer, null)).toThrow(
        "Invalid input for MessagePack hub protocol. Expected an ArrayBuffer.",
      );
    }
  });

  test("may have additional items, of the length of a run of numbers, too", () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const body of [
      [8, 42, ...numbers],
      [6, ...numbers],
      [7, null, true, ...numbers],
      [9, 0.5, 1.5, 2.5],
    ]) {
      const input = frame(body);
      expect(ours.parseMessages(input, null)).toEqual(official.parseMessages(input, new Log()));
    }
    // As float 64, all of it.
    const floats = bufferOf(
      Buffer.from("1292cb4022000000000000cb4045000000000000".replace(/^12/, "13"), "hex"),
    );
    expect(ours.parseMessages(floats, null)).toEqual([{ type: 9, sequenceId: 42 }]);
  });

  test("is a message wherever the logger comes from", () => {
    const log = new Log();
    const input = joined([frame([10, "new"]), ours.writeMessage({ type: 6 })]);
    expect(ours.parseMessages(input, log)).toEqual([{ type: 6 }]);
    expect(log.lines).toEqual(["2: Unknown message type '10' ignored."]);
    expect(ours.parseMessages(input, null)).toEqual([{ type: 6 }]);
  });
});

describe("options", () => {
  test("of numbers concern the values, not the fields of the protocol", () => {
    const options = { forceIntegerToFloat: true };
    const message = { type: 3, invocationId: "1", result: 7 } as HubMessage;
    expect(hex(new MessagePackHubProtocol(options).writeMessage(message))).toBe(
      "10950380a13103cb401c000000000000".replace(/^10/, "0f"),
    );
    // What the official package writes, servers do not take for a message.
    expect(hex(new OfficialProtocol(options).writeMessage(message))).toContain("95cb4008000000000000");
    for (const own of [options, { useBigInt64: true }, { int64: "auto" as const }]) {
      const protocol = new MessagePackHubProtocol(own);
      expect(hex(protocol.writeMessage({ type: 8, sequenceId: 2 ** 40 }))).toBe("0b9208cf0000010000000000");
    }
  });

  test("of 64-bit integers concern the values when they are read, too", () => {
    const protocol = new MessagePackHubProtocol({ useBigInt64: true });
    const long = (value: number) => [0xcf, 0, 0, 0, 0, 0, 0, 0, value];
    const completion = [0x95, ...long(3), 0x80, 0xa1, 0x31, ...long(3), ...long(42)];
    const sequence = [0x92, ...long(9), ...long(7)];
    const input = bufferOf(Uint8Array.of(completion.length, ...completion, sequence.length, ...sequence));
    expect(protocol.parseMessages(input, null)).toEqual([
      { type: 3, headers: {}, invocationId: "1", error: undefined, result: 42n },
      { type: 9, sequenceId: 7 },
    ]);
    const auto = new MessagePackHubProtocol({ int64: "auto" });
    const written = auto.writeMessage(invocation(2n ** 60n, 5n));
    expect(auto.parseMessages(written, null)).toMatchObject([{ arguments: [2n ** 60n, 5] }]);
  });

  test("that would change the fields of the protocol are not taken from untyped callers", () => {
    const untyped = { useMap: true, rawStrings: true, mapKeyConverter: () => "x", keyDecoder: {} } as object;
    const written = ours.writeMessage({ ...invocation({ a: 1 }), headers: { h: "1" } } as HubMessage);
    expect(new MessagePackHubProtocol(untyped).parseMessages(written, null)).toEqual(
      ours.parseMessages(written, null),
    );
  });

  test("maxDepth counts as it does in the official package, and only when messages are written", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    for (const Protocol of [MessagePackHubProtocol, OfficialProtocol]) {
      const protocol = new Protocol({ maxDepth: 5 });
      expect(protocol.writeMessage(invocation(nested(2))).byteLength).toBe(11);
      expect(() => protocol.writeMessage(invocation(nested(3)))).toThrow("Too deep objects in depth 6");
      expect(protocol.parseMessages(ours.writeMessage(invocation(nested(90))), new Log())).toHaveLength(1);
    }
  });

  test("maxStrLength and the other limits hold", () => {
    const input = ours.writeMessage(invocation("four"));
    expect(
      failure(() => new MessagePackHubProtocol({ maxStrLength: 3 }).parseMessages(input, null)),
    ).toMatchObject({
      name: "DecodeError",
      code: "MAX_LENGTH",
    });
    expect(new MessagePackHubProtocol({ maxStrLength: 4 }).parseMessages(input, null)).toHaveLength(1);
  });

  test("maxMessageLength is the longest message that is read", () => {
    const input = ours.writeMessage(invocation("x".repeat(500)));
    const length = input.byteLength - 2;
    const read = (maxMessageLength: number) =>
      new MessagePackHubProtocol({ maxMessageLength }).parseMessages(input, null);
    expect(read(length)).toHaveLength(1);
    expect(read(length + 1)).toHaveLength(1);
    expect(failure(() => read(length - 1))).toMatchObject({ code: "MAX_LENGTH", offset: 0 });
    for (const wrong of [0, -1, Number.NaN]) {
      expect(() => new MessagePackHubProtocol({ maxMessageLength: wrong })).toThrow(RangeError);
    }
  });

  test("fatalUtf8 refuses malformed text", () => {
    const input = bufferOf(Uint8Array.of(9, 0x94, 2, 0x80, 0xa1, 0x31, 0xa3, 0x61, 0xff, 0x62));
    expect(ours.parseMessages(input, null)).toMatchObject([{ item: "a\ufffdb" }]);
    expect(
      failure(() => new MessagePackHubProtocol({ fatalUtf8: true }).parseMessages(input, null)),
    ).toMatchObject({
      code: "INVALID_UTF8",
      offset: 6,
    });
  });

  test("the extension codec is asked for the values alone", () => {
    const asked: unknown[] = [];
    const extensionCodec = new ExtensionCodec<string>();
    extensionCodec.register({
      type: 1,
      encode: (value, context) => {
        asked.push([value, context]);
        return null;
      },
      decode: () => null,
    });
    const message = { ...invocation({ a: 1 }), headers: { h: "1" }, streamIds: ["2"] } as HubMessage;
    const written = new MessagePackHubProtocol({ extensionCodec, context: "c" }).writeMessage(message);
    expect(asked).toEqual([[{ a: 1 }, "c"]]);
    expect(hex(written)).toBe(hex(official.writeMessage(message)));
  });
});

describe("typed arrays", () => {
  const protocol = new MessagePackHubProtocol({ extensionCodec: new TypedArrayCodec() });

  test.each([0, 1, 3, 20, 100, 5000, 600_000])(
    "of %d numbers arrive as views of what was received",
    (length) => {
      const samples = Float64Array.from({ length }, (_, i) => i / 3);
      for (const before of ["", "x", "xy", "xyz"]) {
        const received = protocol.writeMessage(invocation(before, samples));
        const [message] = protocol.parseMessages(received, null) as unknown as [{ arguments: unknown[] }];
        const array = message.arguments[1] as Float64Array;
        expect(array).toBeInstanceOf(Float64Array);
        expect(
          Buffer.compare(
            Buffer.from(array.buffer, array.byteOffset, array.byteLength),
            Buffer.from(samples.buffer),
          ),
        ).toBe(0);
        if (length > 0) expect(array.buffer).toBe(received);
      }
    },
  );

  test("cost messages without any nothing, and the length before the others takes 5 bytes, as all readers allow", () => {
    expect(hex(protocol.writeMessage(invocation(1, "a")))).toBe(
      hex(official.writeMessage(invocation(1, "a"))),
    );
    const written = new Uint8Array(protocol.writeMessage(invocation(Float32Array.of(1))));
    expect([...written.subarray(1, 5)]).toEqual([0x80, 0x80, 0x80, 0x00]);
    const [message] = official.parseMessages(bufferOf(written), new Log()) as unknown as [
      { arguments: unknown[] },
    ];
    expect(message.arguments[0]).toMatchObject({ type: 1 });
  });

  test("come through in batches, where other messages displace them", () => {
    const samples = Float64Array.of(1, 2, 3);
    const frames = Array.from({ length: 20 }, (_, i) =>
      protocol.writeMessage(invocation("x".repeat(i), samples)),
    );
    const read = protocol.parseMessages(joined(frames), null) as { arguments: unknown[] }[];
    expect(read.map((message) => message.arguments[1])).toEqual(frames.map(() => samples));
  });
});

describe("an error", () => {
  const good = ours.writeMessage(invocation(1));
  const cases: [string, number[], string, number][] = [
    ["a field", [2, 0x91, 0x07], "FIELD", 0],
    ["a field behind others", [3, 0x92, 0x01, 0x05], "FIELD", 0],
    ["no array", [1, 0x07], "FIELD", 0],
    ["MessagePack", [5, 0x94, 0x02, 0x80, 0xc1, 0xc0], "UNKNOWN_FORMAT", 4],
    ["an end too early", [2, 0x92, 0x08], "INSUFFICIENT_DATA", 1],
    ["a rest", [3, 0x91, 0x06, 0x07], "EXTRA_BYTES", 3],
    ["an empty frame", [0], "FRAME", 0],
    ["a cut frame", [5, 0x91], "FRAME", 0],
    ["a cut length", [0x85], "FRAME", 0],
    ["an endless length", [0xff, 0xff, 0xff, 0xff, 0xff], "FRAME", 0],
  ];

  test.each(cases)("in %s tells what and where, and the next batch is read", (_, bytes, code, offset) => {
    for (const before of [0, 3]) {
      const batch = joined([...new Array(before).fill(good), bufferOf(Uint8Array.from(bytes))]);
      const error = failure(() => ours.parseMessages(batch, null));
      expect(error).toMatchObject({ code, offset: before * good.byteLength + offset });
      expect(error instanceof DecodeError || error instanceof RangeError).toBe(true);
      expect(ours.parseMessages(good, null)).toHaveLength(1);
    }
  });

  test("of an extension codec comes through", () => {
    const extensionCodec = new ExtensionCodec();
    extensionCodec.register({
      type: 1,
      encode: () => null,
      decode: () => {
        throw new TypeError("of the codec");
      },
    });
    const bytes = bufferOf(Uint8Array.of(8, 0x94, 2, 0x80, 0xa1, 0x31, 0xd4, 1, 0));
    expect(() => new MessagePackHubProtocol({ extensionCodec }).parseMessages(bytes, null)).toThrow(
      "of the codec",
    );
  });
});

// Numbered as in the README.
describe("differences from @microsoft/signalr-protocol-msgpack", () => {
  test("1: views are read", () => {
    expect(ours.parseMessages(Uint8Array.of(2, 0x91, 6), null)).toEqual([{ type: 6 }]);
    expect(() =>
      official.parseMessages(Uint8Array.of(2, 0x91, 6) as unknown as ArrayBuffer, new Log()),
    ).toThrow();
  });

  test("2: binary data are views of the input", () => {
    const input = ours.writeMessage(invocation(new Uint8Array(100)));
    const bytesOf = (protocol: Pick<OfficialProtocol, "parseMessages">) =>
      (protocol.parseMessages(input, new Log())[0] as { arguments: Uint8Array[] }).arguments[0];
    expect(bytesOf(ours).buffer).toBe(input);
    expect(bytesOf(official).buffer).not.toBe(input);
  });

  test("3: Close is written with its fields", () => {
    const message: HubMessage = { type: 7, error: "e", allowReconnect: true };
    expect(hex(ours.writeMessage(message))).toBe("059307a165c3");
    expect(hex(official.writeMessage(message))).toBe("039207c0");
    expect(hex(ours.writeMessage({ type: 7 }))).toBe("039207c0");
  });

  test("4: options for numbers leave the protocol's fields alone", () => {
    const options = { forceIntegerToFloat: true };
    expect(hex(new MessagePackHubProtocol(options).writeMessage({ type: 8, sequenceId: 1 }))).toBe(
      "03920801",
    );
    expect(hex(new OfficialProtocol(options).writeMessage({ type: 8, sequenceId: 1 }))).not.toBe("03920801");
  });

  test("5: errors have a code and an offset, those of the decoder other words", () => {
    const input = bufferOf(Uint8Array.of(2, 0x92, 0x06));
    expect(failure(() => ours.parseMessages(input, null))).toMatchObject({
      code: "INSUFFICIENT_DATA",
      offset: 1,
    });
    expect(failure(() => official.parseMessages(input, new Log())).message).toBe(
      "Offset is outside the bounds of the DataView",
    );
    const nil = bufferOf(Uint8Array.of(1, 0xc0));
    expect(failure(() => ours.parseMessages(nil, null)).message).toBe("Invalid payload.");
    expect(failure(() => official.parseMessages(nil, new Log()))).toBeInstanceOf(TypeError);
  });

  test("6: of several faults in a batch of whole frames, the first is reported", () => {
    // A wrong field, and a byte too many.
    const input = bufferOf(Uint8Array.of(3, 0x91, 0x07, 0x00));
    expect(failure(() => ours.parseMessages(input, null)).message).toBe("Invalid payload for Close message.");
    expect(failure(() => official.parseMessages(input, new Log())).message).toContain("Extra 1 of 3 byte(s)");
  });

  test("the README lists as many", () => {
    const readme = readFileSync(path.join(import.meta.dirname, "../../README.md"), "utf8");
    const list = readme.split("`@microsoft/signalr-protocol-msgpack` 10 in this:")[1].split("\n## ")[0];
    expect([...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
