#include "key_table.hpp"

#include <gtest/gtest.h>

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

class KeyTableTest : public ::testing::Test {
 protected:
  /// What the tokenizer does with a key that was not predicted.
  uint32_t follow(uint32_t node, const Bytes& key) { return table_->follow(node, key, table_->hash(key)); }
  uint32_t follow(uint32_t node, std::string_view key) { return follow(node, text_bytes(key)); }

  /// Sees it as often as it takes.
  uint32_t learn(uint32_t node, std::string_view key) {
    const uint32_t next = follow(node, key);
    return next != 0 ? next : follow(node, key);
  }

  uint32_t find(std::string_view key) const {
    const Bytes bytes = text_bytes(key);
    return table_->find(bytes, table_->hash(bytes));
  }

  /// Matches an encoded key in memory that is readable no further than it must be. Behind the key stands `behind`.
  uint32_t match(uint32_t node, const Bytes& encoded, uint8_t behind = 0) const {
    const HeapBuffer<uint8_t> memory(KeyTable::kLookahead);
    std::fill_n(memory.data(), KeyTable::kLookahead, behind);
    std::copy(encoded.begin(), encoded.end(), memory.data());
    return table_->match(node, memory.data());
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
  const Bytes a = text_bytes("a");
  const Bytes b = text_bytes("b");
  const uint32_t path = table_->see(table_->see(table_->path(kRoot), table_->hash(a)), table_->hash(b));
  const uint32_t first = follow(kRoot, a);
  ASSERT_NE(first, 0U);
  const uint32_t second = follow(first, b);
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
    EXPECT_EQ(table_->predicted(kRoot), shape);
  }
}

