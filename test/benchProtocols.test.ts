import { describe, expect, test } from "vitest";
import { KEPT, REDIS, SIGNALR, STREAMING_HUB } from "../bench/suite/names.mjs";
import { runChild } from "../bench/suite/runChild.mjs";
import { findSection, type Section, sections } from "../bench/suite/sections.mjs";

const environment = {
  readDocument() {
    throw new Error("No document is needed");
  },
  documentedCodecSource: "",
};
const protocols = [SIGNALR, REDIS, STREAMING_HUB].map(findSection);

/** What each library that speaks MessagePack does with a workload. */
function openAll({ peers, open }: Section, workload: string) {
  const speakers = peers.filter(({ isMessagePack }) => isMessagePack);
  return Promise.all(speakers.map(({ id }) => open(workload, id, environment)));
}

test("there are as many rows as the benchmarks have that they come from", () => {
  const count = ({ workloads, operations }: Section) => workloads.length * operations.length;
  expect(protocols.map(count)).toEqual([8, 10, 6 * 3]);
});

test("names of workloads and libraries say which they are", () => {
  const names = sections.flatMap(({ workloads }) => workloads.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  for (const { peers, reference } of protocols) {
    expect(peers[0]).toMatchObject({ id: KEPT, isOurs: true });
    expect(peers.filter(({ isOurs }) => isOurs)).toHaveLength(1);
    expect(peers[1].id).toBe(reference);
  }
});

test.each([SIGNALR, REDIS])("%s: ours writes and reads as its peer", async (name) => {
  const section = findSection(name);
  for (const { name: workload } of section.workloads) {
    const [ours, peer] = await openAll(section, workload);
    expect(ours.bytes).toBe(peer.bytes);
    const [written, expected] = [ours, peer].map(({ operations }) => operations.write() as Uint8Array);
    expect(Buffer.from(written)).toEqual(Buffer.from(expected));
    expect(ours.operations.read()).toEqual(peer.operations.read());
  }
});

test("StreamingHub: calls are answered, with either codec, and again and again", async () => {
  const section = findSection(STREAMING_HUB);
  const results = [];
  for (const { name: workload } of section.workloads) {
    const [ours, peer] = await openAll(section, workload);
    for (const { operations } of [ours, peer]) {
      expect(Object.keys(operations)).toEqual(section.operations);
      expect(await operations.call()).toBe(await operations["call, answered at once"]());
    }
    for (let i = 0; i < 300; i++) await ours.operations.call();
    results.push(await ours.operations.call());
    expect(results.at(-1)).toBe(await peer.operations.call());
    expect(ours.bytes).toBe(peer.bytes);
  }
  expect(results).toEqual([undefined, null, 12345, 12345, "Hello!", "Hello!"]);
});

test("JSON's protocol takes part, with bytes in base 64", async () => {
  const { open, peers } = findSection(SIGNALR);
  const { operations } = await open("many arguments", peers[2].id, environment);
  expect(operations.write()).toContain('"BQQDAgE="');
});

describe("in processes", () => {
  const effort = { warmUpSeconds: 0, maxSeconds: 0.001, minSamples: 1 };

  test.each(protocols.map(({ name, workloads, peers }) => [name, workloads[1].name, peers[1].id]))(
    "%s, %s, by %s",
    async (section, workload, peer) => {
      const task = { task: "time", section, workload, peer, documentedCodecSource: "", effort };
      const answer = await runChild(process.execPath, [], "child.mjs", task);
      expect(Object.keys(answer.operations)).toEqual(findSection(section).operations);
      for (const samples of Object.values<number[]>(answer.operations)) {
        expect(samples.length).toBeGreaterThan(0);
        for (const sample of samples) expect(sample).toBeGreaterThan(0);
      }
    },
  );
});
