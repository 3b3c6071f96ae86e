import { Redis } from "ioredis";
import { MessagePackHubProtocol } from "msgpack-wasm/signalr";
import {
  BackplaneError,
  createHubEmitter,
  type HubEmitter,
  HubListener,
  type RedisClient,
} from "msgpack-wasm/signalr/redis";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { boom, expectBoomAlone, type Fault, failAtEachAwaited } from "../../lib/faults.ts";
import { BackplaneServer, type DoubledConnection } from "./lib/BackplaneServer.ts";
import { RedisServer } from "./lib/RedisServer.ts";

// Whatever of the caller's throws, at whichever call: it is told once, to the caller or in the log, everything that was
// waited for is settled, the Redis clients do not stumble over it, and the same emitter and listener work on.

const HUB = "MyApp.ChatHub";
/** Which of the clients' functions can throw, or be rejected. */
const FUNCTIONS = ["publish", "duplicate", "on", "connect", "subscribe", "psubscribe", "pSubscribe"];
const ENDS = ["disconnect", "destroy"];

let redisServer: RedisServer;
let server: BackplaneServer;
let ann: DoubledConnection;
/** What is to be let go of, whatever happens to it before. */
let closers: (() => void)[];
let unhandled: unknown[];
const note = (error: unknown) => unhandled.push(error);
const logged = [vi.spyOn(console, "error"), vi.spyOn(console, "warn")];

/** What went to a logger, and to the console where that threw. */
function toldTo(log: readonly string[]): string {
  return [...log, ...logged.flatMap((spy) => spy.mock.calls.flat())].join("\n");
}

beforeAll(async () => {
  redisServer = await RedisServer.start();
  server = await BackplaneServer.start(redisServer.port, HUB);
  ann = await server.connect({ id: "conn-ann", protocol: "messagepack" });
  ann.answer = () => "yes";
});
afterAll(async () => {
  await server.stop();
  await redisServer.stop();
});
beforeEach(() => {
  closers = [];
  unhandled = [];
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  for (const spy of logged) spy.mockReset().mockImplementation(() => {});
});
afterEach(async () => {
  for (const close of closers) close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
  expect(unhandled).toEqual([]);
});

/** Clients with which some calls fail: at once, or when Redis has answered. */
function faulty<T extends object>(client: T, fault: Fault): T {
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const isEnd = ENDS.includes(String(name));
      if (!isEnd && !FUNCTIONS.includes(String(name))) return value.bind(target);
      return (...args: unknown[]) => {
        // A client that cannot be let go of is still let go of here.
        if (isEnd) closers.push(() => value.call(target));
        fault();
        const result = value.apply(target, args);
        if (name === "duplicate") return faulty(result, fault);
        return name !== "on" && result instanceof Promise
          ? result.then((got) => {
              fault();
              return got;
            })
          : result;
      };
    },
  });
}

const clients: [string, () => Promise<RedisClient>][] = [
  [
    "ioredis",
    async () => {
      const redis = new Redis(redisServer.port, "127.0.0.1");
      redis.on("error", () => {});
      closers.push(() => redis.disconnect());
      return redis;
    },
  ],
  [
    "redis (node-redis)",
    async () => {
      const redis = createClient({ url: redisServer.url });
      redis.on("error", () => {});
      await redis.connect();
      closers.push(() => redis.destroy());
      return redis;
    },
  ],
];

