export { BackplaneError, type BackplaneErrorCode } from "./BackplaneError.ts";
export { HubChannels } from "./channels.ts";
export {
  createHubEmitter,
  type HubConnectionTarget,
  type HubEmitter,
  type HubEmitterOptions,
  type HubGroups,
  type HubTarget,
  type HubTargets,
} from "./HubEmitter.ts";
export {
  HubListener,
  type HubListenerEvents,
  type HubListenerOptions,
  type ObservedInvocation,
} from "./HubListener.ts";
export type { BackplaneProtocol } from "./hubProtocols.ts";
export {
  type BackplaneCompletion,
  type BackplaneInvocation,
  GroupAction,
  type GroupCommand,
  readAck,
  readCompletion,
  readGroupCommand,
  readInvocation,
  type SerializedMessage,
  writeAck,
  writeCompletion,
  writeGroupCommand,
  writeInvocation,
} from "./messages.ts";
export type { RedisClient } from "./RedisSubscriber.ts";
