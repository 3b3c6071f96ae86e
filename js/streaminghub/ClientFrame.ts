import { FrameHeader } from "./FrameHeader.ts";
import { type ClientMessage, Subtype } from "./messages.ts";

/** As `ServerFrame`, a message from a client. */
export class ClientFrame extends FrameHeader {
  type: ClientMessage["type"] = "request";
  messageId = 0;
  methodId = 0;
  statusCode = 0;
  detail = "";
  message: string | null = null;
  clientResultMessageId = "";
  sequence = 0;
  sentAt = 0;

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
      this.type = "request";
    } else if (count === 2) {
      this.methodId = this.int32();
      this.type = "requestFireAndForget";
    } else if (count === 4) {
      this.#readSubtype();
    } else {
      throw this.invalid(`No message has ${count} item(s)`, 0);
    }
  }

  #readSubtype(): void {
    const start = this.at;
    const subtype = this.int32();
    if (subtype === Subtype.RESULT || subtype === Subtype.RESULT_ERROR) {
      this.clientResultMessageId = this.guid();
      this.methodId = this.int32();
      this.type = "clientResultResponse";
      if (subtype === Subtype.RESULT_ERROR) this.#readError();
    } else if (subtype === Subtype.CLIENT_HEARTBEAT || subtype === Subtype.SERVER_HEARTBEAT) {
      this.sequence = this.int16();
      this.sentAt = this.int64();
      this.nil();
      this.type = subtype === Subtype.CLIENT_HEARTBEAT ? "clientHeartbeat" : "serverHeartbeatResponse";
    } else {
      throw this.invalid(`Unknown type of message ${subtype}`, start);
    }
  }

  #readError(): void {
    const start = this.at;
    const count = this.arrayLength();
    if (count !== 3) throw this.invalid(`An error has 3 items, not ${count}`, start);
    this.statusCode = this.int32();
    this.detail = this.text();
    this.message = this.textOrNil();
    this.type = "clientResultResponseWithError";
  }
}
