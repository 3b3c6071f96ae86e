import { DecodeError, withDetails } from "./DecodeError.ts";
import { Status } from "./status.ts";
import { wrongLength, wrongOffset } from "./TypedArrayTable.ts";
import type { DecodeLimits } from "./wasm/DecodeMemory.ts";

/** `typeof` the value that a key of this first byte would have: that is how the contract names it. */
function typeOfKey(byte: number): string {
  if (byte === 0xcf || byte === 0xd3) return "bigint";
  return byte === 0xc2 || byte === 0xc3 ? "boolean" : "object";
}

/**
 * The error for a status of the tokenizer. `offset` counts from the start of the input, `detail` is what
 * `Tokenizer::detail` says of it.
 */
export function decodeFailure(
  status: number,
  offset: number,
  detail: number,
  limits: DecodeLimits,
): DecodeError | RangeError {
  const tooLong = (what: string, option: string, limit: number): DecodeError =>
    new DecodeError(`Max length exceeded: ${what} (${detail}) > ${option} (${limit}), at offset ${offset}`, {
      code: "MAX_LENGTH",
      offset,
    });
  switch (status) {
    case Status.INSUFFICIENT_DATA:
      return insufficientData(offset, detail);
    case Status.UNKNOWN_FORMAT:
      return new DecodeError(`Unrecognized type byte: 0x${detail.toString(16)}, at offset ${offset}`, {
        code: "UNKNOWN_FORMAT",
        offset,
      });
    case Status.KEY_TYPE:
      return keyType(typeOfKey(detail), offset);
    case Status.FORBIDDEN_KEY:
      return forbiddenKey(offset);
    case Status.INVALID_UTF8:
      return new DecodeError(`Malformed UTF-8 in the string at offset ${offset}`, {
        code: "INVALID_UTF8",
        offset,
      });
    case Status.MAX_STR_LENGTH:
      return tooLong("UTF-8 byte length", "maxStrLength", limits.maxStrLength);
    case Status.MAX_BIN_LENGTH:
      return tooLong("bin length", "maxBinLength", limits.maxBinLength);
    case Status.MAX_ARRAY_LENGTH:
      return tooLong("array length", "maxArrayLength", limits.maxArrayLength);
    case Status.MAX_MAP_LENGTH:
      return tooLong("map length", "maxMapLength", limits.maxMapLength);
    case Status.MAX_EXT_LENGTH:
      return tooLong("ext length", "maxExtLength", limits.maxExtLength);
    case Status.MAX_DEPTH:
      return new DecodeError(
        `Too deep objects in depth ${detail}: maxDepth is ${limits.maxDepth}, at offset ${offset}`,
        {
          code: "MAX_DEPTH",
          offset,
        },
      );
    case Status.MAX_ELEMENTS:
      return new DecodeError(
        `Too many elements: ${detail} more exceed maxElements (${limits.maxElements}), at offset ${offset}`,
        { code: "MAX_ELEMENTS", offset },
      );
    case Status.TYPED_ARRAY_OFFSET:
      return new DecodeError(`${wrongOffset(detail)}, at offset ${offset}`, { code: "EXTENSION", offset });
    case Status.TYPED_ARRAY_LENGTH:
      return new DecodeError(`${wrongLength(detail)}, at offset ${offset}`, { code: "EXTENSION", offset });
    case Status.TYPED_ARRAY_TRUNCATED:
      return new DecodeError(
        `Insufficient data: the typed array at offset ${offset} needs ${detail} more byte(s)`,
        { code: "INSUFFICIENT_DATA", offset },
      );
    default:
      return withDetails(new RangeError("msgpack-wasm: out of WebAssembly memory"), "OUT_OF_MEMORY", offset);
  }
}

export function insufficientData(offset: number, missing: number): RangeError {
  return withDetails(
    new RangeError(`Insufficient data: at least ${missing} more byte(s) needed at offset ${offset}`),
    "INSUFFICIENT_DATA",
    offset,
  );
}

export function extraBytes(total: number, offset: number): RangeError {
  return withDetails(
    new RangeError(
      `Extra ${total - offset} of ${total} byte(s) found at buffer[${offset}]; decodeMulti reads several values`,
    ),
    "EXTRA_BYTES",
    offset,
  );
}

export function keyType(type: string, offset: number): DecodeError {
  return new DecodeError(
    `The type of key must be string or number but ${type}, at offset ${offset}; mapKeyConverter and useMap take others`,
    { code: "KEY_TYPE", offset },
  );
}

export function unknownExtension(type: number, offset: number): DecodeError {
  return new DecodeError(
    `Unknown extension type ${type}, at offset ${offset}; onUnknownExtension: "keep" makes an ExtData of it`,
    { code: "EXTENSION", offset },
  );
}

export function forbiddenKey(offset: number): DecodeError {
  return new DecodeError(`The key __proto__ is not allowed, at offset ${offset}`, {
    code: "FORBIDDEN_KEY",
    offset,
  });
}
