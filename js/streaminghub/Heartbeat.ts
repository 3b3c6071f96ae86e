export interface HeartbeatOptions {
  /** Milliseconds from one heartbeat of the client to the next. */
  interval: number;
  /**
   * How many milliseconds a heartbeat may stay without answer. Then the connection is given up, with code `TIMED_OUT`.
   * Default: for ever.
   */
  timeout?: number;
  /** Is called for each answer. `roundTripTime` is in milliseconds. */
  onResponse?: (event: { readonly sequence: number; readonly roundTripTime: number }) => void;
}

/** Sends heartbeats of the client, and watches whether they are answered. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #send: (sequence: number, sentAt: number) => void;
  readonly #onTimeout: () => void;
  readonly #start = performance.now();
  /** The milliseconds from the last heartbeat that was answered to its answer. */
  roundTripTime: number | undefined;
  #sequence = -1;
  #interval: ReturnType<typeof setInterval> | undefined;
  #timeout: ReturnType<typeof setTimeout> | undefined;

  /** @throws RangeError if the interval or the timeout is not above 0 */
  constructor(
    options: HeartbeatOptions,
    send: (sequence: number, sentAt: number) => void,
    onTimeout: () => void,
  ) {
    for (const name of ["interval", "timeout"] as const) {
      const value = options[name];
      if (value !== undefined && !(value > 0)) throw new RangeError(`${name} must be above 0: ${value}`);
    }
    this.#options = options;
    this.#send = send;
    this.#onTimeout = onTimeout;
  }

  start(): void {
    this.#interval = setInterval(() => this.#beat(), this.#options.interval);
  }

  stop(): void {
    clearInterval(this.#interval);
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
  }

  /** Takes an answer. */
  answered(sequence: number, sentAt: number): void {
    const roundTripTime = this.#now() - sentAt;
    this.roundTripTime = roundTripTime;
    // Answers to earlier ones do not say that the server is there now.
    if (sequence === this.#sequence) {
      clearTimeout(this.#timeout);
      this.#timeout = undefined;
    }
    this.#options.onResponse?.({ sequence, roundTripTime });
  }

  #beat(): void {
    // An integer of 16 bits.
    this.#sequence = ((this.#sequence + 1) << 16) >> 16;
    this.#send(this.#sequence, this.#now());
    const { timeout } = this.#options;
    if (timeout !== undefined) this.#timeout ??= setTimeout(this.#onTimeout, timeout);
  }

  /** Whole milliseconds since the connection began, as the protocol has them. */
  #now(): number {
    return Math.round(performance.now() - this.#start);
  }
}
