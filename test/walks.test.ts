// Objects of a shape that is met often are encoded by code compiled for it. Whatever comes in their place, the bytes are
// those that @msgpack/msgpack writes.
import * as reference from "@msgpack/msgpack";
import { Decoder, Encoder, ExtensionCodec, encode } from "msgpack-wasm";
import { limitEncodeWindows, Encoder as TestedEncoder } from "msgpack-wasm/testing";
import { afterEach, describe, expect, test } from "vitest";

/** More than it takes to compile. */
const OFTEN = 100;

let names = 0;
/** Keys that nobody has used before, so that each test has shapes of its own. */
function keys(count: number): string[] {
  return Array.from({ length: count }, () => `walk${names++}`);
}

function objectOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}

function expectSame(value: unknown, options = {}) {
  expect(encode(value, options)).toStrictEqual(reference.encode(value, options));
}

/** Has a walk compiled for these keys, with values of these kinds. */
function teach(names: readonly string[], values: readonly unknown[]) {
  for (let i = 0; i < OFTEN; i++) expectSame(objectOf(names, values));
}

const VALUES: unknown[] = [
  "text",
  "",
  "Größe \u{1f600}",
  "long ".repeat(1000),
  0,
  -0,
  1,
  -1,
  2 ** 27 - 1,
  2 ** 27,
  -(2 ** 27),
  -(2 ** 27) - 1,
  2 ** 31,
  2 ** 53,
  0.5,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  true,
  false,
  null,
  undefined,
  [],
  [1, 2],
  [0.5, 1.5],
  ["a", { b: 1 }],
  {},
  { other: 1 },
  new Uint8Array([1, 2, 3]),
  new Date(1_700_000_000_000),
];

describe("values that a compiled walk has not been compiled for", () => {
  test.each(VALUES.map((value, i) => [i, value]))("of any kind after any other: %i", (_, first) => {
    const [before, name, after] = keys(3);
    teach([before, name, after], [1, first, "x"]);
    for (const value of VALUES) expectSame(objectOf([before, name, after], [1, value, "x"]));
  });

  test("of many kinds from the start", () => {
    const names = keys(VALUES.length);
    for (let i = 0; i < 3 * OFTEN; i++) {
      expectSame(
        objectOf(names, [...VALUES.slice(i % VALUES.length), ...VALUES.slice(0, i % VALUES.length)]),
      );
    }
  });

  test("that have no format", () => {
    const [name] = keys(1);
    teach([name], [1]);
    expect(() => encode({ [name]: Symbol("no") })).toThrow("Unrecognized object: [object Symbol]");
    expect(() => encode({ [name]: () => 1 })).toThrow("Unrecognized object: [object Function]");
    expect(() => encode({ [name]: 1n })).toThrow("Unrecognized object: [object BigInt]");
    expectSame({ [name]: 1n }, { useBigInt64: true });
    expectSame({ [name]: 5 });
  });

  test("objects of several shapes that take turns in a property and in an array", () => {
    const [outer, ...inner] = keys(6);
    for (let i = 0; i < 4 * OFTEN; i++) {
      const turn = (shift: number) => objectOf(inner.slice((i + shift) % 4), [i, "text", null, [i]]);
      expectSame({ [outer]: turn(0) });
      expectSame([turn(0), turn(1), turn(1), turn(2), turn(0)]);
    }
  });
});

