import { encode } from "@msgpack/msgpack";
import { Redis } from "ioredis";
import { MessagePackHubProtocol } from "msgpack-wasm/signalr";
import {
  BackplaneError,
  createHubEmitter,
  type HubEmitter,
  type HubEmitterOptions,
  HubListener,
  type HubListenerOptions,
  type RedisClient,
  writeAck,
} from "msgpack-wasm/signalr/redis";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Log } from "../lib/messages.ts";
import { BackplaneServer, type DoubledConnection } from "./lib/BackplaneServer.ts";
import { RedisServer } from "./lib/RedisServer.ts";

// A real Redis, and a double of a SignalR server that speaks through the official packages.

const HUB = "MyApp.ChatHub";

interface Client {
  readonly redis: RedisClient;
  close(): void;
}

async function ioredis(port: number): Promise<Client> {
  const redis = new Redis(port, "127.0.0.1", { retryStrategy: () => 20 });
  redis.on("error", () => {});
  return { redis, close: () => redis.disconnect() };
}

async function nodeRedis(port: number): Promise<Client> {
  const redis = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: () => 20 } });
  redis.on("error", () => {});
  await redis.connect();
  return { redis, close: () => redis.destroy() };
}

/** Resolves when a condition holds that nothing tells about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

let redisServer: RedisServer;
beforeAll(async () => {
  redisServer = await RedisServer.start();
});
afterAll(() => redisServer.stop());

describe.each([
  ["ioredis", ioredis],
  ["redis (node-redis)", nodeRedis],
])("with a client of %s,", (_, connect) => {
  let client: Client;
  let server: BackplaneServer;
  let ann: DoubledConnection;
  let bob: DoubledConnection;
  let emitters: { close(): void }[];
  let log: Log;

  beforeEach(async () => {
    log = new Log();
    emitters = [];
    client = await connect(redisServer.port);
    server = await BackplaneServer.start(redisServer.port, HUB);
    ann = await server.connect({ id: "conn-ann", protocol: "json", user: "ann" });
    bob = await server.connect({ id: "conn-bob", protocol: "messagepack", user: "bob" });
  });

  afterEach(async () => {
    for (const emitter of emitters) emitter.close();
    client.close();
    await server.stop();
  });

  function newEmitter(options: HubEmitterOptions = {}): HubEmitter {
    const emitter = createHubEmitter(client.redis, HUB, { logger: log, ...options });
    emitters.push(emitter);
    return emitter;
  }

  async function newListener(options: HubListenerOptions = {}): Promise<HubListener> {
    const listener = new HubListener(client.redis, HUB, { logger: log, ...options });
    emitters.push(listener);
    await listener.start();
    return listener;
  }

  /** Sends something behind what was sent, and waits for it. */
  async function settle(emitter: HubEmitter): Promise<void> {
    await emitter.all.send("end");
    await until(() => [ann, bob].every(({ calls }) => calls.at(-1)?.target === "end"));
  }

  const targetsOf = ({ calls }: DoubledConnection) => calls.map(({ target, from }) => `${from}:${target}`);

  test("a message for all reaches each connection in its protocol", async () => {
    const hub = newEmitter();
    expect(await hub.all.send("message", "ann", { text: "日本 é", list: [1, 2.5, null] })).toBe(1);
    await until(() => ann.calls.length > 0 && bob.calls.length > 0);
    const call = {
      target: "message",
      arguments: ["ann", { text: "日本 é", list: [1, 2.5, null] }],
      from: "all",
    };
    expect(ann.calls).toEqual([call]);
    expect(bob.calls).toEqual([call]);
  });

  test("some connections can be left out", async () => {
    const hub = newEmitter();
    await hub.all.except("conn-ann").send("not ann");
    await hub.all.except(["conn-ann"]).except(["conn-bob"]).send("nobody");
    await settle(hub);
    expect(targetsOf(ann)).toEqual(["all:end"]);
    expect(targetsOf(bob)).toEqual(["all:not ann", "all:end"]);
  });

  test("a message reaches the connections of a user, or one connection", async () => {
    const hub = newEmitter();
    await hub.user("ann").send("to user");
    await hub.connection("conn-bob").send("to connection");
    expect(await hub.user("nobody").send("to nobody")).toBe(0);
    await settle(hub);
    expect(targetsOf(ann)).toEqual(["user:to user", "all:end"]);
    expect(targetsOf(bob)).toEqual(["connection:to connection", "all:end"]);
  });

  test("connections are added to groups and removed from them", async () => {
    const hub = newEmitter();
    await hub.groups.add("conn-ann", "room");
    await Promise.all([hub.groups.add("conn-bob", "room"), hub.groups.add("conn-bob", "other")]);
    await hub.group("room").send("both");
    await hub.group("room").except("conn-bob").send("ann alone");
    await hub.groups.remove("conn-ann", "room");
    await hub.group("room").send("bob alone");
    await settle(hub);
    expect(targetsOf(ann)).toEqual(["group:both", "group:ann alone", "all:end"]);
    expect(targetsOf(bob)).toEqual(["group:both", "group:bob alone", "all:end"]);
  });

  test("a group command that nobody acknowledges is rejected after the timeout", async () => {
    const hub = newEmitter({ timeout: 100 });
    const error = await rejection(hub.groups.add("conn-unknown", "room"));
    expect(error).toBeInstanceOf(BackplaneError);
    expect(error).toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("conn-unknown") });
    server.acknowledges = false;
    expect(await rejection(hub.groups.add("conn-ann", "room"))).toMatchObject({ code: "TIMEOUT" });
    server.acknowledges = true;
    await newEmitter().groups.add("conn-ann", "room");
  });

  test("clients are asked for results", async () => {
    const hub = newEmitter();
    ann.answer = ({ arguments: [question] }) => ({ answer: `${question} 42` });
    bob.answer = async () => [1, "two", null];
    const [first, second] = await Promise.all([
      hub.connection("conn-ann").invoke("ask", "answer:"),
      hub.connection("conn-bob").invoke<unknown[]>("ask"),
    ]);
    expect(first).toEqual({ answer: "answer: 42" });
    expect(second).toEqual([1, "two", null]);
    bob.answer = () => undefined;
    expect(await hub.connection("conn-bob").invoke("ask")).toBeUndefined();
  });

  test("a client's error, a connection that is not there and one that says nothing are told apart", async () => {
    const hub = newEmitter();
    ann.answer = () => {
      throw new Error("no answer");
    };
    expect(await rejection(hub.connection("conn-ann").invoke("ask"))).toMatchObject({
      code: "CLIENT_ERROR",
      message: "no answer",
    });
    expect(await rejection(hub.connection("conn-gone").invoke("ask"))).toMatchObject({
      code: "NO_CONNECTION",
    });
    const hasty = newEmitter({ resultTimeout: 100 });
    expect(await rejection(hasty.connection("conn-bob").invoke("ask"))).toMatchObject({ code: "TIMEOUT" });
  });

  test("what cannot be serialized is rejected, and nothing is sent", async () => {
    const hub = newEmitter();
    await expect(hub.all.send("wrong", () => 0, 1n)).rejects.toThrow();
    await expect(hub.connection("conn-ann").invoke("wrong", 1n)).rejects.toThrow();
    await settle(hub);
    expect(targetsOf(ann)).toEqual(["all:end"]);
  });

  test("protocols can be chosen, with options of their own", async () => {
    expect(() => newEmitter({ protocols: [] })).toThrow(TypeError);
    expect(() => newEmitter({ protocols: ["xml" as "json"] })).toThrow('Unknown protocol: xml; "json"');
    const messagePack = new MessagePackHubProtocol({ int64: "auto" });
    const hub = newEmitter({ protocols: [messagePack] });
    server.connections.delete("conn-ann");
    bob.answer = ({ arguments: [number] }) => number;
    expect(await hub.connection("conn-bob").invoke("echo", 2n ** 40n)).toBe(2 ** 40);
    await hub.all.send("bytes", Buffer.from("abc"), Uint16Array.of(1));
    await until(() => bob.calls.length === 2);
    expect(bob.calls[1].arguments).toEqual([Uint8Array.of(97, 98, 99), Uint8Array.of(1, 0)]);
  });

  test("bytes are base 64 in JSON, as .NET writes them", async () => {
    const hub = newEmitter();
    await hub.all.send("bytes", Buffer.from("abc"), { inner: Uint8Array.of(1, 2) });
    await until(() => ann.calls.length > 0);
    expect(ann.calls[0].arguments).toEqual(["YWJj", { inner: "AQI=" }]);
  });

  test("a channel prefix goes in front of all channels", async () => {
    const other = await BackplaneServer.start(redisServer.port, `app1:${HUB}`);
    emitters.push({ close: () => void other.stop() });
    const eve = await other.connect({ id: "conn-eve", protocol: "json" });
    const hub = newEmitter({ channelPrefix: "app1:" });
    await hub.all.send("prefixed");
    await hub.groups.add("conn-eve", "room");
    await until(() => eve.calls.length > 0);
    expect(ann.calls).toEqual([]);
  });

  test("a listener observes all of it", async () => {
    const listener = await newListener({ connections: true });
    const hub = newEmitter();
    const events: unknown[] = [];
    listener.on("invocation", ({ messages, returnChannel: _, invocationId, ...rest }) => {
      const protocols = messages.map(({ protocol }) => protocol);
      events.push({ ...rest, protocols, wantsResult: invocationId !== null });
    });
    listener.on("groupCommand", ({ id: _, ...command }) => events.push(command));
    listener.on("ack", (id, serverName) => events.push({ ack: id, serverName }));
    listener.on("completion", (completion, serverName) =>
      events.push({ result: completion.result, serverName }),
    );
    ann.answer = () => "yes";
    await hub.all.except("x").send("message", 1, "two");
    await hub.groups.add("conn-ann", "room:1");
    await hub.group("room:1").send("hello");
    await hub.connection("conn-ann").invoke("ask");
    await until(() => events.length === 6);
    const { serverName } = hub;
    const base = { excludedConnectionIds: [], protocols: ["json", "messagepack"], wantsResult: false };
    expect(events).toEqual([
      {
        ...base,
        scope: "all",
        name: "",
        target: "message",
        arguments: [1, "two"],
        excludedConnectionIds: ["x"],
      },
      { serverName, action: 1, groupName: "room:1", connectionId: "conn-ann" },
      { ack: 1, serverName },
      { ...base, scope: "group", name: "room:1", target: "hello", arguments: [] },
      { ...base, scope: "connection", name: "conn-ann", target: "ask", arguments: [], wantsResult: true },
      { result: "yes", serverName },
    ]);
  });

  test("a listener leaves it to be noticed that a connection does not exist", async () => {
    await newListener();
    expect(await rejection(newEmitter().connection("conn-gone").invoke("ask"))).toMatchObject({
      code: "NO_CONNECTION",
    });
  });

  test("hubs whose names are patterns to Redis are taken by their names", async () => {
    const listener = new HubListener(client.redis, "My*.Hub[1]?", { logger: log });
    emitters.push(listener);
    const seen: (string | undefined)[] = [];
    listener.on("invocation", ({ target }) => seen.push(target));
    await listener.start();
    for (const name of ["MyOther.Hub1x", "My*.Hub[1]?"]) {
      const hub = createHubEmitter(client.redis, name, { logger: log });
      emitters.push(hub);
      await hub.all.send(name);
    }
    await until(() => seen.length > 0);
    expect(seen).toEqual(["My*.Hub[1]?"]);
  });

  test("what others publish malformed is left out, and told in the log", async () => {
    const listener = await newListener();
    const malformed: string[] = [];
    listener.on("malformed", (_, channel) => malformed.push(channel));
    const hub = newEmitter();
    ann.answer = () => "still here";
    expect(await hub.connection("conn-ann").invoke("ask")).toBe("still here");
    await hub.groups.add("conn-ann", "room");

    const { channels, serverName } = hub;
    const wrong: [string, Uint8Array][] = [
      [channels.ack(serverName), Uint8Array.of(0xc1)],
      [channels.ack(serverName), new Uint8Array(0)],
      [channels.ack(serverName), Buffer.from("garbage")],
      [channels.returnResults(serverName), encode(["json", Buffer.from("{ no JSON")])],
      [channels.returnResults(serverName), encode(["xml", Buffer.from("<x/>")])],
      [channels.returnResults(serverName), encode(["messagepack", Uint8Array.of(5, 0x91)])],
      [channels.returnResults(serverName), encode({ not: "an array" })],
      [channels.all.replace("all", "internal:unknown"), Uint8Array.of(0x90)],
      [channels.all, Uint8Array.of(0x92, 0xdd, 0x7f, 0xff, 0xff, 0xff, 0x80)],
    ];
    const raw = new Redis(redisServer.port, "127.0.0.1");
    // The double would stumble over the last of these, as servers do.
    await server.stop();
    for (const [channel, bytes] of wrong) await raw.publish(channel, Buffer.from(bytes));
    // An ack and a result that nobody waits for are no fault.
    await raw.publish(channels.ack(serverName), Buffer.from(writeAck(4711)));
    const late = JSON.stringify({ type: 3, invocationId: "late", result: 1 });
    await raw.publish(
      channels.returnResults(serverName),
      Buffer.from(encode(["json", Buffer.from(`${late}\x1e`)])),
    );
    raw.disconnect();
    await until(() => malformed.length === wrong.length && log.lines.length >= 2 * wrong.length - 2);
    expect(malformed).toEqual(wrong.map(([channel]) => channel));
    // The emitter has told of the seven on its own channels, the listener of all.
    expect(log.lines).toHaveLength(7 + wrong.length);
    for (const line of log.lines)
      expect(line).toMatch(/^3: msgpack-wasm\/signalr\/redis: a malformed message on .* was left out: ./);
  });

  test("closing rejects what is waited for, and what is asked afterwards", async () => {
    const hub = newEmitter();
    server.acknowledges = false;
    const waiting = [hub.groups.add("conn-ann", "room"), hub.connection("conn-ann").invoke("ask")].map(
      rejection,
    );
    await until(() => ann.calls.length > 0);
    hub.close();
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: "CLOSED" });
    for (const call of [
      () => hub.all.send("x"),
      () => hub.groups.add("a", "b"),
      () => hub.connection("a").invoke("b"),
    ]) {
      expect(await rejection(call())).toMatchObject({ code: "CLOSED" });
    }
    hub.close();
  });
});

