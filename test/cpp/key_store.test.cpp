#include "key_store.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "memory.hpp"
#include "messages.hpp"

namespace mpw {
namespace {

using test::ascii;
using test::Bytes;
using test::str;

class KeyStoreTest : public ::testing::Test {
 protected:
  /// Adds a key from memory that ends where the key does.
  uint32_t add(const std::u16string& key) {
    const test::HeapBuffer<uint16_t> units(key.size());
    std::copy(key.begin(), key.end(), units.data());
    return store_->add(units.span());
  }
  uint32_t add(const std::string& key) { return add(std::u16string(key.begin(), key.end())); }

  Bytes encoded(uint32_t number) const {
    const std::span<const uint8_t> bytes = store_->encoded(number);
    return {bytes.begin(), bytes.end()};
  }

  std::unique_ptr<KeyStore> store_ = std::make_unique<KeyStore>();
};

TEST_F(KeyStoreTest, KeepsKeysAsTheyAreEncoded) {
  for (const size_t length : {0U, 1U, 7U, 8U, 30U, 31U, 32U, 33U, 63U, 64U}) {
    const uint32_t number = add(ascii(length));
    ASSERT_NE(number, 0U) << length;
    EXPECT_EQ(encoded(number), str(ascii(length))) << length;
  }
}

TEST_F(KeyStoreTest, TakesTheHeaderByTheBytesOfUtf8) {
  EXPECT_EQ(encoded(add(std::u16string(15, u'\u00fc') + u"x")),
            test::join({{0xbf}, test::repeat(15, {0xc3, 0xbc}), {'x'}}));
  EXPECT_EQ(encoded(add(std::u16string(16, u'\u00fc'))),
            test::join({{0xd9, 32}, test::repeat(16, {0xc3, 0xbc})}));
  EXPECT_EQ(encoded(add(std::u16string(64, u'\u20ac'))),
            test::join({{0xd9, 192}, test::repeat(64, {0xe2, 0x82, 0xac})}));
}

TEST_F(KeyStoreTest, ReplacesLoneSurrogates) {
  EXPECT_EQ(encoded(add(u"a\xd83d")), str("a\ufffd"));
  EXPECT_EQ(encoded(add(u"\xd83d\xde00")), str("\U0001f600"));
}

TEST_F(KeyStoreTest, RefusesKeysThatAreTooLong) {
  EXPECT_NE(add(ascii(KeyStore::kMaxUnits)), 0U);
  EXPECT_EQ(add(ascii(KeyStore::kMaxUnits + 1)), 0U);
  EXPECT_EQ(add(ascii(1000)), 0U);
}

TEST_F(KeyStoreTest, TakesKeysUpToItsNumber) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 1; i < KeyStore::kMaxKeys; i++) {
    numbers.push_back(add(std::to_string(i)));
    ASSERT_NE(numbers.back(), 0U) << i;
  }
  EXPECT_EQ(add("x"), 0U);
  for (uint32_t i = 1; i < KeyStore::kMaxKeys; i++)
    ASSERT_EQ(encoded(numbers[i - 1]), str(std::to_string(i)));
}

TEST_F(KeyStoreTest, TakesKeysUpToItsBytes) {
  const std::u16string longest(KeyStore::kMaxUnits, u'\u20ac');
  std::vector<uint32_t> numbers;
  for (uint32_t number; (number = add(longest)) != 0;) {
    numbers.push_back(number);
    ASSERT_LE(numbers.size(), KeyStore::kBytes / KeyStore::kMaxLength);
  }
  EXPECT_GE(numbers.size(), KeyStore::kBytes / KeyStore::kMaxLength - 2);
  for (const uint32_t number : numbers) {
    const std::span<const uint8_t> key = store_->encoded(number);
    ASSERT_EQ(key.size(), KeyStore::kMaxLength);
    ASSERT_EQ(encoded(number), test::join({{0xd9, 192}, test::repeat(64, {0xe2, 0x82, 0xac})}));
  }
}

TEST_F(KeyStoreTest, ForgetsEverything) {
  while (add(std::u16string(KeyStore::kMaxUnits, u'\u20ac')) != 0) continue;
  store_->clear();
  for (uint32_t i = 1; i < KeyStore::kMaxKeys; i++) {
    ASSERT_EQ(add(std::to_string(i)), i);
    ASSERT_EQ(encoded(i), str(std::to_string(i)));
  }
}

}  // namespace
}  // namespace mpw
