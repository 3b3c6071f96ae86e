import fc from "fast-check";

/** Where `predicate` fails, fast-check prints the smallest case, and the seed and path that bring it back. */
export function check<T>(arbitrary: fc.Arbitrary<T>, cases: number, predicate: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, predicate), { numRuns: cases });
}

/** As `check`, for what is asynchronous. */
export async function checkAwaited<T>(
  arbitrary: fc.Arbitrary<T>,
  cases: number,
  predicate: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, predicate), { numRuns: cases });
}
