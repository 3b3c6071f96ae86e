import type { Materializer } from "./Materializer.ts";
import type { KnownKeys } from "./wasm/KnownKeys.ts";

/** Makes the object of a map whose keys are known, from the values that come next. */
export type Factory = (values: Materializer) => Record<string, unknown>;

/** Compiling costs some 30 µs, what a shape saves by being compiled about 10 ns a key: this many maps pay for it. */
const COMPILE_AT = 64;
/** V8 keeps compiled code: a bound on what strangers can make it keep. */
const MAX_COMPILED = 512;

/**
 * Whether code may be made of strings. Browsers and workers are not asked: a page whose policy forbids it would have
 * the attempt reported as a violation. Node has no such policy, only a flag that makes the attempt throw.
 */
function canCompile(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  if (typeof process?.versions?.node !== "string") return false;
  try {
    new Function("");
    return true;
  } catch {
    return false;
  }
}

/** The map shapes that the tokenizer has learned, as JS knows them: the texts of their keys, and their factories. */
export class Shapes {
  /** By shape number; where there is none yet, `make` makes one. */
  readonly factories: (Factory | undefined)[] = [];
  readonly #keyTexts: (string | undefined)[] = [];
  #compiled = 0;
  #canCompile: boolean | undefined;
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

  keys(shape: number): string[] {
    const keys: string[] = [];
    for (let at = shape; at !== 0; at = this.#known.parentShape(at))
      keys.push(this.key(this.#known.lastKey(at)));
    return keys.reverse();
  }

  make(shape: number): Factory {
    const keys = this.keys(shape);
    let uses = 0;
    const factory: Factory = (values) => {
      if (++uses === COMPILE_AT && this.#mayCompile()) return this.#compile(shape, keys)(values);
      const object: Record<string, unknown> = {};
      for (let i = 0; i < keys.length; i++) object[keys[i]] = values.value();
      return object;
    };
    this.factories[shape] = factory;
    return factory;
  }

  /** Forgets everything, as the tokenizer's key table must at the same time. */
  clear(): void {
    this.factories.length = 0;
    this.#keyTexts.length = 0;
    this.#compiled = 0;
  }

  #mayCompile(): boolean {
    this.#canCompile ??= canCompile();
    return this.#canCompile && this.#compiled < MAX_COMPILED;
  }

  /**
   * An object literal gives V8 the whole shape at once: no transitions, no hashing, no megamorphic stores. The keys
   * come from strangers and stand in it as JSON string literals, which since ES2019 are JS string literals, too;
   * `__proto__`, the one key that would mean something else, never gets into a shape.
   */
  #compile(shape: number, keys: readonly string[]): Factory {
    this.#compiled++;
    const members = keys.map((key) => `${JSON.stringify(key)}:values.value()`);
    const factory = new Function("values", `return{${members.join(",")}}`) as Factory;
    this.factories[shape] = factory;
    return factory;
  }
}
