import v8 from "node:v8";
import vm from "node:vm";

let gc: (() => void) | undefined;

function collectNow(): void {
  if (gc === undefined) {
    v8.setFlagsFromString("--expose-gc");
    gc = vm.runInNewContext("gc") as () => void;
  }
  gc();
}

/** Runs the garbage collector, and what waits for it: finalizers come with later tasks. */
export async function collectGarbage(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    collectNow();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The bytes of JavaScript's heap and of the buffers outside it that are in use. */
export async function usedBytes(): Promise<number> {
  await collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}
