import { ExtensionCodec, encode } from "msgpack-wasm";
import {
  connectStreamingHub,
  type HubChannel,
  type HubStream,
  type HubStreamEvents,
  type StreamingHubClient,
  type StreamingHubOptions,
} from "msgpack-wasm/streaminghub";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { boom, expectBoomAlone, type Fault, failAtEachAwaited } from "../lib/faults.ts";
import { MemoryChannel } from "./lib/MemoryChannel.ts";
import { type ClientSent, idOf } from "./lib/wire.ts";

// Whatever of the caller's throws, at whichever call: it comes out at one place, everything that was waited for is
// settled, nothing is thrown at those who did not ask (the transport, timers, the process), and the hub works on.

interface ITestHub {
  echo(value: unknown): Promise<unknown>;
  notify(value: unknown): void;
}

class Point {
  readonly x: number;
  constructor(x: number) {
    this.x = x;
  }
}

function faultyCodec(fault: Fault): ExtensionCodec {
  const codec = new ExtensionCodec();
  codec.register({
    type: 1,
    encode(value) {
      fault();
      return value instanceof Point ? Uint8Array.of(value.x) : null;
    },
    decode(data) {
      fault();
      return new Point(data[0]);
    },
  });
  return codec;
}

const soundCodec = faultyCodec(() => {});
const packed = (value: unknown) => encode(value, { extensionCodec: soundCodec });

/** A transport each function of which can throw. It answers `echo`. */
class FaultyChannel extends MemoryChannel {
  readonly #fault: Fault;

  constructor(fault: Fault) {
    super();
    this.#fault = fault;
  }

  override openHubStream(path: string, events: HubStreamEvents): HubStream {
    this.#fault();
    const stream = super.openHubStream(path, events);
    return {
      send: (message) => {
        this.#fault();
        stream.send(message);
        this.#answer(this.received.at(-1) as ClientSent);
      },
      close: () => {
        this.#fault();
        stream.close();
      },
      cancel: () => {
        this.#fault();
        stream.cancel();
      },
    };
  }

  #answer({ type, messageId = 0, methodId = 0, body = new Uint8Array() }: ClientSent): void {
    if (type === "request") queueMicrotask(() => this.send({ type: "response", messageId, methodId, body }));
  }

  broadcast(name: string, value: unknown): void {
    this.send({ type: "broadcast", methodId: idOf(name), body: packed(value) });
  }

  /** Asks a method of the receiver, and gives what it answers once all that is under way is done. */
  async ask(name: string, clientResultMessageId: string, value: unknown): Promise<ClientSent | undefined> {
    this.send({
      type: "clientResultRequest",
      clientResultMessageId,
      methodId: idOf(name),
      body: packed(value),
    });
    await settled();
    return this.received.find((message) => message.clientResultMessageId === clientResultMessageId);
  }

  beat(sequence: number): void {
    this.send({ type: "serverHeartbeat", sequence, serverSentAt: 5, metadata: Uint8Array.of(0xc0) });
  }
}

/** Lets all go on that waits for nothing but its turn. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await null;
}

const guid = (i: number) => `00000000-0000-0000-0000-${String(i).padStart(12, "0")}`;

/** Where errors came out that nobody else was told of. */
let reports: unknown[];
let unhandled: unknown[];
const note = (error: unknown) => unhandled.push(error);
const logged = vi.spyOn(console, "error").mockImplementation(() => {});

beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  logged.mockClear();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
  expect(unhandled).toEqual([]);
});

interface Setting {
  readonly channel: FaultyChannel;
  readonly hub: StreamingHubClient<ITestHub>;
  readonly heard: unknown[];
}

