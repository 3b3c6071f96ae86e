import * as reference from "@msgpack/msgpack";
import { values } from "../../lib/arbitraries.mjs";

const argument = values();
const guid = "02db60e5-fab2-43b8-90a8-47fa5c4dcb29";

/** @typedef {import("msgpack-wasm/streaminghub").ClientMessage} ClientMessage */
/** @typedef {import("msgpack-wasm/streaminghub").ServerMessage} ServerMessage */

/**
 * The messages of StreamingHubs, of clients and of servers.
 * @type {import("./kind.mjs").MakeKind}
 */
export function streamingHub(library, checks) {
  const { packArguments, StreamingHubCodec } = library;
  const codec = new StreamingHubCodec();
  const probed = /** @type {ClientMessage} */ ({
    type: "request",
    messageId: 7,
    methodId: 123_456_789,
    value: [42, "text", { id: 1, name: "n".repeat(100) }],
  });

  return {
    name: "StreamingHub",
    run(chance) {
      const messageId = chance.integer(2 ** 31);
      const methodId = chance.integer(2 ** 32) - 2 ** 31;
      const value = packArguments(chance.sample(argument, chance.integer(5)));
      const message = chance.pick(["text", "é", null]);
      const statusCode = chance.integer(20);
      /** @type {[ClientMessage, unknown[]][]} */
      const fromClient = [
        [{ type: "request", messageId, methodId, value }, [messageId, methodId, value]],
        [{ type: "requestFireAndForget", methodId, value }, [methodId, value]],
        [
          { type: "clientResultResponse", clientResultMessageId: guid, methodId, value },
          [0, guid, methodId, value],
        ],
      ];
      /** @type {[ServerMessage, unknown[]][]} */
      const fromServer = [
        [{ type: "response", messageId, methodId, value }, [messageId, methodId, value]],
        [{ type: "broadcast", methodId, value }, [methodId, value]],
        [
          { type: "responseWithError", messageId, statusCode, detail: "detail", message },
          [messageId, statusCode, "detail", message],
        ],
        [
          { type: "clientResultRequest", clientResultMessageId: guid, methodId, value },
          [0, null, guid, methodId, value],
        ],
      ];
      for (const [message, items] of fromClient) {
        const bytes = reference.encode(items, { maxDepth: 1000 }).slice();
        checks.bytes(codec.write(message), bytes);
        checks.value(codec.readClientMessage(bytes), asDecoded(message));
      }
      for (const [message, items] of fromServer) {
        const bytes = reference.encode(items, { maxDepth: 1000 }).slice();
        checks.bytes(codec.write(message), bytes);
        checks.value(codec.readServerMessage(bytes), asDecoded(message));
      }
      const cut = codec.write(probed);
      checks.failure(() => codec.readClientMessage(cut.subarray(0, 1 + chance.integer(5))), {
        class: RangeError,
        code: "INSUFFICIENT_DATA",
      });
    },
    probe: () => codec.readClientMessage(codec.write(probed)),
  };
}

/**
 * @template {object} T
 * @param {T} message
 */
function asDecoded(message) {
  return "value" in message
    ? { ...message, value: reference.decode(reference.encode(message.value)) }
    : message;
}
