import { afterAll, describe, expect, test, vi } from "vitest";
import { join, repeat } from "./lib/bytes.ts";
import { failAtEachAwaited } from "./lib/faults.ts";
import { collect, piecesOf } from "./lib/streams.ts";
import { freeBytes, takeAllOf } from "./lib/wasmHeap.mjs";
import { loadWithPages, withFreeBytes } from "./lib/wasmMemory.ts";

// Wherever an allocation in wasm memory fails, or its growth is refused: the caller is told so, nothing is lost, and
// what there is memory for works.

vi.setConfig({ testTimeout: 120_000 });
afterAll(() => {
  vi.resetModules();
});

const sample = { id: 1, list: [{ id: 2, name: "é" }, null, [1, 2, 3, 4, 5]], text: "x".repeat(100) };
const OUT_OF_MEMORY = /out of WebAssembly memory/;
const nested = (depth: number) => join(repeat([0x92], depth), repeat([0xc0], depth + 1));

/** From nothing to more than all sessions need. */
const rooms = [0, 100, 500, 1000, 4000, 20_000, 100_000, 300_000, 600_000, 800_000, 1_000_000, 1_300_000];
const moreRooms = [1_600_000, 2_000_000, 2_300_000, 2_600_000, 3_000_000, 4_000_000];

type Testing = Awaited<ReturnType<typeof loadWithPages>>;

function expectOutOfMemory(error: unknown): void {
  expect(error).toBeInstanceOf(RangeError);
  expect((error as Error).message).toMatch(OUT_OF_MEMORY);
}

/** Does `work` with ever more memory, until it gets through. Returns how often it was out of memory. */
function growUntilDone(testing: Testing, work: () => void): number {
  let failures = 0;
  for (const room of [...rooms, ...moreRooms]) {
    try {
      withFreeBytes(testing.sharedInstance(), room, work);
      return failures;
    } catch (error) {
      expectOutOfMemory(error);
      failures++;
    }
    expect(testing.areWorkersQuiet()).toBe(true);
  }
  throw new Error("there was never enough memory");
}

/** More than the small reader and writer take. */
const large = Array.from({ length: 300 }, (_, i) => ({ ...sample, i }));

describe("an allocation that fails", () => {
  test("in the first encoding, at any of its allocations", async () => {
    const testing = await loadWithPages(128);
    expect(growUntilDone(testing, () => void testing.encode(large))).toBeGreaterThan(5);
    expect(testing.decode(testing.encode(large))).toStrictEqual(large);
  });

  test("in the first decoding, at any of its allocations", async () => {
    const bytes = (await import("msgpack-wasm")).encode(large);
    const testing = await loadWithPages(128);
    const decode = () => expect(testing.decode(bytes)).toStrictEqual(large);
    expect(growUntilDone(testing, decode)).toBeGreaterThan(5);
    decode();
  });

  test("in calls within calls", async () => {
    const testing = await loadWithPages(128);
    const encode = (depth: number): Uint8Array =>
      testing.encode({
        large,
        get inner() {
          return depth === 0 ? null : testing.decode(encode(depth - 1));
        },
      });
    encode(0);
    expect(growUntilDone(testing, () => void encode(1))).toBeGreaterThan(3);
    testing.decode(encode(1));
    const before = freeBytes(testing.sharedInstance());
    for (let i = 0; i < 20; i++) testing.decode(encode(1));
    expect(freeBytes(testing.sharedInstance())).toBe(before);
  });

  test("in the stack of a deep message", async () => {
    const testing = await loadWithPages(128);
    testing.decode(testing.encode(large));
    const deep = nested(10_000);
    expect(growUntilDone(testing, () => void testing.decode(deep))).toBeGreaterThan(3);
    expect(testing.decode(testing.encode(large))).toStrictEqual(large);
    // What it took to be that deep is given back with the next message.
    const before = freeBytes(testing.sharedInstance());
    for (let i = 0; i < 20; i++) {
      testing.decode(deep);
      expect(testing.decode(testing.encode(large))).toStrictEqual(large);
    }
    expect(freeBytes(testing.sharedInstance())).toBe(before);
  });

  test("in what a stream keeps while it waits", async () => {
    const testing = await loadWithPages(128);
    const bytes = testing.encode(large);
    expect(await testing.decodeAsync(iterable(piecesOf(bytes, 999)))).toStrictEqual(large);
    // The session's own stack goes with a value that is let go of, so it may be more afterwards.
    const before = freeBytes(testing.sharedInstance());
    const pieces = piecesOf(bytes, 999);
    for (const [n] of pieces.entries()) {
      // The piece comes when there is no memory to keep the value meanwhile.
      async function* starved() {
        for (const [i, piece] of pieces.entries()) {
          if (i === n) {
            const release = takeAllOf(testing.sharedInstance());
            try {
              yield piece;
            } finally {
              release();
            }
          } else {
            yield piece;
          }
        }
      }
      await testing
        .decodeAsync(starved())
        .then((value) => expect(value).toStrictEqual(large), expectOutOfMemory);
      expect(testing.areWorkersQuiet()).toBe(true);
      expect(testing.decode(bytes)).toStrictEqual(large);
      expect(freeBytes(testing.sharedInstance())).toBeGreaterThanOrEqual(before);
    }
  });
});

describe("nothing is kept in wasm memory", () => {
  test("of streams that fail, wherever they do, nor of those that are left", async () => {
    const testing = await loadWithPages(128);
    const bytes = join(testing.encode(large), testing.encode(large));
    const read = (fault: () => void) =>
      collect(
        testing.decodeMultiStream(
          (async function* () {
            for (const piece of piecesOf(bytes, 5000)) {
              fault();
              yield piece;
            }
          })(),
        ),
      );
    await read(() => {});
    const before = freeBytes(testing.sharedInstance());
    const count = await failAtEachAwaited(read, () => {
      expect(testing.areWorkersQuiet()).toBe(true);
      expect(freeBytes(testing.sharedInstance())).toBeGreaterThanOrEqual(before);
    });
    expect(count).toBeGreaterThan(5);
    for await (const _ of testing.decodeMultiStream(iterable(piecesOf(bytes, 5000)))) break;
    expect(freeBytes(testing.sharedInstance())).toBeGreaterThanOrEqual(before);
  });
});

test("growth that is refused is an error, and not the end of the codec", async () => {
  let failures = 0;
  for (let pages = 32; ; pages += 2) {
    const testing = await loadWithPages(pages);
    try {
      expect(testing.decode(testing.encode(large))).toStrictEqual(large);
      break;
    } catch (error) {
      expectOutOfMemory(error);
      failures++;
    }
    // Again, and what needs none of the sessions works all the same.
    expect(() => testing.decode(testing.encode(large))).toThrow(OUT_OF_MEMORY);
    expect(testing.areWorkersQuiet()).toBe(true);
  }
  expect(failures).toBeGreaterThan(3);
});

test("a result that is too large for the host is an error, and the next one is none", async () => {
  const { encode, encodeInto, decode } = await import("msgpack-wasm");
  // 40 times 256 MB are more than any host's longest buffer.
  const part = new Uint8Array(2 ** 28);
  const huge = new Array(40).fill(part);
  expect(() => encode(huge)).toThrow(RangeError);
  expect(() => encodeInto(huge, new Uint8Array(1000))).toThrow(RangeError);
  expect(decode(encode(sample))).toStrictEqual(sample);
});

async function* iterable<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items;
}