class FaultyProtocol extends MessagePackHubProtocol {
  readonly #fault: Fault;
  constructor(fault: Fault) {
    super();
    this.#fault = fault;
  }
  override writeMessage(message: Parameters<MessagePackHubProtocol["writeMessage"]>[0]): ArrayBuffer {
    this.#fault();
    return super.writeMessage(message);
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** The errors that calls came to; each has come to an end. */
async function errorsOf(calls: Promise<unknown>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(calls);
  return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
}

function useAll(hub: HubEmitter): Promise<unknown>[] {
  return [
    hub.all.send("message", 1),
    hub.groups.add("conn-ann", "room"),
    hub.connection("conn-ann").invoke("ask"),
    hub.group("room").send("message", 2),
    hub.groups.remove("conn-ann", "room"),
  ];
}

async function expectAlive(hub: HubEmitter): Promise<void> {
  await hub.groups.add("conn-ann", "room");
  const calls = ann.calls.length;
  expect(await hub.group("room").send("message", 3)).toBe(1);
  await until(() => ann.calls.length > calls);
  expect(await hub.connection("conn-ann").invoke("ask")).toBe("yes");
}

describe.each(clients)("with a client of %s,", (_, connect) => {
  test("an emitter works on after whatever the client, the protocol or the logger throws", async () => {
    const client = await connect();
    const count = await failAtEachAwaited(async (fault) => {
      let isOn = true;
      const ask = () => (isOn ? fault() : undefined);
      const log: string[] = [];
      for (const spy of logged) spy.mockClear();
      const hub = createHubEmitter(faulty(client, ask), HUB, {
        protocols: [new FaultyProtocol(ask)],
        logger: {
          log(_, message) {
            ask();
            log.push(message);
          },
        },
      });
      const errors = await errorsOf(useAll(hub));
      // What comes malformed on the emitter's own channels is logged, before the next ack comes there.
      await (client as Redis).publish(hub.channels.ack(hub.serverName), Buffer.of(0xc1));
      errors.push(...(await errorsOf(useAll(hub))));
      isOn = false;
      await expectAlive(hub);
      const waiting = errorsOf([hub.connection("conn-gone").invoke("ask"), hub.groups.add("gone", "room")]);
      isOn = true;
      hub.close();
      for (const error of await waiting) expect(error).toBeInstanceOf(BackplaneError);
      expect(errors.filter((error) => error !== boom)).toEqual([]);
      const told = toldTo(log);
      if (errors.length > 0 || told.includes("boom")) throw boom;
    }, expectBoomAlone);
    expect(count).toBeGreaterThan(20);
  });

  test("a listener works on after whatever listeners of events and the logger throw", async () => {
    const client = await connect();
    const hub = createHubEmitter(client, HUB);
    closers.push(() => hub.close());
    await hub.groups.add("conn-ann", "room");
    const count = await failAtEachAwaited(async (fault) => {
      let isOn = true;
      const ask = () => (isOn ? fault() : undefined);
      const log: string[] = [];
      for (const spy of logged) spy.mockClear();
      const listener = new HubListener(client, HUB, {
        logger: {
          log(_, message) {
            ask();
            log.push(message);
          },
        },
      });
      closers.push(() => listener.close());
      const heard: unknown[] = [];
      listener.on("invocation", ({ target }) => {
        heard.push(target);
        ask();
      });
      listener.on("invocation", async () => {
        await null;
        ask();
      });
      listener.on("groupCommand", ask);
      listener.on("ack", ask);
      listener.on("completion", ask);
      listener.on("malformed", ask);
      await listener.start();
      await Promise.all(useAll(hub));
      await (client as Redis).publish(`${HUB}:internal:unknown`, Buffer.of(0xc1));
      await hub.all.send("sentinel");
      await until(() => heard.includes("sentinel"));
      isOn = false;
      await hub.all.send("end");
      await until(() => heard.includes("end"));
      const told = toldTo(log);
      expect(told).toContain("malformed");
      listener.close();
      if (told.includes("boom")) throw boom;
    }, expectBoomAlone);
    expect(count).toBeGreaterThan(9);
  });

  test("a listener can be started again after whatever the client throws", async () => {
    const client = await connect();
    const hub = createHubEmitter(client, HUB);
    closers.push(() => hub.close());
    const count = await failAtEachAwaited(async (fault) => {
      let isOn = true;
      const log: string[] = [];
      const listener = new HubListener(
        faulty(client, () => (isOn ? fault() : undefined)),
        HUB,
        {
          logger: { log: (_, message) => log.push(message) },
        },
      );
      const heard: unknown[] = [];
      listener.on("invocation", ({ target }) => heard.push(target));
      const [error] = await errorsOf([listener.start()]);
      isOn = false;
      await listener.start();
      await hub.all.send("end");
      await until(() => heard.includes("end"));
      isOn = true;
      listener.close();
      if (error !== undefined) throw error;
      if (log.join("\n").includes("boom")) throw boom;
    }, expectBoomAlone);
    expect(count).toBeGreaterThan(5);
  });
});
