#include <gtest/gtest.h>

#include <limits>

#include "decoding.hpp"

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
using test::Reference;
using test::reference_decode;
using test::repeat;
using test::Sizes;
using test::Words;

constexpr double kTwo53 = 9007199254740992.0;

uint32_t int_word(int32_t value) { return static_cast<uint32_t>(value) << 4 | kInt; }

/// Decodes a whole message, and compares its value with the reference's.
Words words_of(const Bytes& message, const DecodeOptions& options = {}, const Sizes& sizes = {}) {
  const Outcome outcome = decode(message, options, sizes);
  const Reference reference = reference_decode(message, options);
  EXPECT_EQ(reference.status, Status::kDone);
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, message.size());
  EXPECT_EQ(outcome.events, reference.events);
  return outcome.tape;
}

std::string events_of(const Bytes& message, const DecodeOptions& options = {}) {
  words_of(message, options);
  return decode(message, options).events;
}

DecodeOptions with_int64(Int64 mode) {
  DecodeOptions options;
  options.int64 = mode;
  return options;
}

TEST(TokenizerValues, ReadsNilAndBools) {
  EXPECT_EQ(words_of({0xc0}), Words{word(kNil, 0)});
  EXPECT_EQ(words_of({0xc2}), Words{word(kBool, 0)});
  EXPECT_EQ(words_of({0xc3}), Words{word(kBool, 1)});
}

TEST(TokenizerValues, ReadsEveryOneByteInteger) {
  for (int32_t value = -32; value <= 127; value++) {
    EXPECT_EQ(words_of({static_cast<uint8_t>(value)}), Words{int_word(value)});
  }
}

TEST(TokenizerValues, ReadsIntegersAtTheLimitsOfEachFormat) {
  struct Format {
    uint8_t first;
    uint32_t size;
    bool is_signed;
  };
  constexpr Format kFormats[] = {{0xcc, 1, false}, {0xcd, 2, false}, {0xce, 4, false}, {0xcf, 8, false},
                                 {0xd0, 1, true},  {0xd1, 2, true},  {0xd2, 4, true},  {0xd3, 8, true}};
  for (const Format& format : kFormats) {
    const uint64_t largest = ~uint64_t{0} >> (64 - 8 * format.size);
    const uint64_t half = largest / 2;
    for (const uint64_t bits : {uint64_t{0}, uint64_t{1}, uint64_t{0x7f} & largest, uint64_t{0x80} & largest,
                                half - 1, half, half + 1, half + 2, largest - 1, largest}) {
      words_of(head(format.first, bits, format.size));
    }
  }
}

/// Every power of two in each format that holds it, −1, 0 and +1.
TEST(TokenizerValues, ReadsIntegersAroundPowersOfTwo) {
  for (uint32_t power = 0; power < 64; power++) {
    for (const int64_t delta : {-1, 0, 1}) {
      const uint64_t value = (uint64_t{1} << power) + static_cast<uint64_t>(delta);
      words_of(test::uint64(value));
      words_of(test::int64(static_cast<int64_t>(value)));
      words_of(test::int64(static_cast<int64_t>(0 - value)));
      if (power < 63) {
        words_of(integer(static_cast<int64_t>(value)));
        words_of(integer(-static_cast<int64_t>(value)));
      }
    }
  }
}

/// A word has 28 bits for an integer; beyond them it goes through the lane.
TEST(TokenizerValues, HoldsIntegersOf28BitsInTheirWord) {
  constexpr int32_t kLargest = (1 << 27) - 1;
  constexpr int32_t kSmallest = -(1 << 27);
  EXPECT_EQ(words_of(integer(kLargest)), Words{int_word(kLargest)});
  EXPECT_EQ(words_of(integer(kLargest + 1)), Words{word(kFloat, 0)});
  EXPECT_EQ(words_of(integer(kSmallest)), Words{int_word(kSmallest)});
  EXPECT_EQ(words_of(integer(kSmallest - 1)), Words{word(kFloat, 0)});
}

