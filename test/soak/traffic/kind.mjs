/** @typedef {import("../Chance.mjs").Chance} Chance */
/** @typedef {import("../Checks.mjs").Checks} Checks */
/** @typedef {import("../library.mjs").Library} Library */

/**
 * A kind of traffic.
 * @typedef {object} Kind
 * @property {string} name
 * @property {(chance: Chance) => void | Promise<void>} run does some of it, and verifies each result
 * @property {() => unknown} probe does the same work each time, for its time to be taken, with the same result
 * @property {() => void} [settle] verifies what is held, and lets go of it
 */

/** @typedef {(library: Library, checks: Checks) => Kind} MakeKind */

export {};
