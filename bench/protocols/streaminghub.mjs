// The rows of MagicOnion's microbenchmark of its client, over a channel in memory; and what the codec does for each, alone.
import { Decoder, Encoder } from "@msgpack/msgpack";
import { KEPT, REFERENCE_KEPT } from "../suite/names.mjs";

/** @type {typeof import("../../js/testing.ts")} */
const { ClientCodec, clientOf, HubConnection, hubMethod } = await import(
  new URL("../../build/testing.js", import.meta.url).href
);

/**
 * A call, with what the server answers.
 * @typedef {object} Call
 * @property {string} method
 * @property {unknown[]} args
 * @property {string} [answer] MessagePack in hexadecimal; none for a call that is not answered
 * @property {unknown} result
 */

const many = ["Hello", 12345, true];

/** @type {Record<string, Call>} */
const calls = {
  "void, no parameters": { method: "Void_Parameter_Zero_NoReturn", args: [], result: undefined },
  "ValueTask, no parameters": {
    method: "ValueTask_Parameter_Zero_NoReturn",
    args: [],
    answer: "c0",
    result: null,
  },
  "int, no parameters": {
    method: "Parameter_Zero_Return_ValueType",
    args: [],
    answer: "cd3039",
    result: 12345,
  },
  "int, three parameters": {
    method: "Parameter_Many_Return_ValueType",
    args: many,
    answer: "cd3039",
    result: 12345,
  },
  "string, no parameters": {
    method: "Parameter_Zero_Return_RefType",
    args: [],
    answer: "a648656c6c6f21",
    result: "Hello!",
  },
  "string, three parameters": {
    method: "Parameter_Many_Return_RefType",
    args: many,
    answer: "a648656c6c6f21",
    result: "Hello!",
  },
};

/** What the client needs of a codec, by `@msgpack/msgpack`. */
class PeerCodec {
  encoder = new Encoder();
  decoder = new Decoder();
  frame = {
    type: "",
    messageId: 0,
    methodId: 0,
    at: 0,
    /** @type {unknown} */
    value: undefined,
    /** @param {Uint8Array} bytes */
    readServer: (bytes) => {
      const message = /** @type {[number, number, unknown]} */ (this.decoder.decode(bytes));
      const { frame } = this;
      frame.type = message.length === 3 ? "response" : "broadcast";
      frame.messageId = message[0];
      frame.methodId = message[1];
      frame.value = message[2];
    },
    close() {
      this.value = undefined;
    },
  };

  /**
   * @param {number} messageId
   * @param {{ id: number }} method
   * @param {number} count
   * @param {unknown} a
   * @param {unknown} b
   * @param {unknown} c
   * @param {unknown} d
   * @param {unknown[] | null} args
   */
  writeCall(messageId, method, count, a, b, c, d, args) {
    /** @type {unknown} */
    let value = args ?? null;
    if (args === null && count > 0) value = count === 1 ? a : [a, b, c, d].slice(0, count);
    return this.encoder.encode(messageId === 0 ? [method.id, value] : [messageId, method.id, value]);
  }

  valueAt() {
    return this.frame.value;
  }
}

/**
 * A server that answers each message with a value that is there already. It takes messages from a queue, and allocates
 * nothing for an answer. (The answer is written over the one before: no value here is a view of it.)
 */
class AnsweringChannel {
  /** @type {Uint8Array[]} */
  queue = [];
  /** @type {{ message(bytes: Uint8Array): void } | undefined} */
  events;

  /**
   * @param {Call} call
   * @param {boolean} isPrompt whether it answers at once, so that nothing counts but the client
   */
  constructor({ method, answer }, isPrompt) {
    this.isPrompt = isPrompt;
    this.answer = Buffer.from(answer ?? "", "hex");
    this.tail = Buffer.concat([idBytes(hubMethod(method, {}).id), this.answer]);
    /** By the length of an id, an answer with such an id. */
    this.answers = [1, 2, 3, 5].map((length) => {
      return [length, Uint8Array.of(0x93, ...new Uint8Array(length), ...this.tail)];
    });
    this.byLength = Object.fromEntries(this.answers);
    this.drain = () => {
      for (let i = 0; i < this.queue.length; i++) this.respond(this.queue[i]);
      this.queue.length = 0;
    };
  }

