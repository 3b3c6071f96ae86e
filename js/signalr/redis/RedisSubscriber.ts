/** What is needed of a client of `ioredis` or `redis` (node-redis): either can be given. */
export interface RedisClient {
  publish(channel: string, message: Buffer): Promise<unknown>;
  duplicate(): unknown;
}

type Listener = (message: Buffer, channel: string) => void;

/** A connection of its own for subscriptions: a Redis connection that has such does nothing else. */
export interface RedisSubscriber {
  subscribe(channel: string, listener: Listener): Promise<unknown>;
  /** To all channels that match a glob pattern. */
  subscribeToPattern(pattern: string, listener: Listener): Promise<unknown>;
  close(): void;
}

interface NodeRedis {
  readonly isOpen: boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
  subscribe(
    channel: string,
    listener: (message: Buffer, channel: Buffer) => void,
    bufferMode: true,
  ): Promise<unknown>;
  pSubscribe(
    pattern: string,
    listener: (message: Buffer, channel: Buffer) => void,
    bufferMode: true,
  ): Promise<unknown>;
  destroy?(): void;
  disconnect?(): Promise<unknown>;
}

interface Ioredis {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "messageBuffer", listener: (channel: Buffer, message: Buffer) => void): unknown;
  on(event: "pmessageBuffer", listener: (pattern: Buffer, channel: Buffer, message: Buffer) => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  psubscribe(pattern: string): Promise<unknown>;
  disconnect(): void;
}

/**
 * Makes a subscriber with the settings of a client. Both kinds of clients reconnect by themselves, and subscribe anew
 * then; `onError` is told of what goes wrong meanwhile, which would end the process otherwise.
 */
export function subscriberOf(client: RedisClient, onError: (error: Error) => void): RedisSubscriber {
  const duplicate = client.duplicate() as NodeRedis | Ioredis;
  const subscriber =
    "pSubscribe" in duplicate ? ofNodeRedis(duplicate, onError) : ofIoredis(duplicate, onError);
  return {
    ...subscriber,
    close() {
      try {
        subscriber.close();
      } catch (error) {
        onError(error as Error);
      }
    },
  };
}

function ofNodeRedis(client: NodeRedis, onError: (error: Error) => void): RedisSubscriber {
  client.on("error", onError);
  const connected = client.connect();
  // Who subscribes is told; if nobody does, it is no fault.
  connected.catch(() => {});
  const pass = (listener: Listener) => (message: Buffer, channel: Buffer) =>
    listener(message, String(channel));
  return {
    subscribe: async (channel, listener) => {
      await connected;
      await client.subscribe(channel, pass(listener), true);
    },
    subscribeToPattern: async (pattern, listener) => {
      await connected;
      await client.pSubscribe(pattern, pass(listener), true);
    },
    close() {
      if (!client.isOpen) return;
      if (client.destroy !== undefined) client.destroy();
      else client.disconnect?.().catch(onError);
    },
  };
}

function ofIoredis(client: Ioredis, onError: (error: Error) => void): RedisSubscriber {
  const listeners = new Map<string, Listener>();
  client.on("error", onError);
  client.on("messageBuffer", (channel, message) => {
    const name = String(channel);
    listeners.get(name)?.(message, name);
  });
  client.on("pmessageBuffer", (pattern, channel, message) => {
    listeners.get(String(pattern))?.(message, String(channel));
  });
  return {
    async subscribe(channel, listener) {
      listeners.set(channel, listener);
      return client.subscribe(channel);
    },
    async subscribeToPattern(pattern, listener) {
      listeners.set(pattern, listener);
      return client.psubscribe(pattern);
    },
    close: () => client.disconnect(),
  };
}
