import { MessagePackHubProtocol as OfficialProtocol } from "@microsoft/signalr-protocol-msgpack";
import { values } from "../../lib/arbitraries.mjs";

/** @typedef {import("../Chance.mjs").Chance} Chance */
/** @typedef {import("@microsoft/signalr").HubMessage} HubMessage */

const TARGETS = ["send", "Receive", "x".repeat(40), "größe"];

/** The official package writes lone surrogates as no UTF-8. */
const argument = values().filter((value) => {
  const text = JSON.stringify(value, (_, item) => (ArrayBuffer.isView(item) ? null : item));
  return !/\\ud[89a-f]/.test(text);
});

/**
 * SignalR's messages: one by one, in batches, and in a stream that one reader reads for the whole run, against the official
 * package.
 * @type {import("./kind.mjs").MakeKind}
 */
export function signalr(library, checks) {
  const { DecodeError, HubFrameReader, MessagePackHubProtocol } = library;
  const official = new OfficialProtocol();
  const protocol = new MessagePackHubProtocol();
  const untrusted = new MessagePackHubProtocol({ profile: "untrusted" });
  const reader = new HubFrameReader();
  let streamed = 0;
  /** @type {HubMessage[]} */
  const probed = [
    { type: 1, target: "send", arguments: [42, "text", [1.5, 2]], headers: {} },
    { type: 3, invocationId: "7", result: { id: 1, name: "n".repeat(100) }, headers: {} },
  ];

  /** @param {Chance} chance @returns {HubMessage} */
  function makeMessage(chance) {
    const headers = chance.isOneIn(3) ? { key: "value", [`k${chance.integer(50)}`]: "v" } : undefined;
    const invocationId = `${chance.integer(1000)}`;
    const target = chance.pick(TARGETS);
    const [item, ...rest] = chance.sample(argument, 1 + chance.integer(3));
    switch (chance.integer(6)) {
      case 0:
        return { type: 2, headers, invocationId, item };
      case 1:
        return { type: 3, headers, invocationId, result: item, error: /** @type {any} */ (undefined) };
      case 2:
        return { type: 6 };
      case 3:
        return { type: 9, sequenceId: chance.integer(2 ** 31) };
      default:
        return { type: 1, headers, target, arguments: [item, ...rest] };
    }
  }

  /** @param {Chance} chance @param {Uint8Array} batch @param {HubMessage[]} expected */
  function checkStream(chance, batch, expected) {
    const messages = [];
    for (const piece of chance.cut(batch)) {
      reader.push(piece);
      for (const message of reader) messages.push(message);
    }
    checks.value(messages, expected);
    streamed += batch.length;
    // A frame whose message is bad: the reader goes on behind it.
    reader.push(Uint8Array.of(3, 0x92, 1, 0xc1));
    checks.failure(() => reader.read(), { class: DecodeError, code: "UNKNOWN_FORMAT", offset: streamed + 3 });
    streamed += 4;
    checks.value(reader.read(), undefined);
  }

  return {
    name: "SignalR",
    run(chance) {
      const messages = Array.from({ length: 5 }, () => makeMessage(chance));
      const frames = messages.map((message) => {
        const frame = /** @type {ArrayBuffer} */ (official.writeMessage(message));
        checks.bytes(protocol.writeMessage(message), new Uint8Array(frame));
        return Buffer.from(frame);
      });
      const batch = Uint8Array.from(Buffer.concat(frames));
      const logger = { log() {} };
      const expected = official.parseMessages(batch.buffer, logger);
      checks.value(chance.pick([protocol, untrusted]).parseMessages(batch, null), expected);
      checkStream(chance, batch, expected);
      const lastFrame = batch.length - frames[4].length;
      const cut = batch.subarray(0, lastFrame + 1 + chance.integer(frames[4].length - 1));
      checks.failure(() => protocol.parseMessages(cut, null), {
        class: DecodeError,
        code: "FRAME",
        offset: lastFrame,
      });
    },
    probe: () => probed.map((message) => protocol.parseMessages(protocol.writeMessage(message), null)),
  };
}
