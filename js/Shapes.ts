import { makers } from "msgpack-wasm:makers";
import { COMPILE_AT, MAX_COMPILED, mayCompile } from "./codeGeneration.ts";
import { compileFactory, type Factory } from "./compileFactory.ts";
import { areSparse, EmptyObject, objectOf, turnToTable } from "./propertyRoom.ts";
import type { KnownKeys } from "./wasm/KnownKeys.ts";

/** Of the makers, those that no shape has yet. */
const free = [...makers];

/** The map shapes that the tokenizer has learned, as JS knows them: the texts of their keys, and their factories. */
export class Shapes {
  /** By shape number; where there is none yet, `make` makes one. */
  readonly factories: (Factory | undefined)[] = [];
  readonly #keyTexts: (string | undefined)[] = [];
  readonly #keyLists: (string[] | undefined)[] = [];
  #compiled = 0;
  readonly #used: (typeof free)[number][] = [];
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
    const factory = this.#mayImprove(keys) ? this.#learn(shape, keys) : plain(keys);
    this.factories[shape] = factory;
    return factory;
  }

  #mayImprove(keys: readonly string[]): boolean {
    return (
      keys.length > 0 && !areSparse(keys) && (mayCompile() ? this.#compiled < MAX_COMPILED : free.length > 0)
    );
  }

  /** A factory that notes what kinds of values it reads, and is replaced by a better one once that is worth it. */
  #learn(shape: number, keys: readonly string[]): Factory {
    if (!MAY_BE_NODE) return plain(keys);
    const tags = new Uint16Array(keys.length);
    let uses = 0;
    return (values) => {
      if (++uses === COMPILE_AT && this.#mayImprove(keys)) {
        const better = this.#improved(keys, tags);
        this.factories[shape] = better;
        return better(values);
      }
      const object: Record<string, unknown> = {};
      for (let i = 0; i < keys.length; i++) {
        tags[i] |= 1 << (values.tape[values.at] & 15);
        object[keys[i]] = values.value();
      }
      return object;
    };
  }

  #improved(keys: readonly string[], tags: Uint16Array): Factory {
    if (mayCompile()) {
      this.#compiled++;
      return compileFactory(keys, tags);
    }
    const maker = free.pop() as (typeof free)[number];
    this.#used.push(maker);
    // An object that JSON.parse makes has room for all its properties in itself.
    return maker(JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:null`)}}`), keys);
  }

  /** Forgets everything, as the tokenizer's key table must at the same time. */
  clear(): void {
    this.factories.length = 0;
    this.#keyTexts.length = 0;
    this.#keyLists.length = 0;
    this.#compiled = 0;
    free.push(...this.#used.splice(0));
  }
}

function plain(keys: readonly string[]): Factory {
  const { length } = keys;
  const isSparse = areSparse(keys);
  if (length === 0) return () => new EmptyObject();
  if (length === 1 && isSparse) return (values) => objectOf(keys[0], values.value());
  return (values) => {
    const object: Record<string, unknown> = {};
    if (isSparse) turnToTable(object);
    for (let i = 0; i < length; i++) object[keys[i]] = values.value();
    return object;
  };
}
