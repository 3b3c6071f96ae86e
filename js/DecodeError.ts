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
  | "ROOT_TYPE"
  | "EXTENSION"
  | "OUT_OF_MEMORY";

/** What every error of a decoder carries. */
export interface ErrorDetails {
  readonly code: ErrorCode;
  /** Bytes from the start of the input to the token in error. */
  readonly offset: number;
}

/** The input is no MessagePack, or not what the options allow. */
export class DecodeError extends Error implements Partial<ErrorDetails> {
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

/** An error of a class that the contract names, with what every error of a decoder carries. */
export function withDetails<E extends Error>(error: E, code: ErrorCode, offset: number): E & ErrorDetails {
  return Object.assign(error, { code, offset });
}
