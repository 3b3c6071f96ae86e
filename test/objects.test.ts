import assert from "node:assert/strict";
import * as reference from "@msgpack/msgpack";
import { decode, Encoder, encode } from "msgpack-wasm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { failure } from "./lib/reference.ts";

vi.setConfig({ testTimeout: 60_000 });

/** More than it takes until a shape is learned and its objects are made by compiled code. */
const MANY = 150;

describe("what is encoded of an object", () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, "pollution");
  });

  test("its own enumerable properties with string keys, and nothing else", () => {
    const symbol = Symbol("symbol");
    class Parent {
      inherited = "own after all";
      get accessor(): number {
        throw new Error("not own");
      }
    }
    class Child extends Parent {
      field = 1;
      [symbol] = 2;
      method(): number {
        return 3;
      }
    }
    const hidden = Object.defineProperty({ seen: 1 }, "hidden", { value: 2, enumerable: false });
    const inheriting: object = Object.assign(Object.create({ inherited: 1, other: { a: 1 } }), { own: 2 });
    const nullPrototype: object = Object.assign(Object.create(null), { a: 1, hasOwnProperty: 2 });
    const symbols = { a: 1, [Symbol("s")]: 2, [Symbol.iterator]: 3, b: 4 };
    const objects = [
      new Child(),
      hidden,
      inheriting,
      nullPrototype,
      symbols,
      Object.create(null),
      Object.create({ x: 1 }),
    ];
    for (let i = 0; i < MANY; i++) {
      for (const object of objects) assert.deepStrictEqual(encode(object), reference.encode(object).slice());
    }
    const expected: object[] = [
      { inherited: "own after all", field: 1 },
      { seen: 1 },
      { own: 2 },
      { a: 1, hasOwnProperty: 2 },
      { a: 1, b: 4 },
      {},
      {},
    ];
    assert.deepStrictEqual(decode(encode(objects)), expected);
  });

  test("also while Object.prototype has an enumerable property", () => {
    const value = {
      a: 1,
      list: [{ b: 2 }, {}],
      nothing: Object.create(null),
      date: new Date(0),
      bytes: Uint8Array.of(1),
    };
    const bytes = encode(value);
    Reflect.set(Object.prototype, "pollution", "everywhere");
    assert.equal(Reflect.get({}, "pollution"), "everywhere");
    const polluted = encode(value);
    const withIgnored = encode(value, { ignoreUndefined: true });
    const decoded = decode(bytes) as typeof value;
    Reflect.deleteProperty(Object.prototype, "pollution");
    assert.deepStrictEqual(polluted, bytes);
    assert.deepStrictEqual(withIgnored, bytes);
    assert.deepStrictEqual(Object.keys(decoded), Object.keys(value));
    assert.deepStrictEqual(decoded, { ...value, nothing: {} });
    assert.deepStrictEqual(encode(value), bytes);
  });

  test("each property by one read", () => {
    const reads: string[] = [];
    const getters = {
      get a() {
        reads.push("a");
        return 1;
      },
      b: 2,
      get c() {
        reads.push("c");
        return reads.length;
      },
    };
    for (const options of [{}, { ignoreUndefined: true }, { sortKeys: true }]) {
      reads.length = 0;
      assert.deepStrictEqual(decode(encode(getters, options)), { a: 1, b: 2, c: 2 });
      assert.deepStrictEqual(reads, ["a", "c"]);
    }
    const items: number[] = [];
    const array = new Proxy([1, 2.5, "c", 4, 5], {
      get(target, key, receiver) {
        if (typeof key === "string" && /^\d+$/.test(key)) items.push(Number(key));
        return Reflect.get(target, key, receiver);
      },
    });
    assert.deepStrictEqual(decode(encode(array)), [1, 2.5, "c", 4, 5]);
    assert.deepStrictEqual(items, [0, 1, 2, 3, 4]);
  });

  test("the value that a getter gives, even if it is undefined the second time", () => {
    let isFirst = true;
    const fickle = {
      get a() {
        const value = isFirst ? "once" : undefined;
        isFirst = false;
        return value;
      },
    };
    assert.deepStrictEqual(decode(encode(fickle, { ignoreUndefined: true })), { a: "once" });
    assert.deepStrictEqual(decode(encode(fickle, { ignoreUndefined: true })), {});
  });

  test("what a proxy shows", () => {
    const proxy = new Proxy(
      { a: 1, b: 2, c: 3 },
      {
        get: (target, key, receiver) => (key === "b" ? "replaced" : Reflect.get(target, key, receiver)),
        ownKeys: () => ["b", "a", "d"],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      },
    );
    for (let i = 0; i < 5; i++) {
      assert.deepStrictEqual(encode(proxy), reference.encode(proxy).slice());
      assert.deepStrictEqual(decode(encode([proxy])), [{ b: "replaced", a: 1, d: null }]);
    }
    const plain = new Proxy({ a: 1, b: [2] }, {});
    assert.deepStrictEqual(decode(encode(plain)), { a: 1, b: [2] });
    assert.deepStrictEqual(decode(encode(new Proxy([1, 2], {}))), [1, 2]);
  });

  test("an error that a getter throws, and then everything works again", () => {
    const thrower = {
      a: 1,
      get b(): never {
        throw new TypeError("from the getter");
      },
    };
    const encoder = new Encoder();
    for (let i = 0; i < MANY; i++) {
      expect(failure(() => encoder.encode({ x: [1, 2, "text", { y: thrower }] })).message).toBe(
        "from the getter",
      );
      assert.deepStrictEqual(decode(encoder.encode({ a: 1, b: [2] })), { a: 1, b: [2] });
    }
  });

  test("the holes of sparse arrays are nil, and their further properties are left out", () => {
    const sparse: unknown[] = [];
    sparse[3] = "d";
    sparse[40] = 1;
    const extra = Object.assign([1, 2], { name: "extra", "-1": 0 });
    for (const array of [
      sparse,
      extra,
      new Array(5),
      [undefined, 1],
      [1, undefined],
      [1, 2, 3, 4, undefined, 6],
    ]) {
      assert.deepStrictEqual(encode(array), reference.encode(array).slice());
      assert.deepStrictEqual(
        decode(encode(array)),
        Array.from(array, (item) => item ?? null),
      );
    }
  });
});

