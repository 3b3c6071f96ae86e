#include "key_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "memory.hpp"
#include "messages.hpp"

namespace mpw {
namespace {

using test::ascii;
using test::Bytes;
using test::HeapBuffer;
using test::str;
using test::text_bytes;

constexpr uint32_t kRoot = KeyTable::kRoot;
constexpr size_t kLengths[] = {0, 7, 8, 9, 15, 16, 31, 32, 63, 64};

/// A key in memory that is readable no further than it must be.
class Key {
 public:
  explicit Key(std::string_view text, uint8_t behind = 0xdb) : memory_(text.size(), sizeof(uint64_t)) {
    std::fill_n(memory_.data(), text.size() + sizeof(uint64_t), behind);
    std::copy(text.begin(), text.end(), memory_.data());
  }

  std::span<const uint8_t> span() const { return memory_.span(); }

 private:
  HeapBuffer<uint8_t> memory_;
};

class KeyTableTest : public ::testing::Test {
 protected:
  uint32_t hash(std::string_view key) const { return table_->hash(Key(key).span()); }

  /// What the tokenizer does with a key that was not predicted.
  uint32_t follow(uint32_t node, std::string_view key) {
    const Key bytes(key);
    return table_->follow(node, bytes.span(), table_->hash(bytes.span()));
  }

  /// Sees it as often as it takes.
  uint32_t learn(uint32_t node, std::string_view key) {
    const uint32_t next = follow(node, key);
    return next != 0 ? next : follow(node, key);
  }

  uint32_t find(std::string_view key) const { return table_->find(Key(key).span(), hash(key)); }

  /// Matches an encoded key in memory that is readable no further than it must be. Behind the key stands
  /// `behind`.
  uint32_t match(uint32_t node, const Bytes& encoded, uint8_t behind = 0) const {
    const HeapBuffer<uint8_t> memory(KeyTable::kLookahead);
    std::fill_n(memory.data(), KeyTable::kLookahead, behind);
    std::copy(encoded.begin(), encoded.end(), memory.data());
    const KeyTable::Prediction* const predicted = table_->match(node, memory.data());
    return predicted == nullptr ? 0 : predicted->length;
  }

  /// The shape that a key leads to by prediction, or 0.
  uint32_t led_to(uint32_t node, const Bytes& encoded) const {
    const HeapBuffer<uint8_t> memory(KeyTable::kLookahead);
    std::fill_n(memory.data(), KeyTable::kLookahead, uint8_t{0});
    std::copy(encoded.begin(), encoded.end(), memory.data());
    const KeyTable::Prediction* const predicted = table_->match(node, memory.data());
    return predicted == nullptr ? 0 : predicted->next;
  }

  std::string text(uint32_t key) const {
    const std::span<const uint8_t> bytes = table_->text(key);
    return {bytes.begin(), bytes.end()};
  }

