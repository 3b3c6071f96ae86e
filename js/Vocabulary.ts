import { Shapes } from "./Shapes.ts";
import { KnownKeys } from "./wasm/KnownKeys.ts";
import { type Instance, sharedInstance } from "./wasm/module.ts";

/** So many maps without a known shape, while the tables are full, make it worth learning anew. */
const RELEARN_AFTER = 4096;

/** What the decoders of an instance of the module have learned of keys and shapes. */
export class Vocabulary {
  unknownMaps = 0;
  readonly #instance: () => Instance;
  #keys: KnownKeys | undefined;
  #shapes: Shapes | undefined;

  constructor(instance: () => Instance) {
    this.#instance = instance;
  }

  /** Made when they are first needed: not every host has compiled the module at import. */
  get keys(): KnownKeys {
    this.#keys ??= new KnownKeys(this.#instance());
    return this.#keys;
  }

  get shapes(): Shapes {
    this.#shapes ??= new Shapes(this.keys);
    return this.#shapes;
  }

  /** Whether the keys and shapes that are known have been of little use. */
  get wantsToRelearn(): boolean {
    return this.unknownMaps >= RELEARN_AFTER;
  }

  /** Makes room for others. No message may be in the middle of a tape. */
  relearn(): void {
    this.unknownMaps = 0;
    if (this.keys.isFull) {
      this.keys.clear();
      this.shapes.clear();
    }
  }
}

export const sharedVocabulary = new Vocabulary(sharedInstance);