TEST(TokenizerValues, ReadsFloats) {
  constexpr double kDoubles[] = {0.0,
                                 -0.0,
                                 0.5,
                                 -1.5,
                                 1e300,
                                 std::numeric_limits<double>::min(),
                                 std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  for (const double value : kDoubles) {
    EXPECT_EQ(words_of(float64(value)), Words{word(kFloat, 0)});
    EXPECT_EQ(words_of(test::float32(static_cast<float>(value))), Words{word(kFloat, 0)});
  }
  EXPECT_EQ(events_of(float64(-0.0)), "number -0\n");
  EXPECT_EQ(events_of(test::float32(-0.0F)), "number -0\n");
  EXPECT_EQ(events_of(head(0xca, 0x7f800001, 4)), "number nan\n");
}

TEST(TokenizerValues, Rounds64BitIntegersToNumbersByDefault) {
  EXPECT_EQ(events_of(test::uint64(UINT64_MAX)), "number 18446744073709551616\n");
  EXPECT_EQ(events_of(test::int64(INT64_MIN)), "number -9223372036854775808\n");
  EXPECT_EQ(events_of(test::uint64((1ULL << 53) + 1)), "number 9007199254740992\n");
}

TEST(TokenizerValues, KeepsTheBitsOfAll64BitIntegersForBigints) {
  const DecodeOptions options = with_int64(Int64::kBigint);
  EXPECT_EQ(words_of(test::uint64(5), options), Words{wide(kUint64)});
  EXPECT_EQ(words_of(test::int64(-5), options), Words{wide(kInt64)});
  EXPECT_EQ(events_of(test::uint64(UINT64_MAX), options), "uint64 18446744073709551615\n");
  EXPECT_EQ(events_of(test::int64(INT64_MIN), options), "int64 -9223372036854775808\n");
  EXPECT_EQ(events_of(test::int64(INT64_MAX), options), "int64 9223372036854775807\n");
  // A NaN's bits, which a lane of doubles must not change.
  EXPECT_EQ(events_of(test::uint64(0x7ff0000000000001), options), "uint64 9218868437227405313\n");
  EXPECT_EQ(events_of(integer(UINT32_MAX), options), "number 4294967295\n");
}

TEST(TokenizerValues, KeepsTheBitsOfUnsafeIntegersInAutoMode) {
  const DecodeOptions options = with_int64(Int64::kAuto);
  constexpr auto kSafe = static_cast<int64_t>(kTwo53) - 1;
  EXPECT_EQ(words_of(test::uint64(kSafe), options), Words{word(kFloat, 0)});
  EXPECT_EQ(words_of(test::uint64(kSafe + 1), options), Words{wide(kUint64)});
  EXPECT_EQ(words_of(test::uint64(kSafe + 2), options), Words{wide(kUint64)});
  EXPECT_EQ(words_of(test::int64(kSafe), options), Words{word(kFloat, 0)});
  EXPECT_EQ(words_of(test::int64(kSafe + 1), options), Words{wide(kInt64)});
  EXPECT_EQ(words_of(test::int64(-kSafe), options), Words{word(kFloat, 0)});
  EXPECT_EQ(words_of(test::int64(-kSafe - 1), options), Words{wide(kInt64)});
  EXPECT_EQ(words_of(test::uint64(UINT64_MAX), options), Words{wide(kUint64)});
  EXPECT_EQ(words_of(test::int64(INT64_MIN), options), Words{wide(kInt64)});
  EXPECT_EQ(words_of(test::int64(-1), options), Words{word(kFloat, 0)});
}

TEST(TokenizerValues, Keeps64BitIntegersApartWithinRowsOfNumbers) {
  for (const Int64 mode : {Int64::kNumber, Int64::kBigint, Int64::kAuto}) {
    for (size_t at = 0; at < 12; at++) {
      std::vector<Bytes> items(12, integer(7));
      items[at] = test::uint64(UINT64_MAX - 1);
      words_of(array(items), with_int64(mode));
      std::fill(items.begin(), items.end(), float64(0.5));
      items[at] = test::int64(INT64_MIN + 1);
      words_of(array(items), with_int64(mode));
    }
  }
}

TEST(TokenizerValues, ReadsArraysAtTheThresholdsOfTheirFormats) {
  EXPECT_EQ(words_of({0x90}), Words{word(kArray, 0)});
  for (const uint32_t count : {0U, 1U, 14U, 15U}) {
    words_of(join({{static_cast<uint8_t>(0x90 + count)}, repeat(count, test::nil())}));
  }
  for (const uint32_t count : {0U, 1U, 15U, 16U, 17U, 65534U, 65535U}) {
    words_of(join({head(0xdc, count, 2), repeat(count, test::nil())}));
  }
  for (const uint32_t count : {0U, 1U, 65535U, 65536U, 65537U}) {
    words_of(join({head(0xdd, count, 4), repeat(count, test::nil())}));
  }
}

TEST(TokenizerValues, TakesTheEmptyArrayAndMapInTheLongFormatsToo) {
  EXPECT_EQ(words_of(head(0xdc, 0, 2)), Words{word(kArray, 0)});
  EXPECT_EQ(words_of(head(0xdd, 0, 4)), Words{word(kArray, 0)});
  for (const Bytes& message : {Bytes{0x80}, head(0xde, 0, 2), head(0xdf, 0, 4)}) {
    EXPECT_EQ(words_of(message), Words{word(kShape, KeyTable::kRoot)});
  }
}

TEST(TokenizerValues, PassesBinariesByWhereTheyLie) {
  EXPECT_EQ(words_of(test::bin({1, 2, 3})), (Words{wide(kBin), 3, 2}));
  EXPECT_EQ(words_of(join({head(0xc5, 3, 2), {1, 2, 3}})), (Words{wide(kBin), 3, 3}));
  EXPECT_EQ(words_of(join({head(0xc6, 3, 4), {1, 2, 3}})), (Words{wide(kBin), 3, 5}));
  EXPECT_EQ(words_of(array({test::nil(), test::bin({9})})),
            (Words{word(kArray, 2), word(kNil, 0), wide(kBin), 1, 4}));
}

TEST(TokenizerValues, ReadsBinariesAtTheThresholdsOfTheirFormats) {
  for (const uint32_t size : {0U, 1U, 254U, 255U}) words_of(join({head(0xc4, size, 1), test::counted(size)}));
  for (const uint32_t size : {0U, 255U, 256U, 257U, 65534U, 65535U}) {
    words_of(join({head(0xc5, size, 2), test::counted(size)}));
  }
  for (const uint32_t size : {0U, 65535U, 65536U, 65537U}) {
    words_of(join({head(0xc6, size, 4), test::counted(size)}));
  }
}

TEST(TokenizerValues, PassesExtensionsWithTheirType) {
  for (uint32_t type = 0; type < 256; type++) {
    const Bytes rest = {static_cast<uint8_t>(type), 7, 8, 9};
    // Behind the type stands how long the header is.
    EXPECT_EQ(words_of(join({head(0xc7, 3, 1), rest})), (Words{wide(kExt, 3 << 8 | type), 3, 3}));
    EXPECT_EQ(words_of(join({head(0xc8, 3, 2), rest})), (Words{wide(kExt, 4 << 8 | type), 3, 4}));
    EXPECT_EQ(words_of(join({head(0xc9, 3, 4), rest})), (Words{wide(kExt, 6 << 8 | type), 3, 6}));
    EXPECT_EQ(words_of({0xd4, static_cast<uint8_t>(type), 7}), (Words{wide(kExt, 2 << 8 | type), 1, 2}));
  }
}

TEST(TokenizerValues, ReadsExtensionsAtTheThresholdsOfTheirFormats) {
  for (uint32_t i = 0; i < 5; i++) {
    const size_t size = size_t{1} << i;
    words_of(join({{static_cast<uint8_t>(0xd4 + i), 0xf0}, test::counted(size)}));
  }
  const Bytes type = {0x85};
  for (const uint32_t size : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 254U, 255U}) {
    words_of(join({head(0xc7, size, 1), type, test::counted(size)}));
  }
  for (const uint32_t size : {0U, 255U, 256U, 257U, 65534U, 65535U}) {
    words_of(join({head(0xc8, size, 2), type, test::counted(size)}));
  }
  for (const uint32_t size : {0U, 65535U, 65536U, 65537U}) {
    words_of(join({head(0xc9, size, 4), type, test::counted(size)}));
  }
}

