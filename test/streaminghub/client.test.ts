import { once } from "node:events";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { encode } from "@msgpack/msgpack";
import { ExtensionCodec, TypedArrayCodec } from "msgpack-wasm";
import { connectStreamingHub, StreamingHubError, type StreamingHubOptions } from "msgpack-wasm/streaminghub";
import { afterEach, describe, expect, test, vi } from "vitest";
import { HubServer, type HubServerOptions, type Methods, ReturnStatus } from "./lib/HubServer.ts";
import { idOf, pack } from "./lib/wire.ts";

// Over gRPC on the loopback interface, with a server that is written from the protocol's description.

interface ITestHub {
  echo(value: unknown): Promise<unknown>;
  add(a: number, b: number): Promise<number>;
  nothing(): Promise<null>;
  many(...args: unknown[]): Promise<unknown>;
  wait(name: string): Promise<string>;
  release(name: string): Promise<null>;
  fail(): Promise<never>;
  failWith(status: number, detail: string): Promise<never>;
  unknown(): Promise<never>;
  notify(text: string): void;
  Echo(value: unknown): Promise<unknown>;
  send(value: unknown): Promise<unknown>;
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const noted: unknown[] = [];

/** Methods of the server, some of which wait until they are told to go on. */
function methods(): Methods {
  const waiting = new Map<string, (name: string) => void>();
  return {
    Echo: (value) => value,
    Add: (value) => (value as [number, number])[0] + (value as [number, number])[1],
    Nothing: () => null,
    Many: (value) => value,
    Send: (value) => ["sent", value],
    Wait: (name) => new Promise((resolve) => waiting.set(name as string, resolve)),
    Release: (name) => {
      waiting.get(name as string)?.(name as string);
      return null;
    },
    Fail: () => {
      throw new Error("boom");
    },
    FailWith: (value) => {
      const [status, detail] = value as [number, string];
      throw new ReturnStatus(status, detail);
    },
    Notify: (value) => noted.push(value),
  };
}

async function startServer(options?: HubServerOptions): Promise<HubServer> {
  const server = await HubServer.start("ITestHub", methods(), options);
  closers.push(() => server.stop());
  return server;
}

function clientTo(port: number): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 100,
  });
  closers.push(() => client.close());
  return client;
}

/** What went wrong and concerned no call. No test leaves any. */
const errors: unknown[] = [];
afterEach(() => {
  expect(errors.splice(0)).toEqual([]);
});

async function open(
  receiver: object = {},
  options: StreamingHubOptions = {},
  serverOptions?: HubServerOptions,
) {
  const server = await startServer(serverOptions);
  const arrival = server.nextConnection();
  const hub = await connectStreamingHub<ITestHub>(clientTo(server.port), "ITestHub", receiver, {
    onError: (error) => errors.push(error),
    ...options,
  });
  closers.push(() => hub.close());
  return { server, hub, connection: await arrival };
}

