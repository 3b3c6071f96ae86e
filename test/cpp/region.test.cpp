#include "region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "memory.hpp"

namespace mpw {
namespace {

constexpr size_t kSlackBytes = 16;

template <typename T>
uintptr_t address(std::span<T> span) {
  return reinterpret_cast<uintptr_t>(span.data());
}

TEST(Region, CutsAlignedBuffersThatDoNotMeet) {
  for (size_t count = 0; count <= 40; count++) {
    Region region(Region::cost<uint8_t>(count, kSlackBytes) + Region::cost<double>(count, kSlackBytes) +
                  Region::cost<uint16_t>(count, 3) + Region::cost<uint32_t>(count, 0));
    ASSERT_TRUE(region.is_valid());
    const std::span<uint8_t> first = region.take<uint8_t>(count, kSlackBytes);
    const std::span<double> second = region.take<double>(count, kSlackBytes);
    const std::span<uint16_t> third = region.take<uint16_t>(count, 3);
    const std::span<uint32_t> fourth = region.take<uint32_t>(count, 0);
    EXPECT_EQ(first.size(), count);
    EXPECT_EQ(second.size(), count);
    EXPECT_EQ(third.size(), count);
    EXPECT_EQ(fourth.size(), count);
    for (const uintptr_t start : {address(first), address(second), address(third), address(fourth)}) {
      EXPECT_EQ(start % 16, 0U);
    }
    EXPECT_GE(address(second), address(first) + first.size_bytes() + kSlackBytes);
    EXPECT_GE(address(third), address(second) + second.size_bytes() + kSlackBytes);
    EXPECT_GE(address(fourth), address(third) + third.size_bytes() + 3);
    // All of it is there, the last slack too (under ASan).
    std::fill_n(first.data(), count + kSlackBytes, uint8_t{1});
    std::fill_n(second.data(), count + kSlackBytes / sizeof(double), 1.0);
    std::fill_n(third.data(), count, uint16_t{1});
    std::fill_n(fourth.data(), count, 1U);
  }
}

TEST(Region, BeginsWithZeros) {
  Region region(Region::cost<uint8_t>(1000, kSlackBytes));
  const std::span<uint8_t> bytes = region.take<uint8_t>(1000, kSlackBytes);
  EXPECT_TRUE(
      std::all_of(bytes.data(), bytes.data() + 1000 + kSlackBytes, [](uint8_t byte) { return byte == 0; }));
}

TEST(Region, GivesItsMemoryBack) {
  const size_t before = test::allocated_bytes();
  {
    Region region(1 << 20);
    // Memory that nobody sees need not be taken at all.
    [[maybe_unused]] uint8_t* volatile seen = region.take<uint8_t>(1, 0).data();
    EXPECT_GE(test::allocated_bytes() - before, size_t{1} << 20);
  }
  EXPECT_EQ(test::allocated_bytes(), before);
}

TEST(Region, SaysWhenMemoryIsOut) {
#ifdef MPW_TEST_ASAN
  GTEST_SKIP() << "ASan ends the process instead";
#else
  Region region(SIZE_MAX / 2);
  [[maybe_unused]] uint8_t* volatile seen = region.take<uint8_t>(0, 0).data();
  EXPECT_FALSE(region.is_valid());
#endif
}

}  // namespace
}  // namespace mpw
