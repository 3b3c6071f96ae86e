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
using test::repeat;
using test::Words;
using test::words_of;

constexpr double kTwo53 = 9007199254740992.0;

uint32_t int_word(int32_t value) { return static_cast<uint32_t>(value) << 4 | kInt; }

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

/// A word has 28 bits for an integer; one of 32 has a second word, and beyond these it goes through the lane.
TEST(TokenizerValues, HoldsIntegersOf32BitsOnTheTape) {
  constexpr int32_t kLargest = (1 << 27) - 1;
  constexpr int32_t kSmallest = -(1 << 27);
  EXPECT_EQ(words_of(integer(kLargest)), Words{int_word(kLargest)});
  EXPECT_EQ(words_of(integer(kLargest + 1)), (Words{wide(kInt32), kLargest + 1}));
  EXPECT_EQ(words_of(integer(INT32_MAX)), (Words{wide(kInt32), INT32_MAX}));
  EXPECT_EQ(words_of(integer(INT64_C(1) << 31)), Words{word(kFloat, 0)});
  EXPECT_EQ(words_of(integer(kSmallest)), Words{int_word(kSmallest)});
  EXPECT_EQ(words_of(integer(kSmallest - 1)), (Words{wide(kInt32), static_cast<uint32_t>(kSmallest - 1)}));
  EXPECT_EQ(words_of(integer(INT32_MIN)), (Words{wide(kInt32), 1U << 31}));
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