describe("calls", () => {
  test("take no argument, one, and many, and give what the server answers", async () => {
    const { hub } = await open();
    expect(await hub.nothing()).toBe(null);
    expect(await hub.echo("text")).toBe("text");
    expect(await hub.add(2, 3)).toBe(5);
    expect(await hub.Echo({ a: [1, null, true, 1.5], b: new Uint8Array([1, 2]) })).toEqual({
      a: [1, null, true, 1.5],
      b: Buffer.from([1, 2]),
    });
    const args = Array.from({ length: 15 }, (_, i) => `argument ${i}`);
    for (let count = 2; count <= 15; count++) {
      expect(await hub.many(...args.slice(0, count))).toEqual(args.slice(0, count));
    }
  });

  test("with more than 15 arguments are refused", async () => {
    const { hub } = await open();
    expect(() => hub.many(...new Array(16).fill(1))).toThrow(RangeError);
    expect(await hub.echo(1)).toBe(1);
  });

  test("go to methods of any name, those of the client's own members in capitals", async () => {
    const { hub } = await open();
    expect(await hub.send(1)).toEqual(["sent", 1]);
    const other = hub as unknown as Record<string, (value: unknown) => Promise<unknown>>;
    await expect(other.Close(1)).rejects.toMatchObject({ code: "RESPONSE", status: 12 });
    await expect(other.naming(1)).rejects.toMatchObject({ code: "RESPONSE", status: 12 });
    expect(other.then).toBe(undefined);
    expect(String(hub)).toBe("[object Object]");
  });

  test("are of the names, or ids, that options say", async () => {
    const server = await HubServer.start("ITestHub", { add_numbers: () => 7, Echo: (value) => value });
    closers.push(() => server.stop());
    const hub = await connectStreamingHub<ITestHub>(
      clientTo(server.port),
      "ITestHub",
      {},
      {
        methodName: (name) => `${name}_numbers`,
        methodIds: { echo: idOf("Echo") },
      },
    );
    expect(await hub.add(1, 2)).toBe(7);
    expect(await hub.echo(1)).toBe(1);
  });

  test("get answers in any order", async () => {
    const { hub } = await open();
    const order: string[] = [];
    const note = (name: string) => order.push(name);
    const waiting = ["a", "b", "c"].map((name) => hub.wait(name).then(note));
    for (const name of ["b", "c", "a"]) await hub.release(name);
    await Promise.all(waiting);
    expect(order).toEqual(["b", "c", "a"]);
  });

  test("of large values come through, however long", async () => {
    const { hub } = await open();
    for (const length of [60, 64, 65, 1024, 8192, 100_000, 5_000_000]) {
      const bytes = new Uint8Array(length).fill(length & 255);
      expect(Buffer.compare((await hub.echo(bytes)) as Uint8Array, bytes)).toBe(0);
      expect(await hub.echo("é".repeat(length / 2))).toBe("é".repeat(length / 2));
    }
    const records = Array.from({ length: 5000 }, (_, id) => ({ id, name: `record ${id}`, values: [id / 3] }));
    expect(await hub.many(1, records, "x")).toEqual([1, records, "x"]);
  });

  test("use the extension codec and the options of the user", async () => {
    const extensionCodec = new TypedArrayCodec();
    const { hub } = await open(
      {},
      { encoder: { extensionCodec, ignoreUndefined: true }, decoder: { extensionCodec } },
    );
    const extension = (await hub.echo(Float32Array.of(1, 2))) as Float32Array;
    expect(extension).toBeInstanceOf(Float32Array);
    expect([...extension]).toEqual([1, 2]);
    expect(await hub.echo({ a: undefined, b: 1 })).toEqual({ b: 1 });
  });

  test("whose arguments cannot be encoded are rejected, and others go on", async () => {
    const { hub, connection } = await open();
    await expect(hub.echo(() => 1)).rejects.toThrow(/Unrecognized object/);
    await expect(hub.many("a", Symbol("s"), 3)).rejects.toThrow(/Unrecognized object/);
    expect(() => hub.fireAndForget.notify(Symbol("s") as unknown as string)).toThrow(/Unrecognized object/);
    expect(await hub.echo(5)).toBe(5);
    expect(connection.received.length).toBe(1);
  });

  test("without answer are sent, in order with others", async () => {
    const { hub, connection } = await open();
    noted.length = 0;
    expect(hub.fireAndForget.notify("one")).toBe(undefined);
    hub.fireAndForget.notify("two");
    hub.fireAndForget.nothing();
    await hub.echo(1);
    expect(noted).toEqual(["one", "two"]);
    expect(connection.received.map(({ type }) => type)).toEqual([
      ...["requestFireAndForget", "requestFireAndForget", "requestFireAndForget", "request"],
    ]);
  });

  test("10,000 in flight are all answered, each with its own", async () => {
    const { hub } = await open();
    const slow = hub.wait("slow");
    const answers = await Promise.all(Array.from({ length: 10_000 }, (_, i) => hub.echo(`call ${i}`)));
    expect(answers).toEqual(Array.from({ length: 10_000 }, (_, i) => `call ${i}`));
    await hub.release("slow");
    expect(await slow).toBe("slow");
  });
});

describe("errors that the server answers", () => {
  test("have its status, its words, and its exception", async () => {
    const { hub } = await open();
    const error = await hub.fail().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StreamingHubError);
    expect(error).toMatchObject({
      name: "StreamingHubError",
      code: "RESPONSE",
      status: 13,
      detail: "An error occurred while processing handler 'ITestHub/Fail'.",
      serverMessage: "Error: boom",
      message: expect.stringContaining("ITestHub/Fail failed with status 13"),
    });
    await expect(hub.failWith(999, "no")).rejects.toMatchObject({
      status: 999,
      detail: "no",
      serverMessage: null,
    });
    await expect(hub.unknown()).rejects.toMatchObject({
      status: 12,
      detail: expect.stringContaining("not found"),
    });
    expect(await hub.echo(1)).toBe(1);
  });

  test("to nobody are left out", async () => {
    const { hub, connection } = await open();
    connection.send({
      type: "responseWithError",
      messageId: -1,
      statusCode: 12,
      detail: "no",
      message: null,
    });
    connection.send({ type: "response", messageId: 12345, methodId: 0, body: pack([]) });
    expect(await hub.echo(1)).toBe(1);
  });
});

