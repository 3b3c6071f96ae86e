import { EventEmitter } from "node:events";
import type { CompletionMessage, HubMessage, ILogger, InvocationMessage } from "@microsoft/signalr";
import { MessageType } from "../MessageType.ts";
import { HubChannels } from "./channels.ts";
import { type BackplaneProtocol, HubProtocols, isCompletion } from "./hubProtocols.ts";
import { loggerOf, warn } from "./logging.ts";
import {
  type BackplaneInvocation,
  type GroupCommand,
  readAck,
  readCompletion,
  readGroupCommand,
  readInvocation,
} from "./messages.ts";
import { type RedisClient, type RedisSubscriber, subscriberOf } from "./RedisSubscriber.ts";

export interface HubListenerOptions {
  /** The protocols in which messages are read. Default: `["messagepack", "json"]`, the first that there is. */
  protocols?: readonly BackplaneProtocol[];
  /** `ChannelPrefix` of the servers' StackExchange.Redis configuration. Default: none. */
  channelPrefix?: string;
  /**
   * Whether messages for single connections are observed, too. Redis counts a listener as one that receives them: while
   * it listens, servers (and `invoke`) cannot tell any more that a connection does not exist, and wait for its result
   * in vain. Default: false.
   */
  connections?: boolean;
  /** Is told of messages that are malformed, and of connection errors. Default: warnings to the console; null: none. */
  logger?: ILogger | null;
}

/** An invocation that goes to some of the hub's connections. */
export interface ObservedInvocation extends BackplaneInvocation {
  /** Which connections it is for. */
  readonly scope: "all" | "group" | "user" | "connection";
  /** The group's name, the user's or the connection's id; empty for all. */
  readonly name: string;
  /** The method that is called, and its arguments; undefined where the message is in none of the known protocols. */
  readonly target: string | undefined;
  readonly arguments: unknown[] | undefined;
}

const LISTENER_FAILED = "a listener of an event has failed";

/** What a listener emits, and with what. */
export interface HubListenerEvents {
  invocation: [invocation: ObservedInvocation];
  /** A server asks another to change a group. */
  groupCommand: [command: GroupCommand];
  /** The id of a group command that has been performed, and who asked for it. */
  ack: [id: number, serverName: string];
  /** A client's result for a server. */
  completion: [completion: CompletionMessage, serverName: string];
  /** What is none of these, on a channel of the hub. It is logged, too. */
  malformed: [error: unknown, channel: string, bytes: Uint8Array];
}

/**
 * Observes what the servers of a hub tell each other over Redis, and takes part in nothing of it.
 *
 * `start()` resolves when it listens. What listeners of events throw, or reject with, is logged.
 */
export class HubListener extends EventEmitter<HubListenerEvents> {
  static override readonly name = "HubListener";
  readonly channels: HubChannels;
  readonly #client: RedisClient;
  readonly #protocols: HubProtocols;
  readonly #logger: ILogger;
  readonly #patterns: readonly string[];
  #subscriber: RedisSubscriber | null = null;

  /**
   * @param client of `ioredis` or `redis` (node-redis); a duplicate of it is made, and closed by `close`
   * @param hub the full .NET name of the hub's class, `Namespace.ChatHub`
   */
  constructor(client: RedisClient, hub: string, options: HubListenerOptions = {}) {
    super({ captureRejections: true });
    this.#client = client;
    this.#logger = loggerOf(options.logger);
    this.#protocols = new HubProtocols(options.protocols ?? ["messagepack", "json"], this.#logger);
    this.channels = new HubChannels(hub, options.channelPrefix);
    this.#patterns = this.channels.patterns(options.connections ?? false);
  }

  /** @throws what the Redis client throws */
  async start(): Promise<void> {
    if (this.#subscriber !== null) return;
    const subscriber = subscriberOf(this.#client, (error) => {
      warn(this.#logger, "the connection to Redis", error);
    });
    this.#subscriber = subscriber;
    try {
      const take = (message: Uint8Array, channel: string): void => this.#take(message, channel);
      await Promise.all(this.#patterns.map((pattern) => subscriber.subscribeToPattern(pattern, take)));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Lets go of Redis. */
  close(): void {
    this.#subscriber?.close();
    this.#subscriber = null;
  }

  override [EventEmitter.captureRejectionSymbol](error: unknown, ..._: unknown[]): void {
    warn(this.#logger, LISTENER_FAILED, error);
  }

  #take(bytes: Uint8Array, channel: string): void {
    let emit: () => void;
    try {
      emit = this.#read(bytes, this.channels.suffixOf(channel));
    } catch (error) {
      warn(this.#logger, `a malformed message on ${channel} was left out`, error);
      emit = () => this.emit("malformed", error, channel, bytes);
    }
    this.#tell(emit);
  }

  /** The Redis client, which brings the messages, would stumble over what listeners throw. */
  #tell(emit: () => void): void {
    try {
      emit();
    } catch (error) {
      warn(this.#logger, LISTENER_FAILED, error);
    }
  }

  /** Reads a message, and returns what emits it: errors of listeners are not those of the message. */
  #read(bytes: Uint8Array, suffix: string): () => void {
    const [, scope, name] = /^(all|group|user|connection|internal)(?::(.*))?$/s.exec(suffix) ?? [];
    if (scope === "internal") return this.#readInternal(bytes, name ?? "");
    if (scope === undefined) throw new Error("the channel is not one of SignalR's");
    const invocation = readInvocation(bytes);
    const message = this.#first(invocation);
    const observed = {
      ...invocation,
      scope: scope as ObservedInvocation["scope"],
      name: name ?? "",
      target: message?.target,
      arguments: message?.arguments,
    };
    return () => this.emit("invocation", observed);
  }

  #readInternal(bytes: Uint8Array, suffix: string): () => void {
    const [, kind, serverName] = /^(groups|ack|return)(?::(.*))?$/s.exec(suffix) ?? [];
    switch (kind) {
      case "groups": {
        const command = readGroupCommand(bytes);
        return () => this.emit("groupCommand", command);
      }
      case "ack": {
        const id = readAck(bytes);
        return () => this.emit("ack", id, serverName);
      }
      case "return": {
        const { protocol, bytes: message } = readCompletion(bytes);
        const completions = (this.#protocols.parse(protocol, message) ?? []).filter(isCompletion);
        if (completions.length === 0) throw new Error(`no completion that ${protocol} tells`);
        return () => {
          for (const completion of completions)
            this.#tell(() => this.emit("completion", completion, serverName));
        };
      }
      default:
        throw new Error("the channel is not one of SignalR's");
    }
  }

  /** The invocation in the first of the protocols that are known. */
  #first({ messages }: BackplaneInvocation): InvocationMessage | undefined {
    for (const { protocol, bytes } of messages) {
      const read: HubMessage[] | null = this.#protocols.parse(protocol, bytes);
      const found = read?.find(({ type }) => type === MessageType.INVOCATION);
      if (found !== undefined) return found as InvocationMessage;
    }
    return undefined;
  }
}
