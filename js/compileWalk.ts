import { Tag } from "./tape.ts";
import type { Walker } from "./Walker.ts";

/**
 * Writes an object to the tape if it is a plain one of the shape that this walk is for: with just these keys, in this
 * order. Returns whether it is; otherwise nothing has been written.
 */
export type Walk = (walker: Walker, object: Record<string, unknown>, depth: number) => boolean;

/** What the values of a property have been: a set of these. */
export const Seen = { STRING: 1, NUMBER: 2, OBJECT: 4, ARRAY: 8, NULL: 16, BOOLEAN: 32 } as const;

export function seen(value: unknown): number {
  if (typeof value === "string") return Seen.STRING;
  if (typeof value === "number") return Seen.NUMBER;
  if (typeof value === "boolean") return Seen.BOOLEAN;
  if (value === null) return Seen.NULL;
  if (typeof value !== "object") return 0;
  return Array.isArray(value) ? Seen.ARRAY : Seen.OBJECT;
}

/** A name that a prototype has too, and those that V8 keeps apart from properties, need more than a comparison. */
export function isWalkable(keys: readonly string[]): boolean {
  return keys.every((key) => key !== "constructor" && key !== "__proto__" && !/^\d+$/.test(key));
}

/** How to write the value `v` of property `i`, by the kinds that it has been of. What is none of them goes the long way. */
const WRITERS: readonly [kind: number, code: (i: number) => string][] = [
  [Seen.STRING, () => `if (typeof v === "string") { w.at = at; w.text(v); at = w.at; tape = w.tape; }`],
  [
    Seen.NUMBER,
    () =>
      `if (typeof v === "number" && (v | 0) === v && v >= -0x8000000 && v < 0x8000000 && !w.asFloats) ` +
      `{ tape[at++] = v << 4 | ${Tag.INT}; }`,
  ],
  [Seen.NULL, () => `if (v === null) { tape[at++] = ${Tag.NIL}; }`],
  [
    Seen.BOOLEAN,
    () => `if (typeof v === "boolean") { tape[at++] = v ? ${(1 << 4) | Tag.BOOL} : ${Tag.BOOL}; }`,
  ],
  [
    Seen.ARRAY,
    () =>
      `if (Array.isArray(v)) { w.at = at; if (!w.isExtension(v)) w.array(v, depth + 1); at = w.at; tape = w.tape; }`,
  ],
  [
    Seen.OBJECT,
    (i) =>
      `if (typeof v === "object" && v !== null && !Array.isArray(v)) { w.at = at; ` +
      `if (!w.isExtension(v) && (p${i} === null || !p${i}(w, v, depth + 1))) p${i} = w.object(v, depth + 1); ` +
      `at = w.at; tape = w.tape; }`,
  ],
];

/**
 * Makes the walk for a shape. `words` stand for its keys on the tape, `kinds` are what its values have been. Loads of
 * known properties cost V8 one comparison for all; a walk for all shapes looks each key up.
 *
 * `for…in` is the fastest way to see the keys, but shows inherited ones, too: so the prototype must have none. To have it
 * costs V8 nothing once it has looked for a property, `constructor` here, and so knows the object's hidden class.
 *
 * Whatever may run code of the caller's, getters among it, may make memory grow and the tape another array.
 *
 * Properties that hold objects predict the walk of the last one. The keys stand in the code as JSON string literals,
 * which since ES2019 are JS string literals, too.
 */
export function compileWalk(
  keys: readonly string[],
  words: readonly number[],
  kinds: readonly number[],
): Walk {
  const predictions = keys.map((_, i) => `let p${i} = null;`);
  const properties = keys.map((key, i) => {
    const writers = WRITERS.filter(([kind]) => (kinds[i] & kind) !== 0).map(([, code]) => `${code(i)} else `);
    return `
      if (at > tapeLimit) { w.at = at; w.flush(); at = 0; tape = w.tape; }
      tape[at++] = ${words[i]};
      v = o[${JSON.stringify(key)}];
      tape = w.tape;
      ${writers.join("")}{ w.at = at; w.value(v, depth + 1); at = w.at; tape = w.tape; }`;
  });
  const code = `
    ${predictions.join("")}
    return (w, o, depth) => {
      let n = 0;
      for (const key in o) if (key !== keys[n++]) return false;
      if (n !== ${keys.length} || o.constructor !== Object || getPrototypeOf(o) !== prototype) return false;
      w.checkDepth(depth);
      const { tapeLimit } = w;
      if (w.at > tapeLimit) w.flush();
      let { at, tape } = w, v;
      tape[at++] = ${(keys.length << 4) | Tag.MAP};
      ${properties.join("")}
      w.at = at;
      return true;
    };`;
  const make = new Function("keys", "getPrototypeOf", "prototype", code);
  return make(keys, Object.getPrototypeOf, Object.prototype) as Walk;
}
