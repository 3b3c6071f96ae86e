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
export function oneByOne(
  batches: AsyncGenerator<unknown[], void, unknown>,
): AsyncGenerator<unknown, void, unknown> {
  let batch: unknown[] = [];
  let at = 0;
  /** What has been asked for last, if it is not there yet: requests are answered in turn. */
  let last: Promise<unknown> | null = null;

  async function advance(): Promise<IteratorResult<unknown, void>> {
    while (at >= batch.length) {
      const { done, value } = await batches.next();
      if (done) return { done, value };
      batch = value;
      at = 0;
    }
    return { value: batch[at++], done: false };
  }
  function inTurn(
    work: () => Promise<IteratorResult<unknown, void>>,
  ): Promise<IteratorResult<unknown, void>> {
    const result = last === null ? work() : last.then(work, work);
    last = result;
    const leave = () => {
      if (last === result) last = null;
    };
    result.then(leave, leave);
    return result;
  }
  function end(how: () => Promise<IteratorResult<unknown, void>>): Promise<IteratorResult<unknown, void>> {
    return inTurn(() => {
      batch = [];
      return how();
    });
  }

  // A generator, with all that belongs to one, which is never begun.
  return Object.assign(awaitEach(batches), {
    next: () =>
      last === null && at < batch.length
        ? Promise.resolve({ value: batch[at++], done: false })
        : inTurn(advance),
    return: (value: void | PromiseLike<void>) => end(() => batches.return(value)),
    throw: (error: unknown) => end(() => batches.throw(error)),
  }) as AsyncGenerator<unknown, void, unknown>;
}
