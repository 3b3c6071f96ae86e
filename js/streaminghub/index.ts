export type { HubChannel, HubStream, HubStreamEvents, StreamEnd } from "./channel.ts";
export { connectStreamingHub, type StreamingHubOptions } from "./connectStreamingHub.ts";
export type { GrpcClient } from "./grpcChannel.ts";
export type { HeartbeatOptions } from "./Heartbeat.ts";
export type { DisconnectReason, ServerHeartbeatEvent } from "./HubConnection.ts";
export {
  type Broadcast,
  type ClientHeartbeat,
  type ClientHeartbeatResponse,
  type ClientMessage,
  type ClientResultRequest,
  type ClientResultResponse,
  type ClientResultResponseWithError,
  packArguments,
  type Request,
  type RequestFireAndForget,
  type Response,
  type ResponseWithError,
  type ServerHeartbeat,
  type ServerHeartbeatResponse,
  type ServerMessage,
  unpackArguments,
} from "./messages.ts";
export { methodId } from "./methodId.ts";
export type {
  HubCalls,
  HubNotifications,
  StreamingHubClient,
  StreamingHubMembers,
} from "./StreamingHubClient.ts";
export { StreamingHubCodec, type StreamingHubCodecOptions } from "./StreamingHubCodec.ts";
export {
  StreamingHubError,
  type StreamingHubErrorCode,
  type StreamingHubErrorDetails,
} from "./StreamingHubError.ts";
