import { BackplaneError } from "./BackplaneError.ts";

interface Waiting<Value> {
  resolve(value: Value): void;
  reject(error: unknown): void;
  readonly timer: NodeJS.Timeout;
}

/** Answers that are waited for, each by its id and only so long. */
export class Pending<Id, Value> {
  readonly #waiting = new Map<Id, Waiting<Value>>();

  /** Waits for an answer, at most `timeout` milliseconds. `what` it is goes into the error. */
  add(id: Id, timeout: number, what: string): Promise<Value> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.reject(id, new BackplaneError(`Waited ${timeout} ms for ${what}`, "TIMEOUT"));
      }, timeout);
      this.#waiting.set(id, { resolve, reject, timer });
    });
  }

  has(id: Id): boolean {
    return this.#waiting.has(id);
  }

  resolve(id: Id, value: Value): void {
    this.#take(id)?.resolve(value);
  }

  reject(id: Id, error: unknown): void {
    this.#take(id)?.reject(error);
  }

  rejectAll(error: unknown): void {
    for (const id of [...this.#waiting.keys()]) this.reject(id, error);
  }

  #take(id: Id): Waiting<Value> | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    return waiting;
  }
}
