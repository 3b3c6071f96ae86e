/**
 * Hands out workers, so that a call made while another runs (by an extension codec, by a getter) has one to itself.
 */
export class Pool<T> {
  readonly #idle: T[] = [];
  readonly #make: () => T;
  #busy = 0;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** Whether all workers are idle. */
  get isQuiet(): boolean {
    return this.#busy === 0;
  }

  take(): T {
    const worker = this.#idle.pop() ?? this.#make();
    this.#busy++;
    return worker;
  }

  giveBack(worker: T): void {
    this.#busy--;
    this.#idle.push(worker);
  }
}