describe("objects that change while they are encoded", () => {
  /** Counts and items must agree: the message is the one before the change, the one after, or there is an error. */
  function expectWhole(encodeIt: () => Uint8Array): void {
    let bytes: Uint8Array;
    try {
      bytes = encodeIt();
    } catch (error) {
      assert.ok(error instanceof Error);
      bytes = encode("fine");
    }
    // An error for a message that does not hold what it says.
    decode(bytes);
    reference.decode(bytes);
    assert.equal(decode(encode("still works")), "still works");
  }

  const changes: Record<string, (object: Record<string, unknown>) => void> = {
    "by a new property": (object) => {
      object.added = 1;
    },
    "by many new properties": (object) => {
      for (let i = 0; i < 50; i++) object[`added${i}`] = i;
    },
    "by one less": (object) => {
      delete object.last;
    },
    "by many less": (object) => {
      for (const key of Object.keys(object)) if (key !== "a") delete object[key];
    },
    "by another prototype": (object) => {
      Object.setPrototypeOf(object, { inherited: 1 });
    },
    "by other values": (object) => {
      object.b = ["changed"];
    },
  };

  test.each(Object.entries(changes))("%s", (_, change) => {
    // With enough behind the change that the window ends before the object does.
    for (const size of [0, 1, 100, 20_000, 100_000]) {
      for (let i = 0; i < 2; i++) {
        const object: Record<string, unknown> = {
          get a() {
            change(object);
            return 1;
          },
          b: Array.from({ length: size }, (_, k) => `text ${k}`),
          last: 2,
        };
        expectWhole(() => encode(object));
        expectWhole(() => encode([object, "after"], { ignoreUndefined: true }));
        const late: Record<string, unknown> = {
          b: Array.from({ length: size }, (_, k) => k % 3),
          c: {
            get a() {
              change(late);
              return 1;
            },
          },
          last: 2,
        };
        expectWhole(() => encode(late));
        expectWhole(() => encode({ late, again: late }, { sortKeys: true }));
      }
    }
  });

  test("arrays that grow or shrink", () => {
    for (const size of [2, 10, 70_000]) {
      for (const change of [
        (array: unknown[]) => void array.push("more", 1, 2),
        (array: unknown[]) => {
          array.length = 1;
        },
        (array: unknown[]) => void array.fill("filled"),
      ]) {
        for (const item of [1, 1.5, "text", null]) {
          const array: unknown[] = new Array(size).fill(item);
          array[0] = {
            get a() {
              change(array);
              return 1;
            },
          };
          expectWhole(() => encode(array));
          expectWhole(() => encode({ array, after: [array] }));
        }
      }
    }
  });

  test("arrays that a getter among numbers changes", () => {
    const array = [1, 2, 3, 4, 5, 6, 7, 8];
    Object.defineProperty(array, 5, {
      enumerable: true,
      get() {
        array.length = 5;
        return 9;
      },
      configurable: true,
    });
    expectWhole(() => encode(array));
  });
});
