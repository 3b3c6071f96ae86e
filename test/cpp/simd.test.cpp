#include "simd.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "memory.hpp"
#include "messages.hpp"

/// The kernels' portable twins; the vectors themselves are reached by the tests of the wasm module.
namespace mpw {
namespace {

using test::Bytes;
using test::HeapBuffer;

TEST(CopyAscii, CopiesAndTellsWhetherAllIsAscii) {
  for (uint32_t length = 0; length <= 70; length++) {
    const HeapBuffer<uint8_t> from(length, kSlack);
    const HeapBuffer<uint8_t> to(length, kSlack);
    const Bytes text = test::text_bytes(test::ascii(length));
    // What lies behind the text must not count.
    std::fill_n(from.data() + length, kSlack, uint8_t{0xff});
    std::copy(text.begin(), text.end(), from.data());
    EXPECT_TRUE(copy_ascii(to.data(), from.data(), length)) << length;
    EXPECT_EQ(Bytes(to.data(), to.data() + length), text);
    for (uint32_t i = 0; i < length; i++) {
      for (const uint8_t byte : {uint8_t{0x7f}, uint8_t{0x80}, uint8_t{0xff}}) {
        from.data()[i] = byte;
        ASSERT_EQ(copy_ascii(to.data(), from.data(), length), byte < 0x80) << length << " " << i;
      }
      from.data()[i] = text[i];
    }
  }
}

TEST(CopyShort, CopiesTheWholeLength) {
  for (uint32_t length = 0; length <= 70; length++) {
    const HeapBuffer<uint8_t> from(length, kSlack);
    const HeapBuffer<uint8_t> to(length, kSlack);
    const Bytes data = test::counted(length);
    std::copy(data.begin(), data.end(), from.data());
    copy_short(to.data(), from.data(), length);
    EXPECT_EQ(Bytes(to.data(), to.data() + length), data);
  }
}

TEST(NarrowAscii, StopsAtTheFirstUnitThatIsNotAscii) {
  for (uint32_t units = 0; units <= 40; units++) {
    for (uint32_t first = 0; first <= units; first++) {
      for (const uint16_t unit : {uint16_t{0x80}, uint16_t{0x100}, uint16_t{0x4141}, uint16_t{0xffff}}) {
        const HeapBuffer<uint16_t> from(units);
        const HeapBuffer<uint8_t> to(units, kSlack);
        for (uint32_t i = 0; i < units; i++) from.data()[i] = static_cast<uint16_t>(i % 0x80);
        if (first < units) from.data()[first] = unit;
        ASSERT_EQ(narrow_ascii(to.data(), from.data(), units), first);
        for (uint32_t i = 0; i < first; i++) ASSERT_EQ(to.data()[i], i % 0x80);
      }
    }
  }
}

TEST(WidenAscii, StopsAtTheFirstByteThatIsNotAscii) {
  for (uint32_t length = 0; length <= 40; length++) {
    for (uint32_t first = 0; first <= length; first++) {
      for (const uint8_t byte : {uint8_t{0x80}, uint8_t{0xff}}) {
        const HeapBuffer<uint8_t> from(length, kSlack);
        const HeapBuffer<uint16_t> to(length, kSlack);
        std::fill_n(from.data() + length, kSlack, uint8_t{0xff});
        for (uint32_t i = 0; i < length; i++) from.data()[i] = static_cast<uint8_t>(i % 0x80);
        if (first < length) from.data()[first] = byte;
        ASSERT_EQ(widen_ascii(to.data(), from.data(), length), first);
        for (uint32_t i = 0; i < first; i++) ASSERT_EQ(to.data()[i], i % 0x80);
      }
    }
  }
}

TEST(NarrowToThreeBytes, TakesEightUnitsOfThreeBytesOnly) {
  const std::array<uint16_t, 8> units = {0x800, 0x3042, 0x65e5, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x20ac};
  Bytes expected;
  for (const uint32_t unit : units) {
    expected.push_back(static_cast<uint8_t>(0xe0 | unit >> 12));
    expected.push_back(static_cast<uint8_t>(0x80 | (unit >> 6 & 0x3f)));
    expected.push_back(static_cast<uint8_t>(0x80 | (unit & 0x3f)));
  }
  const HeapBuffer<uint8_t> to(24, kSlack);
  ASSERT_TRUE(narrow_to_three_bytes(to.data(), units.data()));
  EXPECT_EQ(Bytes(to.data(), to.data() + 24), expected);
  for (size_t i = 0; i < units.size(); i++) {
    for (const uint16_t other : {uint16_t{0}, uint16_t{0x7ff}, uint16_t{0xd800}, uint16_t{0xdfff}}) {
      std::array<uint16_t, 8> mixed = units;
      mixed[i] = other;
      EXPECT_FALSE(narrow_to_three_bytes(to.data(), mixed.data())) << i << " " << other;
    }
  }
}

TEST(ReadFloats, ReadsAsManyAsAreThereAndWanted) {
  for (uint32_t there = 0; there <= 9; there++) {
    for (uint32_t wanted = 0; wanted <= 9; wanted++) {
      Bytes message;
      for (uint32_t i = 0; i < there; i++) message = test::join({message, test::float64(i + 0.5)});
      const HeapBuffer<uint8_t> from(message.size());
      std::copy(message.begin(), message.end(), from.data());
      const HeapBuffer<double> lane(wanted, kSlack);
      const uint8_t* const end = from.data() + message.size();
      ASSERT_EQ(read_floats(lane.data(), from.data(), end, wanted), std::min(there, wanted));
      for (uint32_t i = 0; i < std::min(there, wanted); i++) ASSERT_EQ(lane.data()[i], i + 0.5);
    }
  }
}

TEST(ReadFloats, StopsAtAnythingElseAndWhereTheNextIsCutShort) {
  const Bytes message = test::join({test::float64(1), test::float64(2), test::float64(3)});
  for (size_t size = 0; size <= message.size(); size++) {
    const HeapBuffer<uint8_t> from(size);
    std::copy_n(message.begin(), size, from.data());
    const HeapBuffer<double> lane(3, kSlack);
    EXPECT_EQ(read_floats(lane.data(), from.data(), from.data() + size, 3), size / 9) << size;
  }
  for (uint32_t other = 0; other < 3; other++) {
    Bytes mixed = message;
    mixed[9 * other] = 0xcf;
    const HeapBuffer<double> lane(3, kSlack);
    EXPECT_EQ(read_floats(lane.data(), mixed.data(), mixed.data() + mixed.size(), 3), other);
  }
}

}  // namespace
}  // namespace mpw
