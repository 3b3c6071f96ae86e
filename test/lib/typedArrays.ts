/** Any typed array that has an extension type. */
export type Sample = ArrayBufferView & { readonly length: number; readonly BYTES_PER_ELEMENT: number };

export interface SampleClass {
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): Sample;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Sample;
}

/** The types by default, of those classes that the host has. */
export const types = new Map<string, number>(
  [
    "Float32Array",
    "Float64Array",
    "Int8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "BigInt64Array",
    "BigUint64Array",
    "Float16Array",
  ].flatMap((name, i): [string, number][] => (name in globalThis ? [[name, i + 1]] : [])),
);

export const classes = [...types.keys()].map(
  (name) => (globalThis as unknown as Record<string, SampleClass>)[name],
);

/** An array with bytes that say where each belongs. None makes a NaN: those are all equal, whatever their bits. */
export function sample(Class: SampleClass, length: number, seed = 0): Sample {
  const array = new Class(length);
  bytesOf(array).forEach((_, i, bytes) => {
    bytes[i] = (i * 5 + seed * 11 + 1) % 97;
  });
  return array;
}

export function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

export interface Extension {
  readonly type: number;
  readonly headerSize: number;
  /** Where the payload is in the message. */
  readonly start: number;
  readonly length: number;
}

/** Reads the header of an extension, by the specification. */
export function extensionAt(message: Uint8Array, at: number): Extension {
  const { buffer, byteOffset, byteLength } = message;
  const data = new DataView(buffer, byteOffset, byteLength);
  const first = message[at];
  const [headerSize, length] =
    first >= 0xd4 && first <= 0xd8
      ? [2, 2 ** (first - 0xd4)]
      : first === 0xc7
        ? [3, message[at + 1]]
        : first === 0xc8
          ? [4, data.getUint16(at + 1)]
          : first === 0xc9
            ? [6, data.getUint32(at + 1)]
            : [Number.NaN, Number.NaN];
  return { type: data.getInt8(at + headerSize - 1), headerSize, start: at + headerSize, length };
}

/** A copy of a message that begins at `base` of an ArrayBuffer. */
export function placed(message: Uint8Array, base: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(base + message.length);
  whole.set(message, base);
  return whole.subarray(base);
}
