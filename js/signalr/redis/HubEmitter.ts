import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { CompletionMessage, HubMessage, ILogger } from "@microsoft/signalr";
import { MessageType } from "../MessageType.ts";
import { BackplaneError } from "./BackplaneError.ts";
import { HubChannels } from "./channels.ts";
import { type BackplaneProtocol, HubProtocols, isCompletion } from "./hubProtocols.ts";
import { loggerOf, warn } from "./logging.ts";
import { GroupAction, readAck, readCompletion, writeGroupCommand, writeInvocation } from "./messages.ts";
import { Pending } from "./Pending.ts";
import { type RedisClient, type RedisSubscriber, subscriberOf } from "./RedisSubscriber.ts";

export interface HubEmitterOptions {
  /**
   * The protocols that connections of the hub speak: each message goes out in all of them, and servers cannot pass it
   * on to a connection that speaks another. Default: `["json", "messagepack"]`.
   */
  protocols?: readonly BackplaneProtocol[];
  /** `ChannelPrefix` of the servers' StackExchange.Redis configuration. Default: none. */
  channelPrefix?: string;
  /** The name by which servers answer this process; no other may have it. Default: host name and a random id. */
  serverName?: string;
  /** How long to wait for Redis, and for the ack of a group command, in milliseconds. Default: 30 000, as .NET. */
  timeout?: number;
  /** How long to wait for a client's result, in milliseconds. Default: 30 000. */
  resultTimeout?: number;
  /** Is told of messages that are malformed, and of connection errors. Default: warnings to the console; null: none. */
  logger?: ILogger | null;
}

/** Connections that a message can be sent to. */
export interface HubTarget {
  /**
   * Calls a method of these clients. Resolves once Redis has the message, to the number of servers that got it.
   * @throws Error if the arguments cannot be serialized; what the Redis client throws
   * @throws BackplaneError `TIMEOUT` if Redis does not take it in time, `CLOSED`
   */
  send(method: string, ...args: unknown[]): Promise<number>;
}

/** Connections of which some can be left out. */
export interface HubTargets extends HubTarget {
  /** The same without these connections. */
  except(connectionIds: readonly string[] | string): HubTargets;
}

/** One connection. */
export interface HubConnectionTarget extends HubTarget {
  /**
   * Calls a method of the client and gives its result.
   * @throws as `send`
   * @throws BackplaneError `NO_CONNECTION` if no server has the connection, `CLIENT_ERROR` with the error that the
   *   client gave or for which its server gave up (it has disconnected, for instance), `TIMEOUT`, `CLOSED`
   */
  invoke<Result = unknown>(method: string, ...args: unknown[]): Promise<Result>;
}

/** The groups of the hub's connections. */
export interface HubGroups {
  /**
   * Adds a connection to a group. Resolves when its server has done so.
   * @throws BackplaneError `TIMEOUT` if no server answers: the connection does not exist; `CLOSED`
   */
  add(connectionId: string, groupName: string): Promise<void>;
  /** Removes a connection from a group. As `add`. */
  remove(connectionId: string, groupName: string): Promise<void>;
}

/**
 * Takes part in a SignalR app that is scaled out over Redis, as a server without connections of its own: it sends to
 * all connections, groups, users and single connections, manages groups, and asks clients for results.
 * @param client of `ioredis` or `redis` (node-redis); it is used to publish, and stays the caller's. A duplicate of
 *   it is made when answers must be listened for, and closed by `close`.
 * @param hub the full .NET name of the hub's class, `Namespace.ChatHub`
 * @throws TypeError if a protocol is not known
 */
export function createHubEmitter(client: RedisClient, hub: string, options?: HubEmitterOptions): HubEmitter {
  return new HubEmitter(client, hub, options);
}

