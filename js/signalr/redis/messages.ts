import { PackedReader } from "./PackedReader.ts";
import { headerSizeOf, intSizeOf, PackedWriter, sizeOf } from "./PackedWriter.ts";

// The payloads of the backplane's channels (`RedisProtocol` of ASP.NET Core), byte for byte. Items behind those that
// are known are ignored. Readers throw a DecodeError, or a RangeError where the bytes end too early.

/** A hub message in one of the hub protocols: with its length before it, or the separator behind it. */
export interface SerializedMessage {
  /** `"json"`, `"messagepack"`, or whatever the servers know. */
  readonly protocol: string;
  readonly bytes: Uint8Array;
}

/** A call for connections: what each server passes on to those it has. */
export interface BackplaneInvocation {
  /** Connections that do not get it. They are honoured for all connections and for groups. */
  readonly excludedConnectionIds: readonly string[];
  /** The invocation message, once for each protocol that a connection may speak. */
  readonly messages: readonly SerializedMessage[];
  /** Where a result is wanted: the id of the invocation, and the channel that the result goes to. Else null. */
  readonly invocationId: string | null;
  readonly returnChannel: string | null;
}

/** What a group command does. */
export const GroupAction = { ADD: 1, REMOVE: 2 } as const;

/** Asks the server that has a connection to add it to a group, or to remove it. */
export interface GroupCommand {
  /** Given back by the ack. An int32. */
  readonly id: number;
  /** Who asks, and gets the ack. */
  readonly serverName: string;
  /** One of `GroupAction`; servers ack others, too, and do nothing. */
  readonly action: number;
  readonly groupName: string;
  readonly connectionId: string;
}

/** The result of an invocation, as the connection sent it. */
export interface BackplaneCompletion {
  readonly protocol: string;
  readonly bytes: Uint8Array;
}

const writer = new PackedWriter();
const reader = new PackedReader();

export function writeInvocation(invocation: BackplaneInvocation): Uint8Array {
  const { excludedConnectionIds, messages, invocationId, returnChannel } = invocation;
  const wantsResult = invocationId !== null && returnChannel !== null;
  let size = 1 + headerSizeOf(excludedConnectionIds.length) + headerSizeOf(messages.length);
  for (let i = 0; i < excludedConnectionIds.length; i++)
    size += sizeOf(excludedConnectionIds[i].length, true);
  for (let i = 0; i < messages.length; i++) {
    size += sizeOf(messages[i].protocol.length, true) + sizeOf(messages[i].bytes.length, false);
  }
  if (wantsResult) size += sizeOf(invocationId.length, true) + sizeOf(returnChannel.length, true);
  writer.begin(size);
  writer.array(wantsResult ? 4 : 2);
  writer.array(excludedConnectionIds.length);
  for (let i = 0; i < excludedConnectionIds.length; i++) writer.str(excludedConnectionIds[i]);
  writer.map(messages.length);
  for (let i = 0; i < messages.length; i++) {
    writer.str(messages[i].protocol);
    writer.bin(messages[i].bytes);
  }
  if (wantsResult) {
    writer.str(invocationId);
    writer.str(returnChannel);
  }
  return writer.take();
}

/** The bytes of its messages are views of `bytes`. */
export function readInvocation(bytes: Uint8Array): BackplaneInvocation {
  reader.open(bytes);
  const count = reader.array(2, "Invocation");
  const excludedConnectionIds: string[] = [];
  for (let left = reader.array(0, "Invocation"); left > 0; left--) excludedConnectionIds.push(reader.str());
  const messages: SerializedMessage[] = [];
  for (let left = reader.map(); left > 0; left--) {
    messages.push({ protocol: reader.str(), bytes: reader.bin() });
  }
  const invocationId = count > 3 ? reader.strOrNil() : null;
  const returnChannel = count > 3 ? reader.strOrNil() : null;
  return { excludedConnectionIds, messages, invocationId, returnChannel };
}

/** @throws RangeError if the id or the action is no int32 */
export function writeGroupCommand(command: GroupCommand): Uint8Array {
  const { id, serverName, action, groupName, connectionId } = command;
  const textSize =
    sizeOf(serverName.length, true) + sizeOf(groupName.length, true) + sizeOf(connectionId.length, true);
  writer.begin(1 + intSizeOf(id) + intSizeOf(action) + textSize);
  writer.array(5);
  writer.int(id);
  writer.str(serverName);
  writer.int(action);
  writer.str(groupName);
  writer.str(connectionId);
  return writer.take();
}

export function readGroupCommand(bytes: Uint8Array): GroupCommand {
  reader.open(bytes);
  reader.array(5, "GroupCommand");
  return {
    id: reader.int(),
    serverName: reader.str(),
    action: reader.int(),
    groupName: reader.str(),
    connectionId: reader.str(),
  };
}

/**
 * The id of a group command that has been performed.
 * @throws RangeError if it is no int32
 */
export function writeAck(id: number): Uint8Array {
  writer.begin(1 + intSizeOf(id));
  writer.array(1);
  writer.int(id);
  return writer.take();
}

export function readAck(bytes: Uint8Array): number {
  reader.open(bytes);
  reader.array(1, "Ack");
  return reader.int();
}

export function writeCompletion(completion: BackplaneCompletion): Uint8Array {
  const { protocol, bytes } = completion;
  writer.begin(1 + sizeOf(protocol.length, true) + sizeOf(bytes.length, false));
  writer.array(2);
  writer.str(protocol);
  writer.bin(bytes);
  return writer.take();
}

/** Its bytes are a view of `bytes`. */
export function readCompletion(bytes: Uint8Array): BackplaneCompletion {
  reader.open(bytes);
  reader.array(2, "Completion");
  return { protocol: reader.str(), bytes: reader.bin() };
}