describe("objects that are not what they look like", () => {
  const names = keys(2);
  const [first, second] = names;
  teach(names, [1, "x"]);
  const plain = () => objectOf(names, [1, "x"]);

  class Instance {
    constructor() {
      Object.assign(this, plain());
    }
  }

  const cases: [string, () => object][] = [
    ["keys in another order", () => ({ [second]: "x", [first]: 1 })],
    ["one key more", () => ({ ...plain(), more: 1 })],
    ["one key less", () => ({ [first]: 1 })],
    ["no key", () => ({})],
    ["a key before", () => ({ before: 1, ...plain() })],
    ["instances of a class", () => new Instance()],
    ["no prototype", () => Object.assign(Object.create(null), plain())],
    ["inherited properties", () => Object.assign(Object.create({ inherited: 1 }), plain())],
    ["keys that are all inherited", () => Object.create(plain())],
    ["a key that is inherited", () => Object.assign(Object.create({ [second]: "x" }), { [first]: 1 })],
    ["a constructor among the keys", () => ({ ...plain(), constructor: 1 })],
    ["symbol keys", () => ({ ...plain(), [Symbol("s")]: 1 })],
    ["index keys", () => ({ ...plain(), 7: 1 })],
    [
      "a key that is no longer enumerable",
      () => Object.defineProperty(plain(), first, { enumerable: false }),
    ],
    ["a hidden key", () => Object.defineProperty(plain(), "hidden", { value: 1, enumerable: false })],
    ["getters", () => Object.defineProperty(plain(), first, { get: () => 3, enumerable: true })],
    ["frozen", () => Object.freeze(plain())],
    ["a proxy", () => new Proxy(plain(), {})],
    ["a date", () => Object.assign(new Date(0), plain())],
    ["an error", () => Object.assign(new Error("e"), plain())],
  ];

  test.each(cases)("%s", (_, make) => {
    for (let i = 0; i < 3; i++) {
      expectSame(make());
      expectSame([plain(), make(), plain()]);
      expectSame({ a: plain(), b: make() });
    }
  });

  test("views and Maps with properties of their own", () => {
    const bytes = Object.assign(new Uint8Array([1]), plain());
    expectSame([plain(), bytes, plain()]);
    const map = Object.assign(new Map([["k", 1]]), plain());
    expect(new Decoder().decode(encode([plain(), map]))).toStrictEqual([plain(), { k: 1 }]);
  });

  test("a key of __proto__, which decoders refuse", () => {
    const object = JSON.parse('{"__proto__": 1, "walkedProto": 2}');
    for (let i = 0; i < OFTEN; i++) expectSame(object);
  });

  test("keys with all that a string literal may hold", () => {
    const strange = [
      "\"'`\\",
      "\n\r\u2028\u2029",
      "$" + "{x}",
      "ключ",
      "*/ //",
      "a b",
      "0x1",
      "constructor ",
    ];
    for (let i = 0; i < OFTEN; i++) expectSame(objectOf(strange, strange));
  });
});

describe("objects that change while they are walked", () => {
  test("a getter that deletes, adds and changes what comes behind it", () => {
    const names = keys(4);
    teach(names, [1, 2, 3, 4]);
    const make = () => {
      const object = objectOf(names, [1, 2, 3, 4]);
      return Object.defineProperty(object, names[1], {
        enumerable: true,
        get() {
          delete object[names[2]];
          object[names[3]] = "changed";
          object.added = 1;
          return "got";
        },
      });
    };
    expect(encode(make())).toStrictEqual(reference.encode(make()));
    expect(new Decoder().decode(encode(make()))).toStrictEqual(objectOf(names, [1, "got", null, "changed"]));
  });

  test("each property is read once", () => {
    const names = keys(3);
    teach(names, [1, 2, 3]);
    const reads: string[] = [];
    const object = {};
    for (const name of names) {
      Object.defineProperty(object, name, { enumerable: true, get: () => reads.push(name) });
    }
    encode(object);
    expect(reads).toStrictEqual(names);
  });

  test("a getter that encodes, and one that throws", () => {
    const names = keys(2);
    teach(names, [1, 2]);
    const object = (get: () => unknown) =>
      Object.defineProperty(objectOf(names, [1, 2]), names[0], { enumerable: true, get });
    const nested = encode(object(() => encode([objectOf(names, [5, 6])]).length));
    expect(new Decoder().decode(nested)).toStrictEqual(
      objectOf(names, [encode([objectOf(names, [5, 6])]).length, 2]),
    );
    const failure = new Error("from a getter");
    expect(() =>
      encode(
        object(() => {
          throw failure;
        }),
      ),
    ).toThrow(failure);
    expectSame(objectOf(names, [1, 2]));
  });
});

/** Encodes within an encoding, so deep that memory must grow for it. */
function encodeWithin(depth: number): number {
  if (depth === 0) return 1;
  const object = {
    get within() {
      return encodeWithin(depth - 1);
    },
  };
  return encode(object).length;
}

