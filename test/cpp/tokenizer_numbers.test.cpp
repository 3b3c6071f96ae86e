#include <gtest/gtest.h>

#include "decoding.hpp"

/// Rows of numbers, and points: what goes by way of the lane as a whole.
namespace mpw {
namespace {

using test::array;
using test::Bytes;
using test::decode;
using test::float64;
using test::head;
using test::integer;
using test::join;
using test::Outcome;
using test::reference_decode;
using test::repeat;
using test::Words;
using test::words_of;

uint32_t int_word(int32_t value) { return static_cast<uint32_t>(value) << 4 | kInt; }

TEST(TokenizerRuns, GathersWholeArraysOfIntegers) {
  static_assert(kMinRun == 8);
  EXPECT_EQ(words_of(array({{1}, {2}, {3}, {4}, {5}, {6}, {7}})),
            (Words{word(kArray, 7), int_word(1), int_word(2), int_word(3), int_word(4), int_word(5),
                   int_word(6), int_word(7)}));
  EXPECT_EQ(words_of(array({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {0xff}})),
            (Words{word(kArray, 8), word(kInts, 8), 1, 2, 3, 4, 5, 6, 7, static_cast<uint32_t>(-1)}));
  const Bytes items[] = {integer(0),      integer(127),       integer(-32),
                         integer(255),    integer(65535),     integer(-128),
                         integer(-32768), integer(INT32_MAX), integer(INT32_MIN)};
  EXPECT_EQ(words_of(array({std::begin(items), std::end(items)})),
            (Words{word(kArray, 9), word(kInts, 9), 0, 127, static_cast<uint32_t>(-32), 255, 65535,
                   static_cast<uint32_t>(-128), static_cast<uint32_t>(-32768), INT32_MAX, 0x80000000U}));
}

TEST(TokenizerRuns, TakesTheLaneWhereANumberIsNoInt32) {
  for (const Bytes& other : {integer(int64_t{INT32_MAX} + 1), integer(int64_t{1} << 40), test::float32(0.5F),
                             float64(0.5), test::int64(-1)}) {
    for (const uint32_t count : {kMinRun, kMinRun + 1, 2 * kMinRun, 100U}) {
      for (const uint32_t at : {0U, 1U, count / 2, count - 1}) {
        std::vector<Bytes> items(count, integer(5));
        items[at] = other;
        const Words words = words_of(array(items));
        // Many integers before it may stand on the tape.
        if (at < 32) {
          EXPECT_EQ(words, (Words{word(kArray, count), word(kFloats, count)}));
        }
      }
    }
  }
}

/// One of doubles among them, and JS would have to copy the whole array.
TEST(TokenizerRuns, OfIntegersStaySoWhereWindowsAndChunksEnd) {
  for (const Bytes& item : {Bytes{0}, integer(0x10000)}) {
    const Bytes message = join({test::array_header(5000), repeat(5000, item)});
    for (uint32_t size = 0; size < 80; size++) {
      for (const test::Sizes& sizes :
           {test::Sizes{.tape = 64 + size}, test::Sizes{.chunk = 640 + size},
            test::Sizes{.chunk = 640 + size, .further = 600}, test::Sizes{.arrival = 100 + size}}) {
        const std::unique_ptr<KeyTable> keys = test::key_table();
        const Outcome outcome = test::Session(*keys, sizes).decode(message);
        ASSERT_EQ(outcome.status, Status::kDone);
        for (const uint32_t any : outcome.tape) ASSERT_NE(any & 15, kFloats) << size;
      }
    }
  }
}

TEST(TokenizerRuns, GathersFloats) {
  for (const uint32_t count : {kMinRun, kMinRun + 1, 100U, 1000U}) {
    EXPECT_EQ(words_of(join({test::array_header(count), repeat(count, float64(0.1))})),
              (Words{word(kArray, count), word(kFloats, count)}));
  }
}

/// Every mixture of short rows of numbers, and of what is none.
TEST(TokenizerRuns, KeepsTheOrderOfAnyMixture) {
  const Bytes kinds[] = {repeat(3, {1}),
                         repeat(2, integer(300)),
                         repeat(3, float64(0.25)),
                         test::float32(2),
                         test::uint64(1ULL << 60),
                         test::str("x"),
                         array({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}})};
  constexpr size_t kKinds = std::size(kinds);
  for (size_t code = 0; code < kKinds * kKinds * kKinds * kKinds * kKinds; code++) {
    uint32_t count = 0;
    Bytes items;
    for (size_t rest = code, i = 0; i < 5; i++, rest /= kKinds) {
      constexpr uint32_t kCounts[kKinds] = {3, 2, 3, 1, 1, 1, 1};
      count += kCounts[rest % kKinds];
      items = join({items, kinds[rest % kKinds]});
    }
    const Bytes message = join({test::array_header(count), items});
    static const std::unique_ptr<KeyTable> keys = test::key_table();
    static test::Session session(*keys, {.chunk = 512, .tape = 128});
    const Outcome outcome = session.decode(message);
    ASSERT_EQ(outcome.status, Status::kDone);
    ASSERT_EQ(outcome.events, reference_decode(message).events);
  }
}

/// Rows of all lengths before and behind something else.
TEST(TokenizerRuns, BeginsAndEndsAnywhereInAnArray) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  test::Session session(*keys, {.chunk = 4096, .tape = 512});
  const Bytes numbers[] = {integer(5), integer(5000), float64(1.5), test::uint64(1ULL << 33)};
  for (const Bytes& number : numbers) {
    for (const Bytes& other : {test::nil(), test::str("text"), float64(0.5), integer(1), Bytes{0x80}}) {
      for (uint32_t before = 0; before <= 40; before++) {
        for (const uint32_t after : {0U, 1U, 6U, 7U, 8U, 9U, 31U, 32U, 33U}) {
          const Bytes message = join(
              {test::array_header(before + 1 + after), repeat(before, number), other, repeat(after, number)});
          const Outcome outcome = session.decode(message);
          ASSERT_EQ(outcome.status, Status::kDone);
          ASSERT_EQ(outcome.events, reference_decode(message).events);
        }
      }
    }
  }
}

