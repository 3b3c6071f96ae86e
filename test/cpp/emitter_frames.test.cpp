#include <gtest/gtest.h>

#include "encoding.hpp"

/// The length that stands before a message in a frame.
namespace mpw {
namespace {

using test::Bytes;
using test::counted;
using test::Encoding;
using test::repeat;
using test::TapeWriter;

Bytes prefix_of(const TapeWriter& writer, const Encoding::Limits& limits = {.output = 1 << 18}) {
  const auto keys = std::make_unique<KeyStore>();
  Encoding encoding(*keys, writer, limits);
  encoding.run();
  return encoding.frame_prefix();
}

/// A message of `size` bytes: nils.
TapeWriter nils(size_t size) {
  TapeWriter writer;
  for (size_t i = 0; i < size; i++) writer.nil();
  return writer;
}

TEST(FramePrefix, HasTheShortestFormAtEachThreshold) {
  EXPECT_EQ(prefix_of(nils(0)), Bytes{0});
  EXPECT_EQ(prefix_of(nils(1)), Bytes{1});
  EXPECT_EQ(prefix_of(nils(0x7f)), Bytes{0x7f});
  EXPECT_EQ(prefix_of(nils(0x80)), (Bytes{0x80, 0x01}));
  EXPECT_EQ(prefix_of(nils(0x3fff)), (Bytes{0xff, 0x7f}));
  EXPECT_EQ(prefix_of(nils(0x4000)), (Bytes{0x80, 0x80, 0x01}));
  EXPECT_EQ(prefix_of(TapeWriter().hole(wide(kBin), repeat(0x1fffff - 5, {1}))), (Bytes{0xff, 0xff, 0x7f}));
  EXPECT_EQ(prefix_of(TapeWriter().hole(wide(kBin), repeat(0x200000 - 5, {1}))),
            (Bytes{0x80, 0x80, 0x80, 0x01}));
}

TEST(FramePrefix, CountsWhatHasLeftTheOutput) {
  EXPECT_EQ(prefix_of(nils(50'000), {.output = Emitter::kMinOutput, .origin = 5}), (Bytes{0xd0, 0x86, 0x03}));
}

TEST(FramePrefix, TakesAllOfItsRoomBeforeMessagesThatDependOnTheirPosition) {
  const Bytes data = counted(8);
  EXPECT_EQ(prefix_of(TapeWriter().short_typed_array(1, 2, data)).size(), Emitter::kMaxFramePrefix);
  EXPECT_EQ(prefix_of(TapeWriter().typed_array(1, 2, data)).size(), Emitter::kMaxFramePrefix);
  EXPECT_EQ(prefix_of(TapeWriter().hole(wide(kPlacedExt, 1), data)), (Bytes{0x8e, 0x80, 0x80, 0x80, 0}));
  EXPECT_EQ(prefix_of(TapeWriter().hole(wide(kExt, 1), data)), Bytes{10});
}

}  // namespace
}  // namespace mpw
