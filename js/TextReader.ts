import { sharedVocabulary } from "./Vocabulary.ts";
import { DecodeMemory } from "./wasm/DecodeMemory.ts";
import { asciiOf, isTextDecoderSlow } from "./wasm/text.ts";

/** The most bytes that it takes: UTF-16 of all must fit the pool. */
const MAX_TEXT_BYTES = 64 * 1024;
const HEADER_BYTES = 5;

/** Makes strings of UTF-8 that is not ASCII where that takes `TextDecoder` long. */
class TextReader extends DecodeMemory {
  readonly #header = new Uint8Array(HEADER_BYTES);

  constructor() {
    super(sharedVocabulary.keys);
    this.setMaxCopied(MAX_TEXT_BYTES);
  }

  /** What is malformed becomes U+FFFD. */
  read(bytes: Uint8Array): string {
    const { length } = bytes;
    this.settle();
    this.#header[0] = 0xdb;
    new DataView(this.#header.buffer).setUint32(1, length);
    this.write(this.#header, 0, 0, HEADER_BYTES);
    this.write(bytes, HEADER_BYTES, 0, length);
    this.feed(HEADER_BYTES + length, HEADER_BYTES + length, 1);
    // On the tape stand an empty pool of ASCII and the other pool, each with its length, and the text.
    return this.text.utf16(this.pool16Start, this.tape[3]);
  }
}

let reader: TextReader | null = null;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Long text by the fastest means that the host has. What is malformed becomes U+FFFD. */
export function longTextOf(bytes: Uint8Array): string {
  if (isTextDecoderSlow) {
    const ascii = asciiOf(bytes);
    if (ascii !== null) return ascii;
    if (bytes.length <= MAX_TEXT_BYTES) {
      reader ??= new TextReader();
      return reader.read(bytes);
    }
  }
  // TextDecoder refuses shared memory in browsers.
  return utf8.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}
