interface Block<T> {
  readonly length: number;
  [index: number]: T;
}

/** Items of the first block, which most never leave, and of others. */
const FIRST_LENGTH = 16;
const LENGTH = 1024;

/** A stack that copies nothing when it grows, and lets go of memory when it shrinks. */
export class Stack<T> {
  readonly #Block: new (
    length: number,
  ) => Block<T>;
  readonly #below: Block<T>[] = [];
  #top: Block<T>;
  #size = 0;

  constructor(Block: new (length: number) => Block<T>) {
    this.#Block = Block;
    this.#top = new Block(FIRST_LENGTH);
  }

  get isEmpty(): boolean {
    return this.#size + this.#below.length === 0;
  }

  push(value: T): void {
    if (this.#size === this.#top.length) {
      this.#below.push(this.#top);
      this.#top = new this.#Block(LENGTH);
      this.#size = 0;
    }
    this.#top[this.#size++] = value;
  }

  /** There must be one. */
  pop(): T {
    if (this.#size === 0) {
      this.#top = this.#below.pop() as Block<T>;
      this.#size = this.#top.length;
    }
    return this.#top[--this.#size];
  }
}
