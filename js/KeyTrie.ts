import type { Walk } from "./compileWalk.ts";
import { MAX_KEY_UNITS } from "./wasm/EncodeMemory.ts";

/**
 * One key after those on the way from the root: where an object of a known shape stands while it is walked. Each node
 * predicts the key that came next last time, so that an object like the one before costs one comparison of pointers a
 * key, V8 having but one copy of each property name.
 */
export class KeyNode {
  readonly key: string;
  /** The tape word that stands for the key, or 0 while it goes as text. */
  word = 0;
  readonly depth: number;
  predictedKey: string | undefined = undefined;
  predicted: KeyNode | null = null;
  children: Map<string, KeyNode> | null = null;
  /** Of the object that ends here: how often it has been met, the words of its keys, and what it is walked with. */
  uses = 0;
  words: number[] | null = null;
  kinds: number[] | null = null;
  walk: Walk | null = null;

  /** Whether none of the keys is "constructor", so that an object has that of its prototype. */
  readonly inheritsConstructor: boolean;

  constructor(key: string, depth: number, inheritsConstructor: boolean) {
    this.key = key;
    this.depth = depth;
    this.inheritsConstructor = inheritsConstructor;
  }
}

/** Bounds what strangers can make it keep: `KeyStore::kMaxKeys`, and as many shapes. */
const MAX_NODES = 4096;
/** Objects with more keys are taken for dictionaries. */
export const MAX_DEPTH = 128;
/** So many keys in vain, with the trie full, make it worth learning anew. */
const RELEARN_AFTER = 65_536;

/** Who gives keys their words. */
export interface KeyRegistrar {
  /** Returns 0 when there is no room. */
  registerKey(key: string): number;
}

/** The shapes of the objects that encoders have walked. */
export class KeyTrie {
  #root = new KeyNode("", 0, true);
  #nodes = 0;
  #misses = 0;
  /** Where keys go that there is no room for; it is its own child. */
  readonly #elsewhere = new KeyNode("", MAX_DEPTH, false);
  /** By key: shapes share the numbers. */
  readonly #words = new Map<string, number>();
  readonly #clearWords: () => void;

  /** `clearWords` takes back all words that `registerKey` has given. */
  constructor(clearWords: () => void) {
    this.#clearWords = clearWords;
  }

  /** The node that a list of keys leads to. */
  find(keys: readonly string[], registrar: KeyRegistrar): KeyNode {
    let node = this.#root;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      node = node.predictedKey === key ? (node.predicted as KeyNode) : this.#follow(node, key, registrar);
    }
    return node;
  }

  /** The words of the keys that lead to a node, or null as long as one has none. */
  words(keys: readonly string[]): number[] | null {
    const words: number[] = [];
    let node: KeyNode | undefined = this.#root;
    for (const key of keys) {
      node = node.children?.get(key);
      if (node === undefined || node.word === 0) return null;
      words.push(node.word);
    }
    return words;
  }

  /** The node that `key` leads to where `from` predicts another. */
  #follow(from: KeyNode, key: string, registrar: KeyRegistrar): KeyNode {
    let node = from.children?.get(key);
    if (node === undefined) {
      if (from.depth >= MAX_DEPTH || this.#nodes === MAX_NODES || key.length > MAX_KEY_UNITS) {
        this.#misses++;
        return this.#elsewhere;
      }
      this.#nodes++;
      node = new KeyNode(key, from.depth + 1, from.inheritsConstructor && key !== "constructor");
      from.children ??= new Map();
      from.children.set(key, node);
      // Neither registered nor predicted before its second sight: many keys are only met once.
      return node;
    }
    if (node.word === 0) node.word = this.#word(key, registrar);
    from.predictedKey = key;
    from.predicted = node;
    return node;
  }

  /** Whether what is known has been of little use. */
  get wantsToRelearn(): boolean {
    return this.#misses >= RELEARN_AFTER;
  }

  /** Makes room, if there is none. Returns whether all is forgotten. No object may be in the middle of being walked. */
  relearn(): boolean {
    this.#misses = 0;
    if (this.#nodes < MAX_NODES) return false;
    this.#root = new KeyNode("", 0, true);
    this.#nodes = 0;
    this.#words.clear();
    this.#clearWords();
    return true;
  }

  #word(key: string, registrar: KeyRegistrar): number {
    let word = this.#words.get(key);
    if (word === undefined) {
      word = registrar.registerKey(key);
      if (word !== 0) this.#words.set(key, word);
    }
    return word;
  }
}