/// Counts that no test can hold: the headers alone are fed, with the promise of the rest.
class LargeCounts : public ::testing::Test {
 protected:
  Words header_words(const Bytes& header, bool open, uint64_t available) {
    test::Session session(*keys_, {});
    session.load(header, {}, 0, static_cast<uint32_t>(header.size()));
    session.tokenizer().begin();
    session.tokenizer().feed(static_cast<uint32_t>(header.size()), available, open);
    EXPECT_EQ(session.tokenizer().run(), Status::kNeedInput);
    EXPECT_EQ(session.tokenizer().offset(), header.size());
    return {session.tape().begin(), session.tape().begin() + 2};
  }

  static constexpr uint64_t kPlenty = uint64_t{1} << 40;

  std::unique_ptr<KeyTable> keys_ = test::key_table();
};

TEST_F(LargeCounts, StandInTheWordOfAnArrayUpTo28Bits) {
  EXPECT_EQ(header_words(head(0xdd, kMaxPayload - 1, 4), false, kPlenty)[0], word(kArray, kMaxPayload - 1));
  EXPECT_EQ(header_words(head(0xdd, kMaxPayload, 4), false, kPlenty)[0], word(kArray, kMaxPayload));
  EXPECT_EQ(header_words(head(0xdd, kMaxPayload + 1, 4), false, kPlenty),
            (Words{wide(kLargeArray), kMaxPayload + 1}));
  EXPECT_EQ(header_words(head(0xdd, UINT32_MAX, 4), false, kPlenty), (Words{wide(kLargeArray), UINT32_MAX}));
}

