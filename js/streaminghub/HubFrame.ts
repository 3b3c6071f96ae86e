import { FrameHeader } from "./FrameHeader.ts";
import { type ClientMessage, type ServerMessage, Subtype } from "./messages.ts";

/**
 * A message, read up to its value. One object serves for all, and its fields that the type does not have are those of
 * earlier messages.
 */
export class HubFrame extends FrameHeader {
  type: (ClientMessage | ServerMessage)["type"] = "request";
  messageId = 0;
  methodId = 0;
  statusCode = 0;
  detail = "";
  message: string | null = null;
  clientResultMessageId = "";
  sequence = 0;
  sentAt = 0;
  /** Where the sequence number of a heartbeat begins, and where the time that follows it ends. */
  echoStart = 0;
  echoEnd = 0;

  /**
   * Reads a message from a server. Where it has a value, `at` is where that begins.
   * @throws DecodeError, RangeError if it is no message
   */
  readServer(bytes: Uint8Array): void {
    this.open(bytes);
    const count = this.arrayLength();
    if (count === 3) {
      this.#readIds("response");
    } else if (count === 2) {
      this.#readMethodId("broadcast");
    } else if (count === 4) {
      this.messageId = this.int32();
      this.#readError("responseWithError");
    } else if (count === 5) {
      this.#readServerSubtype();
    } else {
      throw this.#unknownCount(count);
    }
  }

  /** As `readServer`, a message from a client. */
  readClient(bytes: Uint8Array): void {
    this.open(bytes);
    const count = this.arrayLength();
    if (count === 3) {
      this.#readIds("request");
    } else if (count === 2) {
      this.#readMethodId("requestFireAndForget");
    } else if (count === 4) {
      this.#readClientSubtype();
    } else {
      throw this.#unknownCount(count);
    }
  }

  #readServerSubtype(): void {
    const start = this.at;
    const subtype = this.int32();
    if (subtype === Subtype.RESULT) {
      this.nil();
      this.clientResultMessageId = this.guid();
      this.#readMethodId("clientResultRequest");
    } else if (subtype === Subtype.CLIENT_HEARTBEAT) {
      this.#readHeartbeat("clientHeartbeatResponse");
    } else if (subtype === Subtype.SERVER_HEARTBEAT) {
      this.#readHeartbeat("serverHeartbeat");
    } else {
      throw this.#unknownSubtype(subtype, start);
    }
  }

  #readClientSubtype(): void {
    const start = this.at;
    const subtype = this.int32();
    if (subtype === Subtype.RESULT || subtype === Subtype.RESULT_ERROR) {
      this.clientResultMessageId = this.guid();
      this.#readMethodId("clientResultResponse");
      if (subtype === Subtype.RESULT_ERROR) this.#readResultError();
    } else if (subtype === Subtype.CLIENT_HEARTBEAT) {
      this.#readHeartbeat("clientHeartbeat");
    } else if (subtype === Subtype.SERVER_HEARTBEAT) {
      this.#readHeartbeat("serverHeartbeatResponse");
    } else {
      throw this.#unknownSubtype(subtype, start);
    }
  }

  #readIds(type: this["type"]): void {
    this.messageId = this.int32();
    this.#readMethodId(type);
  }

  #readMethodId(type: this["type"]): void {
    this.methodId = this.int32();
    this.type = type;
  }

  #readHeartbeat(type: this["type"]): void {
    this.echoStart = this.at;
    this.sequence = this.int16();
    this.sentAt = this.int64();
    this.echoEnd = this.at;
    this.nil();
    this.type = type;
  }

  #readResultError(): void {
    const start = this.at;
    const count = this.arrayLength();
    if (count !== 3) throw this.invalid(`An error has 3 items, not ${count}`, start);
    this.#readError("clientResultResponseWithError");
  }

  #readError(type: this["type"]): void {
    this.statusCode = this.int32();
    this.detail = this.text();
    this.message = this.textOrNil();
    this.type = type;
  }

  #unknownCount(count: number): Error {
    return this.invalid(`No message has ${count} item(s)`, 0);
  }

  #unknownSubtype(subtype: number, offset: number): Error {
    return this.invalid(`Unknown type of message ${subtype}`, offset);
  }
}
