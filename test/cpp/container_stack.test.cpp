#include "container_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory.hpp"

namespace mpw {
namespace {

constexpr size_t kNear = ContainerStack::kNear;

/// Of every kind, with counts, shapes and gaps in the depth of every size.
std::vector<Container> containers(size_t count) {
  const uint32_t lefts[] = {1, 15, 16, 127, 128, 65535, UINT32_MAX};
  const uint32_t states[] = {0, 0, 0, 1, 4095, UINT32_MAX};
  const uint32_t gaps[] = {1, 1, 1, 2, 128, 300};
  std::vector<Container> all;
  uint32_t depth = 0;
  for (size_t i = 0; i < count; i++) {
    depth += gaps[i / 5 % 6];
    all.push_back({lefts[i % 7], states[i / 3 % 6], depth * kLevel + static_cast<uint32_t>(i % 4), nullptr});
  }
  return all;
}

void expect_popped(ContainerStack& stack, const std::vector<Container>& all) {
  for (size_t i = all.size(); i > 0; i--) {
    ASSERT_FALSE(stack.is_empty());
    const Container found = stack.pop();
    ASSERT_EQ(found.left, all[i - 1].left) << i;
    ASSERT_EQ(found.state, all[i - 1].state) << i;
    ASSERT_EQ(found.nesting, all[i - 1].nesting) << i;
    ASSERT_EQ(found.header, nullptr) << i;
  }
  ASSERT_TRUE(stack.is_empty());
}

TEST(ContainerStack, GivesBackWhatWasPushedLastPackedOrNot) {
  ContainerStack stack;
  for (const size_t count :
       {size_t{1}, kNear, 2 * kNear, 2 * kNear + 1, 3 * kNear, 3 * kNear + 1, 10 * kNear + 7}) {
    const std::vector<Container> all = containers(count);
    for (const Container& one : all) ASSERT_TRUE(stack.push(one));
    expect_popped(stack, all);
  }
}

TEST(ContainerStack, GoesUpAndDownWhereItPacks) {
  ContainerStack stack;
  const std::vector<Container> all = containers(5 * kNear);
  std::vector<Container> open;
  for (size_t size : {2 * kNear + 1, kNear, 3 * kNear, kNear - 1, 5 * kNear, size_t{1}, 2 * kNear + 1}) {
    while (open.size() < size) {
      open.push_back(all[open.size()]);
      ASSERT_TRUE(stack.push(open.back()));
    }
    while (open.size() > size) {
      ASSERT_FALSE(stack.is_empty());
      ASSERT_EQ(stack.pop().nesting, open.back().nesting);
      open.pop_back();
    }
  }
  expect_popped(stack, open);
}

TEST(ContainerStack, NeverPacksTheLastOnes) {
  ContainerStack stack;
  uint32_t header = 0;
  for (uint32_t i = 0; i < 4 * kNear; i++) {
    ASSERT_TRUE(stack.push({1, 0, i * kLevel, &header}));
    const size_t near = stack.near_size();
    ASSERT_GE(near, std::min<size_t>(i + 1, kNear));
    ASSERT_LE(near, 2 * kNear);
    ASSERT_EQ(stack[near - 1].nesting, i * kLevel);
    ASSERT_EQ(stack[near - std::min<size_t>(i + 1, kNear)].header, &header);
  }
}

TEST(ContainerStack, TakesAByteForAShortArrayThatIsFarOut) {
  const size_t before = test::allocated_bytes();
  ContainerStack stack;
  constexpr size_t kMillion = 1 << 20;
  for (uint32_t i = 0; i < kMillion; i++) ASSERT_TRUE(stack.push({15, 0, i * kLevel, nullptr}));
  EXPECT_LT(test::allocated_bytes() - before, kMillion + 2 * kNear * sizeof(Container) + 16384);
  stack.clear();
  EXPECT_LT(test::allocated_bytes() - before, 8192U);
  EXPECT_TRUE(stack.is_empty());
}

TEST(ContainerStack, GoesFromHandToHandWithWhatIsPacked) {
  const std::vector<Container> all = containers(3 * kNear);
  ContainerStack first;
  for (const Container& one : all) ASSERT_TRUE(first.push(one));
  ContainerStack second(std::move(first));
  first.clear();
  EXPECT_TRUE(first.is_empty());
  first = std::move(second);
  expect_popped(first, all);
}

TEST(ContainerStack, SaysWhenMemoryIsOut) {
#ifdef MPW_TEST_ASAN
  GTEST_SKIP() << "ASan's own memory does not go with a limit";
#else
  ContainerStack stack;
  const test::MemoryLimit limit(8 * 1024 * 1024);
  constexpr uint32_t kTooMany = 64 * 1024 * 1024;
  uint32_t count = 0;
  while (count < kTooMany && stack.push({1, 0, count * kLevel, nullptr})) count++;
  EXPECT_LT(count, kTooMany);
  EXPECT_GT(count, 1024 * 1024U);
#endif
}

}  // namespace
}  // namespace mpw
