import type { CallOptions, Client, Metadata, ServiceError } from "@grpc/grpc-js";
import type { HubChannel, HubStream, HubStreamEvents } from "./channel.ts";
import { GrpcStatus } from "./StreamingHubError.ts";

const VERSION_HEADER = "x-magiconion-streaminghub-version";
/** How long the server has to end the stream once it has got all, in milliseconds. As in MagicOnion's own client. */
const CLOSE_GRACE = 100;
/** How long it has to get all. */
const FLUSH_GRACE = 5000;

/** What a stream needs of a `Client` of `@grpc/grpc-js`, whose code is not imported: it is the user's. */
export type GrpcClient = Pick<Client, "makeBidiStreamRequest">;

export interface GrpcCallOptions {
  /** Headers of the application, for gRPC: credentials, for example. */
  metadata?: Metadata;
  /** Options of the gRPC call. */
  call?: CallOptions;
}

export function grpcChannel(client: GrpcClient, { metadata, call }: GrpcCallOptions): HubChannel {
  return { openHubStream: (path, events) => openStream(client, path, events, metadata, call ?? {}) };
}

function openStream(
  client: GrpcClient,
  path: string,
  events: HubStreamEvents,
  metadata: Metadata | undefined,
  options: CallOptions,
): HubStream {
  const stream =
    metadata === undefined
      ? client.makeBidiStreamRequest(path, asBuffer, asIs, options)
      : client.makeBidiStreamRequest(path, asBuffer, asIs, metadata, options);
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = (status: number, detail: string, cause?: unknown): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    events.ended({ status, detail, cause });
  };
  const cancelAfter = (milliseconds: number): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(() => stream.cancel(), milliseconds);
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
      cancelAfter(FLUSH_GRACE);
      stream.once("finish", () => cancelAfter(CLOSE_GRACE));
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