describe("broadcasts", () => {
  test("call the receiver's methods in order, with all arguments", async () => {
    const calls: unknown[] = [];
    class Receiver {
      name = "receiver";
      onNothing(...args: unknown[]) {
        calls.push([this.name, ...args]);
      }
      onOne(value: unknown) {
        calls.push([this.name, value]);
      }
      OnTwo(a: unknown, b: unknown) {
        calls.push([this.name, a, b]);
      }
    }
    const { hub, connection } = await open(new Receiver());
    connection.broadcast("OnOne", 1);
    connection.broadcast("OnTwo", 1, [2, 3]);
    connection.broadcast("OnNothing");
    connection.broadcast("OnOne", [1, 2]);
    connection.broadcast("OnOther", 1);
    connection.broadcast("OnOne", null);
    await hub.echo(1);
    expect(calls).toEqual([
      ["receiver", 1],
      ["receiver", 1, [2, 3]],
      ["receiver"],
      ["receiver", [1, 2]],
      ["receiver", null],
    ]);
  });

  test("go to methods with defaults and rest parameters as options count them", async () => {
    const calls: unknown[] = [];
    const { hub, connection } = await open(
      {
        onTwo: (a: unknown, b: unknown = "default") => calls.push([a, b]),
        onAll: (...all: unknown[]) => calls.push(all),
      },
      { parameterCounts: { onTwo: 2, onAll: 3 } },
    );
    connection.broadcast("OnTwo", 1, 2);
    connection.broadcast("OnAll", 1, 2, 3);
    await hub.echo(1);
    expect(calls).toEqual([
      [1, 2],
      [1, 2, 3],
    ]);
  });

  test("that the receiver fails at are reported, and the next ones come", async () => {
    const calls: unknown[] = [];
    const reports: unknown[] = [];
    const { hub, connection } = await open(
      {
        onThrow: () => {
          throw new Error("sync");
        },
        onReject: () => Promise.reject(new Error("async")),
        onOne: (value: unknown) => calls.push(value),
      },
      { onError: (error) => reports.push(error) },
    );
    connection.broadcast("OnThrow");
    connection.broadcast("OnReject");
    connection.broadcast("OnOne", 1);
    await hub.echo(1);
    expect(reports).toEqual([new Error("sync"), new Error("async")]);
    expect(calls).toEqual([1]);
  });

  test("that neither the receiver nor onError can take do no harm, and the next ones come", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const calls: unknown[] = [];
    const fail = () => {
      throw new Error("again");
    };
    const receiver = {
      onThrow: fail,
      onReject: async () => fail(),
      onOne: (value: unknown) => calls.push(value),
    };
    const { hub, connection } = await open(receiver, { onError: fail });
    connection.broadcast("OnThrow");
    connection.broadcast("OnReject");
    connection.broadcast("OnOne", 1);
    expect(await hub.echo(1)).toBe(1);
    expect(calls).toEqual([1]);
    expect(logged).toHaveBeenCalledTimes(2);
    logged.mockRestore();
  });

  test("to slow receivers arrive all and in order, while calls and heartbeats are answered", async () => {
    const order: number[] = [];
    let release!: () => void;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let finished = 0;
    const { hub, connection } = await open({
      async onItem(i: number) {
        order.push(i);
        await gate;
        finished++;
      },
    });
    for (let i = 0; i < 2000; i++) connection.broadcast("OnItem", i);
    connection.send({
      type: "serverHeartbeat",
      sequence: 3,
      serverSentAt: 77,
      metadata: Uint8Array.of(0xc0),
    });
    expect(await hub.echo(1)).toBe(1);
    await connection.receivedAtLeast(2);
    expect(connection.received.map(({ type }) => type)).toContain("serverHeartbeatResponse");
    expect(order).toEqual(Array.from({ length: 2000 }, (_, i) => i));
    expect(finished).toBe(0);
    release();
    await hub.echo(1);
    expect(finished).toBe(2000);
  });

  test("wait for a receiver that blocks, and none is lost", async () => {
    const lengths: number[] = [];
    let isFirst = true;
    const { hub, connection } = await open({
      onBulk(bytes: Uint8Array) {
        lengths.push(bytes.length);
        // Long enough for the server to fill what there is of buffers.
        if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
        isFirst = false;
      },
    });
    for (let i = 0; i < 300; i++) connection.broadcast("OnBulk", new Uint8Array(10_000 + i));
    await hub.echo(1);
    expect(lengths).toEqual(Array.from({ length: 300 }, (_, i) => 10_000 + i));
  });
});

