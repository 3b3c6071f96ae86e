import { ContainerStack, isMarked, PENDING } from "./ContainerStack.ts";
import { DecodeError } from "./DecodeError.ts";
import { extraBytes } from "./decodeFailure.ts";
import { type DecodeSettings, isRun, type Materializer } from "./Materializer.ts";
import { SegmentSource } from "./Source.ts";
import { Tag, Wide } from "./tape.ts";
import { deleteMessage, type SuspendedMessage } from "./wasm/DecodeMemory.ts";
import { materializers } from "./workers.ts";

/** What a reader has in wasm memory while it waits in the middle of a value. */
interface Holding {
  message: SuspendedMessage | null;
}

/** Cloudflare's workers have it from the compatibility date 2025-05-05 on. */
const abandoned =
  typeof FinalizationRegistry === "undefined"
    ? null
    : /* @__PURE__ */ new FinalizationRegistry<Holding>(release);

function release(holding: Holding): void {
  if (holding.message !== null) deleteMessage(holding.message);
  holding.message = null;
}

/**
 * Reads values from pieces of input as they arrive. No byte is looked at twice, wherever the pieces are cut. It has a
 * worker only while it reads: any number of readers may wait.
 */
export class MessageReader {
  readonly #settings: DecodeSettings;
  readonly #isMany: boolean;
  readonly #source = new SegmentSource();
  readonly #holding: Holding = { message: null };
  /** Who read last. Where nobody else has used it since, the next value is in its memory already. */
  #worker: Materializer | null = null;
  /** Where to go on reading. */
  #position = 0;
  /** Where the value that is being read begins, or the next one if none is. */
  #start = 0;
  #hasBegun = false;
  #hasEnded = false;
  #container: ContainerStack | null = null;
  /** How much input must be there before it is worth going on. */
  #awaited = 0;
  /** What came behind the values that have been given out. */
  #failure: { readonly error: unknown } | null = null;
  /** The items that an array has left, once its header has been read. */
  #itemsLeft: number | null = null;

