// What tests use of Node's globals. They are no globals here: the package must not see them.
export { Buffer } from "buffer/";

export const setImmediate: (call: () => void) => void =
  Reflect.get(globalThis, "setImmediate") ?? ((call: () => void) => setTimeout(call));

const nothing = { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 };

/** Where memory cannot be measured, tests that do so test all else. */
export const process: { memoryUsage(): typeof nothing } = Reflect.get(globalThis, "process") ?? {
  memoryUsage: () => nothing,
};
