#include <gtest/gtest.h>

#include "decoding.hpp"
#include "samples.hpp"
#include "sweep.hpp"

namespace mpw {
namespace {

using test::array;
using test::Bytes;
using test::counted;
using test::decode;
using test::join;
using test::Outcome;
using test::Reference;
using test::reference_decode;
using test::Session;
using test::Sizes;
using test::words_of;

constexpr uint8_t kFloat32 = 1;
constexpr uint8_t kFloat64 = 2;
constexpr uint8_t kBytes = 127;

DecodeOptions typed() {
  DecodeOptions options;
  options.element_sizes[kFloat32] = 4;
  options.element_sizes[kFloat64] = 8;
  options.element_sizes[kBytes] = 1;
  return options;
}

/// `[offset][zeros][data]`.
Bytes payload(uint8_t offset, const Bytes& data) { return join({{offset}, Bytes(offset - 1U, 0), data}); }

TEST(TokenizerTypedArrays, TellWhereTheirDataLie) {
  EXPECT_EQ(words_of(test::ext(kFloat32, payload(4, counted(8))), typed()),
            (test::Words{wide(kTypedArray, 4 << 16 | 3 << 8 | kFloat32), 8, 7}));
  EXPECT_EQ(
      words_of(array({test::nil(), test::ext(kFloat64, payload(8, counted(8)))}), typed()),
      (test::Words{word(kArray, 2), word(kNil, 0), wide(kTypedArray, 8 << 16 | 2 << 8 | kFloat64), 8, 12}));
  EXPECT_EQ(words_of(test::ext(kBytes, payload(255, {})), typed()),
            (test::Words{wide(kTypedArray, 255 << 16 | 3 << 8 | kBytes), 0, 258}));
}

TEST(TokenizerTypedArrays, AreThoseOfTheirTypesAlone) {
  for (const int32_t type : {0, 3, 126, -1, -127, -128}) {
    EXPECT_EQ(words_of(test::ext(type, {0, 1}), typed()),
              (test::Words{wide(kExt, 2 << 8 | static_cast<uint8_t>(type)), 2, 2}));
  }
  EXPECT_EQ(words_of(test::ext(kFloat32, {0, 1})), (test::Words{wide(kExt, 2 << 8 | kFloat32), 2, 2}));
}

/// In all sizes of headers, wherever a chunk or a stream's piece ends.
TEST(TokenizerTypedArrays, ComeInPiecesOfAnySize) {
  std::vector<Bytes> items;
  for (const size_t count : {0U, 1U, 3U, 5U, 40U, 70U, 200U}) {
    for (uint8_t offset = 1; offset <= 9; offset += 4) {
      items.push_back(test::ext(kFloat32, payload(offset, counted(count * 4))));
      items.push_back(test::ext(kFloat64, payload(offset, counted(count * 8))));
      items.push_back(test::str("between"));
    }
  }
  items.push_back(test::map({{"data", test::ext(kBytes, payload(1, counted(70000)))}, {"b", test::nil()}}));
  const Bytes message = array(items);
  const Reference reference = reference_decode(message, typed());
  for (const uint32_t chunk : {Sizes::least_chunk(16), Sizes::least_chunk(16) + 1, 301U, 4096U, 1U << 17}) {
    for (const uint32_t arrival : {0U, 1U, 7U, 1000U, 40000U}) {
      const std::unique_ptr<KeyTable> keys = test::key_table();
      Session session(*keys, {.chunk = chunk, .tape = 16, .pooled = 16, .arrival = arrival}, typed());
      const Outcome outcome = session.decode(message);
      ASSERT_EQ(outcome.status, Status::kDone) << chunk << ", " << arrival;
      ASSERT_EQ(outcome.offset, message.size());
      ASSERT_EQ(outcome.events, reference.events);
    }
  }
}

/// All kinds of messages, their windows going on with chunks of any size.
TEST(TokenizerGoingOn, ReadsTheSame) {
  const std::vector<test::Expected> all = test::expected_of(test::all_samples());
  for (const uint32_t pooled : {0U, 40U}) {
    const uint32_t least = Sizes::least_chunk(pooled);
    for (uint32_t further = 1; further <= 2 * least; further += further < 100 ? 1 : 17) {
      const uint32_t chunk = std::max(2 * further, least);
      ASSERT_TRUE(test::same_in(all, {.chunk = chunk, .tape = 64, .pooled = pooled, .further = further}));
    }
    ASSERT_TRUE(test::same_in(all, {.chunk = 4096, .tape = 4096, .pooled = pooled, .further = 2048}));
  }
}

TEST(TokenizerGoingOn, KeepsTheShapesOfMapsThatHoldLongPayloads) {
  const Bytes mesh = test::map({{"position", test::ext(kFloat32, payload(1, counted(4000)))},
                                {"normal", test::ext(kFloat32, payload(1, counted(4000)))},
                                {"name", test::str("a mesh")},
                                {"index", test::bin(counted(4000))}});
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys, {.chunk = 2048, .further = 1024}, typed());
  Outcome outcome;
  for (int sight = 0; sight < 4; sight++) outcome = session.decode(mesh);
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, mesh.size());
  EXPECT_EQ(outcome.events, reference_decode(mesh, typed()).events);
  EXPECT_EQ(outcome.tape[0] & 15, kShape);
  EXPECT_EQ(session.furthers, 4U * 2) << "behind two payloads: the last ends the value";

