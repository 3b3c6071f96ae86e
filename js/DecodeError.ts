/** What kind of error it is, for programs; the message is for people. */
export type ErrorCode =
  | "INSUFFICIENT_DATA"
  | "EXTRA_BYTES"
  | "UNKNOWN_FORMAT"
  | "KEY_TYPE"
  | "FORBIDDEN_KEY"
  | "INVALID_UTF8"
  | "MAX_LENGTH"
  | "MAX_DEPTH"
  | "MAX_ELEMENTS"
  | "ROOT_TYPE"
  | "EXTENSION"
  | "MISALIGNED"
  | "FRAME"
  | "FIELD"
  | "OUT_OF_MEMORY";

/** What every error of a decoder carries. */
export interface ErrorDetails {
  readonly code: ErrorCode;
  /** Bytes from the start of the input to the token in error. */
  readonly offset: number;
}

/** The input is no MessagePack, or not what the options allow. */
export class DecodeError extends Error implements Partial<ErrorDetails> {
  static override readonly name = "DecodeError";
  readonly code?: ErrorCode;
  readonly offset?: number;

  constructor(message: string, details?: ErrorDetails & { readonly cause?: unknown }) {
    super(message, details?.cause === undefined ? undefined : { cause: details.cause });
    Object.defineProperty(this, "name", { configurable: true, enumerable: false, value: "DecodeError" });
    if (details !== undefined) {
      this.code = details.code;
      this.offset = details.offset;
    }
  }
}

/**
 * Lets the stack of an error of ours begin at the caller: its own frames, of which there may be more than are kept, say
 * nothing to anybody.
 */
export function showCaller(error: unknown, entry: (...args: never[]) => unknown): void {
  if (knowsCallers && (error instanceof DecodeError || ours.has(error as object)))
    Error.captureStackTrace(error as Error, entry);
}

/** Firefox (153) has it, too, but leaves no stack at all where `entry` has been compiled as a part of its caller. */
const knowsCallers = "captureStackTrace" in Error && "stackTraceLimit" in Error;

const ours = new WeakSet<object>();

/** Marks an error as one that this package has made. */
export function made<E extends Error>(error: E): E {
  ours.add(error);
  return error;
}

/** An error of a class that the contract names, with what every error of a decoder carries. */
export function withDetails<E extends Error>(error: E, code: ErrorCode, offset: number): E & ErrorDetails {
  return Object.assign(made(error), { code, offset });
}
