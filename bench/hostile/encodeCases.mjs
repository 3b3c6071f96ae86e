/**
 * A value, or a codec, that makes trouble where it is encoded.
 * @typedef {object} HostileValue
 * @property {string} name
 * @property {(encodeAgain: (value: unknown) => void) => unknown} make
 * @property {(data: object) => unknown} [codec] what an extension codec answers for a `Marked`
 * @property {string} outcome "a message", or the name of the error here
 */

/** What the codecs of these cases take for theirs. */
export class Marked {}

const MEGABYTE = 2 ** 20;

/** What a getter throws. */
export class Trap extends Error {
  /** @override */
  name = "Trap";
}
const trap = () => {
  throw new Trap("as it was asked to");
};

/** An object between whose properties `act` is called. @param {(object: Record<string, unknown>) => unknown} act */
function acting(act) {
  /** @type {Record<string, unknown>} */
  const object = { first: [1, 2, 3], second: "two" };
  Object.defineProperty(object, "acts", { enumerable: true, configurable: true, get: () => act(object) });
  return Object.assign(object, { third: 3, fourth: { more: true } });
}

/** A list that `act` is given while it is encoded. @param {(list: unknown[]) => void} act */
function changing(act) {
  /** @type {unknown[]} */
  const list = [1, "a", 2, null, { x: 1 }, 3, "b", [4, 5], 6, 7];
  list[2] = {
    get acts() {
      act(list);
      return 0;
    },
  };
  return list;
}

/** @param {object} target @param {(trapName: string, call: () => unknown) => unknown} around each trap */
function proxied(target, around) {
  const handler = /** @type {Record<string, unknown>} */ ({});
  for (const name of /** @type {(keyof ProxyHandler<object>)[]} */ (Object.getOwnPropertyNames(Reflect)))
    handler[name] = (/** @type {unknown[]} */ ...rest) =>
      around(name, () => /** @type {Function} */ (Reflect[name])(...rest));
  return new Proxy(target, handler);
}

/** @param {string} name @param {(mark: object) => unknown} codec @param {string} outcome @returns {HostileValue} */
const codecThat = (name, codec, outcome) => ({
  name: `a codec that ${name}`,
  make: () => ["before", new Marked(), "behind"],
  codec,
  outcome,
});

function detached() {
  const bytes = new Uint8Array(1000);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

/** @type {HostileValue[]} */
export const hostileValues = [
  { name: "a getter that throws", make: () => acting(trap), outcome: "Trap" },
  {
    name: "a getter that encodes with the same instance",
    make: (encodeAgain) => acting(() => encodeAgain({ within: [1, 2, 3], text: "a".repeat(1000) })),
    outcome: "a message",
  },
  {
    name: "a getter that encodes what it stands in, without end",
    make: (encodeAgain) => acting((object) => encodeAgain(object)),
    outcome: "RangeError",
  },
  {
    name: "a getter that deletes what comes next",
    make: () => acting((object) => delete object.third && delete object.fourth),
    outcome: "a message",
  },
  {
    name: "a getter that adds 1000 properties",
    make: () =>
      acting((object) => {
        for (let i = 0; i < 1000; i++) object[`p${i}`] = i;
      }),
    outcome: "a message",
  },
  {
    name: "a list that is emptied meanwhile",
    make: () => changing((list) => list.splice(0)),
    outcome: "a message",
  },
  {
    name: "a list that grows meanwhile",
    make: () => changing((list) => list.push(...new Array(1000).fill(1))),
    outcome: "a message",
  },
  {
    name: "binary data that are given away meanwhile",
    make() {
      const bytes = new Uint8Array(MEGABYTE);
      return [bytes, acting(() => structuredClone(bytes.buffer, { transfer: [bytes.buffer] }).byteLength)];
    },
    outcome: "Error",
  },
  {
    name: "a proxy that throws at any trap",
    make: () => [1, proxied({ a: 1 }, trap)],
    outcome: "Trap",
  },
  {
    name: "a proxy that encodes at each trap",
    make: (encodeAgain) =>
      proxied({ a: 1, b: [1, 2] }, (_, call) => {
        encodeAgain({ within: 1 });
        return call();
      }),
    outcome: "a message",
  },
  {
    name: "a proxy that changes its object at each trap",
    make() {
      let count = 0;
      const target = /** @type {Record<string, unknown>} */ ({ a: 1, b: 2, c: 3 });
      return proxied(target, (_, call) => {
        const answer = call();
        delete target[Object.keys(target)[0]];
        target[`n${count++}`] = count;
        return answer;
      });
    },
    outcome: "a message",
  },
  {
    name: "a proxy of an array that says it is 2^22 long",
    make: () => new Proxy([], { get: (list, key) => (key === "length" ? 2 ** 22 : Reflect.get(list, key)) }),
    outcome: "a message",
  },
  { name: "an array of 2^22 holes", make: () => new Array(2 ** 22), outcome: "a message" },
  {
    name: "an object that holds itself",
    make() {
      /** @type {Record<string, unknown>} */
      const object = {};
      object.self = object;
      return object;
    },
    outcome: "Error",
  },
  codecThat("throws", trap, "Trap"),
  codecThat("returns a string", () => "bytes", "TypeError"),
  codecThat("returns a number", () => 7, "TypeError"),
  codecThat("returns an object with a length of 2^40", () => ({ length: 2 ** 40 }), "RangeError"),
  codecThat("returns a negative length", () => ({ length: -1 }), "a message"),
  codecThat("returns detached bytes", detached, "a message"),
  codecThat("returns bytes, and changes them later", () => new Uint8Array(MEGABYTE), "a message"),
  codecThat("returns a function that throws", () => trap, "Trap"),
  codecThat("returns a function that returns garbage", () => () => ({}), "TypeError"),
  codecThat("returns a function that returns detached bytes", () => detached, "TypeError"),
];