  Session other(*keys, {.chunk = 2048}, typed());
  EXPECT_EQ(other.decode(mesh).tape[0] & 15, kMap) << "a window for each chunk";
}

TEST(TokenizerGoingOn, SaysWhereAnErrorIs) {
  const Bytes before = array({test::bin(counted(3000)), test::bin(counted(3000)), {}});
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys, {.chunk = 2048, .further = 1024}, typed());
  const Outcome outcome = session.decode(join({before, test::ext(kFloat32, {0})}));
  EXPECT_EQ(outcome.status, Status::kTypedArrayOffset);
  EXPECT_EQ(outcome.offset, before.size());
  EXPECT_EQ(session.decode(before).status, Status::kInsufficientData);
  EXPECT_EQ(session.decode(test::nil()).status, Status::kDone);
}

void expect_error(const Bytes& before, const Bytes& typed_array, Status status, uint64_t detail) {
  const Outcome outcome = decode(join({before, typed_array}), typed());
  EXPECT_EQ(outcome.status, status);
  EXPECT_EQ(outcome.offset, before.size());
  EXPECT_EQ(outcome.detail, detail);
}

TEST(TokenizerTypedArrays, AreErrorsWhereTheirOffsetIsNone) {
  for (const Bytes& before : {Bytes{}, Bytes{0x91}, Bytes{0x92, 0x00}, Bytes{0x81, 0xa1, 'a'}}) {
    expect_error(before, test::ext(kFloat32, {}), Status::kTypedArrayOffset, 0);
    expect_error(before, test::ext(kFloat32, {0}), Status::kTypedArrayOffset, 0);
    expect_error(before, test::ext(kFloat32, {0, 0, 0, 0, 0}), Status::kTypedArrayOffset, 0);
    expect_error(before, test::ext(kFloat32, {2}), Status::kTypedArrayOffset, 2);
    expect_error(before, test::ext(kFloat32, {6, 0, 0, 0, 0}), Status::kTypedArrayOffset, 6);
    expect_error(before, test::ext(kFloat32, join({{255}, Bytes(253, 0)})), Status::kTypedArrayOffset, 255);
  }
  EXPECT_EQ(decode(test::ext(kFloat32, {1}), typed()).status, Status::kDone);
  EXPECT_EQ(decode(test::ext(kFloat32, {5, 0, 0, 0, 0}), typed()).status, Status::kDone);
}

TEST(TokenizerTypedArrays, AreErrorsWhereAnElementIsNotWhole) {
  for (size_t size = 0; size <= 17; size++) {
    const Bytes data = counted(size);
    const auto expect = [&](uint8_t type, size_t element) {
      const Bytes message = test::ext(type, payload(3, data));
      if (size % element != 0) {
        expect_error({0x91}, message, Status::kTypedArrayLength, size);
      } else {
        EXPECT_EQ(decode(message, typed()).status, Status::kDone);
      }
    };
    expect(kFloat32, 4);
    expect(kFloat64, 8);
    expect(kBytes, 1);
  }
}