  std::unique_ptr<KeyTable> table_ = std::make_unique<KeyTable>(0xabcdefU);
};

TEST_F(KeyTableTest, LearnsAKeyAtItsSecondSight) {
  EXPECT_EQ(follow(kRoot, "id"), 0U);
  EXPECT_EQ(find("id"), 0U);
  const uint32_t shape = follow(kRoot, "id");
  ASSERT_NE(shape, 0U);
  EXPECT_EQ(table_->parent(shape), kRoot);
  EXPECT_EQ(find("id"), table_->key(shape));
  EXPECT_EQ(text(table_->key(shape)), "id");
  EXPECT_EQ(follow(kRoot, "id"), shape);
}

TEST_F(KeyTableTest, LearnsEachShapeOfAKeyAtItsSecondSight) {
  const uint32_t id = learn(kRoot, "id");
  EXPECT_EQ(follow(id, "id"), 0U);
  const uint32_t twice = follow(id, "id");
  ASSERT_NE(twice, 0U);
  EXPECT_NE(twice, id);
  EXPECT_EQ(table_->parent(twice), id);
  EXPECT_EQ(table_->key(twice), table_->key(id));
}

TEST_F(KeyTableTest, LearnsAShapeThatWasSeenInAMapWithoutNodes) {
  const uint32_t path = table_->see(table_->see(table_->path(kRoot), hash("a")), hash("b"));
  const uint32_t first = follow(kRoot, "a");
  ASSERT_NE(first, 0U);
  const uint32_t second = follow(first, "b");
  ASSERT_NE(second, 0U);
  EXPECT_EQ(table_->path(second), path);
}

TEST_F(KeyTableTest, LeavesNothingOfKeysMetOnce) {
  for (int i = 0; i < 3000; i++) follow(kRoot, "key " + std::to_string(i));
  for (int i = 0; i < 3000; i++) ASSERT_EQ(find("key " + std::to_string(i)), 0U);
  EXPECT_EQ(learn(kRoot, "id"), 1U);
  EXPECT_FALSE(table_->is_full());
}

TEST_F(KeyTableTest, MatchesThePredictedKeyOfAnyLength) {
  for (const size_t length : kLengths) {
    const uint32_t shape = learn(kRoot, ascii(length));
    const Bytes encoded = str(ascii(length));
    for (const uint8_t behind : {uint8_t{0x00}, uint8_t{0x61}, uint8_t{0xff}}) {
      EXPECT_EQ(match(kRoot, encoded, behind), encoded.size()) << length;
    }
    EXPECT_EQ(led_to(kRoot, encoded), shape);
  }
}

TEST_F(KeyTableTest, PredictsTheFirstKeyForEachWayToAMapApart) {
  const uint32_t user = learn(kRoot, "user");
  const uint32_t place = learn(kRoot, "place");
  const uint32_t in_user = KeyTable::entry(user);
  const uint32_t in_place = KeyTable::entry(place);
  EXPECT_EQ(match(in_user, str("name")), 0U);
  const uint32_t name = learn(in_user, "name");
  const uint32_t city = learn(in_place, "city");
  EXPECT_EQ(led_to(in_user, str("name")), name);
  EXPECT_EQ(led_to(in_place, str("city")), city);
  EXPECT_EQ(match(in_place, str("name")), 0U);
  // All are entries to one root.
  EXPECT_EQ(follow(kRoot, "name"), name);
  EXPECT_EQ(follow(in_place, "name"), name);
  EXPECT_EQ(table_->parent(name), kRoot);
  EXPECT_EQ(table_->path(in_user), table_->path(kRoot));
  EXPECT_EQ(KeyTable::shape(in_user), kRoot);
  EXPECT_EQ(KeyTable::shape(user), user);
}

TEST_F(KeyTableTest, MatchesTheTwoKeysThatWerePredictedLast) {
  const uint32_t a = learn(kRoot, "a");
  const uint32_t b = learn(kRoot, "b");
  // More often than it takes the two to change places.
  for (int i = 0; i < 20; i++) {
    ASSERT_EQ(led_to(kRoot, str("a")), a);
    ASSERT_EQ(led_to(kRoot, str("b")), b);
  }
  for (int i = 0; i < 20; i++) ASSERT_EQ(led_to(kRoot, str("a")), a);
  const uint32_t c = learn(kRoot, "c");
  EXPECT_EQ(led_to(kRoot, str("b")), 0U);
  EXPECT_EQ(led_to(kRoot, str("a")), a);
  EXPECT_EQ(led_to(kRoot, str("c")), c);
}

TEST_F(KeyTableTest, MatchesNoKeyThatDiffersInAByte) {
  for (const size_t length : kLengths) {
    table_->clear();
    learn(kRoot, ascii(length));
    const Bytes encoded = str(ascii(length));
    for (size_t i = 0; i < encoded.size(); i++) {
      for (uint32_t bit = 0; bit < 8; bit++) {
        Bytes other = encoded;
        other[i] = static_cast<uint8_t>(other[i] ^ 1U << bit);
        ASSERT_EQ(match(kRoot, other), 0U) << length << " " << i;
      }
    }
  }
}

TEST_F(KeyTableTest, MatchesNoKeyThatIsOnlyTheStartOrTheLengthening) {
  for (const size_t length : kLengths) {
    table_->clear();
    learn(kRoot, ascii(length));
    for (size_t other = 0; other <= KeyTable::kMaxKeyLength; other++) {
      const uint32_t expected = other == length ? static_cast<uint32_t>(str(ascii(other)).size()) : 0;
      ASSERT_EQ(match(kRoot, str(ascii(other)), 'a'), expected) << length << " " << other;
    }
  }
}

TEST_F(KeyTableTest, MatchesTheShortestHeaderAloneButKnowsTheKeyBehindAny) {
  const uint32_t shape = learn(kRoot, "id");
  EXPECT_EQ(match(kRoot, test::join({{0xd9, 2}, text_bytes("id")})), 0U);
  EXPECT_EQ(match(kRoot, test::join({{0xda, 0, 2}, text_bytes("id")})), 0U);
  EXPECT_EQ(follow(kRoot, "id"), shape);
}

TEST_F(KeyTableTest, PredictsNothingAtFirst) {
  EXPECT_EQ(match(kRoot, str("")), 0U);
  EXPECT_EQ(match(kRoot, {0xc1}), 0U);
  EXPECT_EQ(match(kRoot, {}), 0U);
  const uint32_t shape = learn(kRoot, "id");
  EXPECT_EQ(match(shape, str("id")), 0U);
  EXPECT_EQ(match(shape, {0xc1}), 0U);
}

TEST_F(KeyTableTest, KeepsItsPredictionWhereAKeyIsSeenForTheFirstTime) {
  const uint32_t a = learn(kRoot, "a");
  EXPECT_EQ(follow(kRoot, "new"), 0U);
  EXPECT_EQ(led_to(kRoot, str("a")), a);
}

TEST_F(KeyTableTest, RecognizesTheKeysOfDictionariesAtTheirSecondSightButLeavesRoomForShapes) {
  const auto recognize = [this](const std::string& key) {
    const Key bytes(key);
    return table_->recognize(bytes.span(), table_->hash(bytes.span()));
  };
  EXPECT_EQ(recognize("id"), 0U);
  EXPECT_EQ(recognize("id"), 1U);
  EXPECT_EQ(recognize("id"), 1U);
  EXPECT_EQ(find("id"), 1U);
  uint32_t known = 0;
  for (uint32_t i = 0; i < KeyTable::kMaxKeys; i++) {
    const std::string key = "key " + std::to_string(i);
    recognize(key);
    if (recognize(key) != 0) known++;
  }
  EXPECT_GT(known, KeyTable::kMaxLooseKeys / 2);
  EXPECT_LE(known, KeyTable::kMaxLooseKeys);
  EXPECT_FALSE(table_->is_full());
  EXPECT_NE(learn(kRoot, "another"), 0U);
}

/// As if they had been made to collide: some may find no place, none may be taken for another.
TEST_F(KeyTableTest, TellsKeysOfTheSameHashApart) {
  constexpr uint32_t kHash = 12345;
  std::set<uint32_t> shapes;
  for (size_t length = 0; length <= KeyTable::kMaxKeyLength; length++) {
    const Key key(ascii(length));
    uint32_t shape = table_->follow(kRoot, key.span(), kHash);
    if (shape == 0) shape = table_->follow(kRoot, key.span(), kHash);
    if (shape == 0) {
      EXPECT_TRUE(table_->is_full());
      EXPECT_EQ(table_->find(key.span(), kHash), 0U);
      continue;
    }
    EXPECT_TRUE(shapes.insert(shape).second) << length;
    EXPECT_EQ(match(kRoot, str(ascii(length))), str(ascii(length)).size());
    EXPECT_EQ(table_->find(key.span(), kHash), table_->key(shape));
    EXPECT_EQ(text(table_->key(shape)), ascii(length));
  }
  EXPECT_GE(shapes.size(), 8U);
  EXPECT_EQ(table_->find(Key("unknown").span(), kHash), 0U);
}

TEST_F(KeyTableTest, FindsAKeyByAllOfItsHash) {
  learn(kRoot, "id");
  EXPECT_NE(table_->find(Key("id").span(), hash("id")), 0U);
  for (uint32_t bit = 0; bit < 32; bit++)
    EXPECT_EQ(table_->find(Key("id").span(), hash("id") ^ 1U << bit), 0U);
}

TEST_F(KeyTableTest, HashesEveryByteAndTheLength) {
  std::set<uint32_t> hashes;
  for (size_t length = 0; length <= 20; length++) hashes.insert(hash(std::string(length, '\0')));
  EXPECT_EQ(hashes.size(), 21U);
  for (const size_t length : {1U, 7U, 8U, 9U, 20U, 64U}) {
    const std::string key = ascii(length);
    for (size_t i = 0; i < length; i++) {
      for (const int bit : {1, 0x40}) {
        std::string other = key;
        other[i] = static_cast<char>(other[i] ^ bit);
        EXPECT_NE(hash(other), hash(key)) << length << " " << i;
      }
    }
  }
}

TEST_F(KeyTableTest, TakesNoNoticeOfWhatFollowsAKey) {
  for (size_t length = 0; length <= KeyTable::kMaxKeyLength; length++) {
    const std::string key = ascii(length);
    learn(kRoot, key);
    const uint32_t number = find(key);
    ASSERT_NE(number, 0U);
    for (const uint8_t behind : {uint8_t{0x00}, uint8_t{0x61}, uint8_t{0xff}}) {
      const Key other(key, behind);
      EXPECT_EQ(table_->hash(other.span()), hash(key)) << length;
      EXPECT_EQ(table_->find(other.span(), hash(key)), number) << length;
    }
  }
}

/// Columns, sensors, days: such names must not meet in the same few places of the table.
TEST_F(KeyTableTest, LearnsKeysThatDifferInAFewCharactersAlone) {
  for (size_t length = 2; length <= 24; length++) {
    for (size_t at = 0; at + 2 <= length; at++) {
      table_->clear();
      uint32_t learned = 0;
      for (uint32_t i = 0; i < 100; i++) {
        std::string key(length, 'x');
        key[at] = static_cast<char>('0' + i / 10);
        key[at + 1] = static_cast<char>('0' + i % 10);
        if (learn(kRoot, key) != 0) learned++;
      }
      EXPECT_GE(learned, 95U) << "of keys of " << length << " characters that differ in those from " << at
                              << " on";
    }
  }
}

TEST_F(KeyTableTest, LeavesMalformedKeysAlone) {
  for (const char* key : {"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "abcdefgh\x80"}) {
    for (int i = 0; i < 4; i++) EXPECT_EQ(follow(kRoot, key), 0U);
    EXPECT_EQ(find(key), 0U);
    EXPECT_EQ(match(kRoot, str(key)), 0U);
  }
  EXPECT_FALSE(table_->is_full());
  EXPECT_NE(learn(kRoot, "\u00fc\U0001f600"), 0U);
}

TEST_F(KeyTableTest, HashesByItsSeed) {
  const auto other = std::make_unique<KeyTable>(0xabcdeeU);
  int equal = 0;
  for (size_t length = 0; length <= 64; length++) {
    if (hash(ascii(length)) == other->hash(Key(ascii(length)).span())) equal++;
  }
  EXPECT_EQ(equal, 0);
}

TEST_F(KeyTableTest, TakesShapesUpToItsBoundAndThenSaysThatItIsFull) {
  std::map<std::string, uint32_t> shapes;
  const auto add = [&](uint32_t i) {
    const std::string key = "key " + std::to_string(i);
    const uint32_t shape = learn(kRoot, key);
    if (shape != 0) {
      EXPECT_TRUE(shapes.emplace(key, shape).second);
    }
    return shape != 0;
  };
  for (uint32_t i = 0; i < KeyTable::kMaxNodes / 2; i++) {
    ASSERT_TRUE(add(i)) << i;
    ASSERT_FALSE(table_->is_full()) << i;
  }
  // Now some may find no place.
  for (uint32_t i = KeyTable::kMaxNodes / 2; i < 2 * KeyTable::kMaxNodes; i++) add(i);
  EXPECT_TRUE(table_->is_full());
  EXPECT_LE(shapes.size(), KeyTable::kMaxNodes - 1);
  EXPECT_GE(shapes.size(), KeyTable::kMaxNodes * 9 / 10);
  std::set<uint32_t> numbers;
  for (const auto& [key, shape] : shapes) numbers.insert(shape);
  EXPECT_EQ(numbers.size(), shapes.size());
  EXPECT_LT(*numbers.rbegin(), KeyTable::kMaxNodes);

  for (const auto& [key, shape] : shapes) {
    ASSERT_EQ(follow(kRoot, key), shape);
    ASSERT_EQ(match(kRoot, str(key)), key.size() + 1);
    ASSERT_EQ(text(table_->key(shape)), key);
    ASSERT_EQ(table_->parent(shape), kRoot);
  }
}

TEST_F(KeyTableTest, TakesKeysUpToItsBytesAndThenSaysThatItIsFull) {
  const auto long_key = [](uint32_t i) {
    std::string key = std::to_string(i);
    return key + ascii(KeyTable::kMaxKeyLength - key.size());
  };
  constexpr uint32_t kEncoded = 2 + KeyTable::kMaxKeyLength;
  constexpr uint32_t kRoom = (KeyTable::kBytes - kSlack) / kEncoded;
  for (uint32_t i = 0; i < kRoom; i++) ASSERT_NE(learn(kRoot, long_key(i)), 0U) << i;
  EXPECT_FALSE(table_->is_full());
  EXPECT_EQ(learn(kRoot, long_key(kRoom)), 0U);
  EXPECT_TRUE(table_->is_full());
  EXPECT_EQ(find(long_key(kRoom)), 0U);

  // A known key makes further shapes: they take no bytes.
  EXPECT_NE(learn(learn(kRoot, long_key(0)), long_key(1)), 0U);
  // What is left takes a key that is shorter.
  constexpr uint32_t kLeft = KeyTable::kBytes - kSlack - kRoom * kEncoded;
  constexpr uint32_t kLongest = kLeft - (kLeft > 32 ? 2 : 1);
  EXPECT_EQ(learn(kRoot, ascii(kLongest + 1)), 0U);
  EXPECT_NE(learn(kRoot, ascii(kLongest)), 0U);

  for (uint32_t i = 0; i < kRoom; i++) ASSERT_EQ(text(find(long_key(i))), long_key(i));
}

TEST_F(KeyTableTest, ForgetsEverything) {
  for (uint32_t i = 0; i < 2 * KeyTable::kMaxNodes; i++) learn(kRoot, "key " + std::to_string(i));
  follow(kRoot, "seen once");
  ASSERT_TRUE(table_->is_full());
  table_->clear();
  EXPECT_FALSE(table_->is_full());
  EXPECT_EQ(match(kRoot, str("key 8191")), 0U);
  EXPECT_EQ(match(kRoot, str("key 0")), 0U);
  EXPECT_EQ(find("key 0"), 0U);
  EXPECT_EQ(follow(kRoot, "seen once"), 0U);
  EXPECT_EQ(follow(kRoot, "key 0"), 0U);

  // Numbers are given anew, and there is as much room as before.
  for (uint32_t i = 1; i < KeyTable::kMaxNodes / 2; i++) {
    const uint32_t shape = learn(kRoot, "other " + std::to_string(i));
    ASSERT_EQ(shape, i);
    ASSERT_EQ(table_->parent(shape), kRoot);
    ASSERT_EQ(text(table_->key(shape)), "other " + std::to_string(i));
    ASSERT_EQ(match(shape, str("key 1")), 0U);
  }
  EXPECT_FALSE(table_->is_full());
}

}  // namespace
}  // namespace mpw
