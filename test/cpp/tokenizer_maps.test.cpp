#include <gtest/gtest.h>

#include "decoding.hpp"

namespace mpw {
namespace {

using test::array;
using test::ascii;
using test::Bytes;
using test::float64;
using test::head;
using test::integer;
using test::join;
using test::map;
using test::map_of;
using test::Outcome;
using test::Reference;
using test::reference_decode;
using test::repeat;
using test::Session;
using test::str;
using test::text_bytes;
using test::Words;

class TokenizerMaps : public ::testing::Test {
 protected:
  /// Decodes a whole message, and compares its value with the reference's.
  Outcome check(const Bytes& message) {
    const Outcome outcome = session_.decode(message);
    const Reference reference = reference_decode(message, options_);
    EXPECT_EQ(outcome.status, reference.status);
    if (outcome.status == Status::kDone) {
      EXPECT_EQ(outcome.offset, message.size());
      EXPECT_EQ(outcome.events, reference.events);
    }
    return outcome;
  }

  void set_options(const DecodeOptions& options) {
    options_ = options;
    session_.set_options(options);
  }
  void accept_any_key() {
    DecodeOptions options;
    options.any_key = true;
    set_options(options);
  }

  /// The word of the map that is the first item of an array.
  uint32_t map_word(const Bytes& message) {
    const Words words = check(message).tape;
    return words.size() > 1 ? words[1] : 0;
  }

