import { FrameHeader } from "./FrameHeader.ts";
import { type ServerMessage, Subtype } from "./messages.ts";

/**
 * A message from a server, read up to its value. One object serves for all, and its fields that the type does not have
 * are those of earlier messages.
 */
export class ServerFrame extends FrameHeader {
  type: ServerMessage["type"] = "broadcast";
  messageId = 0;
  methodId = 0;
  statusCode = 0;
  detail = "";
  message: string | null = null;
  clientResultMessageId = "";
  sequence = 0;
  sentAt = 0;
  /** Where the sequence number begins, and where what was sent with it ends. */
  echoStart = 0;
  echoEnd = 0;

  /**
   * Reads a message. Where it has a value, `at` is where that begins.
   * @throws DecodeError, RangeError if it is no message
   */
  read(bytes: Uint8Array): void {
    this.open(bytes);
    const count = this.arrayLength();
    if (count === 3) {
      this.messageId = this.int32();
      this.methodId = this.int32();
      this.type = "response";
    } else if (count === 2) {
      this.methodId = this.int32();
      this.type = "broadcast";
    } else if (count === 4) {
      this.messageId = this.int32();
      this.statusCode = this.int32();
      this.detail = this.text();
      this.message = this.textOrNil();
      this.type = "responseWithError";
    } else if (count === 5) {
      this.#readSubtype();
    } else {
      throw this.invalid(`No message has ${count} item(s)`, 0);
    }
  }

  #readSubtype(): void {
    const start = this.at;
    const subtype = this.int32();
    if (subtype === Subtype.RESULT) {
      this.nil();
      this.clientResultMessageId = this.guid();
      this.methodId = this.int32();
      this.type = "clientResultRequest";
    } else if (subtype === Subtype.CLIENT_HEARTBEAT || subtype === Subtype.SERVER_HEARTBEAT) {
      this.echoStart = this.at;
      this.sequence = this.int16();
      this.sentAt = this.int64();
      this.echoEnd = this.at;
      this.nil();
      this.type = subtype === Subtype.SERVER_HEARTBEAT ? "serverHeartbeat" : "clientHeartbeatResponse";
    } else {
      throw this.invalid(`Unknown type of message ${subtype}`, start);
    }
  }
}
