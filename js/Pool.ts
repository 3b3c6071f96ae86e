/** Who works for one call at a time. */
export interface Worker {
  isBusy: boolean;
}

/**
 * Knows the workers, so that a call made while another runs (by an extension codec, by a getter) has one to itself.
 *
 * Who takes a worker sets `isBusy`, and clears it in a `finally`: assignments cannot fail, as calls can when the JS call
 * stack is nearly full, so no worker is ever lost.
 */
export class Pool<T extends Worker> {
  readonly #workers: T[] = [];
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  /** A worker that is not busy. */
  find(): T {
    const workers = this.#workers;
    for (let i = 0; i < workers.length; i++) {
      if (!workers[i].isBusy) return workers[i];
    }
    const worker = this.#make();
    this.#workers.push(worker);
    return worker;
  }

  /** Whether no worker is busy. */
  get isQuiet(): boolean {
    for (const worker of this.#workers) {
      if (worker.isBusy) return false;
    }
    return true;
  }
}
