#pragma once

#include <cstdint>

namespace mpw {

/// Why a run of the tokenizer or the emitter ended. `js/status.ts` holds the same table (tested).
enum class Status : uint32_t {
  /// The value is complete.
  kDone = 0,
  /// The chunk holds no further whole token: feed again from `Tokenizer::offset()`.
  kNeedInput = 1,
  /// The window is full: read it, then go on.
  kWindowFull = 2,
  /// The input ends inside the value, or a length promises more than is left.
  kInsufficientData = 3,
  /// 0xc1, the one byte that the format never uses.
  kUnknownFormat = 4,
  /// A map key that is neither a string nor a number.
  kKeyType = 5,
  /// The map key `__proto__`.
  kForbiddenKey = 6,
  /// Malformed UTF-8 where the caller asked for an error instead of U+FFFD.
  kInvalidUtf8 = 7,
  kMaxStrLength = 8,
  kMaxBinLength = 9,
  kMaxArrayLength = 10,
  kMaxMapLength = 11,
  kMaxExtLength = 12,
  kMaxDepth = 13,
  kMaxElements = 14,
  kOutOfMemory = 15,
  /// A typed array whose data begin nowhere in its payload.
  kTypedArrayOffset = 16,
  /// A typed array whose data are no whole number of elements.
  kTypedArrayLength = 17,
  /// The input ends inside the payload of a typed array.
  kTypedArrayTruncated = 18,
  /// As kNeedInput, and the window goes on with the next chunk: `Tokenizer::go_on`.
  kMore = 19,
  /// The batch ends inside the length of a frame.
  kFrameLengthCut = 20,
  /// The batch ends inside a frame.
  kFrameCut = 21,
  /// A frame of 2 GiB or more, or longer than the caller allows.
  kFrameTooLong = 22,
  /// A frame with nothing in it.
  kFrameEmpty = 23,
  /// A frame that goes on after its value.
  kFrameRest = 24,
};

}  // namespace mpw
