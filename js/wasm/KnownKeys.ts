import type { Instance } from "./module.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The keys and shapes that an instance of the module has learned, by their numbers on the tape. */
export class KnownKeys {
  readonly instance: Instance;
  readonly table: NonNullable<ReturnType<Instance["codec"]["createKeyTable"]>>;

  constructor(instance: Instance) {
    this.instance = instance;
    // The seed keeps the collisions of the table from being known to those who choose the keys.
    const seed = (Math.random() * 2 ** 32) >>> 0 || 1;
    this.table = instance.created(instance.codec.createKeyTable(seed));
  }

  parentShape(shape: number): number {
    return this.table.parent(shape);
  }

  lastKey(shape: number): number {
    return this.table.key(shape);
  }

  text(key: number): string {
    const at = this.table.textAddress(key);
    return utf8.decode(new Uint8Array(this.instance.memory.buffer, at, this.table.textLength(key)));
  }

  /** Whether keys or shapes have been turned away for want of room. */
  get isFull(): boolean {
    return this.table.isFull();
  }

  clear(): void {
    this.table.clear();
  }
}
