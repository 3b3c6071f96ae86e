import { hubMethod, type MethodNaming } from "./HubMethod.ts";

type Method = (...args: unknown[]) => unknown;

/** How the methods of the receiver are called. */
export interface ReceiverOptions extends MethodNaming {
  /**
   * How many parameters methods of the receiver have, where their `length` does not tell: those with defaults, and
   * those that take the rest. Messages tell no two arguments from one that is an array of two.
   */
  parameterCounts?: Readonly<Record<string, number>>;
}

/** A method of the receiver. */
export class ReceiverMethod {
  readonly name: string;
  readonly id: number;
  readonly #receiver: object;
  readonly #method: Method;
  readonly #count: number;

  constructor(name: string, id: number, receiver: object, method: Method, count: number) {
    this.name = name;
    this.id = id;
    this.#receiver = receiver;
    this.#method = method;
    this.#count = count;
  }

  /** Calls it with what a message holds. */
  call(value: unknown): unknown {
    const method = this.#method;
    if (this.#count > 1 && Array.isArray(value)) return method.apply(this.#receiver, value);
    if (this.#count === 0 && value === null) return method.call(this.#receiver);
    return method.call(this.#receiver, value);
  }
}

/** The methods of a receiver by their ids: its own, and those that it inherits. */
export function receiverMethods(receiver: object, options: ReceiverOptions): Map<number, ReceiverMethod> {
  const methods = new Map<number, ReceiverMethod>();
  const { parameterCounts } = options;
  for (const name of methodNames(receiver)) {
    const method = (receiver as Record<string, Method>)[name];
    const { name: serverName, id } = hubMethod(name, options);
    const count =
      parameterCounts !== undefined && Object.hasOwn(parameterCounts, name)
        ? parameterCounts[name]
        : method.length;
    methods.set(id, new ReceiverMethod(serverName, id, receiver, method, count));
  }
  return methods;
}

function methodNames(receiver: object): Set<string> {
  const names = new Set<string>();
  for (
    let holder = receiver;
    holder !== null && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      // A getter is asked for nothing.
      const isMethod = typeof Object.getOwnPropertyDescriptor(holder, name)?.value === "function";
      if (isMethod && name !== "constructor") names.add(name);
    }
  }
  return names;
}