TEST(TokenizerTypedArrays, AreTruncatedWhereTheInputEndsInTheirPayload) {
  for (const uint32_t arrival : {0U, 3U}) {
    const Bytes header = {0x91, 0xc8, 0x01, 0x04, kFloat32};
    const Bytes message = join({header, payload(4, counted(256))});
    const std::unique_ptr<KeyTable> keys = test::key_table();
    Session session(*keys, {.arrival = arrival}, typed());
    for (size_t size = 0; size < message.size(); size++) {
      const std::span<const uint8_t> whole(message);
      const Outcome outcome = session.decode(whole.first(size), whole.subspan(size));
      if (size < header.size()) {
        ASSERT_EQ(outcome.status, Status::kInsufficientData) << size;
      } else {
        ASSERT_EQ(outcome.status, Status::kTypedArrayTruncated) << size;
        ASSERT_EQ(outcome.offset, 1U);
        ASSERT_EQ(outcome.detail, message.size() - size);
      }
    }
  }
  // Here it is what should follow that is missing.
  EXPECT_EQ(decode(join({{0x92}, test::ext(kFloat32, {1})}), typed()).status, Status::kInsufficientData);
}

TEST(TokenizerTypedArrays, KeepToTheLimitsOfExtensionsAndBinaryData) {
  DecodeOptions options = typed();
  options.max_ext_length = 8;
  EXPECT_EQ(decode(test::ext(kFloat32, payload(4, counted(4))), options).status, Status::kDone);
  EXPECT_EQ(decode(test::ext(kFloat32, payload(5, counted(4))), options).status, Status::kMaxExtLength);
  options = typed();
  options.max_bin_length = 8;
  EXPECT_EQ(decode(test::ext(kFloat32, payload(4, counted(4))), options).status, Status::kDone);
  EXPECT_EQ(decode(test::ext(kFloat32, payload(5, counted(4))), options).status, Status::kMaxBinLength);
}

/// The message lies elsewhere, and is read there: the buffer for input holds nothing.
TEST(TokenizerInPlace, ReadsChunksWhereTheyLie) {
  const Bytes message = array({test::map({{"position", test::ext(kFloat32, payload(4, counted(400)))},
                                          {"name", test::str("a mesh")}}),
                               test::map({{"position", test::ext(kFloat32, payload(1, {}))},
                                          {"name", test::str("another \xc3\xbc")}}),
                               test::float64(0.5), test::integer(-70000)});
  const Reference reference = reference_decode(message, typed());
  const test::HeapBuffer<uint8_t> place(message.size(), KeyTable::kLookahead + kSlack);
  std::copy(message.begin(), message.end(), place.data());
  const test::HeapBuffer<uint32_t> tape(4096, kSlack);
  const test::HeapBuffer<double> lane(8192, kSlack);
  const test::HeapBuffer<uint8_t> pool8(message.size(), kSlack);
  const test::HeapBuffer<uint16_t> pool16(message.size(), kSlack);
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Tokenizer tokenizer(*keys, {{}, tape.span(), lane.span(), pool8.span(), pool16.span()});
  tokenizer.set_options(typed());
  for (const uint32_t chunk : {60U, 100U, 1000U}) {
    for (int sight = 0; sight < 3; sight++) {
      test::TapeReader reader(*keys, message, typed());
      uint64_t start = 0;
      tokenizer.begin();
      for (;;) {
        const auto size = static_cast<uint32_t>(std::min<uint64_t>(chunk, message.size() - start));
        tokenizer.place(place.data() + start);
        tokenizer.feed(size, message.size() - start, false);
        const Status status = tokenizer.run();
        ASSERT_TRUE(status == Status::kDone || status == Status::kNeedInput);
        ASSERT_TRUE(
            reader.read({tape.span(), lane.span(), pool8.span(), pool16.span(), start, status, false}));
        if (status == Status::kDone) break;
        ASSERT_GT(tokenizer.offset(), 0U);
        start += tokenizer.offset();
      }
      EXPECT_EQ(start + tokenizer.offset(), message.size());
      EXPECT_EQ(reader.events().str(), reference.events);
    }
  }
  EXPECT_TRUE(std::equal(message.begin(), message.end(), place.data())) << "the input is only read";
}

}  // namespace
}  // namespace mpw
