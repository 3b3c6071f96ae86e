#include "emitter.hpp"

#include <gtest/gtest.h>

#include <string>

#include "encoding.hpp"

namespace mpw {
namespace {

using test::ascii;
using test::Bytes;
using test::counted;
using test::emit;
using test::Encoding;
using test::head;
using test::integer;
using test::join;
using test::str;
using test::TapeWriter;

std::u16string wide_ascii(size_t length) {
  const std::string text = ascii(length);
  return {text.begin(), text.end()};
}

TEST(Emitter, WritesNothingForAnEmptyTape) { EXPECT_EQ(emit(TapeWriter()), Bytes()); }

TEST(Emitter, WritesNilAndBools) {
  EXPECT_EQ(emit(TapeWriter().nil().boolean(false).boolean(true)), (Bytes{0xc0, 0xc2, 0xc3}));
}

TEST(Emitter, WritesHeadersOfArraysAtTheirThresholds) {
  const auto header = [](uint32_t count) { return emit(TapeWriter().array(count)); };
  EXPECT_EQ(header(0), Bytes{0x90});
  EXPECT_EQ(header(15), Bytes{0x9f});
  EXPECT_EQ(header(16), (Bytes{0xdc, 0, 16}));
  EXPECT_EQ(header(17), (Bytes{0xdc, 0, 17}));
  EXPECT_EQ(header(65535), (Bytes{0xdc, 0xff, 0xff}));
  EXPECT_EQ(header(65536), (Bytes{0xdd, 0, 1, 0, 0}));
  EXPECT_EQ(header(kMaxPayload), (Bytes{0xdd, 0x0f, 0xff, 0xff, 0xff}));
  EXPECT_EQ(emit(TapeWriter().put(wide(kLargeArray)).put(kMaxPayload + 1)), (Bytes{0xdd, 0x10, 0, 0, 0}));
  EXPECT_EQ(emit(TapeWriter().put(wide(kLargeArray)).put(UINT32_MAX)), (Bytes{0xdd, 0xff, 0xff, 0xff, 0xff}));
}

TEST(Emitter, WritesHeadersOfMapsAtTheirThresholds) {
  const auto header = [](uint32_t count) { return emit(TapeWriter().map(count)); };
  EXPECT_EQ(header(0), Bytes{0x80});
  EXPECT_EQ(header(15), Bytes{0x8f});
  EXPECT_EQ(header(16), (Bytes{0xde, 0, 16}));
  EXPECT_EQ(header(17), (Bytes{0xde, 0, 17}));
  EXPECT_EQ(header(65535), (Bytes{0xde, 0xff, 0xff}));
  EXPECT_EQ(header(65536), (Bytes{0xdf, 0, 1, 0, 0}));
  EXPECT_EQ(header(kMaxPayload), (Bytes{0xdf, 0x0f, 0xff, 0xff, 0xff}));
  EXPECT_EQ(emit(TapeWriter().put(wide(kLargeMap)).put(UINT32_MAX)), (Bytes{0xdf, 0xff, 0xff, 0xff, 0xff}));
}

TEST(Emitter, WritesTextAtTheThresholdsOfItsFormats) {
  for (const size_t length : {0U, 1U, 30U, 31U, 32U, 33U, 254U, 255U, 256U, 257U, 2047U, 2048U}) {
    EXPECT_EQ(emit(TapeWriter().text16(wide_ascii(length))), str(ascii(length))) << length;
    EXPECT_EQ(emit(TapeWriter().text16(wide_ascii(length)).text_as_bytes()), str(ascii(length))) << length;
  }
}

/// The format goes by the bytes of UTF-8, not by the units.
TEST(Emitter, WritesTextThatIsNotAsciiAtTheThresholdsOfItsFormats) {
  for (const size_t bytes : {3U, 30U, 31U, 32U, 33U, 254U, 255U, 256U, 257U, 2048U}) {
    for (const char16_t unit : {u'\u00fc', u'\u20ac'}) {
      const size_t each = unit == u'\u00fc' ? 2 : 3;
      const std::u16string text = std::u16string(bytes / each, unit) + wide_ascii(bytes % each);
      std::string utf8;
      for (size_t i = 0; i < bytes / each; i++) utf8 += test::utf8_of(unit);
      utf8 += ascii(bytes % each);
      ASSERT_EQ(utf8.size(), bytes);
      EXPECT_EQ(emit(TapeWriter().text16(text)), str(utf8)) << bytes;
    }
  }
}

TEST(Emitter, WritesTextWhereverItStopsBeingAscii) {
  for (size_t before = 0; before <= 40; before++) {
    for (size_t after = 0; after <= 3; after++) {
      const std::u16string text = wide_ascii(before) + u"\u20ac" + wide_ascii(after) + u"\U0001f600";
      EXPECT_EQ(emit(TapeWriter().text16(text)), str(ascii(before) + "\u20ac" + ascii(after) + "\U0001f600"));
    }
  }
}

TEST(Emitter, ReplacesLoneSurrogates) {
  EXPECT_EQ(emit(TapeWriter().text16({u"\xd83d", 1})), str("\ufffd"));
  EXPECT_EQ(emit(TapeWriter().text16(u"a\xde00z")), str("a\ufffdz"));
  // Halves of a pair in two strings do not meet.
  EXPECT_EQ(emit(TapeWriter().text16(u"\xd83d").text16(u"\xde00")), join({str("\ufffd"), str("\ufffd")}));
}

TEST(Emitter, WritesTheLongestText) {
  const std::u16string text(Emitter::kMaxText, u'\u20ac');
  const Bytes bytes = emit(TapeWriter().text16(text));
  EXPECT_EQ(bytes.size(), 3 + 3 * Emitter::kMaxText);
  EXPECT_EQ(bytes[0], 0xda);
}

TEST(Emitter, TakesTextAndBinariesInOrder) {
  const auto writer = [] { return TapeWriter().text16(u"b").text16(u"cd").short_bin({9}).text16(u"e"); };
  const Bytes expected = join({str("b"), str("cd"), test::bin({9}), str("e")});
  EXPECT_EQ(emit(writer()), expected);
  EXPECT_EQ(emit(writer().text_as_bytes()), expected);
}

TEST(Emitter, WritesPointsAsArrays) {
  EXPECT_EQ(emit(TapeWriter().point({0.5, -1.5})),
            join({test::array_header(2), test::float64(0.5), test::float64(-1.5)}));
  EXPECT_EQ(emit(TapeWriter().point({1, 0.5, 3})),
            join({test::array_header(3), integer(1), test::float64(0.5), integer(3)}));
}

TEST(Emitter, WritesShortBinariesAtTheThresholdsOfTheirFormats) {
  for (const size_t size : {0U, 1U, 254U, 255U, 256U, 257U, 2048U}) {
    EXPECT_EQ(emit(TapeWriter().short_bin(counted(size))), test::bin(counted(size))) << size;
  }
}

TEST(Emitter, WritesShortExtensionsAtTheThresholdsOfTheirFormats) {
  for (const int32_t type : {0, 1, 127, -1, -128}) {
    for (const size_t size :
         {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 254U, 255U, 256U, 257U, 2048U}) {
      EXPECT_EQ(emit(TapeWriter().short_ext(type, counted(size))), test::ext(type, counted(size))) << size;
    }
  }
}

TEST(Emitter, LeavesHolesForWhatJsWrites) {
  for (const size_t size : {0U, 1U, 16U, 31U, 32U, 255U, 256U, 65535U, 65536U, 100000U}) {
    const Bytes data = counted(size);
    EXPECT_EQ(emit(TapeWriter().hole(wide(kLongStr), data)),
              join({test::str_header(static_cast<uint32_t>(size)), data}));
    EXPECT_EQ(emit(TapeWriter().hole(wide(kBin), data)), test::bin(data));
    for (const int32_t type : {5, -1, -128, 127}) {
      const auto extra = static_cast<uint8_t>(type);
      EXPECT_EQ(emit(TapeWriter().hole(wide(kExt, extra), data)), test::ext(type, data));
      EXPECT_EQ(emit(TapeWriter().hole(wide(kPlacedExt, extra), data)),
                join({head(0xc9, size, 4), {extra}, data}));
    }
  }
}

/// A hole takes no room, so its size may be anything.
TEST(Emitter, WritesHeadersOfHolesOfAnySize) {
  const auto header = [](uint32_t word) {
    TapeWriter writer;
    writer.put(word).put(UINT32_MAX).payloads.emplace_back();
    return emit(writer);
  };
  EXPECT_EQ(header(wide(kLongStr)), head(0xdb, UINT32_MAX, 4));
  EXPECT_EQ(header(wide(kBin)), head(0xc6, UINT32_MAX, 4));
  EXPECT_EQ(header(wide(kExt, 7)), join({head(0xc9, UINT32_MAX, 4), {7}}));
}

TEST(Emitter, WritesKeysByNumber) {
  const auto keys = std::make_unique<KeyStore>();
  TapeWriter writer;
  Bytes expected;
  for (const size_t length : {0U, 1U, 15U, 16U, 31U, 32U, 64U}) {
    const std::u16string key = wide_ascii(length);
    const uint32_t number = keys->add(std::vector<uint16_t>(key.begin(), key.end()));
    ASSERT_NE(number, 0U);
    writer.key(number).integer(static_cast<int32_t>(length));
    expected = join({expected, str(ascii(length)), integer(static_cast<int64_t>(length))});
  }
  EXPECT_EQ(Encoding(*keys, writer, {}).run(), expected);
}

/// All kinds of words, many times the smallest output, and its bytes.
struct Document {
  TapeWriter writer;
  Bytes bytes;
};

Document document(KeyStore& keys) {
  Document made;
  std::vector<Bytes> parts;
  const std::u16string longest(Emitter::kMaxText, u'\u20ac');
  std::string longest_utf8;
  for (size_t i = 0; i < longest.size(); i++) longest_utf8 += "\u20ac";
  const std::u16string key(KeyStore::kMaxUnits, u'\u20ac');
  std::string key_utf8;
  for (size_t i = 0; i < key.size(); i++) key_utf8 += "\u20ac";
  const uint32_t number = keys.add(std::vector<uint16_t>(key.begin(), key.end()));

  std::vector<double> floats;
  std::vector<Bytes> float_bytes;
  for (int i = 0; i < 700; i++) {
    floats.push_back(i % 3 == 0 ? i + 0.5 : i * 1000);
    float_bytes.push_back(i % 3 == 0 ? test::float64(i + 0.5) : integer(i * 1000));
  }
  for (uint32_t round = 0; round < 4; round++) {
    made.writer.array(20).map(round).key(number).nil().boolean(true).integer(-5).number(0.1).number(1e10);
    parts.insert(parts.end(), {test::array_header(20), test::map_header(round), str(key_utf8), test::nil(),
                               test::boolean(true), integer(-5), test::float64(0.1), integer(10000000000)});
    made.writer.text16(longest).text16(wide_ascii(2048)).text16(u"a\u00fc").text16(u"").point({0.5, 2});
    parts.insert(parts.end(), {str(longest_utf8), str(ascii(2048)), str("a\u00fc"), str(""),
                               test::array_header(2), test::float64(0.5), integer(2)});
    made.writer.floats(floats).floats({}).bigint(false, UINT64_MAX).bigint(true, static_cast<uint64_t>(-1));
    parts.insert(parts.end(), {join(float_bytes), test::uint64(UINT64_MAX), test::int64(-1)});
    made.writer.short_bin(counted(2048)).short_ext(-3, counted(100)).put(wide(kLargeArray)).put(70000);
    parts.insert(parts.end(), {test::bin(counted(2048)), test::ext(-3, counted(100)), head(0xdd, 70000, 4)});
    for (uint32_t i = 0; i < 7; i++) {
      made.writer.hole(wide(kLongStr), counted(3000 + i))
          .hole(wide(kBin), counted(i))
          .hole(wide(kExt, 7), counted(300));
      parts.insert(parts.end(), {test::str_header(3000 + i), counted(3000 + i), test::bin(counted(i)),
                                 test::ext(7, counted(300))});
    }
    made.writer.hole(wide(kPlacedExt, 9), counted(16)).put(wide(kLargeMap)).put(70000);
    parts.insert(parts.end(), {head(0xc9, 16, 4), {9}, counted(16), head(0xdf, 70000, 4)});
  }
  made.bytes = join(parts);
  return made;
}

TEST(Emitter, WritesTheSameWhereverTheOutputIsFull) {
  const auto keys = std::make_unique<KeyStore>();
  const Document made = document(*keys);
  for (uint32_t output = Emitter::kMinOutput; output <= Emitter::kMinOutput + 400; output++) {
    Encoding encoding(*keys, made.writer, {.output = output});
    ASSERT_EQ(encoding.run(), made.bytes) << output;
    ASSERT_GT(encoding.runs, 4U) << "the output is full again and again";
  }
}

TEST(Emitter, WritesTheSameWhereverTheListOfHolesIsFull) {
  const auto keys = std::make_unique<KeyStore>();
  const Document made = document(*keys);
  for (uint32_t holes = 1; holes <= 100; holes++) {
    ASSERT_EQ(Encoding(*keys, made.writer, {.output = 1 << 20, .holes = holes}).run(), made.bytes) << holes;
    ASSERT_EQ(Encoding(*keys, made.writer, {.holes = holes}).run(), made.bytes) << holes;
  }
}

/// Each word behind so much output that it finds room for itself, and just not.
TEST(Emitter, FindsTheOutputFullBeforeAnyWord) {
  const auto keys = std::make_unique<KeyStore>();
  const std::u16string key(KeyStore::kMaxUnits, u'\u20ac');
  const uint32_t number = keys->add(std::vector<uint16_t>(key.begin(), key.end()));
  const Bytes encoded_key = join({{0xd9, 192}, test::repeat(64, {0xe2, 0x82, 0xac})});
  struct Word {
    TapeWriter writer;
    Bytes bytes;
  };
  const std::vector<Word> words = {
      {TapeWriter().nil(), test::nil()},
      {TapeWriter().number(0.5), test::float64(0.5)},
      {TapeWriter().floats({0.5, 1.5, 2.5}),
       join({test::float64(0.5), test::float64(1.5), test::float64(2.5)})},
      {TapeWriter().key(number), encoded_key},
      {TapeWriter().point({0.5, 1.5, 2.5}),
       join({test::array_header(3), test::float64(0.5), test::float64(1.5), test::float64(2.5)})},
      {TapeWriter().text16(wide_ascii(300)), str(ascii(300))},
      {TapeWriter().short_bin(counted(300)), test::bin(counted(300))},
      {TapeWriter().short_ext(1, counted(300)), test::ext(1, counted(300))},
      {TapeWriter().hole(wide(kPlacedExt, 1), counted(5)), join({head(0xc9, 5, 4), {1}, counted(5)})},
      {TapeWriter().bigint(false, UINT64_MAX), test::uint64(UINT64_MAX)},
  };
  for (const Word& tested : words) {
    // From an output that is full to one that has room for twice what any of the words could take.
    for (uint32_t left = 0; left <= 2000; left += left < 420 ? 1 : 97) {
      const uint32_t before = Emitter::kMinOutput - left;
      TapeWriter writer = tested.writer;
      writer.tape.insert(writer.tape.begin(), before, word(kNil, 0));
      writer.nil();
      const Bytes expected = join({test::repeat(before, test::nil()), tested.bytes, test::nil()});
      ASSERT_EQ(Encoding(*keys, writer, {}).run(), expected) << left;
    }
  }
}

TEST(Emitter, BreaksARunOfNumbersAnywhere) {
  std::vector<double> numbers;
  Bytes expected;
  for (int i = 0; i < 5000; i++) {
    numbers.push_back(i % 2 == 0 ? 0.5 : i);
    expected = i % 2 == 0 ? join({expected, test::float64(0.5)}) : join({expected, integer(i)});
  }
  const TapeWriter writer = TapeWriter().floats(numbers).nil().floats({1, 2});
  expected = join({expected, {0xc0, 1, 2}});
  const auto keys = std::make_unique<KeyStore>();
  for (uint32_t output = Emitter::kMinOutput; output < Emitter::kMinOutput + 20; output++) {
    ASSERT_EQ(Encoding(*keys, writer, {.output = output}).run(), expected) << output;
  }
}

TEST(Emitter, GoesOnBehindEarlierWindows) {
  const auto keys = std::make_unique<KeyStore>();
  const test::HeapBuffer<uint32_t> tape(4, kSlack);
  const test::HeapBuffer<double> lane(4, kSlack);
  const test::HeapBuffer<uint16_t> pool16(4, kSlack);
  const test::HeapBuffer<uint8_t> output(Emitter::kMinOutput, kSlack);
  const test::HeapBuffer<uint32_t> holes(2, kSlack);
  Emitter emitter(*keys, {tape.span(), lane.span(), {}, pool16.span(), output.span(), holes.span()});
  const auto written = [&] { return Bytes(output.data(), output.data() + emitter.length()); };

  emitter.begin();
  for (int window = 0; window < 3; window++) {
    tape.data()[0] = word(kText16, 1);
    tape.data()[1] = word(kFloat, 0);
    tape.data()[2] = word(kText16, 1);
    tape.data()[3] = word(kNil, 0);
    lane.data()[0] = window;
    pool16.data()[0] = static_cast<uint16_t>('a' + window);
    pool16.data()[1] = static_cast<uint16_t>('p' + window);
    emitter.start(3);
    ASSERT_EQ(emitter.run(), Status::kDone);
  }
  EXPECT_EQ(written(), join({str("a"), {0}, str("p"), str("b"), {1}, str("q"), str("c"), {2}, str("r")}));

  // What was begun and left leaves nothing behind.
  tape.data()[0] = wide(kBin);
  tape.data()[1] = 100;
  emitter.start(2);
  ASSERT_EQ(emitter.run(), Status::kDone);
  EXPECT_EQ(emitter.hole_count(), 1U);
  emitter.begin();
  EXPECT_EQ(emitter.length(), 0U);
  EXPECT_EQ(emitter.hole_count(), 0U);
  tape.data()[0] = word(kFloats, 1000);
  emitter.start(0);
  ASSERT_EQ(emitter.run(), Status::kDone);
  EXPECT_EQ(emitter.length(), 0U);
}

TEST(Emitter, GoesOnBehindWhatStandsInTheOutput) {
  const auto keys = std::make_unique<KeyStore>();
  const test::HeapBuffer<uint32_t> tape(4, kSlack);
  const test::HeapBuffer<uint8_t> pool8(4, kSlack);
  const test::HeapBuffer<uint8_t> output(Emitter::kMinOutput, kSlack);
  const test::HeapBuffer<uint32_t> holes(2, kSlack);
  Emitter emitter(*keys, {tape.span(), {}, pool8.span(), {}, output.span(), holes.span()});
  emitter.set_origin(2);
  for (uint32_t passed = 0; passed < 4; passed++) {
    output.data()[0] = 0x92;
    holes.data()[0] = 1;
    tape.data()[0] = 1U << 16 | 5 << 8 | kShortTypedArray << 4 | kWide;
    tape.data()[1] = 2;
    pool8.data()[0] = pool8.data()[1] = 9;
    emitter.begin();
    emitter.go_on_at(1, 1, passed);
    emitter.start(2);
    ASSERT_EQ(emitter.run(), Status::kDone);
    EXPECT_EQ(emitter.hole_count(), 1U);
    // Where the message starts, what has passed, and its first byte.
    const bool is_even = (2 + passed + 1) % 2 == 0;
    const Bytes expected = is_even ? Bytes{0x92, 0xd6, 5, 2, 0, 9, 9} : Bytes{0x92, 0xc7, 4, 5, 2, 0, 9, 9};
    EXPECT_EQ(Bytes(output.data(), output.data() + emitter.length()), expected) << passed;
  }
}

TEST(Emitter, ForgetsARunThatWasAbandoned) {
  const auto keys = std::make_unique<KeyStore>();
  const test::HeapBuffer<uint32_t> tape(4, kSlack);
  const test::HeapBuffer<double> lane(4000, kSlack);
  const test::HeapBuffer<uint8_t> output(Emitter::kMinOutput, kSlack);
  Emitter emitter(*keys, {tape.span(), lane.span(), {}, {}, output.span(), {}});
  std::fill_n(lane.data(), 4000, 0.5);
  tape.data()[0] = word(kFloats, 4000);
  emitter.begin();
  emitter.start(1);
  ASSERT_EQ(emitter.run(), Status::kWindowFull);

  tape.data()[0] = word(kNil, 0);
  emitter.begin();
  emitter.start(1);
  ASSERT_EQ(emitter.run(), Status::kDone);
  EXPECT_EQ(Bytes(output.data(), output.data() + emitter.length()), Bytes{0xc0});
}

}  // namespace
}  // namespace mpw
