/** What streams are taken: all that can be iterated asynchronously, and WHATWG streams where they cannot. */
export type ReadableStreamLike<T> = AsyncIterable<T> | ReadableStream<T>;

/** Iterates a stream. Leaving early cancels it. */
export function iterate<T>(stream: ReadableStreamLike<T>): AsyncIterable<T> {
  const isIterable = (stream as Partial<AsyncIterable<T>>)[Symbol.asyncIterator] != null;
  return isIterable ? (stream as AsyncIterable<T>) : iterateReader(stream as ReadableStream<T>);
}

async function* iterateReader<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, void> {
  const reader = stream.getReader();
  // Neither a stream that has ended nor one that has failed needs cancelling.
  let isLive = true;
  try {
    for (;;) {
      isLive = false;
      const { done, value } = await reader.read();
      if (done) return;
      isLive = true;
      yield value;
    }
  } finally {
    try {
      if (isLive) await reader.cancel();
    } finally {
      reader.releaseLock();
    }
  }
}

/** The values of batches one by one. Values that are promises are awaited. */
export async function* awaitEach(
  batches: AsyncGenerator<unknown[], void, unknown>,
): AsyncGenerator<unknown, void, unknown> {
  for await (const batch of batches) yield* batch;
}

/** As `awaitEach`, for values that are no promises: it takes less than half the time of a generator to give one out. */
export class OneByOne implements AsyncGenerator<unknown, void, unknown> {
  readonly #batches: AsyncGenerator<unknown[], void, unknown>;
  #batch: unknown[] = [];
  #at = 0;
  /** What has been asked for last, if it is not there yet: requests are answered in turn. */
  #last: Promise<unknown> | null = null;

  constructor(batches: AsyncGenerator<unknown[], void, unknown>) {
    this.#batches = batches;
  }

  next(): Promise<IteratorResult<unknown, void>> {
    if (this.#last === null && this.#at < this.#batch.length)
      return Promise.resolve({ value: this.#batch[this.#at++], done: false });
    return this.#inTurn(() => this.#advance());
  }

  return(value: unknown): Promise<IteratorResult<unknown, void>> {
    return this.#inTurn(() => {
      this.#batch = [];
      return this.#batches.return(value as undefined);
    });
  }

  throw(error: unknown): Promise<IteratorResult<unknown, void>> {
    return this.#inTurn(() => {
      this.#batch = [];
      return this.#batches.throw(error);
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #advance(): Promise<IteratorResult<unknown, void>> {
    while (this.#at >= this.#batch.length) {
      const { done, value } = await this.#batches.next();
      if (done) return { done, value };
      this.#batch = value;
      this.#at = 0;
    }
    return { value: this.#batch[this.#at++], done: false };
  }

  #inTurn(work: () => Promise<IteratorResult<unknown, void>>): Promise<IteratorResult<unknown, void>> {
    const result = this.#last === null ? work() : this.#last.then(work, work);
    this.#last = result;
    const leave = () => {
      if (this.#last === result) this.#last = null;
    };
    result.then(leave, leave);
    return result;
  }
}
