#include <gtest/gtest.h>

#include "decoding.hpp"

namespace mpw {
namespace {

using test::array;
using test::ascii;
using test::Bytes;
using test::decode;
using test::head;
using test::join;
using test::map;
using test::Outcome;
using test::reference_decode;
using test::repeat;
using test::Sizes;
using test::str;
using test::text_bytes;
using test::Words;
using test::words_of;

/// A two-byte character: `bytes` bytes of them are half as many UTF-16 units.
std::string wide_text(size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "\u00fc";
  return text;
}

TEST(TokenizerText, PutsAsciiIntoThePoolOfBytes) {
  EXPECT_EQ(words_of(str("hello")), (Words{kPool8, 5, word(kText8, 5)}));
  EXPECT_EQ(words_of(array({str("ab"), str("cde")})),
            (Words{word(kArray, 2), kPool8, 5, word(kText8, 2), word(kText8, 3)}));
}

TEST(TokenizerText, PutsOtherTextIntoThePoolOfUnits) {
  EXPECT_EQ(words_of(array({str("ab"), str("\u00fc"), str("c"), str("\U0001f600")})),
            (Words{word(kArray, 4), kPool8, 3, word(kText8, 2), kPool16, 3, word(kText16, 1), word(kText8, 1),
                   word(kText16, 2)}));
}

TEST(TokenizerText, OpensAPoolForTheEmptyStringToo) {
  EXPECT_EQ(words_of(str("")), (Words{kPool8, 0, word(kText8, 0)}));
  EXPECT_EQ(words_of(array({str(""), str(""), str("x")})),
            (Words{word(kArray, 3), kPool8, 1, word(kText8, 0), word(kText8, 0), word(kText8, 1)}));
}

TEST(TokenizerText, ReadsStringsAtTheThresholdsOfTheirFormats) {
  const auto check = [](const Bytes& header, size_t length) {
    words_of(join({header, text_bytes(ascii(length))}));
    words_of(join({header, text_bytes(wide_text(length / 2 * 2)), text_bytes(ascii(length % 2))}));
  };
  for (const uint32_t length : {0U, 1U, 30U, 31U}) check({static_cast<uint8_t>(0xa0 + length)}, length);
  for (const uint32_t length : {0U, 31U, 32U, 33U, 254U, 255U}) check(head(0xd9, length, 1), length);
  for (const uint32_t length : {0U, 255U, 256U, 257U, 65534U, 65535U}) check(head(0xda, length, 2), length);
  for (const uint32_t length : {0U, 65535U, 65536U, 65537U}) check(head(0xdb, length, 4), length);
}

TEST(TokenizerText, LeavesLongStringsWhereTheyLie) {
  EXPECT_EQ(words_of(str(ascii(kMaxPooledBytes - 1)))[0], kPool8);
  EXPECT_EQ(words_of(str(ascii(kMaxPooledBytes)))[0], kPool8);
  EXPECT_EQ(words_of(str(ascii(kMaxPooledBytes + 1))),
            (Words{wide(kLongStr, 3 << 8), kMaxPooledBytes + 1, 3}));
  EXPECT_EQ(words_of(str(wide_text(kMaxPooledBytes)))[2], kPool16);
  EXPECT_EQ(words_of(str(wide_text(kMaxPooledBytes + 2))),
            (Words{wide(kLongStr, 3 << 8), kMaxPooledBytes + 2, 3}));
}

TEST(TokenizerText, CopiesLongStringsThatTheChunkHoldsIfAsked) {
  const Sizes sizes = {.copied = 3 * kPoolBytes};
  EXPECT_EQ(words_of(str(ascii(kMaxPooledBytes + 1)), {}, sizes)[0], kPool8);
  EXPECT_EQ(words_of(str(ascii(3 * kPoolBytes)), {}, sizes)[0], kPool8);
  EXPECT_EQ(words_of(str(wide_text(3 * kPoolBytes)), {}, sizes)[2], kPool16);
  EXPECT_EQ(words_of(str(ascii(3 * kPoolBytes + 1)), {}, sizes),
            (Words{wide(kLongStr, 3 << 8), 3 * kPoolBytes + 1, 3}));
  const Sizes cut = {.chunk = 3 * kPoolBytes + 2, .copied = 3 * kPoolBytes};
  EXPECT_EQ(words_of(str(ascii(3 * kPoolBytes)), {}, cut),
            (Words{wide(kLongStr, 3 << 8), 3 * kPoolBytes, 3}));
}

/// So that an error that JS finds in it can point at its header.
TEST(TokenizerText, SaysHowLongTheHeaderOfALongStringIs) {
  const Sizes sizes = {.pooled = 0};
  const Bytes text = text_bytes("hello");
  EXPECT_EQ(words_of(join({{0xa5}, text}), {}, sizes), (Words{wide(kLongStr, 1 << 8), 5, 1}));
  EXPECT_EQ(words_of(join({head(0xd9, 5, 1), text}), {}, sizes), (Words{wide(kLongStr, 2 << 8), 5, 2}));
  EXPECT_EQ(words_of(join({head(0xda, 5, 2), text}), {}, sizes), (Words{wide(kLongStr, 3 << 8), 5, 3}));
  EXPECT_EQ(words_of(join({head(0xdb, 5, 4), text}), {}, sizes), (Words{wide(kLongStr, 5 << 8), 5, 5}));
}

TEST(TokenizerText, PoolsNoStringAboveTheWindowsLimit) {
  for (const uint32_t pooled : {0U, 1U, 7U, 8U, 9U}) {
    for (uint32_t length = 0; length <= 20; length++) {
      const Words words = words_of(str(ascii(length)), {}, {.pooled = pooled});
      EXPECT_EQ(words[0], length <= pooled ? kPool8 : wide(kLongStr, 1 << 8)) << length;
    }
  }
}

/// The sizes of the pools that a message makes.
std::vector<uint32_t> pool_sizes(const Words& words, uint32_t pool) {
  std::vector<uint32_t> sizes;
  for (size_t i = 1; i < words.size(); i++) {
    if ((words[i] & 15) == kWide) {
      if (words[i] == pool) sizes.push_back(words[i + 1]);
      i++;
    }
  }
  return sizes;
}

TEST(TokenizerText, GivesACopiedLongStringAPoolOfItsOwn) {
  const Sizes sizes = {.copied = kPoolBytes};
  const Words words = words_of(
      array({str("a"), str(ascii(600)), str("b"), str("\u00fc"), str(wide_text(600)), str("\u00fc")}), {},
      sizes);
  EXPECT_EQ(pool_sizes(words, kPool16), (Words{1, 600 / 2, 1}));
  const Words narrow = words_of(array({str("a"), str(ascii(600)), str("b")}), {}, sizes);
  EXPECT_EQ(pool_sizes(narrow, kPool8), (Words{1, 600, 1}));
}

TEST(TokenizerText, ClosesAPoolBeforeItGetsTooLong) {
  const Sizes sizes = {.chunk = 60000};
  const auto pools = [&](uint32_t count, uint32_t length) {
    const Bytes message = join({test::array_header(count), repeat(count, str(ascii(length)))});
    return pool_sizes(words_of(message, {}, sizes), kPool8);
  };
  constexpr uint32_t kFill = kPoolBytes / 512;
  EXPECT_EQ(pools(kFill - 1, 512), (Words{kPoolBytes - 512}));
  EXPECT_EQ(pools(kFill, 512), (Words{kPoolBytes}));
  EXPECT_EQ(pools(kFill + 1, 512), (Words{kPoolBytes, 512}));
  EXPECT_EQ(pools(2 * kFill + 1, 512), (Words{kPoolBytes, kPoolBytes, 512}));
  EXPECT_EQ(pools(100, 100), (Words{81 * 100, 19 * 100}));
}

TEST(TokenizerText, ClosesAPoolOfUnitsBeforeItGetsTooLong) {
  constexpr uint32_t kUnits = kPoolBytes / sizeof(uint16_t);
  for (uint32_t length = 2; length <= 512; length += 34) {
    for (const uint32_t count : {1U, 10U, 60000 / (length + 3)}) {
      const Bytes message = join({test::array_header(count), repeat(count, str(wide_text(length)))});
      const Words words = words_of(message, {}, {.chunk = 60000, .tape = 40000});
      const std::vector<uint32_t> pools = pool_sizes(words, kPool16);
      uint64_t sum = 0;
      for (size_t i = 0; i < pools.size(); i++) {
        EXPECT_LE(pools[i], kUnits);
        // None but the last is closed while the next string would have had room, whatever its units.
        if (i + 1 < pools.size()) {
          EXPECT_GT(pools[i] + length, kUnits);
        }
        sum += pools[i];
      }
      EXPECT_EQ(sum, uint64_t{count} * length / 2);
    }
  }
}

/// −1, 0, +1 around the end of a pool.
TEST(TokenizerText, FillsAPoolToItsLastByte) {
  for (uint32_t last = 0; last <= 512; last++) {
    const Bytes filling = repeat(kPoolBytes / 512 - 1, str(ascii(512)));
    const Bytes rest = join({str(ascii(512 - last)), str(ascii(last)), str(ascii(1)), str("")});
    const Bytes message = join({test::array_header(kPoolBytes / 512 + 3), filling, rest});
    EXPECT_EQ(pool_sizes(words_of(message), kPool8), (Words{kPoolBytes, 1})) << last;
  }
}

TEST(TokenizerText, GivesALongerStringAPoolOfItsOwnWhereTheWindowAllowsIt) {
  const Sizes sizes = {.pooled = 3 * kPoolBytes};
  const Bytes message =
      array({str("a"), str(ascii(2 * kPoolBytes)), str("b"), str(wide_text(2 * kPoolBytes)), str("\u00fc")});
  const Words words = words_of(message, {}, sizes);
  const std::vector<uint32_t> pools = pool_sizes(words, kPool8);
  ASSERT_GE(pools.size(), 3U);
  EXPECT_EQ(pools[0], 1U);
  EXPECT_EQ(pools[1], 2 * kPoolBytes);
  EXPECT_EQ(pools[2], 1U);
}

TEST(TokenizerText, KeepsAByteOrderMark) { EXPECT_EQ(decode(str("\ufeffx")).events, "text \"\\ufeffx\"\n"); }

TEST(TokenizerText, ReplacesMalformedUtf8) {
  EXPECT_EQ(decode(str("a\xff"
                       "b"))
                .events,
            "text \"a\\ufffdb\"\n");
  EXPECT_EQ(decode(str("\xe2\x82")).events, "text \"\\ufffd\"\n");
  EXPECT_EQ(decode(str("\xed\xa0\x80")).events, "text \"\\ufffd\\ufffd\\ufffd\"\n");
}

/// A string cut short must not be completed by what follows it.
TEST(TokenizerText, EndsTextWhereItsLengthSays) {
  EXPECT_EQ(decode({0x92, 0xa1, 0xe3, 0xa2, 0x41, 0x42}).events,
            "array 2\ntext \"\\ufffd\"\ntext \"AB\"\nend\n");
  EXPECT_EQ(decode({0x92, 0xa2, 0xf0, 0x9f, 0xa2, 0x98, 0x80}).events,
            "array 2\ntext \"\\ufffd\"\ntext \"\\ufffd\\ufffd\"\nend\n");
}

DecodeOptions fatal() {
  DecodeOptions options;
  options.fatal_utf8 = true;
  return options;
}

TEST(TokenizerText, RefusesMalformedUtf8WhereAsked) {
  for (const char* text :
       {"\x80", "a\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80", "\xf5x"}) {
    for (const std::string& before : {std::string(), ascii(7), ascii(8), ascii(31), wide_text(32)}) {
      const Outcome outcome = decode(array({test::nil(), str(before + text)}), fatal());
      EXPECT_EQ(outcome.status, Status::kInvalidUtf8);
      EXPECT_EQ(outcome.offset, 2U) << "the string begins behind the array's header and nil";
    }
  }
  EXPECT_EQ(decode(array({str("\u00fc"), str("x"), str("\ufffd")}), fatal()).status, Status::kDone);
}

TEST(TokenizerText, RefusesMalformedKeysWhereAsked) {
  for (const std::string& key : {std::string("\xff"), ascii(40) + "\xc3", ascii(70) + "\xc3"}) {
    const std::unique_ptr<KeyTable> keys = test::key_table();
    test::Session session(*keys, {}, fatal());
    // However often the key is met, and whatever has been learned of it.
    for (int i = 0; i < 4; i++) {
      const Outcome outcome = session.decode(array({map({{key, {1}}}), {2}}));
      EXPECT_EQ(outcome.status, Status::kInvalidUtf8) << "time " << i + 1;
      EXPECT_EQ(outcome.offset, 2U);
    }
  }
}

TEST(TokenizerText, RefusesMalformedKeysThatAnotherDecoderHasLearned) {
  const Bytes message = array({map({{"\xff", {1}}}), {2}});
  const std::unique_ptr<KeyTable> keys = test::key_table();
  test::Session lax(*keys);
  for (int i = 0; i < 3; i++) {
    const Outcome outcome = lax.decode(message);
    EXPECT_EQ(outcome.status, Status::kDone);
    EXPECT_EQ(outcome.events, reference_decode(message).events);
  }
  EXPECT_EQ(test::Session(*keys, {}, fatal()).decode(message).status, Status::kInvalidUtf8);
}

TEST(TokenizerText, GivesStringsAsBytesWhereAsked) {
  DecodeOptions options;
  options.raw_strings = true;
  EXPECT_EQ(words_of(str("abc"), options), (Words{wide(kBin), 3, 1}));
  for (const size_t length : {0U, 31U, 32U, 255U, 256U, 512U, 513U, 65536U})
    words_of(str(ascii(length)), options);
  EXPECT_EQ(decode(str("\xff"), options).events, "bin ff\n");
  // Keys are text as ever, at any length.
  for (const size_t length : {0U, 5U, 64U, 65U, 600U}) {
    const Bytes message = array({map({{ascii(length), str("abc")}}), map({{ascii(length), str("\u00fc")}})});
    const std::unique_ptr<KeyTable> keys = test::key_table();
    test::Session session(*keys, {}, options);
    for (int i = 0; i < 3; i++)
      EXPECT_EQ(session.decode(message).events, reference_decode(message, options).events);
  }
}

TEST(TokenizerText, DoesNotMindMalformedUtf8InRawStrings) {
  DecodeOptions options = fatal();
  options.raw_strings = true;
  EXPECT_EQ(decode(str("\xff"), options).status, Status::kDone);
}

}  // namespace
}  // namespace mpw
