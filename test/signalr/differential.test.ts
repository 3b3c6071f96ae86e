import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { HubMessage } from "@microsoft/signalr";
import fc from "fast-check";
import {
  HubFrameReader,
  limitDecodeWindows,
  limitEncodeWindows,
  MessagePackHubProtocol,
} from "msgpack-wasm/testing";
import { afterEach, describe, test, vi } from "vitest";
import { damaged } from "../lib/arbitraries.mjs";
import { check } from "../lib/fuzzing.ts";
import { isSame, outcome } from "../lib/reference.ts";
import { bufferOf, joined, Log, messages, official } from "./lib/messages.ts";
import vectors from "./vectors.json" with { type: "json" };

vi.setConfig({ testTimeout: 120_000 });

// Whoever changes the import from "@microsoft/signalr-protocol-msgpack" to "msgpack-wasm/signalr" gets the same bytes
// and the same objects.

const ours = new MessagePackHubProtocol();
const batches = fc.array(messages, { maxLength: 8 });

function vectorFrames(): ArrayBuffer[] {
  return (vectors as { hex?: string }[]).flatMap(({ hex }) =>
    hex ? [bufferOf(Buffer.from(hex, "hex"))] : [],
  );
}

function parse(protocol: Pick<MessagePackHubProtocol, "parseMessages">, input: ArrayBuffer) {
  const log = new Log();
  return { messages: protocol.parseMessages(input, log), log: log.lines };
}

describe("random messages", () => {
  test("are written to the same bytes", () => {
    check(batches, 1500, (batch) => {
      for (const message of batch) {
        assert.deepStrictEqual(
          Buffer.from(ours.writeMessage(message)),
          Buffer.from(official.writeMessage(message)),
        );
      }
    });
  });

  test("of any size, where what is small is done in another way", () => {
    for (const text of ["a", "\u00e9", "\u65e5"]) {
      for (let length = 0; length < 300; length++) {
        const part = text.repeat(length);
        const bytes = new Uint8Array(length).fill(length);
        for (const args of [
          [part],
          [part, bytes, { part }, 2 ** 40, -(2 ** 40)],
          [bytes, part, [part, 1.5]],
        ]) {
          const message: HubMessage = { type: 1, target: "Target", arguments: args, headers: { part } };
          const frame = official.writeMessage(message) as ArrayBuffer;
          assert.deepStrictEqual(Buffer.from(ours.writeMessage(message)), Buffer.from(frame));
          const batch = joined([frame, official.writeMessage({ type: 6 }), frame]);
          assert.deepStrictEqual(parse(ours, batch), parse(official, batch));
        }
      }
    }
  });

  test("are written to the same bytes with any options", () => {
    const options = fc.record(
      {
        maxDepth: fc.integer({ min: 2, max: 6 }),
        sortKeys: fc.boolean(),
        forceFloat32: fc.boolean(),
        ignoreUndefined: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const officialProtocol = official.constructor as new (options: object) => typeof official;
    check(fc.tuple(messages, options), 2000, ([message, options]) => {
      const result = outcome(() => Buffer.from(new MessagePackHubProtocol(options).writeMessage(message)));
      const theirs = outcome(() => Buffer.from(new officialProtocol(options).writeMessage(message)));
      if ("error" in theirs) {
        assert("error" in result);
      } else {
        assert.deepStrictEqual(result, theirs);
      }
    });
  });

  test("come out of a batch as the same objects", () => {
    check(batches, 1500, (batch) => {
      const input = joined(batch.map((message) => official.writeMessage(message)));
      assert.deepStrictEqual(parse(ours, input), parse(official, input));
    });
  });

  test("fail with the same error wherever a batch is cut", () => {
    check(batches, 150, (batch) => {
      const input = joined(batch.map((message) => official.writeMessage(message)));
      const step = Math.max(1, Math.floor(input.byteLength / 50));
      for (let end = 0; end < input.byteLength; end += step) {
        const cut = input.slice(0, end);
        const [result, theirs] = [outcome(() => parse(ours, cut)), outcome(() => parse(official, cut))];
        if ("error" in theirs) {
          assert("error" in result);
          assert.equal(result.error.message, theirs.error.message);
        } else {
          assert.deepStrictEqual(result, theirs);
        }
      }
    });
  });

  test("that were damaged come out as the same objects, or are an error for both", () => {
    const written = fc.oneof(
      batches.map((batch) => joined(batch.map((message) => official.writeMessage(message)))),
      fc.constantFrom(...vectorFrames()),
    );
    let compared = 0;
    check(damaged(written.map((batch) => new Uint8Array(batch))), 3000, (bytes) => {
      const input = bufferOf(bytes);
      // We make U+FFFD of malformed text as the WHATWG says, they whatever comes of it.
      const strict = outcome(() => parse(new MessagePackHubProtocol({ fatalUtf8: true }), input));
      if ("error" in strict && "code" in strict.error && strict.error.code === "INVALID_UTF8") return;
      compared++;
      const [result, theirs] = [outcome(() => parse(ours, input)), outcome(() => parse(official, input))];
      if ("error" in result && "error" in theirs) return;
      assert.ok(
        isSame(result, theirs),
        `${Buffer.from(bytes).toString("hex")}: ${inspect([result, theirs])}`,
      );
    });
    assert.ok(compared > 2000);
  });

  test("come out as a server needs them: what was written", () => {
    const server = new MessagePackHubProtocol({ forServer: true });
    check(batches, 800, (batch) => {
      const input = joined(batch.map((message) => ours.writeMessage(message)));
      const read = server.parseMessages(input, null);
      assert.equal(read.length, batch.length);
      // Once read, a message is what is written of it.
      const again = joined(read.map((message) => ours.writeMessage(message)));
      const second = server.parseMessages(again, null);
      assert.deepStrictEqual(second, read);
    });
  });
});

describe("through small windows", () => {
  afterEach(() => {
    limitDecodeWindows();
    limitEncodeWindows();
  });

  const sizes = [
    { tape: 16, chunk: 100, pooled: 16 },
    { tape: 17, chunk: 150, pooled: 16 },
    { tape: 64, chunk: 1000, pooled: 512 },
  ];

  test.each(sizes)("of $tape words and $chunk bytes, messages are the same", ({ tape, chunk, pooled }) => {
    check(batches, 300, (batch) => {
      limitDecodeWindows();
      limitEncodeWindows();
      const input = joined(batch.map((message) => official.writeMessage(message)));
      const expected = parse(ours, input);
      limitDecodeWindows(tape, chunk, pooled);
      limitEncodeWindows(tape, 512);
      assert.deepStrictEqual(parse(ours, input), expected);
      assert.deepStrictEqual(
        Buffer.from(joined(batch.map((message) => ours.writeMessage(message)))),
        Buffer.from(input),
      );
    });
  });
});

describe("a stream of random messages", () => {
  const cuts = fc.array(fc.nat(400), { minLength: 1, maxLength: 30 });

  test("gives the same messages, however it is cut", () => {
    check(fc.tuple(batches, cuts), 800, ([batch, cuts]) => {
      const input = joined(batch.map((message) => official.writeMessage(message)));
      const expected = ours.parseMessages(input, null);
      const reader = new HubFrameReader();
      const read: HubMessage[] = [];
      for (let at = 0, i = 0; at < input.byteLength; i++) {
        const end = at + cuts[i % cuts.length] + 1;
        reader.push(bufferOf(new Uint8Array(input).subarray(at, end)));
        read.push(...reader);
        at = end;
      }
      reader.end();
      assert.deepStrictEqual(read, expected);
    });
  });
});
