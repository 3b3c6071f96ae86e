import { type DecoderOptions, settingsOf, valueAt } from "../Decoder.ts";
import { type EncoderOptions, encodeSettings } from "../Encoder.ts";
import type { DecodeSettings } from "../Materializer.ts";
import type { EncodeSettings } from "../Walker.ts";
import { HubFrame } from "./HubFrame.ts";
import type { ClientMessage, ServerMessage } from "./messages.ts";
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
  readonly #frame = new HubFrame();

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
    this.#frame.readServer(bytes);
    return this.#message(bytes) as ServerMessage;
  }

  /**
   * A message that a client has sent. What follows it in `bytes` does not matter.
   * @throws DecodeError, RangeError if it is none, or its value cannot be decoded
   */
  readClientMessage(bytes: Uint8Array): ClientMessage {
    this.#frame.readClient(bytes);
    return this.#message(bytes) as ClientMessage;
  }

  /** The message whose header has been read. */
  #message(bytes: Uint8Array): ClientMessage | ServerMessage {
    const {
      type,
      messageId,
      methodId,
      statusCode,
      detail,
      message,
      clientResultMessageId,
      sequence,
      sentAt,
      at,
    } = this.#frame;
    this.#frame.close();
    switch (type) {
      case "requestFireAndForget":
      case "broadcast":
        return { type, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "request":
      case "response":
        return { type, messageId, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "responseWithError":
        return { type, messageId, statusCode, detail, message };
      case "clientResultRequest":
      case "clientResultResponse":
        return { type, clientResultMessageId, methodId, value: valueAt(bytes, at, this.#decoding) };
      case "clientResultResponseWithError":
        return { type, clientResultMessageId, methodId, statusCode, detail, message };
      case "serverHeartbeat":
        return { type, sequence, serverSentAt: sentAt, metadata: bytes.subarray(at) };
      case "serverHeartbeatResponse":
        return { type, sequence, serverSentAt: sentAt };
      case "clientHeartbeat":
      case "clientHeartbeatResponse":
        return { type, sequence, clientSentAt: sentAt };
    }
  }
}
