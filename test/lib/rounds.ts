/** How often a test does what it does, out of `n` times in Node. Browsers, which run all tests twice, do a part of it. */
export const rounds = (n: number): number => n;
