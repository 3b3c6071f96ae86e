/** Why a run of the tokenizer or the emitter ended, as in `cpp/status.hpp`. */
export const Status = {
  DONE: 0,
  NEED_INPUT: 1,
  WINDOW_FULL: 2,
  INSUFFICIENT_DATA: 3,
  UNKNOWN_FORMAT: 4,
  KEY_TYPE: 5,
  FORBIDDEN_KEY: 6,
  INVALID_UTF8: 7,
  MAX_STR_LENGTH: 8,
  MAX_BIN_LENGTH: 9,
  MAX_ARRAY_LENGTH: 10,
  MAX_MAP_LENGTH: 11,
  MAX_EXT_LENGTH: 12,
  MAX_DEPTH: 13,
  OUT_OF_MEMORY: 14,
} as const;