/** See `createHubEmitter`. */
export class HubEmitter {
  static readonly name = "HubEmitter";
  /** All connections of the hub. */
  readonly all: HubTargets;
  readonly groups: HubGroups;
  /** By which servers answer. */
  readonly serverName: string;
  readonly channels: HubChannels;
  readonly #client: RedisClient;
  readonly #protocols: HubProtocols;
  readonly #logger: ILogger;
  readonly #timeout: number;
  readonly #resultTimeout: number;
  readonly #acks = new Pending<number, void>();
  readonly #results = new Pending<string, unknown>();
  /** Messages that are on their way to Redis. */
  readonly #publishing = new Pending<number, number>();
  #commands = 0;
  #published = 0;
  #subscriber: RedisSubscriber | null = null;
  readonly #subscriptions = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(client: RedisClient, hub: string, options: HubEmitterOptions = {}) {
    this.#client = client;
    this.#logger = loggerOf(options.logger);
    this.#protocols = new HubProtocols(options.protocols ?? ["json", "messagepack"], this.#logger);
    this.#timeout = options.timeout ?? 30_000;
    this.#resultTimeout = options.resultTimeout ?? 30_000;
    this.channels = new HubChannels(hub, options.channelPrefix);
    this.serverName = options.serverName ?? `${hostname()}_${randomUUID().replaceAll("-", "")}`;
    this.all = this.#targets(this.channels.all, []);
    this.groups = {
      add: (connectionId, groupName) => this.#command(GroupAction.ADD, connectionId, groupName),
      remove: (connectionId, groupName) => this.#command(GroupAction.REMOVE, connectionId, groupName),
    };
  }

  /** The connections in a group. */
  group(name: string): HubTargets {
    return this.#targets(this.channels.group(name), []);
  }

  /** The connections of a user. */
  user(id: string): HubTarget {
    const channel = this.channels.user(id);
    return { send: (method, ...args) => this.#send(channel, method, args, []) };
  }

  connection(id: string): HubConnectionTarget {
    const channel = this.channels.connection(id);
    return {
      send: (method, ...args) => this.#send(channel, method, args, []),
      invoke: <Result>(method: string, ...args: unknown[]) =>
        this.#invoke(id, method, args) as Promise<Result>,
    };
  }

  /** Lets go of Redis. What is still waited for is rejected. */
  close(): void {
    this.#isClosed = true;
    const error = new BackplaneError("The hub emitter has been closed", "CLOSED");
    for (const pending of [this.#acks, this.#results, this.#publishing]) pending.rejectAll(error);
    this.#disconnect();
  }

  #targets(channel: string, excluded: readonly string[]): HubTargets {
    return {
      send: (method, ...args) => this.#send(channel, method, args, excluded),
      except: (connectionIds) => this.#targets(channel, [...excluded, ...[connectionIds].flat()]),
    };
  }

  async #send(
    channel: string,
    method: string,
    args: unknown[],
    excluded: readonly string[],
  ): Promise<number> {
    const message = { type: MessageType.INVOCATION, target: method, arguments: args } as HubMessage;
    return this.#publish(
      channel,
      writeInvocation({
        excludedConnectionIds: excluded,
        messages: this.#protocols.serialize(message),
        invocationId: null,
        returnChannel: null,
      }),
    );
  }

  async #command(action: number, connectionId: string, groupName: string): Promise<void> {
    this.#commands = (this.#commands + 1) & 0x7fffffff;
    const id = this.#commands;
    const command = writeGroupCommand({ id, serverName: this.serverName, action, groupName, connectionId });
    this.#mustBeOpen();
    const ack = this.#acks.add(
      id,
      this.#timeout,
      `the ack of a group command for connection ${connectionId}`,
    );
    this.#subscribe(this.channels.ack(this.serverName), (bytes) =>
      this.#acks.resolve(readAck(bytes), undefined),
    )
      .then(async () => {
        if (this.#acks.has(id)) await this.#publish(this.channels.groupManagement, command);
      })
      .catch((error) => this.#acks.reject(id, error));
    return ack;
  }

  async #invoke(connectionId: string, method: string, args: unknown[]): Promise<unknown> {
    // Of 16 random bytes, as those of a GUID.
    const invocationId = randomBytes(16).toString("base64").slice(0, 22);
    const returnChannel = this.channels.returnResults(this.serverName);
    const message = {
      type: MessageType.INVOCATION,
      invocationId,
      target: method,
      arguments: args,
    } as HubMessage;
    const messages = this.#protocols.serialize(message);
    const invocation = writeInvocation({ excludedConnectionIds: [], messages, invocationId, returnChannel });
    this.#mustBeOpen();
    const result = this.#results.add(
      invocationId,
      this.#resultTimeout,
      `the result of ${method} from connection ${connectionId}`,
    );
    this.#subscribe(returnChannel, (bytes) => this.#takeCompletions(bytes))
      .then(async () => {
        if (!this.#results.has(invocationId)) return;
        const servers = await this.#publish(this.channels.connection(connectionId), invocation);
        if (servers > 0) return;
        throw new BackplaneError(`No server has connection ${connectionId}`, "NO_CONNECTION");
      })
      .catch((error) => this.#results.reject(invocationId, error));
    return result;
  }

  #takeCompletions(payload: Uint8Array): void {
    const { protocol, bytes } = readCompletion(payload);
    const messages = this.#protocols.parse(protocol, bytes);
    if (messages === null) throw new Error(`a result in an unknown protocol: ${protocol}`);
    for (const message of messages) if (isCompletion(message)) this.#takeCompletion(message);
  }

  #takeCompletion({ invocationId, error, result }: CompletionMessage): void {
    if (error) {
      this.#results.reject(invocationId, new BackplaneError(error, "CLIENT_ERROR"));
    } else {
      this.#results.resolve(invocationId, result);
    }
  }

  /** Waits for Redis as long as the timeout says: clients keep what they are given while they reconnect. */
  #publish(channel: string, payload: Uint8Array): Promise<number> {
    this.#mustBeOpen();
    const id = this.#published++;
    const published = this.#publishing.add(id, this.#timeout, "Redis to take a message");
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    attempt(() => this.#client.publish(channel, bytes)).then(
      (receivers) => this.#publishing.resolve(id, Number(receivers)),
      (error) => this.#publishing.reject(id, error),
    );
    return published;
  }

  /** Listens to a channel from now on. What comes malformed is logged and left out. */
  #subscribe(channel: string, take: (bytes: Uint8Array) => void): Promise<unknown> {
    const known = this.#subscriptions.get(channel);
    if (known !== undefined) return known;
    let subscriber = this.#subscriber;
    const subscription = attempt(() => {
      subscriber ??= this.#subscriber = subscriberOf(this.#client, (error) => {
        warn(this.#logger, "the connection to Redis", error);
      });
      return subscriber.subscribe(channel, (message) => {
        try {
          take(message);
        } catch (error) {
          warn(this.#logger, `a malformed message on ${channel} was left out`, error);
        }
      });
    });
    this.#subscriptions.set(channel, subscription);
    // The client has given up: no answer comes through it any more, and the next call begins with a new one.
    subscription.catch((error) => {
      if (this.#subscriber !== subscriber) return;
      for (const pending of [this.#acks, this.#results]) pending.rejectAll(error);
      this.#disconnect();
    });
    return subscription;
  }

  #disconnect(): void {
    this.#subscriber?.close();
    this.#subscriber = null;
    this.#subscriptions.clear();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new BackplaneError("The hub emitter has been closed", "CLOSED");
  }
}

/** What a client throws at once is a rejection like any. */
async function attempt<Result>(call: () => Promise<Result>): Promise<Result> {
  return call();
}
