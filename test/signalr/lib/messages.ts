import type { HubMessage, ILogger } from "@microsoft/signalr";
import { MessagePackHubProtocol as OfficialProtocol } from "@microsoft/signalr-protocol-msgpack";
import fc from "fast-check";
import { texts, values } from "../../lib/arbitraries.mjs";

// The package that ours stands in for, and messages to compare the two by.

export const official = new OfficialProtocol();

/** A logger that keeps what it is told. */
export class Log implements ILogger {
  readonly lines: string[] = [];

  log(level: number, message: string): void {
    this.lines.push(`${level}: ${message}`);
  }
}

/** Bytes in a buffer of their own, as WebSockets give them. */
export function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

export function joined(buffers: readonly ArrayBuffer[]): ArrayBuffer {
  return bufferOf(Buffer.concat(buffers.map((buffer) => new Uint8Array(buffer))));
}

const ids = fc.oneof(fc.nat(1000).map(String), texts);
const headers = fc.option(
  fc.dictionary(
    texts.filter((key) => key !== "__proto__"),
    texts,
    { maxKeys: 3 },
  ),
  {
    nil: undefined,
  },
);
const args = fc.array(values(), { maxLength: 5 });
const streamIds = fc.option(fc.array(ids, { maxLength: 3 }), { nil: undefined });
const sequenceIds = fc.oneof(fc.nat(300), fc.maxSafeInteger());

/** The official package has another version of @msgpack/msgpack, which writes lone surrogates as no UTF-8. */
function isWellFormed(message: unknown): boolean {
  const text = JSON.stringify(message, (_, value) => (typeof value === "bigint" ? 0 : value));
  return !/\\ud[89a-f]/.test(text);
}

/** Messages that both packages write with the same bytes: of each type, but a Close with something in it. */
export const messages = fc
  .oneof(
    fc.record(
      {
        type: fc.constant(1),
        headers,
        invocationId: fc.option(ids, { nil: undefined }),
        target: texts,
        arguments: args,
        streamIds,
      },
      { requiredKeys: ["type", "target", "arguments"] },
    ),
    fc.record(
      { type: fc.constant(4), headers, invocationId: ids, target: texts, arguments: args, streamIds },
      { requiredKeys: ["type", "invocationId", "target", "arguments"] },
    ),
    fc.record(
      { type: fc.constant(2), headers, invocationId: ids, item: values() },
      { requiredKeys: ["type", "invocationId"] },
    ),
    fc.record(
      { type: fc.constant(3), headers, invocationId: ids, result: values(), error: texts },
      { requiredKeys: ["type", "invocationId"] },
    ),
    fc.record(
      { type: fc.constant(5), headers, invocationId: ids },
      { requiredKeys: ["type", "invocationId"] },
    ),
    fc.constant({ type: 6 }),
    fc.constant({ type: 7 }),
    fc.record({ type: fc.constantFrom(8, 9), sequenceId: sequenceIds }),
  )
  .filter(isWellFormed) as fc.Arbitrary<HubMessage>;
