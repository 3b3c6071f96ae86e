const FIRST_SLOTS = 64;
const MAX_ID = 0x7fffffff;

type Settle = (value: unknown) => void;

let resolveNew: Settle;
let rejectNew: Settle;
/** One executor for all promises: a closure a call would be garbage. */
const capture = (resolve: Settle, reject: Settle): void => {
  resolveNew = resolve;
  rejectNew = reject;
};

/**
 * The calls that wait for an answer, by their ids. Ids go up by one, so that the lower bits of an id are its place, and
 * neither opening nor settling a call allocates anything but the promise.
 */
export class CallTable {
  size = 0;
  /** The id of the call that was opened last. */
  lastId = 0;
  /** By place, the id of the call there, or 0. */
  #ids = new Int32Array(FIRST_SLOTS);
  #resolves: (Settle | null)[] = new Array(FIRST_SLOTS).fill(null);
  #rejects: (Settle | null)[] = new Array(FIRST_SLOTS).fill(null);
  #names: string[] = new Array(FIRST_SLOTS).fill("");
  /** By id, what is to be done when a call that can be aborted is settled. Few can. */
  readonly #cleanups = new Map<number, () => void>();

  /** Opens a call of a method. */
  open(name: string): Promise<unknown> {
    if (this.size * 2 >= this.#ids.length) this.#grow();
    const id = this.#nextId();
    const promise = new Promise(capture);
    const slot = id & (this.#ids.length - 1);
    this.#ids[slot] = id;
    this.#resolves[slot] = resolveNew;
    this.#rejects[slot] = rejectNew;
    this.#names[slot] = name;
    this.lastId = id;
    this.size++;
    return promise;
  }

  has(id: number): boolean {
    return id > 0 && this.#ids[id & (this.#ids.length - 1)] === id;
  }

  /** The name of the method that an open call called. */
  nameOf(id: number): string {
    return this.#names[id & (this.#ids.length - 1)];
  }

  resolve(id: number, value: unknown): void {
    this.#close(id, this.#resolves, value);
  }

  reject(id: number, reason: unknown): void {
    this.#close(id, this.#rejects, reason);
  }

  /** Rejects all calls, in the order in which they were opened. */
  rejectAll(reason: unknown): void {
    for (const id of this.#ids.filter((id) => id !== 0).sort()) this.reject(id, reason);
  }

  /** Has something done when a call is settled. */
  onSettled(id: number, cleanup: () => void): void {
    this.#cleanups.set(id, cleanup);
  }

  #close(id: number, settles: (Settle | null)[], value: unknown): void {
    if (!this.has(id)) return;
    const slot = id & (this.#ids.length - 1);
    const settle = settles[slot] as Settle;
    this.#ids[slot] = 0;
    this.#resolves[slot] = null;
    this.#rejects[slot] = null;
    this.size--;
    if (this.#cleanups.size > 0) {
      this.#cleanups.get(id)?.();
      this.#cleanups.delete(id);
    }
    settle(value);
  }

  /** The next id whose place is free: at least half of them are. */
  #nextId(): number {
    const mask = this.#ids.length - 1;
    let id = this.lastId;
    do {
      id = id === MAX_ID ? 1 : id + 1;
    } while (this.#ids[id & mask] !== 0);
    return id;
  }

  #grow(): void {
    const ids = this.#ids;
    const resolves = this.#resolves;
    const rejects = this.#rejects;
    const names = this.#names;
    // Ids that differ in their lower bits still do when one bit more counts.
    const length = ids.length * 2;
    this.#ids = new Int32Array(length);
    this.#resolves = new Array(length).fill(null);
    this.#rejects = new Array(length).fill(null);
    this.#names = new Array(length).fill("");
    for (let i = 0; i < ids.length; i++) {
      const slot = ids[i] & (length - 1);
      if (ids[i] === 0) continue;
      this.#ids[slot] = ids[i];
      this.#resolves[slot] = resolves[i];
      this.#rejects[slot] = rejects[i];
      this.#names[slot] = names[i];
    }
  }
}
