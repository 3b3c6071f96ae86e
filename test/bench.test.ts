import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { documentedCodecSource } from "../bench/lib/documentedCodec.mjs";
import { readDocument } from "../bench/lib/documents.mjs";
import { allocationFlags } from "../bench/suite/allocation.mjs";
import { measureDownloads } from "../bench/suite/download.mjs";
import { fileWorkload } from "../bench/suite/fileWorkload.mjs";
import { computeGoals } from "../bench/suite/goals.mjs";
import {
  CODEC,
  JSON_BYTES,
  JSON_HUB,
  JSON_STRING,
  KEPT,
  NO_CODEGEN,
  OFFICIAL_HUB,
  POOLED,
  REFERENCE_KEPT,
  SIGNALR,
  STREAMING_HUB,
} from "../bench/suite/names.mjs";
import { findPeer, peers } from "../bench/suite/peers.mjs";
import { interleave, timeAll } from "../bench/suite/plan.mjs";
import { renderHtml } from "../bench/suite/report/html.mjs";
import { insertInReadme, renderSvg } from "../bench/suite/report/readme.mjs";
import { goalTable, printTable, protocolTable, ratioTable } from "../bench/suite/report/tables.mjs";
import type { Results } from "../bench/suite/results.mjs";
import { codec } from "../bench/suite/results.mjs";
import { runChild } from "../bench/suite/runChild.mjs";
import { sameValue } from "../bench/suite/sameValue.mjs";
import { findSection } from "../bench/suite/sections.mjs";
import { serve } from "../bench/suite/serve.mjs";
import { geometricMean, median, summarize } from "../bench/suite/statistics.mjs";
import { openSubject } from "../bench/suite/subject.mjs";
import { findWorkload, LARGEST, type Workload, workloads } from "../bench/suite/workloads.mjs";

const run = promisify(execFile);
const environment = { readDocument, documentedCodecSource: documentedCodecSource() };
const effort = { warmUpSeconds: 0, maxSeconds: 0.001, minSamples: 1 };

describe("workloads and peers", () => {
  // The largest is like the records, and slow in the slowest.
  const tried = workloads.filter(({ name }) => name !== LARGEST);

  test.each(peers.map((peer) => [peer.id, peer] as const))(
    "%s gives back what went in, of all that it takes part in",
    async (_, peer) => {
      const able = tried.filter((workload) => peer.cannot(workload) === undefined);
      for (const workload of able) {
        const subject = await openSubject(workload, peer, environment);
        expect(subject.bytes).toBeGreaterThan(0);
      }
      expect(able.length).toBeGreaterThan(20);
    },
  );

  test.each([
    ["JSON has no binary data", JSON_BYTES, "Float32Array as binary"],
    ["it makes a byte of each float", "notepack.io", "Float32Array as binary"],
    ["it encodes typed arrays as maps", "msgpack5", "Float32Array as binary"],
    ["its extensions do not know their position", "msgpackr, useRecords: false", "Float32Array, aligned"],
    ["its extensions do not know their position", "cbor-x", "Float32Array, aligned"],
  ])("who stays away has a reason: %s (%s)", async (reason, id, name) => {
    const peer = findPeer(id);
    expect(peer.cannot(findWorkload(name))).toBe(reason);
    await expect(openSubject(findWorkload(name), peer, environment)).rejects.toThrow(id);
  });

  test("the native addons are in use, and reports tell", async () => {
    expect(await findPeer("msgpackr, useRecords: false").hasAddon?.()).toBe(true);
    expect(await findPeer("cbor-x").hasAddon?.()).toBe(true);
  });

  test("the invocations have the size that SignalR's own benchmark gives them", async () => {
    const sizes = [];
    for (const name of ["no", "few", "many", "large"]) {
      const subject = await openSubject(
        findWorkload(`invocation, ${name} arguments`),
        findPeer(KEPT),
        environment,
      );
      sizes.push(subject.bytes);
    }
    // C# writes its floats in 5 bytes, JavaScript a 2 in 1.
    expect(sizes).toEqual([13, 23 - 4, 45 - 4, 20_499]);
  });

  test("people take 7 to 10 KB of JSON", async () => {
    const subject = await openSubject(findWorkload("people"), findPeer(JSON_BYTES), environment);
    expect(subject.bytes).toBeGreaterThan(7000);
    expect(subject.bytes).toBeLessThan(10_000);
  });

  test("a file of one's own is a workload", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "bench-"));
    const file = path.join(folder, "mine.json");
    await writeFile(file, '{"a":[1,2.5,"x"]}');
    const subject = await openSubject(fileWorkload(file), findPeer("msgpack-lite"), environment);
    await rm(folder, { recursive: true });
    expect(subject.operations.decode()).toEqual({ a: [1, 2.5, "x"] });
  });

  test.each([
    [true, [1, "a", null, { b: [2] }], [1, "a", null, { b: [2] }]],
    [true, Uint8Array.of(1, 2), Buffer.of(1, 2)],
    [true, Float32Array.of(1), new Uint8Array(Float32Array.of(1).buffer)],
    [false, Uint8Array.of(1, 2), [1, 2]],
    [false, { a: 1 }, { a: 1, b: 2 }],
    [false, { a: 1 }, { b: 1 }],
    [false, { a: 1 }, new Map([["a", 1]])],
    [false, [], {}],
    [false, {}, []],
    [false, 0, -0],
    [false, null, undefined],
  ])("sameValue: %s", (expected, a, b) => {
    expect(sameValue(a, b)).toBe(expected);
  });
});

