import { ContainerStack, isMarked, PENDING } from "./ContainerStack.ts";
import { DecodeError } from "./DecodeError.ts";
import { extraBytes } from "./decodeFailure.ts";
import { type DecodeSettings, isRun, type Materializer } from "./Materializer.ts";
import { SegmentSource } from "./Source.ts";
import { Tag, Wide } from "./tape.ts";
import { materializers } from "./workers.ts";

/** The worker that a reader keeps busy: not for good, even if the reader is dropped in the middle of a message. */
interface Lease {
  worker: Materializer | null;
}

const abandoned = new FinalizationRegistry<Lease>(giveBack);

function giveBack(lease: Lease): void {
  if (lease.worker === null) return;
  lease.worker.isBusy = false;
  lease.worker = null;
}

/** Reads values from pieces of input as they arrive. No byte is looked at twice, wherever the pieces are cut. */
export class MessageReader {
  readonly #settings: DecodeSettings;
  readonly #source = new SegmentSource();
  readonly #lease: Lease = { worker: null };
  /** Where the value that is being read begins, or the next one if none is. */
  #start = 0;
  #hasBegun = false;
  #hasEnded = false;
  #container: ContainerStack | null = null;
  /** How much input must be there before it is worth going on. */
  #awaited = 0;
  /** The items that an array has left, once its header has been read. */
  #itemsLeft: number | null = null;

  constructor(settings: DecodeSettings) {
    this.#settings = settings;
    abandoned.register(this, this.#lease, this);
  }

  push(bytes: Uint8Array): void {
    this.#source.push(bytes);
  }

  /** No more pieces will come. */
  end(): void {
    this.#hasEnded = true;
    this.#lease.worker?.close();
  }

  /** Whether all input has been read, and no value is half read. */
  get isAtEnd(): boolean {
    return !this.#hasBegun && this.#start === this.#source.length;
  }

  /** The next value, or `PENDING` if it is not all there. */
  read(): unknown {
    if (this.#mustWait()) return PENDING;
    const worker = this.#begin();
    if (!worker.isReady()) return this.#pause(worker);
    const value = this.#value(worker);
    if (value === PENDING) return this.#pause(worker);
    this.#finish(worker);
    return value;
  }

  /** The items of the one array, as far as they are there. */
  *items(): Generator<unknown, void, unknown> {
    if (this.#itemsLeft === 0) return this.expectEnd();
    if (this.#mustWait()) return;
    const worker = this.#begin();
    if (!worker.isReady()) return void this.#pause(worker);
    if (this.#itemsLeft === null) {
      const points = this.#arrayHeader(worker);
      if (points !== null) {
        this.#itemsLeft = 0;
        this.#finish(worker);
        yield* points;
        return this.expectEnd();
      }
    }
    while ((this.#itemsLeft as number) > 0) {
      if (!worker.isReady()) return void this.#pause(worker);
      const word = worker.peek();
      if (this.#container === null && isRun(word)) {
        const run: unknown[] = [];
        worker.takeRun(run, 0, word);
        (this.#itemsLeft as number) -= run.length;
        yield* run;
        continue;
      }
      const item = this.#value(worker);
      if (item === PENDING) return void this.#pause(worker);
      this.#container = null;
      (this.#itemsLeft as number)--;
      yield item;
    }
    this.#finish(worker);
    this.expectEnd();
  }

  /** @throws RangeError if there is input behind the value that has been read */
  expectEnd(): void {
    if (this.#start < this.#source.length) throw extraBytes(this.#source.length, this.#start);
  }

  /** Gives back what is left from a value that will not be read to its end. */
  release(): void {
    abandoned.unregister(this);
    giveBack(this.#lease);
  }

  #mustWait(): boolean {
    return !this.#hasEnded && this.#source.length < this.#awaited;
  }

  #begin(): Materializer {
    let { worker } = this.#lease;
    if (worker === null) {
      worker = materializers.find();
      worker.isBusy = true;
      this.#lease.worker = worker;
      worker.attach(this.#source, this.#settings, this.#start, !this.#hasEnded);
    }
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      worker.next();
    }
    return worker;
  }

  #value(worker: Materializer): unknown {
    if (this.#container === null) {
      if (!isMarked(worker.peek())) return worker.value();
      this.#container = new ContainerStack(worker);
    }
    return this.#container.read();
  }

  #finish(worker: Materializer): void {
    this.#start = worker.finish();
    this.#hasBegun = false;
    this.#container = null;
    this.#source.release(this.#start);
  }

  /** Between values it holds nothing that others could use. */
  #pause(worker: Materializer): typeof PENDING {
    const { position } = worker;
    this.#source.release(position);
    this.#awaited = worker.awaited;
    if (position === this.#start) {
      this.#hasBegun = false;
      giveBack(this.#lease);
    }
    return PENDING;
  }

  /** Reads the header of an array. Returns its items if they came with it. */
  #arrayHeader(worker: Materializer): readonly unknown[] | null {
    const word = worker.peek();
    const kind = (word >>> 4) & 15;
    switch (word & 15) {
      case Tag.POINT:
        return worker.value() as unknown[];
      case Tag.ARRAY:
        this.#itemsLeft = word >>> 4;
        worker.skip();
        return null;
      case Tag.WIDE:
        if (kind === Wide.DEEP_ARRAY) {
          this.#itemsLeft = word >>> 8;
          worker.skip();
          return null;
        }
        if (kind === Wide.LARGE_ARRAY) {
          this.#itemsLeft = worker.operand();
          worker.skip(1);
          return null;
        }
    }
    const byte = this.#source.view(this.#start, 1)[0];
    throw new DecodeError(`Unrecognized array type byte: 0x${byte.toString(16)}, at offset ${this.#start}`, {
      code: "ROOT_TYPE",
      offset: this.#start,
    });
  }
}