describe("client results", () => {
  const receiver = {
    hello: (name: string, age: number) => `Hello from ${name}, ${age}`,
    later: async (value: unknown) => [value],
    nothing() {},
    fail() {
      throw new Error("boom");
    },
    refuse: async () => {
      throw new StreamingHubError("no", { code: "RESPONSE", status: 7, detail: "not allowed" });
    },
    wrong: () => () => 1,
  };

  test("go back to the server", async () => {
    const { connection } = await open(receiver);
    expect(await connection.ask("Hello", "Alice", 18)).toMatchObject({
      type: "clientResultResponse",
      methodId: idOf("Hello"),
      value: "Hello from Alice, 18",
    });
    expect((await connection.ask("Later", 1)).value).toEqual([1]);
    expect((await connection.ask("Nothing")).value).toBe(null);
  });

  test("that fail go back as errors", async () => {
    const { hub, connection } = await open(receiver);
    const type = "clientResultResponseWithError";
    expect(await connection.ask("Fail")).toMatchObject({
      type,
      statusCode: 13,
      detail: "boom",
      message: "Error: boom",
    });
    expect(await connection.ask("Refuse")).toMatchObject({
      type,
      statusCode: 7,
      detail: "not allowed",
      message: null,
    });
    expect(await connection.ask("Wrong")).toMatchObject({
      type,
      statusCode: 13,
      detail: expect.stringContaining("Unrecognized object"),
    });
    expect(await connection.ask("Missing")).toMatchObject({ type, statusCode: 12 });
    expect(await hub.echo(1)).toBe(1);
  });

  test("may themselves call the hub", async () => {
    const { hub, connection } = await open({ relay: async (value: unknown) => hub.echo(value) });
    expect((await connection.ask("Relay", "x")).value).toBe("x");
  });
});

describe("messages that cannot be read", () => {
  test("are reported with their bytes, and the stream goes on", async () => {
    const reports: [unknown, Uint8Array | undefined][] = [];
    const calls: unknown[] = [];
    const { hub, connection } = await open(
      { onOne: (value: unknown) => calls.push(value) },
      { onError: (error, message) => reports.push([error, message]) },
    );
    const broken = [
      Buffer.from("90", "hex"),
      Buffer.from("01", "hex"),
      Buffer.from("9501c0c0c0c0", "hex"),
      Buffer.from("92ceffffffffc0", "hex"),
      Buffer.concat([Buffer.from([0x92]), encode(idOf("OnOne")), Buffer.from([0xc1])]),
      Buffer.concat([Buffer.from([0x92]), encode(idOf("OnOne")), Buffer.from([0x93, 1])]),
    ];
    for (const bytes of broken) connection.sendBytes(bytes);
    connection.broadcast("OnOne", 1);
    expect(await hub.echo(1)).toBe(1);
    expect(calls).toEqual([1]);
    expect(reports.map(([, message]) => Buffer.from(message as Uint8Array))).toEqual(broken);
    expect(reports.map(([error]) => (error as { code: string }).code)).toEqual([
      ...["FIELD", "FIELD", "FIELD", "FIELD", "UNKNOWN_FORMAT", "INSUFFICIENT_DATA"],
    ]);
  });

  test("reject the call that they answer", async () => {
    const { hub, connection } = await open();
    const call = hub.wait("x");
    await connection.receivedAtLeast(1);
    connection.sendBytes(
      Buffer.concat([Buffer.from([0x93, 1]), encode(idOf("Wait")), Buffer.from([0xa5, 0x61])]),
    );
    await expect(call).rejects.toMatchObject({ code: "INSUFFICIENT_DATA", offset: expect.any(Number) });
    expect(await hub.echo(1)).toBe(1);
  });

  test("because an extension codec throws are its errors", async () => {
    const extensionCodec = new ExtensionCodec();
    const failure = new Error("codec");
    extensionCodec.register({
      type: 1,
      encode: () => null,
      decode: () => {
        throw failure;
      },
    });
    const { hub, connection } = await open({}, { decoder: { extensionCodec } });
    const call = hub.wait("x");
    await connection.receivedAtLeast(1);
    connection.sendBytes(
      Buffer.concat([Buffer.from([0x93, 1]), encode(idOf("Wait")), Buffer.from([0xd4, 1, 2])]),
    );
    await expect(call).rejects.toBe(failure);
    expect(await hub.echo(1)).toBe(1);
  });
});

