import type { HubMessage, IHubProtocol, ILogger } from "@microsoft/signalr";
import { showCaller } from "../DecodeError.ts";
import { takeFrame } from "../framing.ts";
import type { DecodeSettings } from "../Materializer.ts";
import { Status } from "../status.ts";
import { sharedVocabulary } from "../Vocabulary.ts";
import { type EncodeSettings, Walker } from "../Walker.ts";
import { materializers, walkers } from "../workers.ts";
import { MessageType } from "./MessageType.ts";
import { type MessagePackOptions, readingSettings, writingSettings } from "./options.ts";
import { plainBytes } from "./plainBytes.ts";
import { type Batch, frameError, framingError, readFrames } from "./readFrames.ts";
import { readSmallFrames } from "./readSmallFrames.ts";
import { writeMessage } from "./writeMessage.ts";
import { writeShortFrame } from "./writeShortFrame.ts";

const PING = Uint8Array.of(2, 0x91, MessageType.PING);

/**
 * SignalR's hub protocol in MessagePack, for `new HubConnectionBuilder().withHubProtocol(…)` of `@microsoft/signalr`: in
 * place of the class of this name in `@microsoft/signalr-protocol-msgpack`.
 */
export class MessagePackHubProtocol implements IHubProtocol {
  static readonly name = "MessagePackHubProtocol";
  /** By this name server and client agree on the protocol. */
  readonly name = "messagepack";
  readonly version = 2;
  /** `TransferFormat.Binary`. */
  readonly transferFormat = 2;
  readonly #reading: DecodeSettings;
  readonly #writing: EncodeSettings;
  readonly #forServer: boolean;

  /** @throws RangeError if `maxMessageLength` is below 1 */
  constructor(options?: MessagePackOptions | null) {
    this.#reading = readingSettings(options);
    this.#writing = writingSettings(options);
    this.#forServer = options?.forServer ?? false;
  }

  /**
   * The messages of a batch of whole frames. Binary data in them are views of `input`.
   * @param input a string, which the interface allows, is refused
   * @param logger is told of messages of unknown types, which are left out
   * @throws Error if it is neither an `ArrayBuffer` nor a view of one
   * @throws DecodeError, RangeError at the first thing that is wrong, with its `code` and `offset` in the batch:
   *   a frame that is cut, empty, too long or longer than its message, an item of a message, or the MessagePack in it
   */
  parseMessages(input: ArrayBuffer | ArrayBufferView | string, logger: ILogger | null): HubMessage[] {
    const bytes = plainBytes(input);
    if (bytes === null) {
      throw new Error("Invalid input for MessagePack hub protocol. Expected an ArrayBuffer.");
    }
    if (bytes.length === 0) return [];
    const small = readSmallFrames(bytes, this.#reading, this.#forServer);
    if (small !== null) return small;
    const batch: Batch = { messages: [], frameStart: 0 };
    if (sharedVocabulary.wantsToRelearn && materializers.isQuiet) sharedVocabulary.relearn();
    const materializer = materializers.find();
    try {
      materializer.isBusy = true;
      materializer.buffer.set(bytes);
      materializer.attach(materializer.buffer, this.#reading, 0, false);
      materializer.next();
      const status = readFrames(materializer, batch, this.#forServer, logger);
      if (status !== Status.DONE) throw frameError(status, materializer.position, materializer.detail());
      return batch.messages;
    } catch (error) {
      const first = framingError(bytes) ?? error;
      showCaller(first, this.parseMessages);
      throw first;
    } finally {
      materializer.isBusy = false;
      materializer.detach();
    }
  }

  /**
   * The frame of a message, in a buffer of its own.
   * @throws Error if the message is of no known type, too deep, or holds something that MessagePack has no format for
   * @throws RangeError if it takes 2 GiB or more
   */
  writeMessage(message: HubMessage): ArrayBuffer {
    if (message.type === MessageType.PING) return PING.slice().buffer;
    const short = writeShortFrame(message, this.#writing);
    if (short !== null) return short;
    if (Walker.wantsToRelearn && walkers.isQuiet) Walker.relearn();
    const walker = walkers.find();
    try {
      walker.isBusy = true;
      writeMessage(walker, message, this.#writing);
      return takeFrame(walker);
    } catch (error) {
      showCaller(error, this.writeMessage);
      throw error;
    } finally {
      walker.isBusy = false;
      walker.clear();
    }
  }
}
