import { Shapes } from "./Shapes.ts";
import { KnownKeys } from "./wasm/KnownKeys.ts";
import { type Instance, shared } from "./wasm/module.ts";

/** So many maps without a known shape, while the tables are full, make it worth learning anew. */
const RELEARN_AFTER = 4096;

/** What the decoders of an instance of the module have learned of keys and shapes. */
export class Vocabulary {
  readonly keys: KnownKeys;
  readonly shapes: Shapes;
  unknownMaps = 0;

  constructor(instance: Instance) {
    this.keys = new KnownKeys(instance);
    this.shapes = new Shapes(this.keys);
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

export const sharedVocabulary = new Vocabulary(shared);