describe("AbortSignal", () => {
  test("rejects the calls that it was given to, whose answers are left out", async () => {
    const { hub, connection } = await open();
    const controller = new AbortController();
    const aborted = hub.withSignal(controller.signal).wait("a");
    const other = hub.wait("b");
    await connection.receivedAtLeast(2);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    await hub.release("a");
    await hub.release("b");
    expect(await other).toBe("b");
    const sent = connection.received.length;
    await expect(hub.withSignal(controller.signal).echo(1)).rejects.toBe(reason);
    expect(await hub.echo(1)).toBe(1);
    expect(connection.received.length).toBe(sent + 1);
  });

  test("comes too late after the answer, and is let go of", async () => {
    const { hub } = await open();
    const listeners = new Set<unknown>();
    const controller = new AbortController();
    const { signal } = controller;
    const { addEventListener, removeEventListener } = signal;
    Object.assign(signal, {
      addEventListener(...args: Parameters<typeof addEventListener>) {
        listeners.add(args[1]);
        addEventListener.apply(signal, args);
      },
      removeEventListener(...args: Parameters<typeof removeEventListener>) {
        listeners.delete(args[1]);
        removeEventListener.apply(signal, args);
      },
    });
    const cancellable = hub.withSignal(signal);
    expect(await Promise.all([cancellable.echo(1), cancellable.echo(2)])).toEqual([1, 2]);
    expect(listeners.size).toBe(0);
    controller.abort();
    expect(await hub.echo(3)).toBe(3);
  });

  test("ends an attempt to connect", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    closers.push(() => silent.close());
    const { port } = silent.address() as { port: number };
    const controller = new AbortController();
    const attempt = connectStreamingHub(clientTo(port), "ITestHub", {}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(attempt).rejects.toThrow("enough");
    await expect(
      connectStreamingHub(clientTo(port), "ITestHub", {}, { signal: controller.signal }),
    ).rejects.toThrow("enough");
  });
});

describe("connecting", () => {
  test("sends the application's headers", async () => {
    const metadata = new Metadata();
    metadata.set("authorization", "Bearer x");
    let seen: unknown;
    await open(
      {},
      { metadata },
      {
        authorize(headers) {
          seen = headers.get("authorization");
          return null;
        },
      },
    );
    expect(seen).toEqual(["Bearer x"]);
  });

  test.each([
    ["another version of the protocol", "1", /version 1/],
    ["no version", null, /no version/],
  ])("fails at %s", async (_, version, message) => {
    await expect(open({}, {}, { version })).rejects.toMatchObject({
      ...{ code: "CONNECT", status: 12, message: expect.stringMatching(message) },
    });
  });

  test("fails where the server refuses it", async () => {
    const authorize = () => ({ code: 16, details: "who are you?" });
    await expect(open({}, {}, { authorize })).rejects.toMatchObject({
      ...{ code: "CONNECT", status: 16, message: expect.stringContaining("who are you?") },
    });
  });

  test("fails where there is no such hub", async () => {
    const server = await startServer();
    await expect(connectStreamingHub(clientTo(server.port), "IOther", {})).rejects.toMatchObject({
      ...{ code: "CONNECT", status: 12 },
    });
  });

  test("fails where there is no server", async () => {
    const server = await HubServer.start("ITestHub", {});
    server.stop();
    await expect(connectStreamingHub(clientTo(server.port), "ITestHub", {})).rejects.toMatchObject({
      ...{ code: "CONNECT", status: 14 },
    });
  });
});

