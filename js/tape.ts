/** The tags of the tape's words, as in `cpp/tape.hpp`, which says what each means. A word is `payload << 4 | tag`. */
export const Tag = {
  END: 0,
  NIL: 1,
  BOOL: 2,
  POINT: 3,
  INT: 4,
  FLOAT: 5,
  TEXT8: 6,
  TEXT16: 7,
  ARRAY: 8,
  MAP: 9,
  SHAPE: 10,
  KEYS: 11,
  KEY: 12,
  INTS: 13,
  FLOATS: 14,
  WIDE: 15,
} as const;

/** What a `Tag.WIDE` word stands for: `extra << 8 | kind << 4 | Tag.WIDE`. */
export const Wide = {
  POOL: 0,
  INT32: 1,
  LONG_STR: 2,
  BIN: 3,
  EXT: 4,
  LARGE_ARRAY: 5,
  LARGE_MAP: 6,
  DEEP_ARRAY: 7,
  DEEP_MAP: 8,
  UINT64: 9,
  INT64: 10,
  SHORT_BIN: 11,
  SHORT_EXT: 12,
  PLACED_EXT: 13,
  TYPED_ARRAY: 14,
  SHORT_TYPED_ARRAY: 15,
} as const;

/** The largest count or length that fits a word's payload. */
export const MAX_PAYLOAD = 2 ** 28 - 1;
