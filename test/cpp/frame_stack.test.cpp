#include "frame_stack.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "memory.hpp"

namespace mpw {
namespace {

struct Frame {
  uint64_t number;
  uint32_t kind;
};

TEST(FrameStack, GivesBackWhatWasPushedLast) {
  FrameStack<Frame> stack;
  for (const uint64_t count : {1U, 63U, 64U, 65U, 4096U, 4097U, 100000U}) {
    for (uint64_t i = 0; i < count; i++) ASSERT_TRUE(stack.push({i, 7}));
    ASSERT_EQ(stack.size(), count);
    for (uint64_t i = count; i > 0; i--) {
      const Frame frame = stack.pop();
      ASSERT_EQ(frame.number, i - 1);
      ASSERT_EQ(frame.kind, 7U);
    }
    ASSERT_EQ(stack.size(), 0U);
  }
}

TEST(FrameStack, KeepsItsFramesWhereTheyCanBeChanged) {
  FrameStack<Frame> stack;
  for (uint64_t i = 0; i < 1000; i++) stack.push({i, 0});
  for (size_t i = 0; i < 1000; i++) stack[i].kind = static_cast<uint32_t>(i) + 1;
  for (uint64_t i = 1000; i < 2000; i++) stack.push({i, static_cast<uint32_t>(i) + 1});
  for (size_t i = 0; i < 2000; i++) {
    ASSERT_EQ(stack[i].number, i);
    ASSERT_EQ(stack[i].kind, i + 1);
  }
}

void go_from_hand_to_hand() {
  FrameStack<Frame> first;
  for (uint64_t i = 0; i < 100; i++) first.push({i, 1});
  FrameStack<Frame> second(std::move(first));
  ASSERT_EQ(second.size(), 100U);
  EXPECT_EQ(second[99].number, 99U);

  FrameStack<Frame> third;
  for (uint64_t i = 0; i < 5000; i++) third.push({i, 2});
  third = std::move(second);
  ASSERT_EQ(third.size(), 100U);
  for (uint64_t i = 100; i > 0; i--) ASSERT_EQ(third.pop().number, i - 1);
  // What has been moved from is as good as new.
  first = FrameStack<Frame>();
  ASSERT_TRUE(first.push({7, 3}));
  EXPECT_EQ(first.pop().number, 7U);
}

TEST(FrameStack, GoesFromHandToHand) {
  // What glibc keeps for the next call counts as in use: after the first time, it is the same before and
  // after.
  go_from_hand_to_hand();
  const size_t before = test::allocated_bytes();
  go_from_hand_to_hand();
  EXPECT_EQ(test::allocated_bytes(), before);
}

TEST(FrameStack, TakesNoMemoryBeforeTheFirstFrame) {
  const size_t before = test::allocated_bytes();
  FrameStack<Frame> stack;
  stack.clear();
  EXPECT_EQ(test::allocated_bytes(), before);
}

TEST(FrameStack, GivesBackTheMemoryOfADeepMessage) {
  go_from_hand_to_hand();
  const size_t before = test::allocated_bytes();
  FrameStack<Frame> stack;
  constexpr size_t kDeep = 1000000;
  for (uint64_t i = 0; i < kDeep; i++) stack.push({i, 0});
  EXPECT_GE(test::allocated_bytes() - before, kDeep * sizeof(Frame));
  stack.clear();
  EXPECT_LE(test::allocated_bytes(), before + 4096 * sizeof(Frame) + 1024);
  EXPECT_EQ(stack.size(), 0U);
  ASSERT_TRUE(stack.push({5, 6}));
  EXPECT_EQ(stack.pop().number, 5U);
}

TEST(FrameStack, KeepsTheMemoryOfAShallowMessage) {
  FrameStack<Frame> stack;
  for (uint64_t i = 0; i < 64; i++) stack.push({i, 0});
  const size_t before = test::allocated_bytes();
  stack.clear();
  EXPECT_EQ(test::allocated_bytes(), before);
  for (uint64_t i = 0; i < 64; i++) stack.push({i, 0});
  EXPECT_EQ(test::allocated_bytes(), before);
}

TEST(FrameStack, SaysWhenMemoryIsOut) {
#ifdef MPW_TEST_ASAN
  GTEST_SKIP() << "ASan's own memory does not go with a limit";
#else
  FrameStack<Frame> stack;
  const test::MemoryLimit limit(64 * 1024 * 1024);
  constexpr uint64_t kTooMany = 100 * 1024 * 1024 / sizeof(Frame);
  uint64_t count = 0;
  while (count < kTooMany && stack.push({count, 0})) count++;
  ASSERT_LT(count, kTooMany);
  ASSERT_GT(count, 0U);
  EXPECT_EQ(stack.size(), count);
  EXPECT_FALSE(stack.push({0, 0}));
  while (stack.size() > 0) ASSERT_EQ(stack.pop().number, --count);
#endif
}

}  // namespace
}  // namespace mpw
