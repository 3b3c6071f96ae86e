import type { HubMessage, ILogger } from "@microsoft/signalr";
import { showCaller } from "../DecodeError.ts";
import type { DecodeSettings } from "../Materializer.ts";
import { SegmentSource } from "../Source.ts";
import { Status } from "../status.ts";
import { sharedVocabulary } from "../Vocabulary.ts";
import { materializers } from "../workers.ts";
import { type MessagePackOptions, readingSettings } from "./options.ts";
import { plainBytes } from "./plainBytes.ts";
import { type Batch, frameError, frameLength, MAX_PREFIX, readFrames } from "./readFrames.ts";

/**
 * Reads the hub messages of a byte stream (a socket, a pipe, a file), which may be cut anywhere: pieces go in by `push`,
 * messages come out by `read`. No frame is read before all of it is there, and none twice.
 */
export class HubFrameReader {
  static readonly name = "HubFrameReader";
  readonly #settings: DecodeSettings;
  readonly #forServer: boolean;
  readonly #logger: ILogger | null;
  readonly #source = new SegmentSource();
  /** Where the next frame begins, and how much input must be there before it is worth looking at. */
  #position = 0;
  #awaited = 1;
  /** Messages that have been read and not been asked for, from the end to the start. */
  #messages: HubMessage[] = [];
  /** What is wrong behind them. */
  #failure: { readonly error: unknown } | null = null;
  #isBroken = false;

  /** @throws RangeError if `maxMessageLength` is below 1 */
  constructor(options?: MessagePackOptions | null, logger: ILogger | null = null) {
    this.#settings = readingSettings(options);
    this.#forServer = options?.forServer ?? false;
    this.#logger = logger;
  }

  /**
   * Adds a piece of the stream. It is not copied, and binary data in messages are views of it where they lie in one
   * piece: it must not change any more.
   * @throws TypeError if it is neither a buffer nor a view of one
   */
  push(piece: ArrayBufferLike | ArrayBufferView): void {
    const bytes = plainBytes(piece);
    if (bytes === null) throw new TypeError(`Bytes expected, not ${String(piece)}`);
    this.#source.push(bytes);
  }

  /**
   * The next message, or undefined if it is not all there.
   * @throws DecodeError, RangeError as `MessagePackHubProtocol.parseMessages`, with the `offset` from the start of the
   *   stream, once all messages before have been read. It goes on behind a frame whose contents are wrong. Where frames
   *   are not to be found any more (one is too long), it throws the same error again.
   */
  read(): HubMessage | undefined {
    if (this.#messages.length === 0 && this.#failure === null && this.#source.length >= this.#awaited) {
      this.#readAll();
    }
    const message = this.#messages.pop();
    if (message !== undefined || this.#failure === null) return message;
    const { error } = this.#failure;
    if (!this.#isBroken) this.#failure = null;
    showCaller(error, this.read);
    throw error;
  }

  /** Messages as long as they are all there. */
  *[Symbol.iterator](): Generator<HubMessage, void, undefined> {
    for (let message = this.read(); message !== undefined; message = this.read()) yield message;
  }

  /**
   * To be called at the end of the stream, when all messages have been read.
   * @throws DecodeError if it ends inside a frame
   */
  end(): void {
    if (this.#messages.length > 0 || this.#failure !== null || this.#position === this.#source.length) return;
    throw frameError(Status.FRAME_CUT, this.#position, 0);
  }

  #readAll(): void {
    if (sharedVocabulary.wantsToRelearn && materializers.isQuiet) sharedVocabulary.relearn();
    const source = this.#source;
    const materializer = materializers.find();
    const batch: Batch = { messages: [], frameStart: this.#position };
    try {
      materializer.isBusy = true;
      materializer.attach(source, this.#settings, this.#position, false);
      materializer.next();
      const status = readFrames(materializer, batch, this.#forServer, this.#logger);
      this.#goOn(status, materializer.position, materializer.detail(), batch);
    } catch (error) {
      this.#failure = { error };
      const { frameStart } = batch;
      // It is all there, or it would not have been read.
      this.#position =
        frameStart +
        frameLength(source.view(frameStart, Math.min(MAX_PREFIX, source.length - frameStart)), 0);
      this.#awaited = this.#position + 1;
    } finally {
      materializer.isBusy = false;
      materializer.detach();
      this.#messages = batch.messages.reverse();
      source.release(this.#position);
    }
  }

  /** Sees what a batch has ended with, at an offset. */
  #goOn(status: number, offset: number, detail: number, batch: Batch): void {
    this.#position = offset;
    this.#awaited = offset + 1;
    switch (status) {
      case Status.DONE:
        return;
      case Status.FRAME_LENGTH_CUT:
      case Status.FRAME_CUT:
        this.#awaited = this.#source.length + detail;
        return;
      case Status.FRAME_TOO_LONG:
        this.#isBroken = true;
        this.#failure = { error: frameError(status, offset, detail) };
        return;
      case Status.FRAME_EMPTY:
        batch.frameStart = offset;
    }
    throw frameError(status, offset, detail);
  }
}
