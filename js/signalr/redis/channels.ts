/** The Redis channels of a hub, by the names that SignalR's backplane gives them. */
export class HubChannels {
  static readonly name = "HubChannels";
  readonly #prefix: string;
  /** Invocations for all connections. */
  readonly all: string;
  /** Group commands, for the server that has the connection in question. */
  readonly groupManagement: string;

  /**
   * @param hub the full .NET name of the hub's class: `Namespace.ChatHub`, nested ones `Outer+Inner`
   * @param channelPrefix what StackExchange.Redis is told to put before each channel, if anything
   */
  constructor(hub: string, channelPrefix = "") {
    this.#prefix = `${channelPrefix}${hub}:`;
    this.all = `${this.#prefix}all`;
    this.groupManagement = `${this.#prefix}internal:groups`;
  }

  /** Invocations for a group. Its name is taken as it is, upper and lower case. */
  group(name: string): string {
    return `${this.#prefix}group:${name}`;
  }

  /** Invocations for all connections of a user. */
  user(id: string): string {
    return `${this.#prefix}user:${id}`;
  }

  /** Invocations for a connection, those that want a result among them. */
  connection(id: string): string {
    return `${this.#prefix}connection:${id}`;
  }

  /** What a server is told of its group commands. */
  ack(serverName: string): string {
    return `${this.#prefix}internal:ack:${serverName}`;
  }

  /** The results that a server waits for. */
  returnResults(serverName: string): string {
    return `${this.#prefix}internal:return:${serverName}`;
  }

  /** Patterns for all channels of the hub, those of single connections left out or not. */
  patterns(withConnections: boolean): string[] {
    const prefix = this.#prefix.replace(/[\\*?[\]]/g, "\\$&");
    const kinds = ["all", "group:*", "user:*", "internal:*", ...(withConnections ? ["connection:*"] : [])];
    return kinds.map((kind) => prefix + kind);
  }

  /** What is behind the prefix of one of the hub's channels. */
  suffixOf(channel: string): string {
    return channel.slice(this.#prefix.length);
  }
}
