import { MAX_COMPILED, mayCompile } from "./codeGeneration.ts";
import type { Materializer } from "./Materializer.ts";
import { Tag, Wide } from "./tape.ts";
import type { KnownKeys } from "./wasm/KnownKeys.ts";

/** Makes the object of a map whose keys are known, from the values that come next. */
export type Factory = (values: Materializer) => Record<string, unknown>;

/** Compiling costs some 30 µs, what a shape saves by being compiled about 10 ns a key: this many maps pay for it. */
const COMPILE_AT = 64;
/** The map shapes that the tokenizer has learned, as JS knows them: the texts of their keys, and their factories. */
export class Shapes {
  /** By shape number; where there is none yet, `make` makes one. */
  readonly factories: (Factory | undefined)[] = [];
  readonly #keyTexts: (string | undefined)[] = [];
  readonly #keyLists: (string[] | undefined)[] = [];
  #compiled = 0;
  readonly #known: KnownKeys;

  constructor(known: KnownKeys) {
    this.#known = known;
  }

  key(number: number): string {
    let text = this.#keyTexts[number];
    if (text === undefined) {
      text = this.#known.text(number);
      this.#keyTexts[number] = text;
    }
    return text;
  }

  keys(shape: number): readonly string[] {
    let list = this.#keyLists[shape];
    if (list === undefined) {
      list = [];
      for (let at = shape; at !== 0; at = this.#known.parentShape(at))
        list.push(this.key(this.#known.lastKey(at)));
      list.reverse();
      this.#keyLists[shape] = list;
    }
    return list;
  }

  make(shape: number): Factory {
    const keys = this.keys(shape);
    let uses = 0;
    const tags = new Uint16Array(keys.length);
    const factory: Factory = (values) => {
      if (++uses === COMPILE_AT && this.#compiled < MAX_COMPILED && mayCompile())
        return this.#compile(shape, keys, tags)(values);
      const object: Record<string, unknown> = {};
      for (let i = 0; i < keys.length; i++) {
        tags[i] |= 1 << (values.tape[values.at] & 15);
        object[keys[i]] = values.value();
      }
      return object;
    };
    this.factories[shape] = factory;
    return factory;
  }

  /** Forgets everything, as the tokenizer's key table must at the same time. */
  clear(): void {
    this.factories.length = 0;
    this.#keyTexts.length = 0;
    this.#keyLists.length = 0;
    this.#compiled = 0;
  }

  /**
   * An object literal gives V8 the whole shape at once: no transitions, no hashing, no megamorphic stores. The keys
   * come from strangers and stand in it as JSON string literals, which since ES2019 are JS string literals, too;
   * `__proto__`, the one key that would mean something else, never gets into a shape.
   */
  #compile(shape: number, keys: readonly string[], tags: Uint16Array): Factory {
    this.#compiled++;
    const code = ["let tape = m.tape, at = m.at, w = 0;"];
    for (let i = 0; i < keys.length; i++) {
      code.push(`let v${i}; w = tape[at];`);
      const seen = tags[i];
      for (const tag of [Tag.TEXT8, Tag.INT, Tag.FLOAT, Tag.NIL, Tag.BOOL, Tag.ARRAY, Tag.SHAPE, Tag.WIDE]) {
        if (!((seen >> tag) & 1)) continue;
        code.push(
          tag === Tag.WIDE
            ? `if (w === ${(Wide.INT32 << 4) | Tag.WIDE}) { v${i} = tape[at + 1]; at += 2;`
            : `if ((w & 15) === ${tag}) {`,
        );
        if (tag === Tag.TEXT8)
          code.push(`at++; const s = m.cut8; m.cut8 = s + (w >>> 4); v${i} = m.text8.substring(s, m.cut8);`);
        if (tag === Tag.INT) code.push(`at++; v${i} = w >> 4;`);
        if (tag === Tag.FLOAT) code.push(`at++; v${i} = m.lane[m.laneAt++];`);
        if (tag === Tag.NIL) code.push(`at++; v${i} = null;`);
        if (tag === Tag.BOOL) code.push(`at++; v${i} = w >>> 4 === 1;`);
        if (tag === Tag.ARRAY)
          code.push(
            `if (w === ${Tag.ARRAY}) { v${i} = []; at++; } else { m.at = at + 1; v${i} = m.array(w >>> 4); at = m.at; tape = m.tape; }`,
          );
        if (tag === Tag.SHAPE)
          code.push(`m.at = at + 1; v${i} = m.shape(w >>> 4); at = m.at; tape = m.tape;`);
        code.push("} else");
      }
      code.push(`{ m.at = at; v${i} = m.value(); at = m.at; tape = m.tape; }`);
    }
    code.push("m.at = at;");
    const members = keys.map((key, i) => `${JSON.stringify(key)}:v${i}`);
    code.push(`return{${members.join(",")}}`);
    const factory = new Function("m", code.join("\n")) as Factory;
    this.factories[shape] = factory;
    return factory;
  }
}