TEST_F(KeyTableTest, MatchesNoKeyThatDiffersInAByte) {
  for (const size_t length : kLengths) {
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

TEST_F(KeyTableTest, PredictsTheKeyThatCameLast) {
  const uint32_t a = learn(kRoot, "a");
  const uint32_t b = learn(kRoot, "b");
  EXPECT_EQ(match(kRoot, str("a")), 0U);
  EXPECT_EQ(match(kRoot, str("b")), 2U);
  EXPECT_EQ(table_->predicted(kRoot), b);
  EXPECT_EQ(follow(kRoot, "a"), a);
  EXPECT_EQ(match(kRoot, str("a")), 2U);
  EXPECT_EQ(match(kRoot, str("b")), 0U);
  EXPECT_EQ(table_->predicted(kRoot), a);
}

TEST_F(KeyTableTest, ForgetsAPredictionOfAKeyThatItHasSeenOnce) {
  const uint32_t a = learn(kRoot, "a");
  EXPECT_EQ(follow(kRoot, "new"), 0U);
  EXPECT_EQ(match(kRoot, str("a")), 2U);
  EXPECT_EQ(table_->predicted(kRoot), a);
}

TEST_F(KeyTableTest, TellsKeysOfTheSameHashApart) {
  constexpr uint32_t kHash = 12345;
  std::set<uint32_t> shapes;
  std::set<uint32_t> keys;
  for (size_t length = 0; length <= KeyTable::kMaxKeyLength; length++) {
    const Bytes key = text_bytes(ascii(length));
    uint32_t shape = table_->follow(kRoot, key, kHash);
    if (shape == 0) shape = table_->follow(kRoot, key, kHash);
    ASSERT_NE(shape, 0U);
    EXPECT_EQ(match(kRoot, str(ascii(length))), str(ascii(length)).size());
    shapes.insert(shape);
    keys.insert(table_->key(shape));
  }
  EXPECT_EQ(shapes.size(), KeyTable::kMaxKeyLength + 1);
  EXPECT_EQ(keys.size(), KeyTable::kMaxKeyLength + 1);
  for (size_t length = 0; length <= KeyTable::kMaxKeyLength; length++) {
    EXPECT_EQ(text(table_->find(text_bytes(ascii(length)), kHash)), ascii(length));
  }
  EXPECT_EQ(table_->find(text_bytes("unknown"), kHash), 0U);
}

TEST_F(KeyTableTest, FindsAKeyByAllOfItsHash) {
  const Bytes id = text_bytes("id");
  learn(kRoot, "id");
  const uint32_t hash = table_->hash(id);
  EXPECT_NE(table_->find(id, hash), 0U);
  for (uint32_t bit = 0; bit < 32; bit++) EXPECT_EQ(table_->find(id, hash ^ 1U << bit), 0U);
}

TEST_F(KeyTableTest, HashesEveryByteAndTheLength) {
  std::set<uint32_t> hashes;
  for (size_t length = 0; length <= 20; length++) hashes.insert(table_->hash(Bytes(length, 0)));
  EXPECT_EQ(hashes.size(), 21U);
  const Bytes key = text_bytes(ascii(20));
  for (size_t i = 0; i < key.size(); i++) {
    Bytes other = key;
    other[i] = static_cast<uint8_t>(other[i] ^ 1U);
    EXPECT_NE(table_->hash(other), table_->hash(key)) << i;
  }
}

TEST_F(KeyTableTest, HashesNoFurtherThanTheKey) {
  for (size_t length = 0; length <= KeyTable::kMaxKeyLength; length++) {
    const HeapBuffer<uint8_t> exact(length);
    const Bytes key = text_bytes(ascii(length));
    std::copy(key.begin(), key.end(), exact.data());
    EXPECT_EQ(table_->hash(exact.span()), table_->hash(key));
  }
}

TEST_F(KeyTableTest, HashesByItsSeed) {
  const auto other = std::make_unique<KeyTable>(0xabcdeeU);
  int equal = 0;
  for (size_t length = 0; length <= 64; length++) {
    const Bytes key = text_bytes(ascii(length));
    if (table_->hash(key) == other->hash(key)) equal++;
  }
  EXPECT_EQ(equal, 0);
}

TEST_F(KeyTableTest, TakesShapesUpToItsBoundAndThenSaysThatItIsFull) {
  std::vector<uint32_t> shapes;
  for (uint32_t i = 0; i < KeyTable::kMaxNodes - 1; i++) {
    shapes.push_back(learn(kRoot, "key " + std::to_string(i)));
    ASSERT_NE(shapes.back(), 0U) << i;
  }
  EXPECT_EQ(std::set<uint32_t>(shapes.begin(), shapes.end()).size(), shapes.size());
  EXPECT_FALSE(table_->is_full());

  EXPECT_EQ(learn(kRoot, "one too many"), 0U);
  EXPECT_TRUE(table_->is_full());
  EXPECT_EQ(find("one too many"), 0U);
  EXPECT_EQ(learn(shapes[0], "key 1"), 0U);

  for (uint32_t i = 0; i < shapes.size(); i++) {
    const std::string key = "key " + std::to_string(i);
    ASSERT_EQ(follow(kRoot, key), shapes[i]);
    ASSERT_EQ(match(kRoot, str(key)), key.size() + 1);
    ASSERT_EQ(text(table_->key(shapes[i])), key);
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
  EXPECT_EQ(learn(kRoot, ascii(kLeft - 1)), 0U);
  EXPECT_NE(learn(kRoot, ascii(kLeft - 2)), 0U);

  for (uint32_t i = 0; i < kRoom; i++) ASSERT_EQ(text(find(long_key(i))), long_key(i));
}

TEST_F(KeyTableTest, ForgetsEverything) {
  for (uint32_t i = 0; i < KeyTable::kMaxNodes; i++) learn(kRoot, "key " + std::to_string(i));
  follow(kRoot, "seen once");
  ASSERT_TRUE(table_->is_full());
  table_->clear();
  EXPECT_FALSE(table_->is_full());
  EXPECT_EQ(match(kRoot, str("key 4094")), 0U);
  EXPECT_EQ(find("key 0"), 0U);
  EXPECT_EQ(follow(kRoot, "seen once"), 0U);
  EXPECT_EQ(follow(kRoot, "key 0"), 0U);

  // Numbers are given anew, and there is as much room as before.
  for (uint32_t i = 1; i < KeyTable::kMaxNodes; i++) {
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
