import type { CallOptions, Client, Metadata, ServiceError } from "@grpc/grpc-js";
import type { HubChannel, HubStream, HubStreamEvents } from "./channel.ts";
import { GrpcStatus } from "./StreamingHubError.ts";

const VERSION_HEADER = "x-magiconion-streaminghub-version";
/** MagicOnion's own client cancels after 100 ms, whether all has arrived or not. */
const CLOSE_TIMEOUT = 5000;

/** What a stream needs of a `Client` of `@grpc/grpc-js`, whose code is not imported: it is the user's. */
export type GrpcClient = Pick<Client, "makeBidiStreamRequest">;

export interface GrpcCallOptions {
  /** Headers of the application, for gRPC: credentials, for example. */
  metadata?: Metadata;
  /** Options of the gRPC call. */
  call?: CallOptions;
  /**
   * How many milliseconds `close` gives the server to take what has been sent, and to end the stream. Then the stream is
   * cut. Default: 5000.
   */
  closeTimeout?: number;
}

export function grpcChannel(client: GrpcClient, options: GrpcCallOptions): HubChannel {
  return { openHubStream: (path, events) => openStream(client, path, events, options) };
}

function openStream(
  client: GrpcClient,
  path: string,
  events: HubStreamEvents,
  { metadata, call = {}, closeTimeout = CLOSE_TIMEOUT }: GrpcCallOptions,
): HubStream {
  const stream =
    metadata === undefined
      ? client.makeBidiStreamRequest(path, asBuffer, asIs, call)
      : client.makeBidiStreamRequest(path, asBuffer, asIs, metadata, call);
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = (status: number, detail: string, cause?: unknown): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    events.ended({ status, detail, cause });
  };
  stream.on("metadata", (headers: Metadata) => events.accepted(headers.get(VERSION_HEADER)[0]?.toString()));
  stream.on("data", (bytes: Uint8Array) => events.message(bytes));
  stream.on("error", (error: Partial<ServiceError>) => {
    over(error.code ?? GrpcStatus.UNAVAILABLE, error.details ?? String(error.message), error);
  });
  stream.on("status", ({ code, details }) => over(code, details));
  return {
    send(message) {
      stream.write(message);
    },
    close() {
      if (!isOver) timer = setTimeout(() => stream.cancel(), closeTimeout);
      stream.end();
    },
    cancel() {
      stream.cancel();
    },
  };
}

function asIs(bytes: Buffer): Uint8Array {
  return bytes;
}

function asBuffer(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