TEST_F(LargeCounts, StandInTheMarkedWordOfAStreamsArrayUpTo24Bits) {
  EXPECT_EQ(header_words(head(0xdd, kMaxWideExtra, 4), true, 5)[0], wide(kDeepArray, kMaxWideExtra));
  EXPECT_EQ(header_words(head(0xdd, kMaxWideExtra + 1, 4), true, 5),
            (Words{wide(kLargeArray), kMaxWideExtra + 1}));
}

TEST_F(LargeCounts, AreRefusedForMapsThatNoEngineHasRoomFor) {
  for (const uint32_t count : {kMaxPayload, kMaxPayload + 1}) {
    const Bytes header = head(0xdf, count, 4);
    test::Session session(*keys_, {});
    session.load(header, {}, 0, 5);
    session.tokenizer().begin();
    session.tokenizer().feed(5, kPlenty, false);
    if (count == kMaxPayload) {
      EXPECT_EQ(session.tokenizer().run(), Status::kNeedInput);
      EXPECT_EQ(session.tape()[1], word(kKeys, count));
    } else {
      EXPECT_EQ(session.tokenizer().run(), Status::kMaxMapLength);
      EXPECT_EQ(session.tokenizer().offset(), 0U);
      EXPECT_EQ(session.tokenizer().detail(), count);
    }
  }
}

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

TEST(TokenizerValues, ReadsOneValueAfterTheOtherFromAChunk) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  test::Session session(*keys);
  Tokenizer& tokenizer = session.tokenizer();
  const Bytes values[] = {integer(5), test::str("text"), array({{1}, {2}}), test::map({{"a", {1}}}),
                          test::bin({1, 2})};
  const Bytes message = join({std::begin(values), std::end(values)});
  session.load(message, {}, 0, static_cast<uint32_t>(message.size()));
  tokenizer.feed(static_cast<uint32_t>(message.size()), message.size(), false);
  uint64_t end = 0;
  for (const Bytes& value : values) {
    tokenizer.begin();
    ASSERT_EQ(tokenizer.run(), Status::kDone);
    end += value.size();
    EXPECT_EQ(tokenizer.offset(), end);
  }
  tokenizer.begin();
  EXPECT_EQ(tokenizer.run(), Status::kInsufficientData);
  EXPECT_EQ(tokenizer.detail(), 1U);
}

TEST(TokenizerValues, LeavesWhatFollowsTheValue) {
  const Outcome outcome = decode({0x92, 1, 2, 0xc1, 0xc1});
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, 3U);
}

}  // namespace
}  // namespace mpw