describe("statistics", () => {
  test("mean and margin are those of the t-distribution", () => {
    // Standard deviation 1, so the standard error is 1/√3, and t of two degrees of freedom is 4.303.
    expect(summarize([9, 10, 11])).toEqual({
      mean: 10,
      margin: expect.closeTo((100 * 4.303) / Math.sqrt(3) / 10, 3),
      samples: 3,
      outliers: 0,
    });
  });

  test("samples far above the rest are left out and counted, those far below are not", () => {
    expect(summarize([10, 10, 11, 11, 10, 11, 500])).toMatchObject({ mean: 10.5, samples: 6, outliers: 1 });
    expect(summarize([10, 10, 11, 11, 10, 11, 1])).toMatchObject({ samples: 7, outliers: 0 });
  });

  test("of one sample there is no margin", () => {
    expect(summarize([5])).toEqual({ mean: 5, margin: Number.NaN, samples: 1, outliers: 0 });
  });

  test("geometric mean and median", () => {
    expect(geometricMean([1, 4, 16])).toBeCloseTo(4);
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
});

describe("plan", () => {
  const pair = workloads.slice(0, 2);
  const three = [findPeer(KEPT), findPeer(REFERENCE_KEPT), findPeer(JSON_STRING)];
  const plan = (entries = pair, peers = three) => interleave({ workloads: entries, peers }, 2);

  test("libraries take turns within a workload, and another is first each time", () => {
    const jobs = plan().map(({ workload, peer }) => [workload.name, peer.id]);
    expect(jobs).toHaveLength(12);
    expect(jobs.slice(0, 3)).toEqual(three.map(({ id }) => [pair[0].name, id]));
    expect(new Set(jobs.map(([name, id]) => `${name} ${id}`)).size).toBe(6);
    const firsts = [0, 3, 6, 9].map((at) => jobs[at][1]);
    expect(firsts).toEqual([KEPT, REFERENCE_KEPT, JSON_STRING, KEPT]);
  });

  test("the main peers have several processes, save for what takes long", () => {
    const peers = [findPeer(KEPT), findPeer("msgpack5")];
    const idsOf = (workload: Workload) => plan([workload], peers).map(({ peer }) => peer.id);
    expect(idsOf(pair[0])).toEqual([KEPT, "msgpack5", KEPT]);
    expect(idsOf({ ...pair[0], isLong: true })).toEqual([KEPT, "msgpack5"]);
  });

  test("samples of all rounds are pooled; what fails is told, and the rest goes on", async () => {
    let turn = 0;
    const { timings, failures } = await timeAll("here", plan(pair.slice(0, 1)), async ({ peer }) => {
      if (peer.id === JSON_STRING) throw new Error("out of order");
      turn++;
      return { bytes: 7, operations: { encode: [turn], decode: [1, 1] } };
    });
    expect(failures).toEqual(
      Array(2).fill({ host: "here", workload: pair[0].name, library: JSON_STRING, reason: "out of order" }),
    );
    expect(timings).toHaveLength(4);
    expect(
      timings.find(({ library, operation }) => library === KEPT && operation === "decode"),
    ).toMatchObject({
      mean: 1,
      samples: 4,
      bytes: 7,
    });
  });
});

describe("allocation", () => {
  const script = fileURLToPath(new URL("lib/allocationCheck.mjs", import.meta.url));

  test("known allocations are found again", async () => {
    const { stdout } = await run(process.execPath, [...allocationFlags, script]);
    const bytes = JSON.parse(stdout);
    expect(bytes.nothing).toBeLessThan(8);
    // Elements of 8 bytes, a header of 16, the array object of 32; and pages that are not quite full.
    expect(bytes.array).toBeGreaterThan(8000);
    expect(bytes.array).toBeLessThan(8000 * 1.05);
    // Outside the heap; the objects that hold it are on it.
    expect(bytes.buffer).toBeGreaterThan(100_000);
    expect(bytes.buffer).toBeLessThan(100_000 + 1000);
    expect(bytes.pooled).toBeGreaterThan(4_000_000);
    expect(bytes.pooled).toBeLessThan(6_500_000);
    expect(bytes.awaited).toBeGreaterThan(8000);
    expect(bytes.awaited).toBeLessThan(8000 * 1.25);
  });
});

describe("smoke", () => {
  test.each([
    ["time", [], REFERENCE_KEPT],
    ["time", ["--disallow-code-generation-from-strings"], NO_CODEGEN],
  ])("%s, with %j", async (task, flags, peer) => {
    const answer = await runChild(process.execPath, flags, "child.mjs", {
      task,
      section: CODEC,
      workload: "stream of 10,000 messages",
      peer,
      documentedCodecSource: environment.documentedCodecSource,
      effort,
    });
    expect(answer.bytes).toBeGreaterThan(100_000);
    for (const operation of codec.operations) {
      const samples = answer.operations[operation];
      expect(samples.length).toBeGreaterThan(0);
      for (const sample of samples) expect(sample).toBeGreaterThan(0);
    }
  });

  test("a child that fails says why in a line", async () => {
    const task = {
      task: "time",
      section: CODEC,
      workload: "no such",
      peer: KEPT,
      documentedCodecSource: "",
      effort,
    };
    await expect(runChild(process.execPath, [], "child.mjs", task)).rejects.toThrow(
      /^Error: There is no workload no such$/,
    );
  });

  test("start-up and growth", async () => {
    expect(await runChild(process.execPath, [], "startup.mjs", { peer: KEPT })).toBeGreaterThan(0);
    const answer = await runChild(process.execPath, [], "growth.mjs", {
      library: "msgpack-wasm",
      megabytes: 1,
    });
    expect(answer).toMatchObject({ encode: expect.any(Number), decode: expect.any(Number) });
  });

  test("downloads of all libraries, compressed smaller than plain", async () => {
    const downloads = await measureDownloads();
    expect(downloads.map(({ library }) => library)).toEqual([
      "msgpack-wasm",
      "@msgpack/msgpack",
      "msgpackr",
      "msgpack-lite",
      "notepack.io",
      "msgpack5",
      "cbor-x",
    ]);
    for (const { minified, gzipped } of downloads) {
      expect(gzipped).toBeGreaterThan(1000);
      expect(gzipped).toBeLessThan(minified);
    }
  });

  test("the page for browsers is isolated and complete", async () => {
    const server = await serve({ plan: { names: [] } });
    try {
      for (const name of [
        "",
        "page.js",
        "worker.js",
        "plan.json",
        "documentedCodec.js",
        "documents/twitter.json",
      ]) {
        const response = await fetch(server.url + name);
        expect([name, response.status, (await response.text()).length > 0]).toEqual([name, 200, true]);
        expect(response.headers.get("cross-origin-embedder-policy")).toBe("require-corp");
        expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
      }
      expect((await fetch(`${server.url}documents/other.json`)).status).toBe(404);
    } finally {
      server.close();
    }
  });

  test("unknown words are told what there is", async () => {
    const script = fileURLToPath(new URL("../bench/run.mjs", import.meta.url));
    for (const [args, message] of [
      [["--filter", "nonesuch"], /No workload is like nonesuch.*twitter/],
      [["--fast"], /--quick/],
      [["--node", "abc"], /--node takes versions/],
      [["--browser", "lynx"], /--browser takes chromium and firefox: not lynx/],
    ] as const) {
      await expect(run(process.execPath, [script, ...args])).rejects.toThrow(message);
    }
  });
});

/** Of the codec and of two protocols, of which one is not measured in full. */
function made(): Results {
  const summary = { margin: 1.5, samples: 12, outliers: 0 };
  const libraries = [
    ...[KEPT, POOLED, NO_CODEGEN, REFERENCE_KEPT, "cbor-x", JSON_BYTES, JSON_STRING].map(findPeer),
    ...findSection(SIGNALR).peers.slice(1),
  ].map(({ id, library, isOurs, isMessagePack }) => ({
    ...{ id, library, isOurs, isMessagePack },
    version: "9.8.7",
  }));
  const infos = [
    { name: "twitter", group: "documents", messages: 1, bytes: 400_000 },
    { name: "tiny", group: "small messages", messages: 1, bytes: 20 },
  ];
  const times: Record<string, { decode: number; encode: number }> = {
    [KEPT]: { decode: 100, encode: 100 },
    [POOLED]: { decode: 100, encode: 80 },
    [NO_CODEGEN]: { decode: 125, encode: 200 },
    [REFERENCE_KEPT]: { decode: 900, encode: 200 },
    "cbor-x": { decode: 400, encode: 150 },
    [JSON_BYTES]: { decode: 500, encode: 120 },
    [JSON_STRING]: { decode: 310, encode: 50 },
  };
  const pairs = infos.flatMap((workload) =>
    (["decode", "encode"] as const).map((operation) => ({ workload, operation })),
  );
  const rows: [operation: string, workload: string, library: string, mean: number, bytes: number][] = [
    ["read", "few arguments", KEPT, 100, 300],
    ["read", "few arguments", OFFICIAL_HUB, 250, 600],
    ["read", "few arguments", JSON_HUB, 90, 400],
    ["write", "few arguments", KEPT, 200, 350],
    ["write", "few arguments", OFFICIAL_HUB, 440, 280],
    ["write", "few arguments", JSON_HUB, 220, 400],
    ["call", "void, no parameters", KEPT, 1000, 85],
    ["call", "void, no parameters", REFERENCE_KEPT, 1500, 100],
    ["encode and decode", "void, no parameters", KEPT, 100, 50],
    ["encode and decode", "void, no parameters", REFERENCE_KEPT, 200, 100],
  ];
  const protocols = rows.map(([operation, workload, library, mean, bytes]) => ({
    ...{ host: "node-20", workload, operation, library, mean, bytes },
    ...summary,
  }));
  const describe = (name: string, workload: string) => ({
    ...{ name, operations: findSection(name).operations, reference: findSection(name).reference },
    workloads: [{ name: workload, group: name, messages: 1, bytes: 20 }],
  });
  return {
    date: "2026-01-02T03:04:05.000Z",
    isQuick: false,
    machine: { processor: "Abacus </script> 9000", cores: 2, memoryBytes: 2 ** 34, system: "Linux" },
    libraries,
    sections: [
      { ...codec, workloads: infos },
      describe(SIGNALR, "few arguments"),
      describe(STREAMING_HUB, "void, no parameters"),
    ],
    hosts: [
      { id: "node-20", kind: "node", name: "Node 20.1.2", engine: "V8 11.3" },
      { id: "firefox", kind: "browser", name: "Firefox 153", engine: "" },
    ],
    timings: [
      ...["node-20", "firefox"].flatMap((host) =>
        pairs.flatMap(({ workload, operation }) =>
          Object.entries(times).map(([library, time]) => ({
            host,
            workload: workload.name,
            operation,
            library,
            bytes: workload.bytes,
            mean: time[operation],
            ...summary,
          })),
        ),
      ),
      ...protocols,
    ],
    allocations: [
      ...pairs.flatMap(({ workload, operation }) =>
        [KEPT, JSON_STRING].map((library) => ({
          host: "node-20",
          workload: workload.name,
          operation,
          library,
          bytes: library === KEPT ? 1200 : 1000,
        })),
      ),
      ...protocols,
    ],
    startups: [{ host: "node-20", library: KEPT, milliseconds: 12.5, least: 11, most: 14, samples: 5 }],
    growths: [1, 100].flatMap((megabytes) =>
      ["msgpack-wasm", "JSON"].flatMap((library) =>
        (["decode", "encode"] as const).map((direction) => ({
          host: "node-20",
          library,
          direction,
          megabytes,
          nanosecondsPerByte: library === "JSON" ? megabytes : 1 + megabytes / 100,
        })),
      ),
    ),
    downloads: [{ library: "msgpack-wasm", minified: 140_000, gzipped: 54_321 }],
    absences: [{ library: JSON_BYTES, workload: "Float32Array", reason: "JSON has no binary data" }],
    failures: [{ host: "node-20", workload: "tiny", library: "msgpack5", reason: "fell <over>" }],
  };
}

describe("report", () => {
  const results = made();
  const goalOf = (host: string, name: string) => {
    const goal = computeGoals(results).find(
      (candidate) => candidate.host === host && candidate.name === name,
    );
    if (goal === undefined) throw new Error(`no goal ${name}`);
    return goal;
  };

  test.each([
    ["node-20", "decode, 1 KB and more, to the fastest peer, geometric mean", 3.1, true],
    ["node-20", "decode, 1 KB and more, to @msgpack/msgpack, geometric mean", 9, true],
    // A string of JSON is no rival where bytes are wanted; bytes of JSON are, but no MessagePack.
    ["node-20", "encode, 1 KB and more, to the fastest peer, geometric mean", 1.2, false],
    ["node-20", "encode, 1 KB and more, to the fastest MessagePack peer, each", 2, true],
    ["node-20", "encode, 1 KB and more, to @msgpack/msgpack, each", 2, true],
    ["node-20", "encode, under 64 bytes, to the fastest peer, each", 1.2, true],
    ["node-20", "decode without code generation, documents, to that with it, geometric mean", 0.8, true],
    ["node-20", "encode without code generation, documents, to that with it, geometric mean", 0.5, false],
    ["node-20", "encode without code generation, documents, to the fastest peer, each", 0.6, false],
    ["node-20", "bytes allocated by decode, to JSON.parse, each", 1.2, false],
    ["node-20", "bytes allocated by encode, to 1.5 × the result + 1 KB, each", 1200 / (30 + 1024), false],
    ["node-20", "decode, time per byte from 1 to 100 MB, to the growth of JSON.parse", 2 / 1.01 / 100, true],
    ["node-20", "SignalR, to @microsoft/signalr-protocol-msgpack, each", 2.2, true],
    // One row of two.
    ["node-20", "SignalR, bytes allocated, to @microsoft/signalr-protocol-msgpack, each", 1.25, false],
    ["node-20", "SignalR, to @microsoft/signalr, JSON, each", 0.9, false],
    ["node-20", "StreamingHub, call, to @msgpack/msgpack, each", 1.5, true],
    ["node-20", "StreamingHub, call, bytes allocated, to @msgpack/msgpack, each", 0.85, true],
    ["node-20", "StreamingHub, encode and decode, to @msgpack/msgpack, each", 2, false],
    [
      "node-20",
      "encode with pooled results, 1 KB and more, to the fastest MessagePack peer, each",
      2.5,
      true,
    ],
    ["firefox", "decode, documents, to @msgpack/msgpack, geometric mean", 9, true],
    ["firefox", "encode, documents, to @msgpack/msgpack, geometric mean", 2, true],
  ])("%s: %s", (host, name, value, isReached) => {
    const goal = goalOf(host, name);
    expect(goal.value).toBeCloseTo(value);
    expect(goal.isReached).toBe(isReached);
  });

  test("a later Node has a lower goal for encoding, as its JSON.stringify is faster", () => {
    const [host] = results.hosts;
    const later = {
      ...results,
      hosts: [{ ...host, id: "node-26" }],
      timings: results.timings.map((timing) => ({ ...timing, host: "node-26" })),
    };
    const goal = computeGoals(later).find(({ name }) =>
      name.startsWith("encode, 1 KB and more, to the fastest peer"),
    );
    expect(goal).toMatchObject({ target: "≥ 1.1", isReached: true });
  });

  test("what was not measured is neither reached nor missed", () => {
    const goals = computeGoals({ ...results, timings: [], allocations: [], growths: [] });
    expect(goals.length).toBeGreaterThan(15);
    for (const { isReached, value } of goals) expect([isReached, value]).toEqual([undefined, Number.NaN]);
  });

  test("the terminal gets aligned tables", () => {
    const [host] = results.hosts;
    const [section, signalr] = results.sections;
    const text = printTable(ratioTable(results, host, section, "decode"));
    expect(text).toMatch(/^twitter +400,000 +10.0M +±1.5% +12 +1.00 +1.25 +9.00 +4.00 +5.00 +3.10$/m);
    expect(printTable(protocolTable(results, host, signalr))).toMatch(
      /^read: few arguments +20 +100 +±1.5% +12 +300 +2.50 +600 +0.90 +400$/m,
    );
    expect(printTable(goalTable(results))).toMatch(/NOT reached +1 of 1 not: twitter 0.60$/m);
    expect(printTable(goalTable(results))).toMatch(/NOT reached +1 of 2 not: read: few arguments 0.90$/m);
  });

  test("the page holds everything, and loads nothing from elsewhere", async () => {
    const html = await renderHtml(results);
    for (const text of [
      "Node 20.1.2",
      "V8 11.3",
      "Firefox 153",
      "@msgpack/msgpack 9.8.7",
      "10.0M ±1.5%",
      "n 12",
      "12.5",
      "54,321",
      "NOT reached",
      "fell &#60;over&#62;",
      "JSON has no binary data",
      "Abacus &#60;/script&#62; 9000",
    ]) {
      expect([text, html.includes(text)]).toEqual([text, true]);
    }
    // What a browser would fetch: attributes, imports, styles.
    const markup = html.replace(/<script>[\s\S]*?<\/script>/g, "");
    expect(markup.match(/\s(?:src|href|srcset|data|action|poster)\s*=\s*(?!"data:,")\S+/gi)).toBe(null);
    expect(markup.match(/@import|url\(/gi)).toBe(null);
    const [script] = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code]) => code);
    expect(script.match(/\bimport\s*\(|\bimportScripts\b|\bfetch\(|XMLHttpRequest/g)).toBe(null);
    // Two scripts, the data and the code, both closed where they end.
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    const data = /<script type="application\/json" id="results">([\s\S]*?)<\/script>/.exec(html);
    expect(JSON.parse(data?.[1] ?? "")).toEqual(results);
  });

  test("the README gets its section, losses included, and nothing else changes", async () => {
    const begin = "<!-- bench:begin (written by `npm run bench -- --readme`) -->";
    const before = `# Title\n${begin}\nold\n<!-- bench:end -->\nrest\n`;
    const after = insertInReadme(before, results, "bench/speed.svg");
    expect(after.startsWith(`# Title\n${begin}\n\n![`)).toBe(true);
    expect(after.endsWith("\n<!-- bench:end -->\nrest\n")).toBe(true);
    expect(after).not.toContain("old");
    expect(after).toContain("| twitter | 400,000 | 10.0M ±1.5% | 1.25 | 2.00 | – | 1.20 | 1.50 |");
    expect(after).toContain(
      "| read: few arguments | 20 | 100 | ±1.5% | 12 | 300 | 2.50 | 600 | **0.90** | 400 |",
    );
    expect(insertInReadme(after, results, "bench/speed.svg")).toBe(after);
    const slower = {
      ...results,
      timings: results.timings.map((timing) => ({
        ...timing,
        mean: timing.library === KEPT ? 160 : timing.mean,
      })),
    };
    expect(insertInReadme(before, slower, "bench/speed.svg")).toContain("| **0.75** | **0.94** |");
    expect(() => insertInReadme("nothing", results, "x")).toThrow("lacks the lines");
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    expect(() => insertInReadme(readme, results, "x")).not.toThrow();
  });

  test("the picture is an SVG with every library, that runs no script", () => {
    const svg = renderSvg(results);
    expect(svg).toMatch(/^<svg /);
    for (const id of [KEPT, NO_CODEGEN, REFERENCE_KEPT, "cbor-x", JSON_BYTES, JSON_STRING]) {
      expect(svg).toContain(id);
    }
    expect(svg).not.toContain(OFFICIAL_HUB);
    expect(svg).not.toMatch(/<script|href="http/);
  });
});

test("the Benchmark.js of the suite is the version that it names", () => {
  expect(createRequire(import.meta.url)("benchmark").version).toBe("2.1.4");
});
