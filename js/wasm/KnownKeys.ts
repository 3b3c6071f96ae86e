import type { Handle, Instance } from "./module.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The keys and shapes that an instance of the module has learned, by their numbers on the tape. */
export class KnownKeys {
  readonly instance: Instance;
  readonly table: Handle;

  constructor(instance: Instance) {
    this.instance = instance;
    // The seed keeps the collisions of the table from being known to those who choose the keys.
    const seed = (Math.random() * 2 ** 32) >>> 0 || 1;
    this.table = instance.created(instance.codec.createKeyTable(seed));
  }

  parentShape(shape: number): number {
    return this.instance.codec.parentShape(this.table, shape);
  }

  lastKey(shape: number): number {
    return this.instance.codec.lastKey(this.table, shape);
  }

  text(key: number): string {
    const { codec, memory } = this.instance;
    const at = codec.keyAddress(this.table, key);
    return utf8.decode(new Uint8Array(memory.buffer, at, codec.keyLength(this.table, key)));
  }

  /** Whether keys or shapes have been turned away for want of room. */
  get isFull(): boolean {
    // Wasm has 0 or 1.
    return Boolean(this.instance.codec.isFull(this.table));
  }

  clear(): void {
    this.instance.codec.clearKeyTable(this.table);
  }
}
