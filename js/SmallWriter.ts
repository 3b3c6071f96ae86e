import { MAX_UNITS, writeInteger64, writeNumber, writeScalar, writeShortText } from "./smallFormats.ts";
import { EncodeMemory } from "./wasm/EncodeMemory.ts";

/** Once a message is longer than that, what follows goes by way of the tape: the emitter is faster then. */
export const SMALL_BYTES = 64;
/** Text of so many UTF-16 units is written by the host, longer one by way of the tape. */
const HOST_TEXT = 255;
/** Containers with more in them make it go there at once. */
const MAX_ITEMS = 15;
const MAX_PAIRS = 2;

/**
 * Writes the beginning of a message, small ones whole, straight to the output: a call of the emitter takes longer than
 * the writing. It knows what is frequent; from the first value on that is not, or not small, all goes the other way.
 */
export abstract class SmallWriter extends EncodeMemory {
  /** Whether all that has been written stands in the output. */
  isDirect = false;
  /** How many bytes that are. */
  head = 0;
  /** Whether numbers that are integers of more than 32 bits stay such. */
  protected hasInt64 = true;

  /** Writes a value by way of the tape. `depth` counts the containers around it, itself included. */
  abstract value(value: unknown, depth: number): void;
  abstract checkDepth(depth: number): void;
  /** Whether the extension codec must be asked for every object. */
  protected abstract get asksCodec(): boolean;
  /** Turns to the tape, with so many bytes in the output. */
  abstract turnToTape(head: number): void;
  /**
   * Writes short binary data at byte `at` of the output, or the header of a typed array of some length, and sees to its
   * data. Returns the byte behind that, or -1 if it is neither.
   */
  protected abstract placeView(view: ArrayBufferView, at: number): number;

  /** Writes the value of a message. Whether `isDirect` is left on tells where it stands. */
  protected beginDirectly(value: unknown): void {
    this.isDirect = true;
    this.head = 0;
    this.direct(value, 1);
    this.outputLength = this.head;
  }

  /** Goes on behind a value that has been written up to byte `end`, or leaves with it if that is -1. */
  private place(end: number, value: unknown, depth: number): void {
    if (end < 0) {
      this.leave(value, depth);
    } else {
      this.head = end;
    }
  }

  private integer64(value: number, depth: number): void {
    if (this.hasInt64) {
      this.head = writeInteger64(this.output, this.head, value);
    } else {
      this.leave(value, depth);
    }
  }

  private leave(value: unknown, depth: number): void {
    this.isDirect = false;
    this.turnToTape(this.head);
    this.value(value, depth);
  }

  private direct(value: unknown, depth: number): void {
    if (this.head > SMALL_BYTES) {
      this.leave(value, depth);
    } else if (typeof value === "string") {
      // The most frequent go without asking again what they are.
      let end = writeShortText(this.output, this.head, value);
      if (end < 0 && value.length <= HOST_TEXT && value.length > MAX_UNITS)
        end = this.writeHostText(value, this.head);
      this.place(end, value, depth);
    } else if (typeof value === "number") {
      const end = writeNumber(this.output, this.head, value);
      if (end < 0) {
        this.integer64(value, depth);
      } else {
        this.head = end;
      }
    } else if (typeof value !== "object" || value === null) {
      this.place(writeScalar(this.output, this.head, value), value, depth);
    } else if (this.asksCodec) {
      this.leave(value, depth);
    } else if (Array.isArray(value)) {
      const { length } = value;
      if (length > MAX_ITEMS) {
        this.leave(value, depth);
        return;
      }
      if (length > 0) this.checkDepth(depth);
      this.output[this.head++] = 0x90 | length;
      for (let i = 0; i < length; i++) this.item(value[i], depth + 1);
    } else if (ArrayBuffer.isView(value)) {
      this.place(this.placeView(value, this.head), value, depth);
    } else {
      this.record(value as Record<string, unknown>, depth);
    }
  }

  /** Writes a value where the message stands, or by way of the tape. `depth` is as for `value`. */
  item(value: unknown, depth: number): void {
    if (this.isDirect) {
      this.direct(value, depth);
    } else {
      this.value(value, depth);
    }
  }

  private record(object: Record<string, unknown>, depth: number): void {
    const keys = Object.keys(object);
    const { length } = keys;
    if (length > MAX_PAIRS || object.constructor !== Object) {
      this.leave(object, depth);
      return;
    }
    for (let i = 0; i < length; i++) {
      if (keys[i] === "constructor") {
        this.leave(object, depth);
        return;
      }
    }
    this.output[this.head++] = 0x80 | length;
    if (length === 0) return;
    this.checkDepth(depth);
    for (let i = 0; i < length; i++) {
      this.item(keys[i], depth + 1);
      this.item(object[keys[i]], depth + 1);
    }
  }
}
