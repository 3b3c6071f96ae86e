export { HubFrameReader } from "./HubFrameReader.ts";
export { MessagePackHubProtocol } from "./MessagePackHubProtocol.ts";
export type { MessagePackOptions } from "./options.ts";
