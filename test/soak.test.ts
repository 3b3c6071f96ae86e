import { describe, expect, test } from "vitest";
import { Chance } from "./soak/Chance.mjs";
import { Checks, Mistake } from "./soak/Checks.mjs";
import { judgeMemory, judgeSpeed, MAX_SLOWDOWN } from "./soak/judge.mjs";
import { type Library, loadPublished } from "./soak/library.mjs";
import { traffic } from "./soak/traffic/index.mjs";

// `npm run soak` is worth what it would notice.

const library = await loadPublished();

type Method = (...parameters: never[]) => unknown;

/** The class, but the seventh result of a method is another. */
function faulty<C extends abstract new (...parameters: never[]) => unknown>(
  Class: C,
  method: string,
  change: (result: never) => unknown,
): C {
  const Faulty = class extends (Class as unknown as new (...parameters: unknown[]) => object) {};
  const right = Class.prototype[method] as Method;
  let calls = 0;
  Object.defineProperty(Faulty.prototype, method, {
    value(...parameters: never[]) {
      const result = right.apply(this, parameters);
      return ++calls === 7 ? change(result as never) : result;
    },
  });
  return Faulty as unknown as C;
}

/** One bit is wrong. */
function flipped(bytes: Uint8Array | ArrayBuffer): Uint8Array {
  const copy = Uint8Array.from(new Uint8Array(bytes instanceof Uint8Array ? bytes : bytes.slice(0)));
  copy[copy.length - 1] ^= 1;
  return copy;
}

const faults: Record<string, Partial<Record<keyof Library, unknown>>> = {
  documents: { Encoder: faulty(library.Encoder, "encode", flipped) },
  values: { Decoder: faulty(library.Decoder, "decode", (value) => [value]) },
  streams: { decodeAsync: async () => "what nobody has sent" },
  "typed arrays": { Decoder: faulty(library.Decoder, "decode", (value: object) => ({ ...value, more: 1 })) },
  arenas: { WasmArena: faulty(library.WasmArena, "decode", (value: object) => ({ ...value, more: 1 })) },
  errors: { Decoder: faulty(library.Decoder, "decode", () => ({ id: 2 })) },
  "re-entrancy": { Encoder: faulty(library.Encoder, "encode", flipped) },
  SignalR: { HubFrameReader: faulty(library.HubFrameReader, "read", () => ({ type: 6, more: 1 })) },
  StreamingHub: { StreamingHubCodec: faulty(library.StreamingHubCodec, "write", flipped) },
  Redis: { readAck: () => 0.5 },
};

describe("wrong results", () => {
  test("are looked for in all traffic", () => {
    const checks = new Checks();
    expect(traffic.map((make) => make(library, checks).name)).toEqual(Object.keys(faults));
  });

  test.each(Object.entries(faults))("are noticed: %s", async (name, changed) => {
    const run = async (used: Library) => {
      const checks = new Checks();
      const kinds = traffic.map((make) => make(used, checks));
      const kind = kinds.find((kind) => kind.name === name);
      const chance = new Chance(1);
      for (let i = 0; i < 20; i++) await kind?.run(chance);
      kind?.settle?.();
      return checks.verified;
    };
    expect(await run(library)).toBeGreaterThan(50);
    await expect(run({ ...library, ...changed } as Library)).rejects.toThrow(Mistake);
  });

  test("may be errors of another class, code, place or identity, and none", () => {
    const checks = new Checks();
    const error = Object.assign(new RangeError("short"), { code: "INSUFFICIENT_DATA", offset: 3 });
    const call = () => {
      throw error;
    };
    checks.failure(call, { class: RangeError, code: "INSUFFICIENT_DATA", offset: 3, message: /^short$/ });
    checks.failure(call, error);
    expect([checks.verified, checks.errors]).toEqual([2, 2]);
    for (const expected of [
      { class: Error },
      { class: RangeError, code: "EXTRA_BYTES" },
      { class: RangeError, offset: 4 },
      { class: RangeError, message: /long/ },
      new RangeError("short"),
    ]) {
      expect(() => checks.failure(call, expected)).toThrow(Mistake);
    }
    expect(() => checks.failure(() => 1, { class: RangeError })).toThrow(Mistake);
    expect(checks.verified).toBe(2);
  });
});

const steady = { heap: 30e6, external: 20e6, arrayBuffers: 10e6, wasmMemory: 14e6, wasmUse: 8e6, arenas: 1 };
const samples = (grow: (i: number) => object) =>
  Array.from({ length: 60 }, (_, i) => ({ ...steady, ...grow(i) }));
const growing = (reports: (typeof steady)[]) =>
  judgeMemory(reports)
    .filter(({ isFlat }) => !isFlat)
    .map(({ kind }) => kind);

describe("memory", () => {
  test("may rise at first, and come and go", () => {
    expect(growing(samples((i) => ({ heap: 30e6 + (i < 12 ? i * 1e6 : 12e6) })))).toEqual([]);
    expect(growing(samples((i) => ({ heap: 30e6 + (i % 3) * 4e6, external: 20e6 + (i % 2) * 4e6 })))).toEqual(
      [],
    );
  });

  test.each(
    Object.entries({
      heap: 1e5,
      external: 1e5,
      arrayBuffers: 1e5,
      wasmMemory: 1e5,
      wasmUse: 2e3,
      arenas: 0.1,
    }),
  )("must not go on rising: %s", (kind, step) => {
    const value = steady[kind as keyof typeof steady];
    expect(growing(samples((i) => ({ [kind]: value + i * step })))).toEqual([kind]);
  });
});

describe("speed", () => {
  const slowdowns = (...factors: ((i: number) => number)[]) =>
    judgeSpeed(
      factors.map((factor) => Array.from({ length: 60 }, (_, i) => [{ name: "kind", time: 3 * factor(i) }])),
    )[0];

  test("is compared in all threads together", () => {
    const slower = (i: number) => (i < 30 ? 1 : 1.21);
    expect(slowdowns(slower, slower).slowdown).toBeCloseTo(0.21);
    const { slowdown, ofEach } = slowdowns(slower, () => 1);
    expect(slowdown).toBeCloseTo(0.1);
    expect(slowdown).toBeGreaterThan(MAX_SLOWDOWN);
    expect(ofEach[0]).toBeCloseTo(0.21);
    expect(ofEach[1]).toBe(0);
  });

  test("may be disturbed now and then", () => {
    expect(slowdowns((i) => (i % 4 === 3 ? 9 : 1)).slowdown).toBe(0);
  });
});

test("a seed brings the same traffic back", () => {
  const decide = (chance: Chance) => [
    chance.integer(1e9),
    chance.shuffled([1, 2, 3, 4, 5, 6, 7]),
    chance.cut(new Uint8Array(1000)).map(({ length }) => length),
  ];
  expect(decide(new Chance(5))).toEqual(decide(new Chance(5)));
  expect(decide(new Chance(5))).not.toEqual(decide(new Chance(6)));
});
