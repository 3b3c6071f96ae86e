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
