// What tests use of `node:assert/strict` and `node:util`, by the comparisons of Vitest.
import { arrayBufferEquality, equals, iterableEquality, sparseArrayEquality } from "@vitest/expect";
import { inspect } from "@vitest/utils/display";

export { inspect };

/** Long data by their elements: the comparisons of Vitest, which go through iterators and keys, would take minutes. */
export function longDataEquality(a: unknown, b: unknown): boolean | undefined {
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) {
    return haveSamePrototype(a, b) && a.byteLength === b.byteLength && haveSameItems(bytesOf(a), bytesOf(b));
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length || !haveSamePrototype(a, b))
    return undefined;
  return haveSameItems(a, b) ? true : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Whether they are the same values, without a look into objects, and without holes. */
function haveSameItems(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  for (let i = 0; i < a.length; i++) {
    if (!Object.is(a[i], b[i]) || a[i] === undefined) return false;
  }
  return true;
}

function haveSamePrototype(a: object, b: object): boolean {
  return Object.getPrototypeOf(a) === Object.getPrototypeOf(b);
}

/** In place of Vitest's, which asks for `constructor`: data may have a key of that name. */
function prototypeEquality(a: unknown, b: unknown): boolean | undefined {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  return haveSamePrototype(a, b) ? undefined : false;
}

/** Deeper data are left to the comparisons of Vitest, as all data with cycles. */
const MAX_DEPTH = 100;

/** Whether they are the same plain data, which is nearly all that tests compare: a tenth of the time that Vitest takes. */
function areSameData(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > MAX_DEPTH || !haveSamePrototype(a, b)) return false;
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) {
    return a.byteLength === b.byteLength && haveSameItems(bytesOf(a), bytesOf(b));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      if (a[i] === undefined || !areSameData(a[i], b[i], depth + 1)) return false;
    }
    return true;
  }
  const prototype = Object.getPrototypeOf(a);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const keys = Reflect.ownKeys(a);
  return (
    keys.length === Reflect.ownKeys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && areSameData(Reflect.get(a, key), Reflect.get(b, key), depth + 1),
    )
  );
}

const testers = [
  prototypeEquality,
  longDataEquality,
  iterableEquality,
  sparseArrayEquality,
  arrayBufferEquality,
];

export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  return areSameData(a, b) || equals(a, b, testers, true);
}

type Message = string | Error | undefined;

function fail(what: string, message: Message): never {
  throw message instanceof Error ? message : new Error(message === undefined ? what : `${message}: ${what}`);
}

function ok(value: unknown, message?: Message): asserts value {
  if (!value) fail(`${inspect(value)} is not truthy`, message);
}

function deepStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  if (!isDeepStrictEqual(actual, expected)) fail(`${inspect(actual)} is not ${inspect(expected)}`, message);
}

const assert = Object.assign((value: unknown, message?: Message): void => ok(value, message), {
  ok,
  deepStrictEqual,
  deepEqual: deepStrictEqual,
  equal(actual: unknown, expected: unknown, message?: Message): void {
    if (!Object.is(actual, expected)) fail(`${inspect(actual)} is not ${inspect(expected)}`, message);
  },
  notEqual(actual: unknown, expected: unknown, message?: Message): void {
    if (Object.is(actual, expected)) fail(`${inspect(actual)} was not expected`, message);
  },
  match(actual: string, pattern: RegExp, message?: Message): void {
    if (!pattern.test(actual)) fail(`${inspect(actual)} does not match ${pattern}`, message);
  },
});

export default assert;