describe.each([
  ["ioredis", ioredis],
  ["redis (node-redis)", nodeRedis],
])("when Redis goes away under a client of %s,", (_, connect) => {
  let own: RedisServer;
  let client: Client;
  let server: BackplaneServer;
  let hub: HubEmitter;
  let listener: HubListener;
  let ann: DoubledConnection;
  const options = { timeout: 300, resultTimeout: 300, logger: null };

  beforeEach(async () => {
    own = await RedisServer.start();
    client = await connect(own.port);
    server = await BackplaneServer.start(own.port, HUB);
    ann = await server.connect({ id: "conn-ann", protocol: "json", answer: () => "here" });
    hub = createHubEmitter(client.redis, HUB, options);
    listener = new HubListener(client.redis, HUB, { logger: null });
    await listener.start();
  });

  afterEach(async () => {
    hub.close();
    listener.close();
    client.close();
    await server.stop();
    await own.stop();
  });

  /** Tries until it works: nobody is told when the other side has subscribed again. */
  async function eventually<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  }

  test("all that is waited for is rejected in time, and all works again when it is back", async () => {
    await eventually(() => hub.groups.add("conn-ann", "room"));
    expect(await eventually(() => hub.connection("conn-ann").invoke("ask"))).toBe("here");
    const seen: (string | undefined)[] = [];
    listener.on("invocation", ({ target }) => seen.push(target));

    await own.kill();
    const calls = [
      hub.all.send("lost"),
      hub.groups.add("conn-ann", "room"),
      hub.connection("conn-ann").invoke("lost"),
    ];
    for (const error of await Promise.all(calls.map(rejection))) expect(error).toBeInstanceOf(Error);
    // The first call for a subscription comes while there is no Redis.
    const late = createHubEmitter(client.redis, HUB, options);
    expect(await rejection(late.groups.add("conn-ann", "room"))).toMatchObject({ code: "TIMEOUT" });

    await own.resume();
    await eventually(() => hub.groups.add("conn-ann", "room"));
    await eventually(() => late.groups.add("conn-ann", "room"));
    expect(await eventually(() => hub.connection("conn-ann").invoke("ask"))).toBe("here");
    await eventually(async () => {
      await hub.all.send("back");
      if (!ann.calls.some(({ target }) => target === "back") || !seen.includes("back"))
        throw new Error("not yet");
    });
    late.close();
  });

  test("a server that goes away with a client's answer leaves nobody waiting", async () => {
    ann.answer = () => new Promise(() => {});
    const answer = rejection(hub.connection("conn-ann").invoke("ask"));
    await until(() => ann.calls.length > 0);
    await server.stop();
    expect(await answer).toMatchObject({ code: "TIMEOUT" });
    expect(await rejection(hub.connection("conn-ann").invoke("ask"))).toMatchObject({
      code: "NO_CONNECTION",
    });
  });
});

/** The error that a promise is rejected with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`An error was expected, but there was ${value}`);
    },
    (error) => error,
  );
}