async function connect(fault: Fault): Promise<Setting> {
  reports = [];
  const heard: unknown[] = [];
  const receiver = {
    hear(value: unknown) {
      fault();
      heard.push(value);
    },
    async hearLater(value: unknown) {
      await null;
      fault();
      heard.push(value);
    },
    hearThenable(value: unknown) {
      heard.push(value);
      return {
        // biome-ignore lint/suspicious/noThenProperty: it is a promise of another kind.
        get then() {
          fault();
          return (_: unknown, reject: (error: unknown) => void) => {
            try {
              fault();
            } catch (error) {
              reject(error);
            }
          };
        },
      };
    },
    answer(value: unknown) {
      fault();
      return value;
    },
    async answerLater(value: unknown) {
      await null;
      fault();
      return value;
    },
    answerPoint(value: unknown) {
      return new Point(Number(value));
    },
  };
  const channel = new FaultyChannel(fault);
  const extensionCodec = faultyCodec(fault);
  const hub = await connectStreamingHub<ITestHub>(channel, "ITestHub", receiver, {
    encoder: { extensionCodec },
    decoder: { extensionCodec },
    methodName(name) {
      fault();
      return name.charAt(0).toUpperCase() + name.slice(1);
    },
    heartbeat: {
      interval: 100,
      onResponse() {
        fault();
      },
    },
    onServerHeartbeat() {
      fault();
    },
    onError(error) {
      fault();
      reports.push(error);
    },
  });
  return { channel, hub, heard };
}

/** Where each error has come out. */
class Places {
  readonly all: unknown[] = [];

  /** Waits for a promise of the caller's: the error is told there. */
  async of(work: () => unknown): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      this.all.push(error);
      return undefined;
    }
  }

  /** Expects that the only fault there was has come out once, whoever was told of it. */
  expectOnce({ channel }: Partial<Setting> = {}): void {
    const told = logged.mock.calls.flat().filter((part) => part === boom);
    const answers = (channel?.received ?? []).filter(({ detail }) => detail === boom.message);
    const count =
      [...this.all, ...reports, ...told].filter((error) => error === boom).length + answers.length;
    expect(count).toBe(1);
    expect(this.all.filter((error) => error !== boom)).toEqual([]);
  }
}

/** Everything works, whatever there was before. */
async function expectAlive({ channel, hub, heard }: Setting): Promise<void> {
  const before = { heard: heard.length, reports: reports.length, received: channel.received.length };
  expect(await hub.echo(new Point(3))).toStrictEqual(new Point(3));
  channel.broadcast("Hear", new Point(4));
  channel.broadcast("HearLater", 5);
  expect(await channel.ask("AnswerLater", guid(99), "x")).toMatchObject({ type: "clientResultResponse" });
  expect(heard.slice(before.heard)).toStrictEqual([new Point(4), 5]);
  channel.beat(7);
  expect(channel.received.at(-1)).toEqual({ type: "serverHeartbeatResponse", sequence: 7, serverSentAt: 5 });
  await vi.advanceTimersByTimeAsync(100);
  const { sequence, clientSentAt } = channel.received.at(-1) as Required<ClientSent>;
  await vi.advanceTimersByTimeAsync(30);
  channel.send({ type: "clientHeartbeatResponse", sequence, clientSentAt });
  expect(hub.roundTripTime).toBe(30);
  hub.fireAndForget.notify(1);
  expect(channel.received.at(-1)).toMatchObject({ type: "requestFireAndForget" });
  expect(reports.length).toBe(before.reports);
}

test("a hub works on after whatever the receiver, callbacks, codecs and the transport throw", async () => {
  const count = await failAtEachAwaited(async (fault) => {
    logged.mockClear();
    const places = new Places();
    let isOn = true;
    const setting = (await places.of(() => connect(() => (isOn ? fault() : undefined)))) as
      | Setting
      | undefined;
    if (setting === undefined) {
      // One can connect again.
      isOn = false;
      const again = await connect(() => {});
      await expectAlive(again);
      await again.hub.close();
      places.expectOnce();
      throw boom;
    }
    const { channel, hub } = setting;
    // Nothing is thrown at the transport, nor in a timer: these would be test failures here.
    const calls = [places.of(() => hub.echo(new Point(1))), places.of(() => hub.echo({ list: [1, "two"] }))];
    const { signal } = new AbortController();
    calls.push(places.of(() => hub.withSignal(signal).echo(2)));
    calls.push(places.of(() => hub.fireAndForget.notify(new Point(2))));
    for (const name of ["Hear", "HearLater", "HearThenable"]) channel.broadcast(name, new Point(1));
    const answers = [
      await channel.ask("Answer", guid(1), 1),
      await channel.ask("AnswerLater", guid(2), 2),
      await channel.ask("AnswerPoint", guid(3), 3),
    ];
    expect(answers.filter((answer) => answer === undefined).length).toBeLessThanOrEqual(1);
    channel.events.message(Uint8Array.of(0xc1));
    channel.beat(1);
    await vi.advanceTimersByTimeAsync(130);
    channel.send({ type: "clientHeartbeatResponse", sequence: 0, clientSentAt: 100 });
    expect(hub.roundTripTime).toBe(30);
    await Promise.all(calls);
    await vi.advanceTimersByTimeAsync(70);
    isOn = false;
    await expectAlive(setting);
    const late = hub.echo(1).catch((error) => error);
    isOn = true;
    await hub.close();
    expect(await late).toMatchObject({ code: "CLOSED" });
    expect(await hub.waitForDisconnect()).toMatchObject({ type: "completed" });
    expect(vi.getTimerCount()).toBe(0);
    await hub.close();
    const isFaulty = reports.includes(boom) || logged.mock.calls.length > 0 || places.all.length > 0;
    if (isFaulty || channel.received.some(({ detail }) => detail === boom.message)) {
      places.expectOnce(setting);
      throw boom;
    }
  }, expectBoomAlone);
  expect(count).toBeGreaterThan(30);
});

