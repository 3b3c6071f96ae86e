#include <gtest/gtest.h>

#include <memory>

#include "encoding.hpp"

namespace mpw {
namespace {

using test::Bytes;
using test::counted;
using test::emit;
using test::Encoding;
using test::head;
using test::join;
using test::repeat;
using test::TapeWriter;
using test::typed_array;

TEST(EmitterTypedArrays, AlignsDataFromTheStartOfTheMessage) {
  EXPECT_EQ(emit(TapeWriter().short_typed_array(1, 2, {1, 2, 3, 4})), (Bytes{0xc7, 5, 1, 1, 1, 2, 3, 4}));
  EXPECT_EQ(emit(TapeWriter().array(1).short_typed_array(1, 2, {1, 2, 3, 4})),
            (Bytes{0x91, 0xc7, 8, 1, 4, 0, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(emit(TapeWriter().nil().nil().short_typed_array(5, 1, {1, 2})),
            (Bytes{0xc0, 0xc0, 0xd6, 5, 2, 0, 1, 2}));
  EXPECT_EQ(emit(TapeWriter().short_typed_array(3, 0, {9})), (Bytes{0xd5, 3, 1, 9}));
  EXPECT_EQ(emit(TapeWriter().short_typed_array(3, 0, {})), (Bytes{0xd4, 3, 1}));
}

/// Every size at which a header's length changes, at every position modulo the alignment.
TEST(EmitterTypedArrays, TakesTheSmallestHeaderThatFits) {
  const std::unique_ptr<KeyStore> keys = std::make_unique<KeyStore>();
  std::vector<uint32_t> sizes = {1000};
  for (uint32_t size = 0; size <= 40; size++) sizes.push_back(size);
  for (uint32_t size = 120; size <= 260; size++) sizes.push_back(size);
  for (const uint32_t alignment : {0U, 1U, 2U, 3U, 4U, 7U}) {
    for (uint32_t position = 0; position < (1U << alignment) + 2; position++) {
      for (const uint32_t size : sizes) {
        const Bytes data = counted(size);
        const Bytes before(position, 0xc0);
        const Bytes expected = join({before, typed_array(position, 77, 1U << alignment, data)});
        TapeWriter in_pool;
        TapeWriter in_hole;
        for (uint32_t i = 0; i < position; i++) {
          in_pool.nil();
          in_hole.nil();
        }
        ASSERT_EQ(Encoding(*keys, in_pool.short_typed_array(77, alignment, data), {}).run(), expected)
            << size << " at " << position;
        ASSERT_EQ(Encoding(*keys, in_hole.typed_array(77, alignment, data), {}).run(), expected)
            << size << " at " << position;
      }
    }
  }
}

TEST(EmitterTypedArrays, TakesTheSmallestHeaderAroundTheLimitOfExt16) {
  for (uint32_t size = 0x10000 - 140; size <= 0x10000; size++) {
    for (const uint32_t alignment : {0U, 3U, 7U}) {
      const Bytes data(size, 7);
      ASSERT_EQ(emit(TapeWriter().array(1).typed_array(0, alignment, data)),
                join({{0x91}, typed_array(1, 0, 1U << alignment, data)}))
          << size;
    }
  }
}

/// Of a hole only the header is written, so its size may be anything.
TEST(EmitterTypedArrays, WritesTheHeaderOfTheLongest) {
  TapeWriter writer;
  writer.put(wide(kTypedArray, 3 << 8 | 2)).put(UINT32_MAX - 7).payloads.emplace_back();
  EXPECT_EQ(emit(writer), join({head(0xc9, UINT32_MAX - 5, 4), {2, 2, 0}}));
}

TEST(EmitterTypedArrays, CountsHolesAndTheOrigin) {
  const std::unique_ptr<KeyStore> keys = std::make_unique<KeyStore>();
  for (uint32_t origin = 0; origin < 20; origin++) {
    for (uint32_t hole = 0; hole < 20; hole++) {
      TapeWriter writer;
      writer.hole(wide(kBin), counted(hole))
          .typed_array(2, 3, counted(24))
          .short_typed_array(2, 4, counted(8));
      const Bytes bin = test::bin(counted(hole));
      const auto at = [&](const Bytes& before) { return origin + static_cast<uint32_t>(before.size()); };
      Bytes expected = join({bin, typed_array(at(bin), 2, 8, counted(24))});
      expected = join({expected, typed_array(at(expected), 2, 16, counted(8))});
      ASSERT_EQ(Encoding(*keys, writer, {.origin = origin}).run(), expected) << origin << ", " << hole;
    }
  }
}

/// Alignments divide 2^32, so a position beyond it may wrap.
TEST(EmitterTypedArrays, CountsBeyond32Bits) {
  const std::unique_ptr<KeyStore> keys = std::make_unique<KeyStore>();
  const TapeWriter writer = TapeWriter().nil().short_typed_array(1, 3, counted(8)).typed_array(1, 7, {});
  const Bytes first = join({{0xc0}, typed_array(UINT32_MAX - 2 + 1, 1, 8, counted(8))});
  const auto second = static_cast<uint32_t>(UINT32_MAX - 2 + first.size());
  EXPECT_EQ(Encoding(*keys, writer, {.origin = UINT32_MAX - 2}).run(),
            join({first, typed_array(second, 1, 128, {})}));
}

TEST(EmitterTypedArrays, AlignsTheSameWhereverTheOutputIsFull) {
  const std::unique_ptr<KeyStore> keys = std::make_unique<KeyStore>();
  TapeWriter writer;
  Bytes expected;
  for (uint32_t i = 0; i < 120; i++) {
    const uint32_t alignment = i % 8;
    const Bytes data = counted(i * 3);
    writer.short_typed_array(i, alignment, data);
    expected = join({expected, typed_array(static_cast<uint32_t>(expected.size()), static_cast<uint8_t>(i),
                                           1U << alignment, data)});
    writer.typed_array(i, alignment, data);
    expected = join({expected, typed_array(static_cast<uint32_t>(expected.size()), static_cast<uint8_t>(i),
                                           1U << alignment, data)});
  }
  for (uint32_t output = Emitter::kMinOutput; output <= Emitter::kMinOutput + 300; output++) {
    ASSERT_EQ(Encoding(*keys, writer, {.output = output, .holes = 200}).run(), expected) << output;
  }
  for (uint32_t holes = 1; holes <= 40; holes++) {
    ASSERT_EQ(Encoding(*keys, writer, {.holes = holes}).run(), expected) << holes;
  }
}

/// Behind so much output that a typed array finds room for itself, and just not.
TEST(EmitterTypedArrays, FindTheOutputFull) {
  const std::unique_ptr<KeyStore> keys = std::make_unique<KeyStore>();
  for (uint32_t left = 0; left <= 500; left++) {
    const uint32_t before = Emitter::kMinOutput - left;
    TapeWriter writer =
        TapeWriter().typed_array(1, 7, counted(300)).short_typed_array(2, 7, counted(256)).nil();
    writer.tape.insert(writer.tape.begin(), before, word(kNil, 0));
    Bytes expected = repeat(before, test::nil());
    expected = join({expected, typed_array(before, 1, 128, counted(300))});
    expected = join({expected, typed_array(static_cast<uint32_t>(expected.size()), 2, 128, counted(256))});
    ASSERT_EQ(Encoding(*keys, writer, {}).run(), join({expected, test::nil()})) << left;
  }
}

TEST(EmitterTypedArrays, ForgetsWhereAnAbandonedMessageWas) {
  const std::unique_ptr<KeyStore> keys = std::make_unique<KeyStore>();
  const TapeWriter writer =
      TapeWriter().nil().typed_array(1, 3, counted(9)).short_typed_array(1, 3, counted(8));
  Encoding encoding(*keys, writer, {});
  const Bytes first = encoding.run();
  EXPECT_EQ(encoding.run(), first);
}

}  // namespace
}  // namespace mpw
