#pragma once

#include <cstdint>
#include <ostream>

#include "status.hpp"

namespace mpw {

/// Names a status where a test fails.
inline void PrintTo(Status status, std::ostream* out) {
  constexpr const char* kNames[] = {"kDone",
                                    "kNeedInput",
                                    "kWindowFull",
                                    "kInsufficientData",
                                    "kUnknownFormat",
                                    "kKeyType",
                                    "kForbiddenKey",
                                    "kInvalidUtf8",
                                    "kMaxStrLength",
                                    "kMaxBinLength",
                                    "kMaxArrayLength",
                                    "kMaxMapLength",
                                    "kMaxExtLength",
                                    "kMaxDepth",
                                    "kMaxElements",
                                    "kOutOfMemory",
                                    "kTypedArrayOffset",
                                    "kTypedArrayLength",
                                    "kTypedArrayTruncated",
                                    "kMore",
                                    "kFrameLengthCut",
                                    "kFrameCut",
                                    "kFrameTooLong",
                                    "kFrameEmpty",
                                    "kFrameRest"};
  *out << kNames[static_cast<uint32_t>(status)];
}

}  // namespace mpw
