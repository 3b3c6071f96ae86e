import * as reference from "@msgpack/msgpack";
// These formats are the published ones in all threads, and so are their errors.
import { DecodeError } from "msgpack-wasm";

/** @typedef {import("../Chance.mjs").Chance} Chance */

/**
 * The payloads of the Redis backplane.
 * @type {import("./kind.mjs").MakeKind}
 */
export function redis(library, checks) {
  const { readAck, readCompletion, readGroupCommand, readInvocation } = library;
  const { writeAck, writeCompletion, writeGroupCommand, writeInvocation } = library;
  const encoded = (/** @type {unknown} */ value) => Buffer.from(reference.encode(value));
  const probed = {
    excludedConnectionIds: ["abcdefghijklmnopqrstuv", "bcdefghijklmnopqrstuvw"],
    messages: [{ protocol: "json", bytes: new Uint8Array(80) }],
    invocationId: null,
    returnChannel: null,
  };

  /** @param {Chance} chance */
  const text = (chance) => chance.pick(["a", "é", "日", ""]).repeat(chance.pick([1, 15, 31, 32, 47, 300]));
  /** @param {Chance} chance */
  const bytes = (chance) =>
    new Uint8Array(chance.pick([0, 1, 48, 255, 256, 70_000])).fill(chance.integer(256));

  return {
    name: "Redis",
    run(chance) {
      for (let i = 0; i < 10; i++) {
        const id = chance.integer(2 ** chance.integer(32)) * (chance.isOneIn(2) ? 1 : -1) || 0;
        checks.bytes(writeAck(id), encoded([id]));
        checks.value(readAck(encoded([id])), id);

        const [serverName, groupName, connectionId] = [text(chance), text(chance), text(chance)];
        const command = { id, serverName, action: 1 + chance.integer(2), groupName, connectionId };
        const commandBytes = encoded(Object.values(command));
        checks.bytes(writeGroupCommand(command), commandBytes);
        checks.value(readGroupCommand(commandBytes), command);
        const cut = commandBytes.subarray(0, 1 + chance.integer(commandBytes.length - 1));
        checks.failure(() => readGroupCommand(cut), { class: RangeError, code: "INSUFFICIENT_DATA" });
        checks.failure(() => readAck(encoded("text")), { class: DecodeError, code: "FIELD", offset: 0 });

        const completion = { protocol: text(chance), bytes: bytes(chance) };
        checks.bytes(writeCompletion(completion), encoded(Object.values(completion)));
        checks.value(readCompletion(Uint8Array.from(encoded(Object.values(completion)))), completion);

        const excludedConnectionIds = Array.from({ length: chance.integer(20) }, () => text(chance));
        const packed = { json: bytes(chance), messagepack: bytes(chance) };
        const messages = Object.entries(packed).map(([protocol, bytes]) => ({ protocol, bytes }));
        const invocation = { excludedConnectionIds, messages, invocationId: null, returnChannel: null };
        const invocationBytes = encoded([excludedConnectionIds, packed]);
        checks.bytes(writeInvocation(invocation), invocationBytes);
        checks.value(readInvocation(Uint8Array.from(invocationBytes)), invocation);
      }
    },
    probe: () => readInvocation(writeInvocation(probed)),
  };
}