  /** @param isMany whether `batch` gives many values at once */
  constructor(settings: DecodeSettings, isMany = false) {
    this.#settings = settings;
    this.#isMany = isMany;
    abandoned?.register(this, this.#holding, this);
  }

  push(bytes: Uint8Array): void {
    this.#source.push(bytes);
  }

  /** No more pieces will come. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Whether all input has been read, and no value is half read. */
  get isAtEnd(): boolean {
    return this.#failure === null && !this.#hasBegun && this.#start === this.#source.length;
  }

  /**
   * The next value, or, if the reader is for many, as many as are there and a window of the tokenizer takes; none if the
   * next one is not all there. Those before an error come before it is thrown.
   */
  batch(): unknown[] {
    return this.#collect((worker, values) => {
      const value = this.#value(worker);
      if (value === PENDING) return false;
      values.push(value);
      this.#container = null;
      while (worker.hasMore) values.push(worker.value());
      return true;
    });
  }

  /** The items of the one array, as far as they are there. Those before an error come before it is thrown. */
  items(): unknown[] {
    const isComplete = this.#itemsLeft === 0 && this.#failure === null;
    const items = isComplete ? [] : this.#collect((worker, values) => this.#readItems(worker, values));
    if (this.#itemsLeft === 0 && items.length === 0) this.expectEnd();
    return items;
  }

  /**
   * Reads with a worker until `read` returns whether all that it is for is there. Nobody knows what is done between two
   * values, so all are read before the first is given out.
   */
  #collect(read: (worker: Materializer, values: unknown[]) => boolean): unknown[] {
    if (this.#failure !== null) throw this.#failure.error;
    const values: unknown[] = [];
    if (this.#mustWait()) return values;
    const worker = this.#find();
    try {
      worker.isBusy = true;
      this.#begin(worker);
      if (worker.isReady() && read(worker, values)) {
        this.#finish(worker);
      } else {
        this.#pause(worker);
      }
    } catch (error) {
      if (values.length === 0) throw error;
      this.#failure = { error };
    } finally {
      worker.isBusy = false;
    }
    return values;
  }

  /** @throws RangeError if there is input behind the value that has been read */
  expectEnd(): void {
    if (this.#start < this.#source.length) throw extraBytes(this.#source.length, this.#start);
  }

  /** Lets go of a value that will not be read to its end. */
  release(): void {
    abandoned?.unregister(this);
    release(this.#holding);
    if (this.#worker?.isAttachedTo(this.#source) && !this.#worker.isBusy) this.#worker.detach();
  }

  #mustWait(): boolean {
    return !this.#hasEnded && this.#source.length < this.#awaited;
  }

  #find(): Materializer {
    const last = this.#worker;
    return last !== null && !last.isBusy && last.isAttachedTo(this.#source) ? last : materializers.find();
  }

  #begin(worker: Materializer): void {
    const { message } = this.#holding;
    if (message !== null || worker !== this.#worker || !worker.isAttachedTo(this.#source)) {
      worker.attach(this.#source, this.#settings, this.#position, !this.#hasEnded, this.#isMany);
      this.#worker = worker;
    }
    if (message !== null) {
      this.#holding.message = null;
      worker.continueWith(message);
    } else {
      this.#hasBegun = true;
      worker.setOpen(!this.#hasEnded);
      worker.next();
    }
  }

  #value(worker: Materializer): unknown {
    if (this.#container === null) {
      if (!isMarked(worker.peek())) return worker.value();
      this.#container = new ContainerStack();
    }
    return this.#container.read(worker);
  }

  /** Returns whether the array has come to its end. */
  #readItems(worker: Materializer, items: unknown[]): boolean {
    if (this.#itemsLeft === null) {
      if (!worker.isReady()) return false;
      this.#itemsLeft = this.#arrayHeader(worker, items);
    }
    while (this.#itemsLeft > 0) {
      if (!worker.isReady()) return false;
      const word = worker.peek();
      if (this.#container === null && isRun(word)) {
        worker.takeRun(items, items.length, word);
        this.#itemsLeft -= word >>> 4;
        continue;
      }
      const item = this.#value(worker);
      if (item === PENDING) return false;
      this.#container = null;
      this.#itemsLeft--;
      items.push(item);
    }
    return true;
  }

  #finish(worker: Materializer): void {
    this.#start = worker.finish();
    this.#position = this.#start;
    this.#hasBegun = false;
    this.#container = null;
    this.#source.release(this.#start);
  }

  #pause(worker: Materializer): void {
    this.#position = worker.position;
    this.#awaited = worker.awaited;
    this.#source.release(this.#position);
    if (this.#position === this.#start) {
      this.#hasBegun = false;
    } else {
      this.#holding.message = worker.suspend();
    }
    worker.detach();
  }

  /** Reads the header of an array. Returns how many items come; those that came with it go to `items`. */
  #arrayHeader(worker: Materializer, items: unknown[]): number {
    const word = worker.peek();
    const kind = (word >>> 4) & 15;
    switch (word & 15) {
      case Tag.POINT:
        items.push(...(worker.value() as unknown[]));
        return 0;
      case Tag.ARRAY:
        worker.skip();
        return word >>> 4;
      case Tag.WIDE:
        if (kind === Wide.DEEP_ARRAY) {
          worker.skip();
          return word >>> 8;
        }
        if (kind === Wide.LARGE_ARRAY) {
          const count = worker.operand();
          worker.skip(1);
          return count;
        }
    }
    const byte = this.#source.view(this.#start, 1)[0].toString(16).padStart(2, "0");
    throw new DecodeError(`Unrecognized array type byte: 0x${byte}, at offset ${this.#start}`, {
      code: "ROOT_TYPE",
      offset: this.#start,
    });
  }
}