  /** @param {string} _ @param {{ message(bytes: Uint8Array): void }} events */
  openHubStream(_, events) {
    this.events = events;
    return this;
  }

  /** @param {Uint8Array} message */
  send(message) {
    if (this.answer.length === 0) {
      // As in MagicOnion's benchmark: nobody takes such calls from the queue, which is emptied all the same.
      this.queue[0] = message;
      return;
    }
    if (this.isPrompt) this.respond(message);
    else if (this.queue.push(message) === 1) ready.then(this.drain);
  }

  close() {}
  cancel() {}

  /** @param {Uint8Array} message */
  respond(message) {
    const format = message[1];
    const length = format < 0x80 ? 1 : format === 0xcc ? 2 : format === 0xcd ? 3 : 5;
    const bytes = this.byLength[length];
    for (let i = 1; i <= length; i++) bytes[i] = message[i];
    this.events?.message(bytes);
  }
}

const ready = Promise.resolve();

/** @param {number} id */
function idBytes(id) {
  return new Encoder().encode(id);
}

/**
 * @param {Call} call
 * @param {any} codec
 * @param {boolean} isPrompt
 * @returns {() => unknown}
 */
function callOf(call, codec, isPrompt) {
  const { method, args, answer } = call;
  const connection = new HubConnection("IBenchmarkHub", codec, new Map(), {});
  const channel = new AnsweringChannel(call, isPrompt);
  connection.attach(channel.openHubStream("", connection));
  connection.accepted("2");
  const hub = /** @type {any} */ (clientOf(connection, {}));
  // Names are written in the code, as users write them.
  const run = new Function("hub", `return () => hub.${method}(${args.map((arg) => JSON.stringify(arg))})`);
  return run(answer === undefined ? hub.fireAndForget : hub);
}

/**
 * @param {Call} call
 * @param {any} codec
 * @returns {() => unknown}
 */
function codecOf({ method: name, args, answer }, codec) {
  const method = hubMethod(name, {});
  const [a, b, c, d] = args;
  const { frame } = codec;
  if (answer === undefined) return () => codec.writeCall(0, method, args.length, a, b, c, d, null);
  const response = Buffer.concat([
    Uint8Array.of(0x93, 0xcd, 0x03, 0xe8),
    idBytes(method.id),
    Buffer.from(answer, "hex"),
  ]);
  return () => {
    sink = codec.writeCall(1000, method, args.length, a, b, c, d, null);
    frame.readServer(response);
    return codec.valueAt(response, frame.at);
  };
}

/** @type {unknown} */
export let sink;

/** @type {Record<string, () => any>} */
const codecs = { [KEPT]: () => new ClientCodec(), [REFERENCE_KEPT]: () => new PeerCodec() };

/** @type {import("../suite/sections.mjs").Open} */
export async function open(name, library) {
  const call = calls[name];
  const { method, args, result } = call;
  const operations = {
    call: callOf(call, codecs[library](), false),
    "call, answered at once": callOf(call, codecs[library](), true),
    "encode and decode": codecOf(call, codecs[library]()),
  };
  const received = [await operations.call(), await operations["call, answered at once"]()];
  if (call.answer !== undefined) received.push(operations["encode and decode"]());
  if (received.some((value) => value !== result)) {
    throw new Error(`${library} does not give back what was answered: ${name}`);
  }
  const [a, b, c, d] = args;
  const id = call.answer === undefined ? 0 : 1000;
  const message = codecs[library]().writeCall(id, hubMethod(method, {}), args.length, a, b, c, d, null);
  return { bytes: message.length, operations };
}
