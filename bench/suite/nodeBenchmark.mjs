import { compileFunction } from "node:vm";
import benchmark from "benchmark";
import lodash from "lodash";

/**
 * Benchmark.js compiles the loops that it times, from strings. Where Node refuses that to the library under test, it must
 * still be possible: so it is done in a way that the flag does not concern, with the flag and without it.
 */
const context = {
  Function: new Proxy(Function, {
    apply(_target, _this, parts) {
      const names = parts.slice(0, -1).flatMap((/** @type {unknown} */ part) => String(part).split(","));
      return compileFunction(
        String(parts.at(-1) ?? ""),
        names.filter((/** @type {string} */ name) => name !== ""),
      );
    },
  }),
};

export const Benchmark = benchmark.runInContext({ ...context, _: lodash.runInContext(context) });
