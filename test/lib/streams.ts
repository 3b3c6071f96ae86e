/** What streams are made of here. */
export type Chunk = ArrayLike<number> | ArrayBufferView | ArrayBufferLike;

/** A source of chunks that knows what was done with it. */
export interface Watched {
  readonly stream: AsyncIterable<Chunk>;
  /** How many chunks were taken. */
  taken: number;
  /** Whether it was told to stop before its end. */
  isCancelled: boolean;
}

/** An async iterable that is no stream and no generator. */
export function watched(chunks: readonly Chunk[], end: "ends" | "waits" | Error = "ends"): Watched {
  const source: Watched = {
    taken: 0,
    isCancelled: false,
    stream: {
      [Symbol.asyncIterator]: () => ({
        next() {
          if (source.taken < chunks.length) {
            return Promise.resolve({ done: false, value: chunks[source.taken++] });
          }
          if (end === "waits") return new Promise<IteratorResult<Chunk>>(() => {});
          if (end instanceof Error) return Promise.reject(end);
          return Promise.resolve({ done: true, value: undefined });
        },
        return() {
          source.isCancelled = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    },
  };
  return source;
}

/** The chunks as an async iterable. */
export async function* streamOf(...chunks: Chunk[]): AsyncGenerator<Chunk, void, void> {
  yield* chunks;
}

/** A message cut into pieces of `size` bytes. */
export function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
  return pieces;
}

/** All that an iterable brings. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What an iterable brings before its error, and the error. */
export async function collectUntilError<T>(
  items: AsyncIterable<T>,
): Promise<{ items: T[]; error: (Error & { code?: unknown; offset?: unknown }) | null }> {
  const all: T[] = [];
  try {
    for await (const item of items) all.push(item);
  } catch (error) {
    if (error instanceof Error) return { items: all, error };
    throw error;
  }
  return { items: all, error: null };
}

/** The error that a promise is rejected with. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { code?: unknown; offset?: unknown }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("An error was expected, but there was none");
}
