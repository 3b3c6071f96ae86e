import { settingsOf, valueAt } from "../Decoder.ts";
import { encodeSettings } from "../Encoder.ts";
import type { DecodeSettings } from "../Materializer.ts";
import type { EncodeSettings } from "../Walker.ts";
import { HubFrame } from "./HubFrame.ts";
import type { HubMethod } from "./HubMethod.ts";
import type { ClientMessage } from "./messages.ts";
import type { StreamingHubCodecOptions } from "./StreamingHubCodec.ts";
import { writeCall, writeMessage } from "./writeMessage.ts";

/** What the client needs of the codec: calls and values without an object for the message. */
export class ClientCodec<ContextType = undefined> {
  /** Reads messages up to their values. */
  readonly frame = new HubFrame();
  readonly #encoding: EncodeSettings;
  readonly #decoding: DecodeSettings;

  constructor(options?: StreamingHubCodecOptions<ContextType>) {
    this.#encoding = encodeSettings(options?.encoder);
    this.#decoding = settingsOf(options?.decoder);
  }

  /** As the function of this name. */
  writeCall(
    messageId: number,
    method: HubMethod,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    d: unknown,
    args: readonly unknown[] | null,
  ): Uint8Array<ArrayBuffer> {
    return writeCall(messageId, method, count, a, b, c, d, args, this.#encoding);
  }

  write(message: ClientMessage): Uint8Array<ArrayBuffer> {
    return writeMessage(message, this.#encoding);
  }

  /** The value that begins at offset `at` of a message. */
  valueAt(bytes: Uint8Array, at: number): unknown {
    return valueAt(bytes, at, this.#decoding);
  }
}
