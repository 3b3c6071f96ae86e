import type { DisconnectReason, HubConnection } from "./HubConnection.ts";
import { type HubMethod, hubMethod, type MethodNaming } from "./HubMethod.ts";
import { MAX_PARAMETERS, tooManyArguments } from "./messages.ts";

type AnyMethod = (...args: never[]) => unknown;

/** The methods of a hub that are answered: those of the interface that return a promise. */
export type HubCalls<Hub> = {
  readonly [Name in keyof Hub as Hub[Name] extends (...args: never[]) => PromiseLike<unknown>
    ? Name
    : never]: Hub[Name] extends (...args: infer Args) => PromiseLike<infer Result>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** All methods of a hub, called without waiting for an answer. */
export type HubNotifications<Hub> = {
  readonly [Name in keyof Hub as Hub[Name] extends AnyMethod ? Name : never]: Hub[Name] extends (
    ...args: infer Args
  ) => unknown
    ? (...args: Args) => void
    : never;
};

/** What a client has besides the methods of its hub. These hide methods of the same name, but not `Close` and so on. */
export interface StreamingHubMembers<Hub> {
  /**
   * The methods of the hub without an answer: those that return `void`, and others whose result is of no interest. They
   * throw a `StreamingHubError` if the connection is no more, and else what `Encoder.encode` throws.
   */
  readonly fireAndForget: HubNotifications<Hub>;
  /** The milliseconds from the last heartbeat of the client that was answered to its answer. */
  readonly roundTripTime: number | undefined;
  /** The methods of the hub, of which each call is rejected when `signal` is aborted. The server goes on with it. */
  withSignal(signal: AbortSignal): HubCalls<Hub>;
  /** Waits until the connection is no more, for whatever reason. It is never rejected. */
  waitForDisconnect(): Promise<DisconnectReason>;
  /**
   * Ends the connection. Calls that wait for an answer are rejected. What has been sent arrives.
   * @returns when the stream is no more
   */
  close(): Promise<void>;
  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A client of a hub whose methods are those of an interface. */
export type StreamingHubClient<Hub> = HubCalls<Hub> & StreamingHubMembers<Hub>;

type Send = (
  method: HubMethod,
  count: number,
  a: unknown,
  b: unknown,
  c: unknown,
  d: unknown,
  args: readonly unknown[] | null,
) => unknown;

/** Node 20 has it only as a name. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** Has a method for each name that it is asked for: a name becomes a property when it is first met. */
class MethodBag {
  // No public fields: a hub may have methods of any name.
  readonly #naming: MethodNaming;
  readonly #send: Send;

  constructor(naming: MethodNaming, send: Send) {
    this.#naming = naming;
    this.#send = send;
  }

  /** Gives an object the method of a name, unless it is no bag of methods. */
  static find(holder: object, name: string): unknown {
    if (!(#naming in holder)) return undefined;
    const method = methodOf(hubMethod(name, holder.#naming), holder.#send);
    Object.defineProperty(holder, name, { value: method });
    return method;
  }
}

/** What would be taken for methods of every object, by `await` and `JSON.stringify`. */
const NOT_METHODS: readonly string[] = ["then", "toJSON"];

Object.setPrototypeOf(
  MethodBag.prototype,
  new Proxy(Object.prototype, {
    get(target, name, holder) {
      const isMethod = typeof name === "string" && !(name in target) && !NOT_METHODS.includes(name);
      return isMethod ? MethodBag.find(holder, name) : Reflect.get(target, name, holder);
    },
  }),
);

class Client extends MethodBag {
  readonly fireAndForget: MethodBag;
  readonly #connection: HubConnection;
  readonly #methodNaming: MethodNaming;

  constructor(connection: HubConnection, naming: MethodNaming) {
    super(naming, (method, count, a, b, c, d, args) =>
      connection.call(method, null, count, a, b, c, d, args),
    );
    this.#connection = connection;
    this.#methodNaming = naming;
    this.fireAndForget = new MethodBag(naming, (method, count, a, b, c, d, args) =>
      connection.fireAndForget(method, count, a, b, c, d, args),
    );
  }

  get roundTripTime(): number | undefined {
    return this.#connection.roundTripTime;
  }

  withSignal(signal: AbortSignal): MethodBag {
    const connection = this.#connection;
    return new MethodBag(this.#methodNaming, (method, count, a, b, c, d, args) =>
      connection.call(method, signal, count, a, b, c, d, args),
    );
  }

  waitForDisconnect(): Promise<DisconnectReason> {
    return this.#connection.disconnected;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function clientOf<Hub>(connection: HubConnection, naming: MethodNaming): StreamingHubClient<Hub> {
  return new Client(connection, naming) as unknown as StreamingHubClient<Hub>;
}

/**
 * The function that calls a method. It has as many parameters as a method may have, and asks how many arguments there
 * are, so that calls with up to four need no array of them.
 */
function methodOf(method: HubMethod, send: Send): (...args: unknown[]) => unknown {
  return function (
    a?: unknown,
    b?: unknown,
    c?: unknown,
    d?: unknown,
    e?: unknown,
    f?: unknown,
    g?: unknown,
    h?: unknown,
    i?: unknown,
    j?: unknown,
    k?: unknown,
    l?: unknown,
    m?: unknown,
    n?: unknown,
    o?: unknown,
  ) {
    // biome-ignore lint/complexity/noArguments: V8 makes no object where only the length is asked for.
    const count = arguments.length;
    if (count <= 4) return send(method, count, a, b, c, d, null);
    if (count > MAX_PARAMETERS) throw tooManyArguments(count);
    const args = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o];
    args.length = count;
    return send(method, count, a, b, c, d, args);
  };
}
