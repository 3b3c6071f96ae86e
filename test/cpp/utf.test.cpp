#include "utf.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bytes.hpp"
#include "memory.hpp"
#include "messages.hpp"
#include "reference.hpp"

namespace mpw {
namespace {

using test::Bytes;
using test::HeapBuffer;
using test::reference_utf8;
using test::ReferenceText;
using test::TailBuffer;
using test::utf8_of;

constexpr uint32_t kLongest = 80;

/// Decodes text that ends where its memory ends, to units whose memory ends where `length` units do.
class Decoder {
 public:
  std::u16string decode(std::span<const uint8_t> bytes, bool& valid) {
    const auto length = static_cast<uint32_t>(bytes.size());
    uint16_t* const to = to_.at(length);
    const Utf16Result result = utf8_to_utf16(to, from_.place(bytes), length);
    valid = result.valid;
    if (result.units > length) {
      ADD_FAILURE() << result.units << " units of " << length << " bytes";
      return {};
    }
    return {to, to + result.units};
  }

  /// Returns false, with a failure, if the core and the reference do not agree.
  bool check(std::span<const uint8_t> bytes) {
    bool valid = false;
    const std::u16string units = decode(bytes, valid);
    const ReferenceText expected = reference_utf8(bytes);
    if (units == expected.units && valid == expected.valid) return true;
    ADD_FAILURE() << "of the bytes " << ::testing::PrintToString(Bytes(bytes.begin(), bytes.end()))
                  << "\ngot      " << ::testing::PrintToString(units) << "\nexpected "
                  << ::testing::PrintToString(expected.units);
    return false;
  }

 private:
  TailBuffer<uint8_t> from_{kLongest};
  TailBuffer<uint16_t> to_{kLongest};
};

class Encoder {
 public:
  Bytes encode(std::span<const uint16_t> units) {
    const auto count = static_cast<uint32_t>(units.size());
    const uint16_t* const from = from_.place(units);
    const uint32_t length = utf8_length(from, count);
    if (length > 3 * count) {
      ADD_FAILURE() << length << " bytes of " << count << " units";
      return {};
    }
    uint8_t* const to = to_.at(length);
    EXPECT_EQ(utf16_to_utf8(to, from, count), length);
    return {to, to + length};
  }
  Bytes encode(const std::u16string& text) { return encode(std::vector<uint16_t>(text.begin(), text.end())); }

