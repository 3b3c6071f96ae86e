#include <gtest/gtest.h>

#include "map_test.hpp"

namespace mpw {
namespace {

using test::array;
using test::ascii;
using test::Bytes;
using test::float64;
using test::head;
using test::integer;
using test::join;
using test::listed;
using test::map;
using test::map_of;
using test::Outcome;
using test::repeat;
using test::str;
using test::text_bytes;
using test::Words;

class TokenizerKeys : public test::MapTest {};

TEST_F(TokenizerKeys, TakesKeysOfAnyLength) {
  for (const size_t length : {0U,  1U,  5U,  6U,  7U,   8U,   9U,   15U,  16U,  31U,   32U,
                              33U, 63U, 64U, 65U, 255U, 256U, 511U, 512U, 513U, 70000U}) {
    for (const std::string& key : {ascii(length), std::string(length, '\0')}) {
      const Bytes message = listed(map({{key, {1}}, {"b", {2}}}));
      for (int i = 0; i < 4; i++) {
        const uint32_t tag = map_word(message) & 15;
        if (i > 1) {
          EXPECT_EQ(tag, length <= KeyTable::kMaxKeyLength ? kShape : kMap) << length;
        }
      }
    }
  }
}

TEST_F(TokenizerKeys, LearnsNoKeyThatIsTooLong) {
  const std::string key = ascii(KeyTable::kMaxKeyLength + 1);
  for (int i = 0; i < 4; i++) check(listed(map({{key, {1}}})));
  EXPECT_EQ(test::find_key(*keys_, key), 0U);
}

TEST_F(TokenizerKeys, TakesKeysInAnyFormatOfStrings) {
  const Bytes id = text_bytes("id");
  const Bytes headers[] = {{0xa2}, head(0xd9, 2, 1), head(0xda, 2, 2), head(0xdb, 2, 4)};
  uint32_t shape = 0;
  for (int i = 0; i < 3; i++) {
    for (const Bytes& header : headers) {
      const uint32_t found = map_word(listed(join({{0x82}, header, id, {1}, str("b"), {2}})));
      if (i == 0) continue;
      EXPECT_EQ(found & 15, kShape);
      if (shape != 0) {
        EXPECT_EQ(found, shape);
      }
      shape = found;
    }
  }
}

TEST_F(TokenizerKeys, TakesKeysThatAreNotAscii) {
  const Bytes message = listed(map({{"\u00fc", {1}}, {"\u20ac\U0001f600", {2}}, {"\xff", {3}}}));
  for (int i = 0; i < 4; i++) check(message);
}

TEST_F(TokenizerKeys, TakesNumbersForKeys) {
  const Bytes numbers[] = {integer(0),
                           integer(127),
                           integer(-1),
                           integer(200),
                           integer(-200),
                           integer(70000),
                           integer(-70000),
                           integer(1 << 30),
                           integer(int64_t{1} << 40),
                           float64(1.5),
                           test::float32(0.5F),
                           test::uint64(UINT64_MAX),
                           test::int64(INT64_MIN)};
  for (const Bytes& number : numbers) {
    for (int i = 0; i < 3; i++) {
      EXPECT_EQ(check(listed(map_of({{number, {1}}}))).status, Status::kDone);
      check(listed(map_of({{str("a"), {1}}, {number, {2}}, {str("b"), {3}}})));
      check(listed(map_of({{number, number}, {number, str("x")}})));
    }
  }
}

TEST_F(TokenizerKeys, RefusesNumbersThatComeAsBigintsForKeys) {
  constexpr uint64_t kSafe = (1ULL << 53) - 1;
  const auto status = [&](Int64 mode, const Bytes& key) {
    DecodeOptions options;
    options.int64 = mode;
    set_options(options);
    const Outcome first = check(listed(map_of({{key, {1}}})));
    const Outcome second = check(listed(map_of({{str("a"), {1}}, {key, {2}}})));
    EXPECT_EQ(second.status, first.status);
    if (first.status != Status::kDone) {
      EXPECT_EQ(first.offset, 2U);
      EXPECT_EQ(first.detail, key[0]);
      EXPECT_EQ(second.offset, 5U);
    }
    return first.status;
  };
  for (const uint64_t value : {uint64_t{0}, kSafe, kSafe + 1, UINT64_MAX}) {
    const Status beyond = value > kSafe ? Status::kKeyType : Status::kDone;
    EXPECT_EQ(status(Int64::kNumber, test::uint64(value)), Status::kDone);
    EXPECT_EQ(status(Int64::kBigint, test::uint64(value)), Status::kKeyType);
    EXPECT_EQ(status(Int64::kAuto, test::uint64(value)), beyond) << value;
  }
  for (const int64_t value :
       {int64_t{-1}, -static_cast<int64_t>(kSafe), -static_cast<int64_t>(kSafe) - 1, INT64_MIN}) {
    const Status beyond = value < -static_cast<int64_t>(kSafe) ? Status::kKeyType : Status::kDone;
    EXPECT_EQ(status(Int64::kNumber, test::int64(value)), Status::kDone);
    EXPECT_EQ(status(Int64::kBigint, test::int64(value)), Status::kKeyType);
    EXPECT_EQ(status(Int64::kAuto, test::int64(value)), beyond) << value;
  }
  EXPECT_EQ(status(Int64::kBigint, integer(UINT32_MAX)), Status::kDone);
  DecodeOptions options;
  options.int64 = Int64::kBigint;
  options.any_key = true;
  set_options(options);
  check(listed(map_of({{test::uint64(5), {1}}})));
}

TEST_F(TokenizerKeys, RefusesAllOtherKeys) {
  const Bytes others[] = {test::nil(),         test::boolean(false),
                          test::boolean(true), test::bin({1}),
                          test::bin({}),       array({}),
                          array({{1}}),        map({}),
                          map({{"a", {1}}}),   head(0xde, 0, 2),
                          head(0xdc, 0, 2)};
  for (const Bytes& other : others) {
    for (int i = 0; i < 3; i++) {
      const Outcome first = check(listed(map_of({{other, {1}}})));
      EXPECT_EQ(first.status, Status::kKeyType);
      EXPECT_EQ(first.offset, 2U);
      EXPECT_EQ(first.detail, other[0]);
      const Outcome second = check(listed(map_of({{str("a"), {1}}, {other, {1}}})));
      EXPECT_EQ(second.status, Status::kKeyType);
      EXPECT_EQ(second.offset, 5U);
    }
  }
}

TEST_F(TokenizerKeys, LeavesExtensionsForKeysToJs) {
  for (const Bytes& key :
       {test::ext(1, {1}), test::ext(-1, Bytes(4)), test::ext(5, Bytes(3)), test::ext(5, Bytes(700))}) {
    for (int i = 0; i < 3; i++) {
      EXPECT_EQ(check(listed(map_of({{key, {1}}}))).status, Status::kDone);
      EXPECT_EQ(check(listed(map_of({{str("a"), {1}}, {key, key}, {str("b"), {2}}}))).status, Status::kDone);
    }
  }
}

TEST_F(TokenizerKeys, SaysOfTheByteThatIsNeverUsedThatItIsUnknownAsAKeyToo) {
  const Outcome outcome = check(listed(map_of({{{0xc1}, {1}}})));
  EXPECT_EQ(outcome.status, Status::kUnknownFormat);
  EXPECT_EQ(outcome.offset, 2U);
  EXPECT_EQ(outcome.detail, 0xc1U);
}

TEST_F(TokenizerKeys, RefusesProto) {
  const Bytes proto = text_bytes("__proto__");
  const Bytes headers[] = {{0xa9}, head(0xd9, 9, 1), head(0xda, 9, 2), head(0xdb, 9, 4)};
  for (const Bytes& header : headers) {
    const Bytes key = join({header, proto});
    for (int i = 0; i < 4; i++) {
      const Outcome alone = check(map_of({{key, {1}}}));
      EXPECT_EQ(alone.status, Status::kForbiddenKey);
      EXPECT_EQ(alone.offset, 1U);
      // Behind keys of a shape, known and not, and in line.
      for (uint32_t before = 0; before <= 4; before++) {
        std::vector<std::pair<Bytes, Bytes>> pairs;
        for (uint32_t k = 0; k < before; k++) pairs.push_back({str("key " + std::to_string(k)), {1}});
        pairs.push_back({key, {1}});
        pairs.push_back({str("after"), {1}});
        EXPECT_EQ(check(array({map_of(pairs), {2}})).status, Status::kForbiddenKey);
        EXPECT_EQ(check(array({map_of(pairs), {2}})).offset, 2U + 7 * before);
        pairs.insert(pairs.begin(), {integer(5), {1}});
        EXPECT_EQ(check(array({map_of(pairs), {2}})).offset, 4U + 7 * before) << "in line";
      }
    }
  }
  EXPECT_EQ(test::find_key(*keys_, "__proto__"), 0U);
}

TEST_F(TokenizerKeys, RefusesProtoInDictionariesAndDeepMaps) {
  std::vector<std::pair<Bytes, Bytes>> pairs;
  for (int64_t i = 0; i < 200; i++) pairs.push_back({str("key " + std::to_string(i)), {1}});
  pairs[150].first = str("__proto__");
  EXPECT_EQ(check(map_of(pairs)).status, Status::kForbiddenKey);
  const Bytes deep = join({repeat(Tokenizer::kDeep + 5, {0x91}), map({{"__proto__", {1}}})});
  EXPECT_EQ(check(deep).status, Status::kForbiddenKey);
  EXPECT_EQ(check(deep).offset, Tokenizer::kDeep + 6);
}

TEST_F(TokenizerKeys, RefusesProtoWhereStringsAreRawOrLimited) {
  DecodeOptions raw;
  raw.raw_strings = true;
  set_options(raw);
  EXPECT_EQ(check(map({{"__proto__", {1}}})).status, Status::kForbiddenKey);
  DecodeOptions limited;
  limited.max_str_length = 20;
  set_options(limited);
  EXPECT_EQ(check(map({{"__proto__", {1}}})).status, Status::kForbiddenKey);
}

TEST_F(TokenizerKeys, TakesKeysThatOnlyLookLikeProto) {
  for (const char* key :
       {"__proto_", "__proto___", "_proto__", "__Proto__", "__proto\x1f_", "constructor", "prototype"}) {
    for (int i = 0; i < 3; i++) EXPECT_EQ(check(listed(map({{key, {1}}}))).status, Status::kDone) << key;
  }
  EXPECT_EQ(check(array({str("__proto__")})).status, Status::kDone) << "as a value";
  EXPECT_EQ(check(map({{"a", str("__proto__")}})).status, Status::kDone);
}

TEST_F(TokenizerKeys, TakesAnyValueForAKeyWhereAsked) {
  accept_any_key();
  const Bytes keys[] = {test::nil(),
                        test::boolean(true),
                        integer(5),
                        float64(0.5),
                        test::bin({1, 2}),
                        test::ext(3, {4}),
                        array({}),
                        array({{1}, {2}, {3}, {4}, {5}}),
                        map({}),
                        map({{"a", {1}}}),
                        str(""),
                        str("text"),
                        str("__proto__"),
                        str("\u00fc"),
                        str(ascii(600)),
                        test::uint64(UINT64_MAX),
                        array({float64(1), float64(2)})};
  std::vector<std::pair<Bytes, Bytes>> all;
  for (const Bytes& key : keys) {
    for (int i = 0; i < 3; i++) {
      check(map_of({{key, {1}}}));
      check(listed(map_of({{key, key}, {key, {2}}})));
    }
    all.push_back({key, key});
  }
  check(map_of(all));
  EXPECT_EQ(check(map_of({{{0xc1}, {1}}})).status, Status::kUnknownFormat);
}

TEST_F(TokenizerKeys, SaysWhereTheMapIsWhereKeysMayBeAnything) {
  accept_any_key();
  EXPECT_EQ(check(map_of({{{1}, {2}}})).tape,
            (Words{word(kMap, 0), word(kKeys, 1), 0, word(kInt, 1), word(kInt, 2)}));
  EXPECT_EQ(check(array({{5}, {0x80}, join({head(0xde, 1, 2), {1, 2}})})).tape,
            (Words{word(kArray, 3), word(kInt, 5), word(kMap, 0), word(kKeys, 0), 2, word(kMap, 0),
                   word(kKeys, 1), 3, word(kInt, 1), word(kInt, 2)}));
}

TEST_F(TokenizerKeys, LearnsNothingFromMapsWhoseKeysMayBeAnything) {
  accept_any_key();
  for (int i = 0; i < 4; i++) check(map({{"id", {1}}}));
  EXPECT_EQ(test::find_key(*keys_, "id"), 0U);
}

TEST_F(TokenizerKeys, GivesKeysAsBytesWhereAsked) {
  DecodeOptions options;
  options.raw_keys = true;
  set_options(options);
  EXPECT_EQ(check(map({{"id", {2}}})).tape,
            (Words{word(kMap, 0), word(kKeys, 1), 0, wide(kBin), 2, 2, word(kInt, 2)}));
  for (const size_t length : {0U, 8U, 64U, 65U, 512U, 513U, 70000U}) {
    for (int i = 0; i < 3; i++)
      check(listed(map({{ascii(length), str("text")}, {"b", map({{"\xff", {1}}})}})));
  }
  check(listed(map_of({{integer(5), {1}}, {float64(0.5), {2}}, {str("a"), {3}}})));
  EXPECT_EQ(check(map_of({{test::nil(), {1}}})).status, Status::kKeyType);
  options.any_key = true;
  set_options(options);
  check(listed(map_of({{test::nil(), {1}}, {str("a"), {3}}})));
}

TEST_F(TokenizerKeys, NamesKnownKeysInLine) {
  for (int i = 0; i < 3; i++) check(listed(map({{"known", {1}}})));
  const Words words = check(listed(map_of({{integer(1), {1}}, {str("known"), {2}}}))).tape;
  const uint32_t key = test::find_key(*keys_, "known");
  ASSERT_NE(key, 0U);
  EXPECT_EQ(words, (Words{word(kArray, 2), word(kMap, 0), word(kKeys, 2), word(kInt, 1), word(kInt, 1),
                          word(kKey, key), word(kInt, 2), word(kInt, 0x2a)}));
}

TEST_F(TokenizerKeys, DoesNotReadAKeyBeyondTheChunk) {
  for (const size_t length : {0U, 1U, 7U, 8U, 20U, 40U, 64U}) {
    const Bytes message = map({{ascii(length), {1}}, {"b", {2}}});
    for (int i = 0; i < 3; i++) session_.decode(message);
    for (size_t size = 1; size < message.size(); size++) {
      const std::span<const uint8_t> whole(message);
      const Outcome outcome = session_.decode(whole.first(size), whole.subspan(size));
      EXPECT_EQ(outcome.status, Status::kInsufficientData) << length << " " << size;
    }
  }
}

}  // namespace
}  // namespace mpw
