// Run with the flags of the suite's measure: what it finds of allocations whose size is known.
import { measureAllocation } from "../../bench/suite/allocation.mjs";

const array = () => new Array(1000).fill(1);

process.stdout.write(
  JSON.stringify({
    nothing: await measureAllocation(() => 1, false),
    array: await measureAllocation(array, false),
    buffer: await measureAllocation(() => new Uint8Array(100_000), false),
    awaited: await measureAllocation(async () => array(), true),
  }),
);