TEST(TokenizerPoints, ReadsShortArraysOfFloatsWhole) {
  for (uint32_t count = 1; count <= kMaxPoint; count++) {
    EXPECT_EQ(words_of(join({test::array_header(count), repeat(count, float64(0.5))})),
              Words{word(kPoint, count)});
    EXPECT_EQ(words_of(join({head(0xdc, count, 2), repeat(count, float64(0.5))})),
              Words{word(kPoint, count)});
    EXPECT_EQ(words_of(join({head(0xdd, count, 4), repeat(count, float64(0.5))})),
              Words{word(kPoint, count)});
  }
  const uint32_t longer = kMaxPoint + 1;
  EXPECT_EQ(words_of(join({test::array_header(longer), repeat(longer, float64(0.5))}))[0],
            word(kArray, longer));
}

TEST(TokenizerPoints, TakesNoOtherItems) {
  for (const Bytes& other : {integer(1), test::float32(1), test::nil(), test::uint64(1), array({})}) {
    for (uint32_t count = 1; count <= kMaxPoint; count++) {
      for (uint32_t at = 0; at < count; at++) {
        std::vector<Bytes> items(count, float64(0.5));
        items[at] = other;
        EXPECT_EQ(words_of(array(items))[0], word(kArray, count));
      }
    }
  }
}

TEST(TokenizerPoints, StandBesideOtherValues) {
  const Bytes point = array({float64(1), float64(2)});
  EXPECT_EQ(words_of(array({point, {5}, point})),
            (Words{word(kArray, 3), word(kPoint, 2), int_word(5), word(kPoint, 2)}));
}

/// A lane of the length that `DecodeBuffers` asks for, with guards behind it.
TEST(TokenizerPoints, StayWithinTheLane) {
  constexpr uint32_t kTape = 64;
  constexpr uint32_t kLane = 2 * kTape;
  constexpr double kGuard = -12345;
  const std::unique_ptr<KeyTable> keys = test::key_table();
  for (uint32_t size = 1; size <= kMaxPoint; size++) {
    const Bytes point = join({test::array_header(size), repeat(size, float64(0.5))});
    const Bytes message = join({test::array_header(100), repeat(100, point)});
    const auto length = static_cast<uint32_t>(message.size());
    const test::HeapBuffer<uint8_t> input(length, KeyTable::kLookahead + kSlack);
    const test::HeapBuffer<uint32_t> tape(kTape, kSlack);
    std::vector<double> lane(1000, kGuard);
    const test::HeapBuffer<uint8_t> pool8(length, kSlack);
    const test::HeapBuffer<uint16_t> pool16(length, kSlack);
    std::copy(message.begin(), message.end(), input.data());
    Tokenizer tokenizer(
        *keys, {input.span(), tape.span(), std::span(lane).first(kLane), pool8.span(), pool16.span()});
    tokenizer.begin();
    tokenizer.feed(length, length, false);
    Status status = Status::kWindowFull;
    while (status == Status::kWindowFull) {
      status = tokenizer.run();
      const auto behind = lane.begin() + kLane + kSlack / sizeof(double);
      ASSERT_TRUE(std::all_of(behind, lane.end(), [](double slot) { return slot == kGuard; })) << size;
    }
    EXPECT_EQ(status, Status::kDone);
  }
}

}  // namespace
}  // namespace mpw
