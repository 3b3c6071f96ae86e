import { isDeepStrictEqual } from "node:util";
import * as reference from "@msgpack/msgpack";
import { ExtData } from "msgpack-wasm";

/** What a call came to: a value, or an error. */
export type Outcome = { readonly value: unknown } | { readonly error: Error };

export function outcome(call: () => unknown): Outcome {
  try {
    return { value: call() };
  } catch (error) {
    if (error instanceof Error) return { error };
    throw error;
  }
}

/**
 * The same value with what `isDeepStrictEqual` cannot compare replaced: each package has an `ExtData` of its own, and
 * Node 20 finds no two invalid dates equal.
 */
export function comparable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof ExtData || isTheirExtData(value)) {
    return { ext: value.type, data: value.data };
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? { date: "invalid" } : value;
  if (ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(comparable);
  const copy: object = Object.create(Object.getPrototypeOf(value));
  return Object.assign(copy, Object.fromEntries(Object.entries(value).map(([k, v]) => [k, comparable(v)])));
}

/** There are several versions of @msgpack/msgpack, each with a class of its own. */
function isTheirExtData(value: object): value is reference.ExtData {
  return value.constructor?.name === reference.ExtData.name;
}

export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || isDeepStrictEqual(comparable(a), comparable(b));
}

/** What decoders add to their errors. */
export type CodecError = Error & { readonly code?: unknown; readonly offset?: unknown };

/** The error that a call throws. */
export function failure(call: () => unknown): CodecError {
  const result = outcome(call);
  if ("error" in result) return result.error;
  throw new Error("An error was expected, but there was none");
}
