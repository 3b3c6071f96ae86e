/**
 * Text between JS strings and memory, by the fastest means that the host has. Node's own `Buffer` methods work on
 * any byte range without making a view first, which is most of the cost of a short string.
 */
export interface HostText {
  /** Binds to the memory that the other functions read and write. */
  bind(memory: ArrayBufferLike): void;
  /** `length` ASCII bytes at address `at`. */
  ascii(at: number, length: number): string;
  /** `units` UTF-16 units at address `at`. */
  utf16(at: number, units: number): string;
  /**
   * Writes a string at address `at`, where 3 bytes for each of its units are free. Returns whether it is ASCII and
   * stands there as such; else it stands there as UTF-16.
   */
  write(text: string, at: number): boolean;
  /** Writes a string as UTF-8 at address `at`, where `room` bytes are free: 3 for each unit. Returns how many it took. */
  writeUtf8(text: string, at: number, room: number): number;
}

/** What Node's `Buffer` has beyond its documented interface. */
interface NodeBuffer {
  latin1Slice(start: number, end: number): string;
  ucs2Slice(start: number, end: number): string;
  ucs2Write(text: string, offset: number): number;
  utf8Write(text: string, offset: number, length: number): number;
}

type BufferClass = { from(buffer: ArrayBufferLike): NodeBuffer; prototype: object };

function nodeText(Buffer: BufferClass): HostText {
  let bytes: NodeBuffer;
  return {
    bind(memory) {
      bytes = Buffer.from(memory);
    },
    ascii: (at, length) => bytes.latin1Slice(at, at + length),
    utf16: (at, units) => bytes.ucs2Slice(at, at + units * 2),
    write(text, at) {
      bytes.ucs2Write(text, at);
      return false;
    },
    writeUtf8: (text, at, room) => bytes.utf8Write(text, at, room),
  };
}

function webText(): HostText {
  let bytes: Uint8Array;
  // A byte order mark is data here: pools start anywhere.
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true });
  const encoder = new TextEncoder();
  return {
    bind(memory) {
      bytes = new Uint8Array(memory);
    },
    ascii: (at, length) => utf8.decode(bytes.subarray(at, at + length)),
    utf16: (at, units) => utf16.decode(bytes.subarray(at, at + units * 2)),
    write(text, at) {
      const { length } = text;
      if (encoder.encodeInto(text, bytes.subarray(at, at + length * 3)).written === length) return true;
      const units = new Uint16Array(bytes.buffer, at, length);
      for (let i = 0; i < length; i++) units[i] = text.charCodeAt(i);
      return false;
    },
    writeUtf8: (text, at, room) => encoder.encodeInto(text, bytes.subarray(at, at + room)).written,
  };
}

const NodeBufferClass = (globalThis as unknown as { Buffer?: BufferClass }).Buffer;

/** Chosen by what the host offers, not by its name: polyfills of `Buffer` lack these methods. */
const isNode =
  MAY_BE_NODE &&
  NodeBufferClass !== undefined &&
  ["latin1Slice", "ucs2Slice", "ucs2Write", "utf8Write"].every(
    (method) => method in NodeBufferClass.prototype,
  );

interface NodeProcess {
  versions?: { node?: string };
  getBuiltinModule?(name: string): { isAscii?(bytes: Uint8Array): boolean } | undefined;
}

function nodeProcess(): NodeProcess | undefined {
  return (globalThis as unknown as { process?: NodeProcess }).process;
}

function nodeVersion(): number {
  return Number.parseInt(nodeProcess()?.versions?.node ?? "", 10);
}

/** Each is for one memory. */
export function makeHostText(): HostText {
  return isNode ? nodeText(NodeBufferClass) : webText();
}

/** For the memory of the instance that all encoders and decoders share. */
export const hostText = makeHostText();

/** Bytes of the caller's from `start` to `end`, each a UTF-16 unit. */
export const latin1Of: (bytes: Uint8Array, start: number, end: number) => string = isNode
  ? (
      ({ latin1Slice }) =>
      (bytes, start, end) =>
        latin1Slice.call(bytes, start, end)
    )(NodeBufferClass.prototype as NodeBuffer)
  : (bytes, start, end) => String.fromCharCode.apply(null, bytes.subarray(start, end) as unknown as number[]);

/**
 * Whether `TextDecoder` takes long: in Node below 24, several nanoseconds a byte that is not ASCII, and twice as long as
 * `asciiOf` for what is.
 */
export const isTextDecoderSlow = isNode && nodeVersion() < 24;

/** Since Node 20.16. */
const isAscii = isTextDecoderSlow ? nodeProcess()?.getBuiltinModule?.("node:buffer")?.isAscii : undefined;

/** `bytes` as text if they are ASCII, else null; where that is not known to be fast, null for all. */
export function asciiOf(bytes: Uint8Array): string | null {
  return isAscii?.(bytes) ? latin1Of(bytes, 0, bytes.length) : null;
}