/** A transport that accepts a hub, or not, and cannot end a stream. */
class StuckChannel extends MemoryChannel {
  readonly #version: string | null;

  constructor(version: string | null = "2") {
    super();
    this.#version = version;
  }

  override openHubStream(path: string, events: HubStreamEvents): HubStream {
    this.path = path;
    this.events = events;
    const version = this.#version;
    if (version !== null) queueMicrotask(() => events.accepted(version));
    const fail = () => {
      throw boom;
    };
    return { send: () => {}, close: fail, cancel: fail };
  }
}

describe("a transport that fails to end its stream is reported, and nobody waits", () => {
  const options: StreamingHubOptions = { onError: (error) => reports.push(error) };

  beforeEach(() => {
    reports = [];
  });

  afterEach(() => {
    expect(reports).toEqual([boom]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("when the client closes", async () => {
    const hub = await connectStreamingHub<ITestHub>(new StuckChannel(), "ITestHub", {}, options);
    const call = expect(hub.echo(1)).rejects.toMatchObject({ code: "CLOSED" });
    await hub.close();
    await hub.close();
    await call;
    expect(await hub.waitForDisconnect()).toMatchObject({ type: "completed" });
  });

  test("when heartbeats have no answer", async () => {
    const heartbeat = { interval: 100, timeout: 50 };
    const hub = await connectStreamingHub<ITestHub>(
      new StuckChannel(),
      "ITestHub",
      {},
      {
        ...options,
        heartbeat,
      },
    );
    const call = expect(hub.echo(1)).rejects.toMatchObject({ code: "TIMED_OUT" });
    await vi.advanceTimersByTimeAsync(150);
    await call;
    await hub.close();
    expect(await hub.waitForDisconnect()).toMatchObject({ type: "timedOut" });
  });

  test("when connecting is aborted", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const connecting = connectStreamingHub(new StuckChannel(null), "ITestHub", {}, { ...options, signal });
    controller.abort("enough");
    await expect(connecting).rejects.toBe("enough");
  });

  test("when the server speaks another version", async () => {
    const connecting = connectStreamingHub(new StuckChannel("3"), "ITestHub", {}, options);
    await expect(connecting).rejects.toMatchObject({ code: "CONNECT" });
  });
});

test("a transport may end a stream and throw at once", async () => {
  const channel: HubChannel = {
    openHubStream(_, events) {
      events.ended({ status: 14, detail: "" });
      throw boom;
    },
  };
  await expect(connectStreamingHub(channel, "ITestHub", {})).rejects.toBe(boom);
});

describe("a server that waits for a receiver is told of an exception that is", () => {
  const wordless = Object.create(null);
  const failing = Object.defineProperty(new Error(), "message", {
    get() {
      throw boom;
    },
  });
  test.each([
    ["a number", 7, "7"],
    ["an error whose message is none", Object.assign(new Error(), { message: 5 }), "5"],
    ["without words", wordless, "An exception without words"],
    ["faulty itself", failing, "An exception without words"],
  ])("%s", async (_, thrown, detail) => {
    const channel = new FaultyChannel(() => {});
    const receiver = {
      answer() {
        throw thrown;
      },
    };
    const hub = await connectStreamingHub(channel, "ITestHub", receiver);
    const answer = await channel.ask("Answer", guid(1), null);
    expect(answer).toMatchObject({ type: "clientResultResponseWithError", statusCode: 13, detail });
    await hub.close();
  });
});
