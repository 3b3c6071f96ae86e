/** How a stream has ended. */
export interface StreamEnd {
  /** A status of gRPC: 0 for an end that is no error. */
  readonly status: number;
  readonly detail: string;
  readonly cause?: unknown;
}

/** What a stream tells its user. */
export interface HubStreamEvents {
  /** The server's headers are there; `version` is that of `x-magiconion-streaminghub-version`, if it is among them. */
  accepted(version: string | undefined): void;
  /** A message of the server. Its bytes must stay as they are: binary data in values are views of them. */
  message(bytes: Uint8Array): void;
  /** Nothing comes any more. */
  ended(end: StreamEnd): void;
}

/** One duplex stream. */
export interface HubStream {
  /** Sends a message. Its bytes stay as they are, and must be left so: others may be sent with them. */
  send(message: Uint8Array<ArrayBuffer>): void;
  /** Says that no message follows. The server ends the stream then. */
  close(): void;
  /** Ends the stream at once. */
  cancel(): void;
}

/** What can open streams to a server: other transports than gRPC, or a server in the same process. */
export interface HubChannel {
  /** `path` is as for gRPC: `/IChatHub/Connect`. */
  openHubStream(path: string, events: HubStreamEvents): HubStream;
}
