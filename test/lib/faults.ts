/** What the callbacks of the fault tests throw. */
export const boom = new Error("boom");

/** A check for `failAtEach`: nothing else may have come out. */
export function expectBoomAlone(error: unknown): void {
  if (error !== boom && error !== null) throw error;
}

/** To be called at each place where a caller's code may throw. */
export type Fault = () => void;

/** Throws at call `n`, counted from 0. */
function faultAt(n: number): Fault & { calls: number } {
  const fault = () => {
    if (fault.calls++ === n) throw boom;
  };
  fault.calls = 0;
  return fault;
}

/**
 * Does `work` again and again: the first time, the first call of `fault` throws, the next time the second one, until
 * `work` gets through all of them. After each, `check` is told what `work` has thrown.
 * @returns how many calls there were
 */
export function failAtEach(work: (fault: Fault) => unknown, check: (error: unknown) => void): number {
  for (let n = 0; ; n++) {
    const fault = faultAt(n);
    try {
      work(fault);
    } catch (error) {
      check(error);
      continue;
    }
    if (fault.calls <= n) return n;
    check(null);
  }
}

/** As `failAtEach`, for what is asynchronous. */
export async function failAtEachAwaited(
  work: (fault: Fault) => Promise<unknown>,
  check: (error: unknown) => void,
): Promise<number> {
  for (let n = 0; ; n++) {
    const fault = faultAt(n);
    try {
      await work(fault);
    } catch (error) {
      check(error);
      continue;
    }
    if (fault.calls <= n) return n;
    check(null);
  }
}

/** Calls `fault` before each of a proxy's traps, but for the tag that tells classes apart: nobody else reads that. */
export function faultyProxy<T extends object>(target: T, fault: Fault): T {
  const traps = Reflect.ownKeys(Reflect).filter((name) => typeof name === "string");
  const handler = Object.fromEntries(
    traps.map((name) => [
      name,
      (...parameters: unknown[]) => {
        if (parameters[1] !== Symbol.toStringTag) fault();
        return (Reflect[name as keyof typeof Reflect] as (...all: unknown[]) => unknown)(...parameters);
      },
    ]),
  );
  return new Proxy(target, handler);
}
