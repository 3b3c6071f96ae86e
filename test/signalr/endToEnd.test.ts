import { type HubConnection, HubConnectionBuilder, LogLevel, Subject } from "@microsoft/signalr";
import { TypedArrayCodec } from "msgpack-wasm";
import { MessagePackHubProtocol, type MessagePackOptions } from "msgpack-wasm/signalr";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Caller, TestHub } from "./lib/TestHub.ts";

// The official client with our protocol, over a real WebSocket, and a hub that speaks through the official protocol.

let hub: TestHub;
let connections: HubConnection[];

beforeEach(async () => {
  connections = [];
  hub = await TestHub.start({
    add: (_, a, b) => (a as number) + (b as number),
    echo: (_, value) => value,
    nothing: () => undefined,
    fail: (_, reason) => {
      throw new Error(`refused: ${reason}`);
    },
    async *count(_, from, to) {
      for (let i = from as number; i <= (to as number); i++) yield { i, text: "x".repeat(i) };
    },
    async *failAfter(_, count) {
      for (let i = 0; i < (count as number); i++) yield i;
      throw new Error("no more");
    },
    async *endless() {
      for (let i = 0; ; i++) {
        yield i;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    async sum(_, first, numbers) {
      let sum = first as number;
      for await (const number of numbers as AsyncIterable<number>) sum += number;
      return sum;
    },
    async *upper(_, texts) {
      for await (const text of texts as AsyncIterable<string>) yield text.toUpperCase();
    },
    askBack: (caller, question) => caller.invoke("ask", question),
    tellAll: (caller, ...args) => {
      caller.call("told", ...args);
      caller.call("told", "again");
    },
  });
});

afterEach(async () => {
  for (const connection of connections) await connection.stop();
  await hub.stop();
});

async function connect(
  options: MessagePackOptions = {},
  configure: (builder: HubConnectionBuilder) => HubConnectionBuilder = (builder) => builder,
): Promise<{ connection: HubConnection; caller: Caller }> {
  const builder = new HubConnectionBuilder()
    .withUrl(hub.url)
    .configureLogging(LogLevel.None)
    .withHubProtocol(new MessagePackHubProtocol(options));
  const connection = configure(builder).build();
  connections.push(connection);
  await connection.start();
  return { connection, caller: hub.connections[hub.connections.length - 1] };
}

/** Resolves when a condition holds that nothing tells about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

function collect<T>(connection: HubConnection, method: string, ...args: unknown[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const items: T[] = [];
    connection.stream<T>(method, ...args).subscribe({
      next: (item) => items.push(item),
      complete: () => resolve(items),
      error: reject,
    });
  });
}

describe("a hub connection", () => {
  test("invokes methods and gets their results", async () => {
    const { connection } = await connect();
    expect(await connection.invoke("add", 40, 2)).toBe(42);
    expect(await connection.invoke("nothing")).toBeUndefined();
    expect(await connection.invoke("echo", null)).toBeNull();
    const value = {
      text: "日本 😀",
      list: [1, -1, 2.5, 2 ** 40, true, null],
      nested: { at: new Date(1e12), data: Uint8Array.of(1, 2, 3) },
    };
    expect(await connection.invoke("echo", value)).toEqual(value);
    const many = await Promise.all(Array.from({ length: 200 }, (_, i) => connection.invoke("echo", { i })));
    expect(many).toEqual(Array.from({ length: 200 }, (_, i) => ({ i })));
  });

  test("gets the errors of methods, and works on", async () => {
    const { connection } = await connect();
    await expect(connection.invoke("fail", "reason")).rejects.toThrow("refused: reason");
    await expect(connection.invoke("unknown")).rejects.toThrow("Unknown hub method 'unknown'");
    await expect(connection.invoke("echo", 1n)).rejects.toThrow("Unrecognized object");
    expect(await connection.invoke("add", 1, 2)).toBe(3);
  });

  test("sends without waiting for an answer, with no invocation id", async () => {
    const { connection, caller } = await connect();
    await connection.send("echo", "one way");
    const invocations = () => caller.received.filter(({ type }) => type === 1);
    await until(() => invocations().length > 0);
    expect(invocations()).toEqual([
      { type: 1, headers: {}, target: "echo", arguments: ["one way"], streamIds: [] },
    ]);
  });

  test("is called by the server", async () => {
    const { connection } = await connect();
    const calls: unknown[][] = [];
    connection.on("told", (...args) => calls.push(args));
    await connection.invoke("tellAll", 1, { a: [2] }, "three");
    expect(calls).toEqual([[1, { a: [2] }, "three"], ["again"]]);
  });

  test("answers the server", async () => {
    const { connection, caller } = await connect();
    connection.on("ask", async (question: string) => `${question} 42`);
    expect(await connection.invoke("askBack", "answer:")).toBe("answer: 42");
    connection.off("ask");
    connection.on("ask", () => {
      throw new Error("no answer");
    });
    await expect(caller.invoke("ask", "?")).rejects.toThrow("no answer");
    await expect(caller.invoke("missing")).rejects.toThrow();
  });

  test("reads streams of the server to their end or error", async () => {
    const { connection } = await connect();
    const items = await collect(connection, "count", 1, 50);
    expect(items).toEqual(Array.from({ length: 50 }, (_, i) => ({ i: i + 1, text: "x".repeat(i + 1) })));
    await expect(collect(connection, "failAfter", 3)).rejects.toThrow("no more");
  });

  test("cancels streams of the server", async () => {
    const { connection, caller } = await connect();
    let last = -1;
    const subscription = connection.stream<number>("endless").subscribe({
      next: (item) => {
        last = item;
      },
      complete: () => {},
      error: () => {},
    });
    await until(() => last >= 3);
    subscription.dispose();
    await until(() => caller.hasCancelled("0"));
    expect(caller.received.at(-1)).toEqual({ type: 5, headers: {}, invocationId: "0" });
    expect(await connection.invoke("add", 1, 1)).toBe(2);
  });

  test("streams to the server", async () => {
    const { connection } = await connect();
    const numbers = new Subject<number>();
    const sum = connection.invoke("sum", 100, numbers);
    for (let i = 1; i <= 10; i++) numbers.next(i);
    numbers.complete();
    expect(await sum).toBe(155);

    const broken = new Subject<number>();
    const failure = connection.invoke("sum", 0, broken);
    broken.next(1);
    broken.error(new Error("stopped"));
    await expect(failure).rejects.toThrow("stopped");
  });

  test("streams both ways", async () => {
    const { connection } = await connect();
    const texts = new Subject<string>();
    const upper = collect(connection, "upper", texts);
    for (const text of ["a", "bc", "é"]) texts.next(text);
    texts.complete();
    expect(await upper).toEqual(["A", "BC", "É"]);
  });

  test("passes large arguments", async () => {
    const { connection } = await connect();
    const large = {
      text: "x".repeat(300_000),
      wide: "日本".repeat(40_000),
      data: new Uint8Array(500_000).fill(7),
      records: Array.from({ length: 5000 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ["a", "b"] })),
    };
    expect(await connection.invoke("echo", large)).toEqual(large);
  });

  test("passes a Float32Array with a TypedArrayCodec", async () => {
    // The hub knows it as an extension only, and passes it on as it is.
    const { connection } = await connect({ extensionCodec: new TypedArrayCodec() });
    const samples = Float32Array.from({ length: 1000 }, (_, i) => i / 7);
    const received = new Promise<Float32Array>((resolve) => connection.on("told", resolve));
    await connection.invoke("tellAll", samples);
    expect(await received).toEqual(samples);
    const echoed = (await connection.invoke("echo", { samples })) as { samples: Float32Array };
    expect(echoed.samples).toEqual(samples);
  });

  test("is told why the server closes", async () => {
    const { connection, caller } = await connect();
    const closed = new Promise<Error | undefined>((resolve) => connection.onclose(resolve));
    // The official package, which the hub writes with, leaves the error out.
    caller.sendBytes(
      new Uint8Array(new MessagePackHubProtocol().writeMessage({ type: 7, error: "maintenance" })),
    );
    expect((await closed)?.message).toContain("maintenance");
  });

  test("ends with a clear error where bytes are no messages", async () => {
    const { connection, caller } = await connect();
    const closed = new Promise<Error | undefined>((resolve) => connection.onclose(resolve));
    caller.sendBytes(Uint8Array.of(5, 0x91));
    expect((await closed)?.message).toContain("Incomplete message.");
  });
});

describe("a stateful reconnect", () => {
  test("resends what the other side has not acknowledged, in both directions, and nothing twice", async () => {
    const { connection, caller } = await connect({}, (builder) => builder.withStatefulReconnect());
    expect(caller.isStateful).toBe(true);
    const calls: unknown[] = [];
    connection.on("told", (value) => calls.push(value));
    expect(await connection.invoke("echo", "before")).toBe("before");
    caller.call("told", 1);
    await until(() => calls.length === 1);

    caller.drop();
    // Neither side has a line now: both keep what they say.
    caller.call("told", 2);
    const answer = connection.invoke("echo", "while away");
    caller.call("told", 3);
    expect(await answer).toBe("while away");
    await until(() => calls.length === 3);
    expect(calls).toEqual([1, 2, 3]);

    const sequences = caller.received.filter(({ type }) => type === 9);
    expect(sequences).toHaveLength(1);
    expect(sequences[0]).toEqual({ type: 9, sequenceId: expect.any(Number) });
    // The client acknowledges once a second.
    await until(() => caller.received.some(({ type }) => type === 8));
    expect(caller.received.find(({ type }) => type === 8)).toEqual({
      type: 8,
      sequenceId: expect.any(Number),
    });
    expect(await connection.invoke("add", 2, 3)).toBe(5);
  });
});
