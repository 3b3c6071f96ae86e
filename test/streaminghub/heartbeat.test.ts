import {
  connectStreamingHub,
  type ServerHeartbeatEvent,
  type StreamingHubOptions,
} from "msgpack-wasm/streaminghub";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryChannel } from "./lib/MemoryChannel.ts";

// The clock stands still unless a test moves it.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(options: StreamingHubOptions) {
  const channel = new MemoryChannel();
  const hub = await connectStreamingHub<{ wait(): Promise<unknown> }>(channel, "IHub", {}, options);
  return { channel, hub };
}

function answer(channel: MemoryChannel, sequence: number, clientSentAt: number): void {
  channel.send({ type: "clientHeartbeatResponse", sequence, clientSentAt });
}

test("no heartbeat is sent unless one asks for it", async () => {
  const { channel, hub } = await open({});
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(channel.received).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  await hub.close();
});

test("each interval one is sent, with the next number and the time since the start", async () => {
  const { channel, hub } = await open({ heartbeat: { interval: 100 } });
  await vi.advanceTimersByTimeAsync(99);
  expect(channel.received).toEqual([]);
  await vi.advanceTimersByTimeAsync(201);
  expect(channel.received).toEqual([
    { type: "clientHeartbeat", sequence: 0, clientSentAt: 100 },
    { type: "clientHeartbeat", sequence: 1, clientSentAt: 200 },
    { type: "clientHeartbeat", sequence: 2, clientSentAt: 300 },
  ]);
  await hub.close();
  await vi.advanceTimersByTimeAsync(1000);
  expect(channel.received.length).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test("numbers go round after 16 bits", async () => {
  const { channel, hub } = await open({ heartbeat: { interval: 1 } });
  await vi.advanceTimersByTimeAsync(2 ** 16 + 1);
  const sequences = channel.received.map(({ sequence }) => sequence);
  expect(sequences.slice(2 ** 15 - 1, 2 ** 15 + 1)).toEqual([32767, -32768]);
  expect(sequences.slice(2 ** 16 - 1)).toEqual([-1, 0]);
  await hub.close();
});

test("an answer gives the round-trip time", async () => {
  const onResponse = vi.fn();
  const { channel, hub } = await open({ heartbeat: { interval: 100, onResponse } });
  expect(hub.roundTripTime).toBe(undefined);
  await vi.advanceTimersByTimeAsync(130);
  answer(channel, 0, 100);
  expect(hub.roundTripTime).toBe(30);
  await vi.advanceTimersByTimeAsync(75);
  answer(channel, 1, 200);
  expect(hub.roundTripTime).toBe(5);
  expect(onResponse.mock.calls).toEqual([
    [{ sequence: 0, roundTripTime: 30 }],
    [{ sequence: 1, roundTripTime: 5 }],
  ]);
  await hub.close();
});

test("without answer in time, the connection is given up", async () => {
  const { channel, hub } = await open({ heartbeat: { interval: 100, timeout: 250 } });
  const call = expect(hub.wait()).rejects.toMatchObject({ code: "TIMED_OUT", status: 4 });
  await vi.advanceTimersByTimeAsync(349);
  expect(channel.isCancelled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(channel.isCancelled).toBe(true);
  await call;
  expect(await hub.waitForDisconnect()).toMatchObject({ type: "timedOut", error: { code: "TIMED_OUT" } });
  expect(vi.getTimerCount()).toBe(0);
});

test("only the answer to the latest one counts", async () => {
  const { channel, hub } = await open({ heartbeat: { interval: 100, timeout: 250 } });
  await vi.advanceTimersByTimeAsync(210);
  answer(channel, 0, 100);
  await vi.advanceTimersByTimeAsync(139);
  expect(channel.isCancelled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(channel.isCancelled).toBe(true);
  expect(await hub.waitForDisconnect()).toMatchObject({ type: "timedOut" });
});

test("answers in time keep the connection", async () => {
  const { channel, hub } = await open({ heartbeat: { interval: 100, timeout: 150 } });
  for (let i = 0; i < 50; i++) {
    await vi.advanceTimersByTimeAsync(100);
    answer(channel, i, 100 * (i + 1));
  }
  expect(channel.isCancelled).toBe(false);
  await hub.close();
  expect(channel.isClosed).toBe(true);
});

test("those of the server are answered with what they bring, to the last bit, and told", async () => {
  const events: ServerHeartbeatEvent[] = [];
  const { channel, hub } = await open({ onServerHeartbeat: (event) => events.push(event) });
  const metadata = Buffer.from("Hello World");
  channel.send({ type: "serverHeartbeat", sequence: -5, serverSentAt: 1719792000000, metadata });
  expect(channel.received).toEqual([
    { type: "serverHeartbeatResponse", sequence: -5, serverSentAt: 1719792000000 },
  ]);
  expect(events).toEqual([{ sequence: -5, serverSentAt: new Date(1719792000000), metadata }]);
  await hub.close();
});

test("a callback that throws is reported, and the connection goes on", async () => {
  const reports: unknown[] = [];
  const fail = () => {
    throw new Error("callback");
  };
  const options = { onServerHeartbeat: fail, onError: (error: unknown) => reports.push(error) };
  const { channel, hub } = await open({ ...options, heartbeat: { interval: 10, onResponse: fail } });
  channel.send({ type: "serverHeartbeat", sequence: 1, serverSentAt: 1, metadata: Uint8Array.of(0xc0) });
  await vi.advanceTimersByTimeAsync(10);
  answer(channel, 0, 10);
  expect(reports).toEqual([new Error("callback"), new Error("callback")]);
  expect(channel.received.length).toBe(2);
  await hub.close();
});

test.each([{ interval: 0 }, { interval: Number.NaN }, { interval: 5, timeout: -1 }])(
  "%o is refused",
  async (heartbeat) => {
    await expect(open({ heartbeat })).rejects.toThrow(RangeError);
  },
);
