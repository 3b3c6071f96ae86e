// What a host may do differently shows in a few rounds; Node has them all.
const SHARE = 10;

export const rounds = (n: number): number => Math.ceil(n / SHARE);
