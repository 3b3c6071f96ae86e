import { PackedReader } from "./PackedReader.ts";
import {
  allocate,
  headerSizeOf,
  intSizeOf,
  sizeOf,
  writeArray,
  writeBin,
  writeInt,
  writeMap,
  writeStr,
} from "./packedFormats.ts";

// The payloads of the backplane's channels (`RedisProtocol` of ASP.NET Core), byte for byte. Items behind those that
// are known are ignored. Writers count on text that is ASCII: where it is not, they write again, with more room. Readers throw a DecodeError, or a RangeError where the bytes end too early.

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
  for (;;) {
    const bytes = allocate(size);
    let at = writeArray(bytes, 0, wantsResult ? 4 : 2);
    at = writeArray(bytes, at, excludedConnectionIds.length);
    for (let i = 0; i < excludedConnectionIds.length; i++) at = writeStr(bytes, at, excludedConnectionIds[i]);
    at = writeMap(bytes, at, messages.length);
    for (let i = 0; i < messages.length; i++) {
      at = writeStr(bytes, at, messages[i].protocol);
      at = writeBin(bytes, at, messages[i].bytes);
    }
    if (wantsResult) at = writeStr(bytes, writeStr(bytes, at, invocationId), returnChannel);
    if (at === size) return bytes;
    size = at;
  }
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
  let size = 1 + intSizeOf(id) + intSizeOf(action);
  size +=
    sizeOf(serverName.length, true) + sizeOf(groupName.length, true) + sizeOf(connectionId.length, true);
  for (;;) {
    const bytes = allocate(size);
    let at = writeArray(bytes, 0, 5);
    at = writeInt(bytes, at, id);
    at = writeStr(bytes, at, serverName);
    at = writeInt(bytes, at, action);
    at = writeStr(bytes, at, groupName);
    at = writeStr(bytes, at, connectionId);
    if (at === size) return bytes;
    size = at;
  }
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
  const bytes = allocate(1 + intSizeOf(id));
  bytes[0] = 0x91;
  writeInt(bytes, 1, id);
  return bytes;
}

export function readAck(bytes: Uint8Array): number {
  reader.open(bytes);
  reader.array(1, "Ack");
  return reader.int();
}

export function writeCompletion(completion: BackplaneCompletion): Uint8Array {
  const { protocol, bytes } = completion;
  let size = 1 + sizeOf(protocol.length, true) + sizeOf(bytes.length, false);
  for (;;) {
    const written = allocate(size);
    let at = writeArray(written, 0, 2);
    at = writeStr(written, at, protocol);
    at = writeBin(written, at, bytes);
    if (at === size) return written;
    size = at;
  }
}

/** Its bytes are a view of `bytes`. */
export function readCompletion(bytes: Uint8Array): BackplaneCompletion {
  reader.open(bytes);
  reader.array(2, "Completion");
  return { protocol: reader.str(), bytes: reader.bin() };
}
