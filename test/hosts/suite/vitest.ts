// What tests import as `vitest`, for hosts where Vitest itself does not run: its own parts, which run anywhere.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  addCustomEqualityTesters,
  chai,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";
import { fn } from "@vitest/spy";
import { longDataEquality } from "./assert.ts";

export { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@vitest/runner";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

type Expect = typeof chai.expect & { extend(target: unknown, matchers: object): void };

export const expect = ((value: unknown, message?: string) => chai.expect(value, message)) as Expect;
Object.assign(expect, chai.expect, Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT));
Reflect.set(globalThis, GLOBAL_EXPECT, expect);
setState({ assertionCalls: 0 }, expect as never);
(chai.expect as Expect).extend(expect, customMatchers);
addCustomEqualityTesters([longDataEquality]);

let stubbed: [string, PropertyDescriptor | undefined][] = [];

export const vi = {
  fn,
  setConfig(): void {
    // There is one time limit for all.
  },
  stubGlobal(name: string, value: unknown): void {
    stubbed.push([name, Object.getOwnPropertyDescriptor(globalThis, name)]);
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
  },
  unstubAllGlobals(): void {
    for (const [name, descriptor] of stubbed.reverse()) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
    stubbed = [];
  },
};
