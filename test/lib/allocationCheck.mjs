// Run with the flags of the suite's measure: what it finds of allocations whose size is known.
import { measureAllocation } from "../../bench/suite/allocation.mjs";

const array = () => new Array(1000).fill(1);

let calls = 0;
/** @type {Uint8Array} */
let pool;
/** Like a library that cuts four results out of a buffer. */
const pooled = () => {
  if (calls++ % 4 === 0) pool = new Uint8Array(20_000_000);
  return pool;
};

process.stdout.write(
  JSON.stringify({
    nothing: await measureAllocation(() => 1),
    array: await measureAllocation(array),
    buffer: await measureAllocation(() => new Uint8Array(100_000)),
    pooled: await measureAllocation(pooled),
    awaited: await measureAllocation(async () => array()),
  }),
);
