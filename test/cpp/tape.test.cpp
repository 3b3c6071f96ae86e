#include "tape.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mpw {
namespace {

constexpr Tag kTags[] = {kEnd,   kNil, kBool,  kPoint, kInt, kFloat, kText8,  kText16,
                         kArray, kMap, kShape, kKeys,  kKey, kInts,  kFloats, kWide};
constexpr Wide kWides[] = {kPool,       kInt32,          kLongStr, kBin,   kExt,      kLargeArray, kLargeMap,
                           kDeepArray,  kDeepMap,        kUint64,  kInt64, kShortBin, kShortExt,   kPlacedExt,
                           kTypedArray, kShortTypedArray};

TEST(Tape, HasATagOfItsOwnForEachKindInFourBits) {
  EXPECT_EQ(std::set<uint32_t>(std::begin(kTags), std::end(kTags)).size(), std::size(kTags));
  EXPECT_EQ(std::set<uint32_t>(std::begin(kWides), std::end(kWides)).size(), std::size(kWides));
  for (const uint32_t tag : kTags) EXPECT_LT(tag, 16U);
  for (const uint32_t kind : kWides) EXPECT_LT(kind, 16U);
}

TEST(Tape, HoldsTheLargestPayloadBesideTheTag) {
  for (const Tag tag : kTags) {
    for (const uint32_t payload : {0U, 1U, kMaxPayload - 1, kMaxPayload}) {
      EXPECT_EQ(word(tag, payload) & 15, tag);
      EXPECT_EQ(word(tag, payload) >> 4, payload);
    }
  }
}

TEST(Tape, HoldsTheLargestExtraBesideTheKind) {
  for (const Wide kind : kWides) {
    for (const uint32_t extra : {0U, 1U, kMaxWideExtra - 1, kMaxWideExtra}) {
      EXPECT_EQ(wide(kind, extra) & 15, kWide);
      EXPECT_EQ(wide(kind, extra) >> 4 & 15, kind);
      EXPECT_EQ(wide(kind, extra) >> 8, extra);
    }
  }
}

TEST(Tape, EndsWithAWordOfZero) { EXPECT_EQ(word(kEnd, 0), 0U); }

/// The type of an extension is where JS shifts it from, as a signed byte.
TEST(Tape, HoldsTheTypeOfAnExtensionInTheBitsAboveTheKind) {
  for (int32_t type = -128; type <= 127; type++) {
    const uint32_t made = wide(kExt, static_cast<uint8_t>(type));
    EXPECT_EQ(static_cast<int32_t>(made << 16) >> 24, type);
  }
}

}  // namespace
}  // namespace mpw