describe("the end", () => {
  test("by the client: calls are rejected, what was sent arrives, the server sees the end", async () => {
    const { hub, connection } = await open({}, { closeTimeout: 60_000 });
    noted.length = 0;
    for (let i = 0; i < 1000; i++) hub.fireAndForget.notify(`${i}`);
    const waiting = expect(hub.wait("x")).rejects.toMatchObject({ code: "CLOSED" });
    await hub.close();
    await waiting;
    expect(await connection.clientEnd).toBe("ended");
    expect(noted.length).toBe(1000);
    expect(await hub.waitForDisconnect()).toMatchObject({ type: "completed", error: { code: "CLOSED" } });
    await expect(hub.echo(1)).rejects.toMatchObject({ code: "CLOSED" });
    expect(() => hub.fireAndForget.notify("x")).toThrow(StreamingHubError);
    await hub.close();
  });

  test("by the client, where the server does not end the stream: it is cut", async () => {
    const { hub, connection } = await open({}, { closeTimeout: 50 });
    connection.stream.removeAllListeners("end");
    await hub.close();
    expect(await connection.clientEnd).toBe("cancelled");
  });

  test("by the client, and no broadcast comes afterwards", async () => {
    const calls: unknown[] = [];
    const { hub, connection } = await open({ onOne: (value: unknown) => calls.push(value) });
    await hub.echo(1);
    const closed = hub.close();
    connection.broadcast("OnOne", 1);
    await closed;
    expect(calls).toEqual([]);
  });

  test("by the server: calls are rejected", async () => {
    const { hub, connection } = await open();
    const call = hub.wait("x");
    await connection.receivedAtLeast(1);
    connection.stream.end();
    await expect(call).rejects.toMatchObject({ code: "DISCONNECTED", status: 0 });
    expect(await hub.waitForDisconnect()).toMatchObject({
      type: "completed",
      error: { code: "DISCONNECTED" },
    });
    await expect(hub.echo(1)).rejects.toMatchObject({ code: "DISCONNECTED" });
  });

  test("by a status of the server: it is the reason", async () => {
    const { hub, connection } = await open();
    const calls = Promise.allSettled([hub.wait("x"), hub.wait("y")]);
    await connection.receivedAtLeast(2);
    connection.stream.emit("error", { code: 10, details: "kicked" });
    const reason = { code: "DISCONNECTED", status: 10, message: expect.stringContaining("kicked") };
    expect(await calls).toMatchObject([{ reason }, { reason }]);
    expect(await hub.waitForDisconnect()).toMatchObject({ type: "faulted", error: reason });
  });

  test("by a cut of the network: 1,000 calls are rejected, and one can connect again", async () => {
    const server = await startServer();
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      const upstream = connectSocket(server.port, "127.0.0.1");
      sockets.push(socket);
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream]) {
        end.on("error", () => {});
        end.on("close", () => {
          socket.destroy();
          upstream.destroy();
        });
      }
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    closers.push(() => proxy.close());
    const client = clientTo((proxy.address() as { port: number }).port);
    for (let round = 0; round < 3; round++) {
      const arrival = server.nextConnection();
      const hub = await connectStreamingHub<ITestHub>(client, "ITestHub", {});
      const calls = Array.from({ length: 1000 }, (_, i) => hub.wait(`${round} ${i}`));
      await (await arrival).receivedAtLeast(1000);
      for (const socket of sockets.splice(0)) socket.destroy();
      const results = await Promise.allSettled(calls);
      const { error, type } = await hub.waitForDisconnect();
      expect(type).toBe("faulted");
      expect(error).toMatchObject({ code: "DISCONNECTED", status: 14 });
      expect(results.every((result) => result.status === "rejected" && result.reason === error)).toBe(true);
    }
  });

  test("by a restart of the server: one can connect again on the same channel", async () => {
    let server = await startServer();
    const { port } = server;
    const client = clientTo(port);
    for (let round = 0; round < 3; round++) {
      const metadata = new Metadata({ waitForReady: true });
      const hub = await connectStreamingHub<ITestHub>(client, "ITestHub", {}, { metadata });
      expect(await hub.add(round, 1)).toBe(round + 1);
      const call = hub.wait("x");
      server.stop();
      await expect(call).rejects.toMatchObject({ code: "DISCONNECTED" });
      server = await startServer({ port });
    }
  });

  test("disposes, too", async () => {
    const { hub } = await open();
    await hub[Symbol.asyncDispose]();
    expect((await hub.waitForDisconnect()).type).toBe("completed");
  });
});
