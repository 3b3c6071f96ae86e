/** Why the backplane has not done what it was asked for. */
export type BackplaneErrorCode =
  /** Nobody has answered in time, or Redis could not be reached. */
  | "TIMEOUT"
  /** No server has the connection. */
  | "NO_CONNECTION"
  /** The client, or its server on its behalf, has answered with an error. */
  | "CLIENT_ERROR"
  /** The emitter has been closed. */
  | "CLOSED";

/** An error of the backplane's. Those of the Redis client come through as they are. */
export class BackplaneError extends Error {
  static override readonly name = "BackplaneError";
  readonly code: BackplaneErrorCode;

  constructor(message: string, code: BackplaneErrorCode) {
    super(message);
    Object.defineProperty(this, "name", { configurable: true, enumerable: false, value: "BackplaneError" });
    this.code = code;
  }
}
