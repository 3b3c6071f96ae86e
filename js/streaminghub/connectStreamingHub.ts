import { ClientCodec } from "./ClientCodec.ts";
import type { HubChannel } from "./channel.ts";
import { type GrpcCallOptions, type GrpcClient, grpcChannel } from "./grpcChannel.ts";
import { type ConnectionOptions, HubConnection } from "./HubConnection.ts";
import { type ReceiverOptions, receiverMethods } from "./Receiver.ts";
import { clientOf, type StreamingHubClient } from "./StreamingHubClient.ts";
import type { StreamingHubCodecOptions } from "./StreamingHubCodec.ts";

export interface StreamingHubOptions<ContextType = undefined>
  extends ConnectionOptions,
    ReceiverOptions,
    GrpcCallOptions,
    StreamingHubCodecOptions<ContextType> {
  /** Gives up connecting when it is aborted. Once the hub is connected, it has no effect. */
  signal?: AbortSignal;
}

/**
 * Connects to a StreamingHub of MagicOnion.
 *
 * @param channel a `Client` of `@grpc/grpc-js`, which stays the caller's, or another transport
 * @param hubName the name of the hub's interface in C#, without namespace
 * @param receiver its methods are called by the server: broadcasts in the order in which they come, without waiting for
 *   promises that methods return; what methods that the server awaits return, or their promises, goes back to it.
 *   Messages for methods that it does not have are left out
 * @throws StreamingHubError with code `CONNECT`, or the reason of `signal`
 * @throws RangeError if an option is out of its range
 */
export async function connectStreamingHub<Hub, Receiver extends object = object, ContextType = undefined>(
  channel: GrpcClient | HubChannel,
  hubName: string,
  receiver: Partial<Receiver>,
  options: StreamingHubOptions<ContextType> = {},
): Promise<StreamingHubClient<Hub>> {
  const { signal } = options;
  signal?.throwIfAborted();
  const codec = new ClientCodec(options);
  const connection = new HubConnection(hubName, codec, receiverMethods(receiver, options), options);
  const transport = "openHubStream" in channel ? channel : grpcChannel(channel, options);
  connection.attach(transport.openHubStream(`/${hubName}/Connect`, connection));
  const abort = () => connection.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await connection.connected;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  return clientOf<Hub>(connection, options);
}