  std::unique_ptr<KeyTable> keys_ = test::key_table();
  DecodeOptions options_;
  Session session_{*keys_};
};

/// Not the last item, so that another follows it.
Bytes listed(const Bytes& value) { return array({value, {0x2a}}); }

TEST_F(TokenizerMaps, TakesAMapForAShapeFromItsThirdSightOn) {
  const Bytes message = listed(map({{"id", {1}}, {"name", str("x")}}));
  EXPECT_EQ(map_word(message), word(kMap, KeyTable::kRoot));
  // At its second, the keys are learned.
  const uint32_t shape = map_word(message);
  EXPECT_EQ(shape & 15, kShape);
  EXPECT_EQ(map_word(message), shape);
  EXPECT_EQ(check(message).tape.size(), 7U);
}

TEST_F(TokenizerMaps, TakesTheWholeMessageForAShapeToo) {
  const Bytes message = map({{"id", {1}}, {"name", {2}}});
  EXPECT_EQ(check(message).tape[0], word(kMap, KeyTable::kRoot));
  for (int i = 0; i < 3; i++) {
    const Words words = check(message).tape;
    ASSERT_EQ(words.size(), 3U);
    EXPECT_EQ(words[0] & 15, kShape);
  }
}

TEST_F(TokenizerMaps, TakesTheLastMapOfAMessageForAShapeToo) {
  const Bytes map_in_map = map({{"a", {1}}, {"b", map({{"c", {2}}, {"d", {3}}})}});
  const Bytes message = array({{0}, array({{0}, map_in_map})});
  for (int i = 0; i < 4; i++) {
    const Words words = check(message).tape;
    if (i > 0) {
      EXPECT_EQ(words.size(), 9U) << "no keys on the tape";
    }
  }
}

TEST_F(TokenizerMaps, TakesMapsWithinOneMessageForShapes) {
  const Bytes message =
      join({test::array_header(100), repeat(100, map({{"x", float64(1)}, {"y", float64(2)}}))});
  // Two words more a map, for its values; the first with its keys in line.
  EXPECT_LE(check(message).tape.size(), 1U + 100 * 3 + 5);
}

TEST_F(TokenizerMaps, KeepsTheKeysThatMatchedWhereAShapeEnds) {
  const Bytes known = listed(map({{"a", {1}}, {"b", {2}}, {"c", {3}}}));
  for (int i = 0; i < 3; i++) check(known);
  const uint32_t two = map_word(listed(map({{"a", {1}}, {"b", {2}}, {"new", {3}}, {"newer", {4}}})));
  EXPECT_EQ(two & 15, kMap);
  const uint32_t node = two >> 4;
  EXPECT_EQ(keys_->parent(keys_->parent(node)), KeyTable::kRoot);
  check(listed(map({{"b", {1}}, {"a", {2}}})));
  check(listed(map({{"a", {1}}})));
  check(listed(map({})));
}

TEST_F(TokenizerMaps, TellsAlternatingShapesApart) {
  std::vector<Bytes> items;
  for (int64_t i = 0; i < 300; i++) {
    items.push_back(map({{"type", integer(i)}, {i % 3 == 0 ? "text" : "data", {1}}, {"end", {2}}}));
    items.push_back(map({{"type", integer(i)}}));
    if (i % 7 == 0) items.push_back(map({{"key " + std::to_string(i), {3}}}));
  }
  for (int i = 0; i < 3; i++) check(array(items));
}

TEST_F(TokenizerMaps, TakesKeysOfAnyLength) {
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

TEST_F(TokenizerMaps, LearnsNoKeyThatIsTooLong) {
  const std::string key = ascii(KeyTable::kMaxKeyLength + 1);
  for (int i = 0; i < 4; i++) check(listed(map({{key, {1}}})));
  EXPECT_EQ(test::find_key(*keys_, key), 0U);
}

TEST_F(TokenizerMaps, TakesKeysInAnyFormatOfStrings) {
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

TEST_F(TokenizerMaps, TakesKeysThatAreNotAscii) {
  const Bytes message = listed(map({{"\u00fc", {1}}, {"\u20ac\U0001f600", {2}}, {"\xff", {3}}}));
  for (int i = 0; i < 4; i++) check(message);
}

TEST_F(TokenizerMaps, TakesNumbersForKeys) {
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

/// A bigint is neither string nor number.
TEST_F(TokenizerMaps, RefusesNumbersThatComeAsBigintsForKeys) {
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

TEST_F(TokenizerMaps, RefusesAllOtherKeys) {
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

/// What a codec makes of them may be strings or numbers.
TEST_F(TokenizerMaps, LeavesExtensionsForKeysToJs) {
  for (const Bytes& key :
       {test::ext(1, {1}), test::ext(-1, Bytes(4)), test::ext(5, Bytes(3)), test::ext(5, Bytes(700))}) {
    for (int i = 0; i < 3; i++) {
      EXPECT_EQ(check(listed(map_of({{key, {1}}}))).status, Status::kDone);
      EXPECT_EQ(check(listed(map_of({{str("a"), {1}}, {key, key}, {str("b"), {2}}}))).status, Status::kDone);
    }
  }
}

TEST_F(TokenizerMaps, SaysOfTheByteThatIsNeverUsedThatItIsUnknownAsAKeyToo) {
  const Outcome outcome = check(listed(map_of({{{0xc1}, {1}}})));
  EXPECT_EQ(outcome.status, Status::kUnknownFormat);
  EXPECT_EQ(outcome.offset, 2U);
  EXPECT_EQ(outcome.detail, 0xc1U);
}

/// Wherever it stands, whatever stands around it, in each format, and however often it is tried.
TEST_F(TokenizerMaps, RefusesProto) {
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

TEST_F(TokenizerMaps, RefusesProtoInDictionariesAndDeepMaps) {
  std::vector<std::pair<Bytes, Bytes>> pairs;
  for (int64_t i = 0; i < 200; i++) pairs.push_back({str("key " + std::to_string(i)), {1}});
  pairs[150].first = str("__proto__");
  EXPECT_EQ(check(map_of(pairs)).status, Status::kForbiddenKey);
  const Bytes deep = join({repeat(Tokenizer::kDeep + 5, {0x91}), map({{"__proto__", {1}}})});
  EXPECT_EQ(check(deep).status, Status::kForbiddenKey);
  EXPECT_EQ(check(deep).offset, Tokenizer::kDeep + 6);
}

TEST_F(TokenizerMaps, RefusesProtoWhereStringsAreRawOrLimited) {
  DecodeOptions raw;
  raw.raw_strings = true;
  set_options(raw);
  EXPECT_EQ(check(map({{"__proto__", {1}}})).status, Status::kForbiddenKey);
  DecodeOptions limited;
  limited.max_str_length = 20;
  set_options(limited);
  EXPECT_EQ(check(map({{"__proto__", {1}}})).status, Status::kForbiddenKey);
}

TEST_F(TokenizerMaps, TakesKeysThatOnlyLookLikeProto) {
  for (const char* key :
       {"__proto_", "__proto___", "_proto__", "__Proto__", "__proto\x1f_", "constructor", "prototype"}) {
    for (int i = 0; i < 3; i++) EXPECT_EQ(check(listed(map({{key, {1}}}))).status, Status::kDone) << key;
  }
  EXPECT_EQ(check(array({str("__proto__")})).status, Status::kDone) << "as a value";
  EXPECT_EQ(check(map({{"a", str("__proto__")}})).status, Status::kDone);
}

TEST_F(TokenizerMaps, TakesAnyValueForAKeyWhereAsked) {
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

TEST_F(TokenizerMaps, SaysWhereTheMapIsWhereKeysMayBeAnything) {
  accept_any_key();
  EXPECT_EQ(check(map_of({{{1}, {2}}})).tape,
            (Words{word(kMap, 0), word(kKeys, 1), 0, word(kInt, 1), word(kInt, 2)}));
  EXPECT_EQ(check(array({{5}, {0x80}, join({head(0xde, 1, 2), {1, 2}})})).tape,
            (Words{word(kArray, 3), word(kInt, 5), word(kMap, 0), word(kKeys, 0), 2, word(kMap, 0),
                   word(kKeys, 1), 3, word(kInt, 1), word(kInt, 2)}));
}

TEST_F(TokenizerMaps, LearnsNothingFromMapsWhoseKeysMayBeAnything) {
  accept_any_key();
  for (int i = 0; i < 4; i++) check(map({{"id", {1}}}));
  EXPECT_EQ(test::find_key(*keys_, "id"), 0U);
}

TEST_F(TokenizerMaps, GivesKeysAsBytesWhereAsked) {
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

/// The table may fail to notice the second sight of so many keys: whether it does depends on its seed.
bool becomes_shape(const Bytes& message) {
  for (uint32_t seed = 1; seed <= 50; seed++) {
    const std::unique_ptr<KeyTable> keys = test::key_table(seed);
    Session session(*keys);
    Words words;
    for (int i = 0; i < 3; i++) words = session.decode(message).tape;
    if (words.size() > 1 && (words[1] & 15) == kShape) return true;
  }
  return false;
}

TEST_F(TokenizerMaps, SeeksNoShapeOfADictionary) {
  constexpr uint32_t kMost = Tokenizer::kMaxShapeKeys;
  for (const uint32_t count : {kMost - 1, kMost, kMost + 1}) {
    std::vector<std::pair<std::string, Bytes>> pairs;
    for (uint32_t i = 0; i < count; i++) pairs.push_back({std::to_string(i), {1}});
    const Bytes message = listed(map(pairs));
    for (int i = 0; i < 4; i++) check(message);
    EXPECT_EQ(becomes_shape(message), count <= kMost) << count;
  }
}

/// The seed is another in each process: none may leave a record in line for good.
TEST_F(TokenizerMaps, LearnsARecordOfManyKeysWhateverTheSeed) {
  std::vector<std::pair<std::string, Bytes>> pairs;
  for (uint32_t i = 0; i < 40; i++) pairs.push_back({"field_" + std::to_string(i * 37), {1}});
  const Bytes message = listed(map(pairs));
  uint32_t in_line = 0;
  for (uint32_t seed = 1; seed <= 200; seed++) {
    const std::unique_ptr<KeyTable> keys = test::key_table(seed * 2654435761U);
    Session session(*keys, {.chunk = 2048, .tape = 256});
    Words words;
    for (int i = 0; i < 20; i++) words = session.decode(message).tape;
    ASSERT_GT(words.size(), 1U);
    if ((words[1] & 15) != kShape) in_line++;
  }
  EXPECT_EQ(in_line, 0U) << "of 200 seeds, at the twentieth sight";
}

TEST_F(TokenizerMaps, ReadsMapsAtTheThresholdsOfTheirFormats) {
  const auto pairs = [](uint32_t count) {
    Bytes bytes;
    for (uint32_t i = 0; i < count; i++) {
      const Bytes pair = join({integer(i), test::nil()});
      bytes.insert(bytes.end(), pair.begin(), pair.end());
    }
    return bytes;
  };
  for (const uint32_t count : {0U, 1U, 14U, 15U})
    check(join({{static_cast<uint8_t>(0x80 + count)}, pairs(count)}));
  for (const uint32_t count : {0U, 1U, 15U, 16U, 17U, 65534U, 65535U})
    check(join({head(0xde, count, 2), pairs(count)}));
  for (const uint32_t count : {0U, 1U, 65535U, 65536U, 65537U})
    check(join({head(0xdf, count, 4), pairs(count)}));
}

TEST_F(TokenizerMaps, KeepsPairsInOrderAndTwice) {
  const Bytes message = listed(map({{"b", {1}}, {"a", {2}}, {"b", {3}}, {"b", {4}}}));
  for (int i = 0; i < 4; i++) check(message);
}

/// Names keys by number that are known from another map.
TEST_F(TokenizerMaps, NamesKnownKeysInLine) {
  for (int i = 0; i < 3; i++) check(listed(map({{"known", {1}}})));
  const Words words = check(listed(map_of({{integer(1), {1}}, {str("known"), {2}}}))).tape;
  const uint32_t key = test::find_key(*keys_, "known");
  ASSERT_NE(key, 0U);
  EXPECT_EQ(words, (Words{word(kArray, 2), word(kMap, 0), word(kKeys, 2), word(kInt, 1), word(kInt, 1),
                          word(kKey, key), word(kInt, 2), word(kInt, 0x2a)}));
}

TEST_F(TokenizerMaps, GoesOnWhenTheTableIsFull) {
  for (uint32_t i = 0; i < 2 * KeyTable::kMaxNodes; i++) {
    const Bytes message = listed(map({{"key " + std::to_string(i), {1}}}));
    session_.decode(message);
    session_.decode(message);
  }
  ASSERT_TRUE(keys_->is_full());
  // What is known still is, what is not comes in line.
  EXPECT_EQ(map_word(listed(map({{"key 5", {1}}}))) & 15, kShape);
  const Bytes fresh = listed(map({{"fresh", {1}}, {"key 5", {2}}, {"fresher", {3}}}));
  for (int i = 0; i < 4; i++) EXPECT_EQ(map_word(fresh), word(kMap, 0));
  check(listed(map({{"key 7", {1}}, {"fresh", {2}}})));
  keys_->clear();
  for (int i = 0; i < 3; i++) check(fresh);
  EXPECT_EQ(map_word(fresh) & 15, kShape);
}

/// What lies behind a chunk may be the rest of a known key: an earlier message's.
TEST_F(TokenizerMaps, DoesNotReadAKeyBeyondTheChunk) {
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
