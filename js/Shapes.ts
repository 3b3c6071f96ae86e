import { COMPILE_AT, MAX_COMPILED, mayCompile } from "./codeGeneration.ts";
import { compileFactory, type Factory } from "./compileFactory.ts";
import type { KnownKeys } from "./wasm/KnownKeys.ts";

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
    const factory = mayCompile() && this.#compiled < MAX_COMPILED ? this.#learn(shape, keys) : plain(keys);
    this.factories[shape] = factory;
    return factory;
  }

  /** A factory that notes what kinds of values it reads, and is compiled once that is worth it. */
  #learn(shape: number, keys: readonly string[]): Factory {
    if (!MAY_BE_NODE) return plain(keys);
    const tags = new Uint16Array(keys.length);
    let uses = 0;
    return (values) => {
      if (++uses === COMPILE_AT && this.#compiled < MAX_COMPILED) {
        this.#compiled++;
        const compiled = compileFactory(keys, tags);
        this.factories[shape] = compiled;
        return compiled(values);
      }
      const object: Record<string, unknown> = {};
      for (let i = 0; i < keys.length; i++) {
        tags[i] |= 1 << (values.tape[values.at] & 15);
        object[keys[i]] = values.value();
      }
      return object;
    };
  }

  /** Forgets everything, as the tokenizer's key table must at the same time. */
  clear(): void {
    this.factories.length = 0;
    this.#keyTexts.length = 0;
    this.#keyLists.length = 0;
    this.#compiled = 0;
  }
}

function plain(keys: readonly string[]): Factory {
  return (values) => {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) object[keys[i]] = values.value();
    return object;
  };
}