 private:
  TailBuffer<uint16_t> from_{kLongest};
  TailBuffer<uint8_t> to_{3 * kLongest, kSlack};
};

bool is_surrogate(uint32_t scalar) { return scalar >= 0xd800 && scalar <= 0xdfff; }

/// The first and the last byte of each range that UTF-8 treats alike.
constexpr uint8_t kClasses[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
                                0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0,
                                0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfe, 0xff};

/// One of each way in which a sequence can be malformed, and the number of U+FFFD that the Encoding Standard
/// makes.
struct Malformed {
  const char* name;
  Bytes bytes;
  size_t replacements;
};

const std::vector<Malformed>& malformed() {
  static const std::vector<Malformed> all = {
      {"a trail byte alone", {0x80}, 1},
      {"two trail bytes alone", {0x80, 0xbf}, 2},
      {"a lead of two, cut short", {0xc3}, 1},
      {"a lead of three, cut short", {0xe2}, 1},
      {"a lead of three, cut short after a trail byte", {0xe2, 0x82}, 1},
      {"a lead of four, cut short", {0xf0}, 1},
      {"a lead of four, cut short after a trail byte", {0xf0, 0x9f}, 1},
      {"a lead of four, cut short after two trail bytes", {0xf0, 0x9f, 0x98}, 1},
      {"an overlong form of two", {0xc0, 0x80}, 2},
      {"another overlong form of two", {0xc1, 0xbf}, 2},
      {"an overlong form of three", {0xe0, 0x80, 0x80}, 3},
      {"the last overlong form of three", {0xe0, 0x9f, 0xbf}, 3},
      {"an overlong form of four", {0xf0, 0x80, 0x80, 0x80}, 4},
      {"the last overlong form of four", {0xf0, 0x8f, 0xbf, 0xbf}, 4},
      {"the first surrogate", {0xed, 0xa0, 0x80}, 3},
      {"the last surrogate", {0xed, 0xbf, 0xbf}, 3},
      {"a surrogate pair", {0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80}, 6},
      {"the first value above U+10FFFF", {0xf4, 0x90, 0x80, 0x80}, 4},
      {"a lead that is too high", {0xf5, 0x80, 0x80, 0x80}, 4},
      {"a form of five", {0xf8, 0x88, 0x80, 0x80, 0x80}, 5},
      {"a form of six", {0xfc, 0x84, 0x80, 0x80, 0x80, 0x80}, 6},
      {"bytes that never occur", {0xfe, 0xff}, 2},
      {"a lead after a lead", {0xc3, 0xe2, 0xf0}, 3},
      {"a lead in place of the last trail byte", {0xe2, 0x82, 0xc3}, 2},
  };
  return all;
}

TEST(Utf8ToUtf16, ReplacesEachMaximalMalformedPart) {
  Decoder decoder;
  for (const Malformed& part : malformed()) {
    bool valid = true;
    EXPECT_EQ(decoder.decode(part.bytes, valid), std::u16string(part.replacements, u'\ufffd')) << part.name;
    EXPECT_FALSE(valid) << part.name;
  }
}

TEST(Utf8ToUtf16, ReplacesMalformedPartsWhereverTheyStand) {
  Decoder decoder;
  const std::string fillings[] = {"x", "\u00fc", "\u20ac", "\U0001f600"};
  for (const Malformed& part : malformed()) {
    for (const std::string& filling : fillings) {
      for (size_t before = 0; before <= 9; before++) {
        for (size_t after = 0; after <= 9; after++) {
          const Bytes bytes = test::join({test::repeat(before, test::text_bytes(filling)), part.bytes,
                                          test::repeat(after, test::text_bytes(filling))});
          ASSERT_TRUE(decoder.check(bytes)) << part.name;
        }
      }
    }
  }
}

TEST(Utf8ToUtf16, AgreesWithTheStandardOnAllShortSequences) {
  Decoder decoder;
  uint8_t bytes[4];
  for (const uint8_t first : kClasses) {
    bytes[0] = first;
    ASSERT_TRUE(decoder.check({bytes, 1}));
    for (const uint8_t second : kClasses) {
      bytes[1] = second;
      ASSERT_TRUE(decoder.check({bytes, 2}));
      for (const uint8_t third : kClasses) {
        bytes[2] = third;
        ASSERT_TRUE(decoder.check({bytes, 3}));
        for (const uint8_t fourth : kClasses) {
          bytes[3] = fourth;
          ASSERT_TRUE(decoder.check({bytes, 4}));
        }
      }
    }
  }
}

TEST(Utf8ToUtf16, AgreesWithTheStandardOnAllPairsOfBytes) {
  Decoder decoder;
  for (uint32_t first = 0; first < 256; first++) {
    for (uint32_t second = 0; second < 256; second++) {
      const uint8_t bytes[] = {static_cast<uint8_t>(first), static_cast<uint8_t>(second), 0x80};
      ASSERT_TRUE(decoder.check({bytes, 2}));
      ASSERT_TRUE(decoder.check({bytes, 3}));
    }
  }
}

TEST(Utf8ToUtf16, AgreesWithTheStandardOnRandomText) {
  Decoder decoder;
  std::mt19937 random(1);
  for (int i = 0; i < 30000; i++) {
    Bytes bytes(random() % kLongest);
    for (uint8_t& byte : bytes) byte = kClasses[random() % std::size(kClasses)];
    ASSERT_TRUE(decoder.check(bytes));
  }
}

TEST(Utf8ToUtf16, CutsShortAnywhere) {
  Decoder decoder;
  const Bytes text = test::text_bytes("a\u00fcb\u20acc\U0001f600d\uffffe\U0010ffff");
  for (size_t from = 0; from < text.size(); from++) {
    for (size_t size = 0; size <= text.size() - from; size++) {
      ASSERT_TRUE(decoder.check(std::span(text).subspan(from, size))) << from << " " << size;
    }
  }
}

TEST(Utf8ToUtf16, KeepsAByteOrderMark) {
  Decoder decoder;
  bool valid = false;
  EXPECT_EQ(decoder.decode(test::text_bytes("\ufeffx\ufeff"), valid), u"\ufeffx\ufeff");
  EXPECT_TRUE(valid);
}

TEST(Utf8ToUtf16, MakesNothingOfNothing) {
  Decoder decoder;
  bool valid = false;
  EXPECT_EQ(decoder.decode({}, valid), u"");
  EXPECT_TRUE(valid);
}

TEST(Utf, RoundTripsEveryScalarValue) {
  Decoder decoder;
  Encoder encoder;
  for (uint32_t scalar = 0; scalar <= 0x10ffff; scalar++) {
    if (is_surrogate(scalar)) continue;
    const Bytes utf8 = test::text_bytes(utf8_of(scalar));
    std::u16string expected;
    test::append_scalar(expected, scalar);
    bool valid = false;
    const std::u16string units = decoder.decode(utf8, valid);
    ASSERT_TRUE(valid && units == expected) << scalar;
    ASSERT_EQ(encoder.encode(units), utf8) << scalar;
  }
}

TEST(Utf16ToUtf8, ReplacesLoneSurrogates) {
  constexpr char16_t kLead = 0xd83d;
  constexpr char16_t kTrail = 0xde00;
  const auto replaced = [](const std::u16string& text) {
    const Bytes bytes = Encoder().encode(text);
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(replaced({kLead, kTrail}), "\U0001f600");
  EXPECT_EQ(replaced({kLead}), "\ufffd");
  EXPECT_EQ(replaced({kTrail}), "\ufffd");
  EXPECT_EQ(replaced({kTrail, kLead}), "\ufffd\ufffd");
  EXPECT_EQ(replaced({kLead, kLead}), "\ufffd\ufffd");
  EXPECT_EQ(replaced({kTrail, kTrail}), "\ufffd\ufffd");
  EXPECT_EQ(replaced({kLead, kLead, kTrail}), "\ufffd\U0001f600");
  EXPECT_EQ(replaced({kLead, kTrail, kTrail}), "\U0001f600\ufffd");
  EXPECT_EQ(replaced({kLead, kTrail, kLead}), "\U0001f600\ufffd");
  EXPECT_EQ(replaced({kLead, u'x'}), "\ufffdx");
  EXPECT_EQ(replaced({u'x', kLead}), "x\ufffd");
  EXPECT_EQ(replaced({u'x', kTrail}), "x\ufffd");
  EXPECT_EQ(replaced({kTrail, u'x'}), "\ufffdx");
  EXPECT_EQ(replaced({kLead, u'\u00fc', kTrail}), "\ufffd\u00fc\ufffd");
}

TEST(Utf16ToUtf8, ReplacesEverySurrogateThatStandsAlone) {
  Encoder encoder;
  const Bytes replacement = {0xef, 0xbf, 0xbd};
  for (uint32_t unit = 0xd800; unit <= 0xdfff; unit++) {
    ASSERT_EQ(encoder.encode(std::u16string{static_cast<char16_t>(unit)}), replacement) << unit;
  }
}

/// Plain UTF-16 to UTF-8: pairs first, then each scalar value.
Bytes reference_encode(const std::u16string& text) {
  std::string utf8;
  for (size_t i = 0; i < text.size(); i++) {
    const uint32_t unit = text[i];
    const uint32_t next = i + 1 < text.size() ? text[i + 1] : 0;
    if (unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) {
      utf8 += utf8_of((unit - 0xd800) * 0x400 + (next - 0xdc00) + 0x10000);
      i++;
    } else {
      utf8 += utf8_of(is_surrogate(unit) ? 0xfffd : unit);
    }
  }
  return test::text_bytes(utf8);
}

TEST(Utf16ToUtf8, AgreesWithTheStandardOnAllShortSequences) {
  constexpr char16_t kUnits[] = {0x0,    0x7f,   0x80,   0x7ff,  0x800,  0xd7ff,
                                 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff};
  Encoder encoder;
  for (const char16_t first : kUnits) {
    for (const char16_t second : kUnits) {
      for (const char16_t third : kUnits) {
        for (const char16_t fourth : kUnits) {
          const std::u16string text = {first, second, third, fourth};
          ASSERT_EQ(encoder.encode(text), reference_encode(text)) << ::testing::PrintToString(text);
          ASSERT_EQ(encoder.encode(text.substr(1)), reference_encode(text.substr(1)));
        }
      }
    }
  }
}

TEST(Utf16ToUtf8, MakesNothingOfNothing) { EXPECT_EQ(Encoder().encode(std::u16string()), Bytes()); }

/// Blocks of their own for each text, so that the start is guarded as well as the end.
TEST(Utf, StaysWithinItsBuffers) {
  for (uint32_t length = 1; length <= 40; length++) {
    for (const uint8_t byte : kClasses) {
      const HeapBuffer<uint8_t> from(length);
      const HeapBuffer<uint16_t> units(length);
      std::fill_n(from.data(), length, byte);
      const Utf16Result result = utf8_to_utf16(units.data(), from.data(), length);
      ASSERT_EQ(result.units, length);
      const uint32_t bytes = utf8_length(units.data(), result.units);
      const HeapBuffer<uint8_t> to(bytes, kSlack);
      ASSERT_EQ(utf16_to_utf8(to.data(), units.data(), result.units), bytes);
    }
  }
}

}  // namespace
}  // namespace mpw