describe("getters that make memory grow", () => {
  let depth = 4;
  // Deeper each time: workers that have been made stay.
  const grow = () => {
    depth += 4;
    return encodeWithin(depth);
  };
  const withGetter = <T extends object>(object: T, key: PropertyKey): T =>
    Object.defineProperty(object, key, { enumerable: true, get: grow });

  test("in an object that is walked by compiled code", () => {
    const names = keys(3);
    teach(names, [1, 2, 3]);
    expect(new Decoder().decode(encode(withGetter(objectOf(names, [1, 2, 3]), names[1])))).toStrictEqual(
      objectOf(names, [1, encodeWithin(1), 3]),
    );
  });

  test.each([
    ["integers", (i: number) => i],
    ["floats", (i: number) => i + 0.5],
  ])("among %s", (_, item) => {
    const items = Array.from({ length: 20 }, (_, i) => item(i));
    const expected = [...items.slice(0, 7), encodeWithin(1), ...items.slice(8)];
    expect(new Decoder().decode(encode(withGetter([...items], 7)))).toStrictEqual(expected);
    expect(new Decoder().decode(encode(withGetter(items.slice(0, 2), 1)))).toStrictEqual([
      items[0],
      encodeWithin(1),
    ]);
  });
});

describe("options and limits", () => {
  const names = keys(4);
  const value = () => objectOf(names, [1, { [names[0]]: [1, 2] }, undefined, "x"]);
  teach(names, [1, { [names[0]]: [1, 2] }, undefined, "x"]);

  test.each([
    { sortKeys: true },
    { ignoreUndefined: true },
    { forceIntegerToFloat: true },
    { forceFloat32: true },
    { useBigInt64: true },
    { maxDepth: 4 },
  ])("%o", (options) => {
    for (let i = 0; i < OFTEN; i++) expectSame([value(), value()].slice(0, 1)[0], options);
  });

  test("the depth is that of the object", () => {
    for (const maxDepth of [1, 2]) {
      expect(() => encode(value(), { maxDepth })).toThrow(`Too deep objects in depth ${maxDepth + 1}`);
    }
    const circular = value();
    circular[names[1]] = circular;
    expect(() => encode(circular)).toThrow("Too deep objects in depth 101");
    expectSame(value());
  });

  test("an extension codec is asked for objects and arrays within", () => {
    const asked = (Codec: typeof ExtensionCodec | typeof reference.ExtensionCodec) => {
      const seen: string[] = [];
      const extensionCodec = new Codec();
      extensionCodec.register({
        type: 3,
        encode: (object: unknown) => {
          seen.push(JSON.stringify(object));
          return Array.isArray(object) && object.length === 2 ? Uint8Array.of(9) : null;
        },
        decode: () => null,
      });
      return { seen, extensionCodec };
    };
    const ours = asked(ExtensionCodec);
    const theirs = asked(reference.ExtensionCodec);
    for (let i = 0; i < OFTEN; i++) {
      expect(
        new Encoder({ extensionCodec: ours.extensionCodec as ExtensionCodec }).encode([value(), value()]),
      ).toStrictEqual(
        new reference.Encoder({ extensionCodec: theirs.extensionCodec as reference.ExtensionCodec }).encode([
          value(),
          value(),
        ]),
      );
    }
    expect(ours.seen).toStrictEqual(theirs.seen);
  });
});

describe("windows that end anywhere", () => {
  afterEach(() => limitEncodeWindows());

  test.each([16, 17, 18, 19, 20, 23, 40])("after %i words", (words) => {
    limitEncodeWindows(words, 512);
    const encoder = new TestedEncoder();
    const [a, b, c, d] = keys(4);
    const inner = (i: number) => ({ [a]: i, [b]: "text".repeat(i % 30), [c]: [i, i + 0.5, "x"], [d]: null });
    for (let i = 0; i < OFTEN; i++) {
      const value = Array.from({ length: 7 }, (_, k) => ({
        [a]: inner(i + k),
        [b]: [inner(k), inner(i)],
        [c]: true,
      }));
      expect(encoder.encode(value)).toStrictEqual(reference.encode(value));
    }
  });
});
