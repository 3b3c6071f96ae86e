import { type DecoderOptions, settingsOf, valueAt } from "../Decoder.ts";
import { type EncoderOptions, encodeSettings } from "../Encoder.ts";
import type { DecodeSettings } from "../Materializer.ts";
import type { EncodeSettings } from "../Walker.ts";
import { ClientFrame } from "./ClientFrame.ts";
import type { ClientMessage, ServerMessage } from "./messages.ts";
import { ServerFrame } from "./ServerFrame.ts";
import { writeMessage } from "./writeMessage.ts";

/** How the values of messages (arguments, results) are encoded and decoded. */
export interface StreamingHubCodecOptions<ContextType = undefined> {
  encoder?: EncoderOptions<ContextType>;
  decoder?: DecoderOptions<ContextType>;
}

/** Writes and reads the messages of a StreamingHub, for clients and for servers. */
export class StreamingHubCodec<ContextType = undefined> {
  static readonly name = "StreamingHubCodec";
  readonly #encoding: EncodeSettings;
  readonly #decoding: DecodeSettings;
  readonly #serverFrame = new ServerFrame();
  readonly #clientFrame = new ClientFrame();

  constructor(options?: StreamingHubCodecOptions<ContextType>) {
    this.#encoding = encodeSettings(options?.encoder);
    this.#decoding = settingsOf(options?.decoder);
  }

  /**
   * A message in bytes. Other messages may lie in the same buffer.
   * @throws as `Encoder.encode`, for the value in it
   * @throws RangeError if an id is no GUID
   */
  write(message: ClientMessage | ServerMessage): Uint8Array<ArrayBuffer> {
    return writeMessage(message, this.#encoding);
  }

  /**
   * A message that a server has sent. What follows it in `bytes` does not matter.
   * @throws DecodeError, RangeError if it is none, or its value cannot be decoded
   */
  readServerMessage(bytes: Uint8Array): ServerMessage {
    const frame = this.#serverFrame;
    frame.read(bytes);
    const { type, messageId, methodId, statusCode, detail, message, clientResultMessageId, at } = frame;
    const { sequence, sentAt } = frame;
    const rest = frame.rest();
    frame.close();
    switch (type) {
      case "broadcast":
        return { type, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "response":
        return { type, messageId, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "responseWithError":
        return { type, messageId, statusCode, detail, message };
      case "clientResultRequest":
        return { type, clientResultMessageId, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "serverHeartbeat":
        return { type, sequence, serverSentAt: sentAt, metadata: rest };
      case "clientHeartbeatResponse":
        return { type, sequence, clientSentAt: sentAt };
    }
  }

  /**
   * A message that a client has sent. What follows it in `bytes` does not matter.
   * @throws DecodeError, RangeError if it is none, or its value cannot be decoded
   */
  readClientMessage(bytes: Uint8Array): ClientMessage {
    const frame = this.#clientFrame;
    frame.read(bytes);
    const { type, messageId, methodId, statusCode, detail, message, clientResultMessageId, at } = frame;
    const { sequence, sentAt } = frame;
    frame.close();
    switch (type) {
      case "requestFireAndForget":
        return { type, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "request":
        return { type, messageId, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "clientResultResponse":
        return { type, clientResultMessageId, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "clientResultResponseWithError":
        return { type, clientResultMessageId, methodId, statusCode, detail, message };
      case "clientHeartbeat":
        return { type, sequence, clientSentAt: sentAt };
      case "serverHeartbeatResponse":
        return { type, sequence, serverSentAt: sentAt };
    }
  }
}
