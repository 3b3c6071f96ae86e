/** What streams are taken: all that can be iterated asynchronously, and WHATWG streams where they cannot. */
export type ReadableStreamLike<T> = AsyncIterable<T> | ReadableStream<T>;

/** Iterates a stream. Leaving early cancels it. */
export function iterate<T>(stream: ReadableStreamLike<T>): AsyncIterable<T> {
  return Symbol.asyncIterator in stream ? stream : iterateReader(stream);
}

async function* iterateReader<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, void> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        isDone = true;
        return;
      }
      yield value;
    }
  } catch (error) {
    // A stream that has failed needs no cancelling.
    isDone = true;
    throw error;
  } finally {
    if (!isDone) await reader.cancel();
    reader.releaseLock();
  }
}
