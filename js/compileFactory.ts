import type { Materializer } from "./Materializer.ts";
import { Tag, Wide } from "./tape.ts";

/** Makes the object of a map whose keys are known, from the values that come next. */
export type Factory = (values: Materializer) => Record<string, unknown>;

const INT32 = (Wide.INT32 << 4) | Tag.WIDE;
const EMPTY_ARRAY = Tag.ARRAY;

/** How to read what the word `w` at `at` stands for to `v`, where all is read by a call. */
function call(member: string): string {
  return `m.at = at + 1; v = m.${member}; at = m.at; tape = m.tape;`;
}

/**
 * How to read a value to `v`, by the tag of its word. What has another tag goes the long way. With the marks, bundlers leave
 * it out where no code may be made.
 */
const READERS: readonly [tag: number, condition: string, code: string][] = [
  [
    Tag.TEXT8,
    `(w & 15) === ${Tag.TEXT8}`,
    "at++; start = m.cut8; m.cut8 = start + (w >>> 4); v = m.text8.substring(start, m.cut8);",
  ],
  [Tag.INT, `(w & 15) === ${Tag.INT}`, "at++; v = w >> 4;"],
  [Tag.FLOAT, `(w & 15) === ${Tag.FLOAT}`, "at++; v = m.lane[m.laneAt++];"],
  [Tag.NIL, `(w & 15) === ${Tag.NIL}`, "at++; v = null;"],
  [Tag.BOOL, `(w & 15) === ${Tag.BOOL}`, "at++; v = w >>> 4 === 1;"],
  [Tag.ARRAY, `w === ${EMPTY_ARRAY}`, "at++; v = [];"],
  [Tag.ARRAY, `(w & 15) === ${Tag.ARRAY}`, /* @__PURE__ */ call("array(w >>> 4)")],
  [Tag.SHAPE, `(w & 15) === ${Tag.SHAPE}`, /* @__PURE__ */ call("shape(w >>> 4)")],
  [Tag.WIDE, `w === ${INT32}`, "v = tape[at + 1]; at += 2;"],
  [Tag.WIDE, `(w & 15) === ${Tag.WIDE}`, /* @__PURE__ */ call("wide(w)")],
];

/**
 * Makes the factory for a shape. `tags` says which tags the values of each key have had, a bit for each: these are
 * read without the switch that all values share.
 *
 * An object literal gives V8 the whole shape at once: no transitions, no hashing, no megamorphic stores. It is made
 * when all values are there, so that none of them is stored into an object that is old already. The keys come from
 * strangers and stand in it as JSON string literals, which since ES2019 are JS string literals, too; `__proto__`, the
 * one key that would mean something else, never gets into a shape.
 */
export function compileFactory(keys: readonly string[], tags: Uint16Array): Factory {
  const values = keys.map((_, i) => {
    const readers = READERS.filter(([tag]) => (tags[i] & (1 << tag)) !== 0);
    const branches = readers.map(([, condition, code]) => `if (${condition}) { ${code} } else `);
    return `
      w = tape[at];
      ${branches.join("")}{ m.at = at; v = m.value(); at = m.at; tape = m.tape; }
      const v${i} = v;`;
  });
  const code = `
    let { tape, at } = m, w = 0, start = 0, v;
    ${values.join("")}
    m.at = at;
    return { ${keys.map((key, i) => `${JSON.stringify(key)}: v${i}`).join(", ")} };`;
  return new Function("m", code) as Factory;
}
