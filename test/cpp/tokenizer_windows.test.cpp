#include <gtest/gtest.h>

#include "decoding.hpp"
#include "sweep.hpp"

/// Windows and chunks of any size: the value is the same wherever one ends.
namespace mpw {
namespace {

using test::all_samples;
using test::array;
using test::Bytes;
using test::Expected;
using test::expected_of;
using test::head;
using test::join;
using test::map;
using test::Outcome;
using test::Reference;
using test::reference_decode;
using test::repeat;
using test::same_in;
using test::Sample;
using test::Session;
using test::Sizes;
using test::str;
using test::Words;

TEST(TokenizerWindows, OfAnyTapeGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  for (uint32_t tape = Tokenizer::kMinTape; tape <= 80; tape++) ASSERT_TRUE(same_in(all, {.tape = tape}));
  for (uint32_t tape = 81; tape <= 700; tape += 23) ASSERT_TRUE(same_in(all, {.tape = tape}));
}

TEST(TokenizerWindows, OfAnyChunkGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  const uint32_t least = Sizes::least_chunk(kMaxPooledBytes);
  for (uint32_t chunk = least; chunk <= least + 30; chunk++) ASSERT_TRUE(same_in(all, {.chunk = chunk}));
  for (uint32_t chunk = least + 31; chunk <= 2000; chunk += 97) ASSERT_TRUE(same_in(all, {.chunk = chunk}));
}

TEST(TokenizerWindows, OfTinyChunksWhereStringsAreNotPooledGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  for (const uint32_t pooled : {0U, 1U, 8U, 31U, 32U}) {
    const uint32_t least = Sizes::least_chunk(pooled);
    for (uint32_t chunk = least; chunk <= least + 12; chunk++) {
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .pooled = pooled}));
    }
  }
}

TEST(TokenizerWindows, ThatCopyWhatTheyHoldGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  for (const uint32_t copied : {1U, 40U, 100'000U}) {
    for (uint32_t chunk = 80; chunk <= 2000; chunk += 29) {
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .pooled = 0, .copied = copied}));
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .pooled = 0, .copied = copied, .arrival = 101}));
      // Pools have room for a chunk: a further one must fit behind half of it.
      if (chunk >= 160) {
        ASSERT_TRUE(same_in(all, {.chunk = chunk, .pooled = 0, .copied = copied, .further = 80}));
      }
    }
  }
}

TEST(TokenizerWindows, OfAnyTapeAndChunkGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  for (uint32_t tape = Tokenizer::kMinTape; tape <= 40; tape += 3) {
    for (uint32_t chunk = 80; chunk <= 200; chunk += 17) {
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .tape = tape, .pooled = 0}));
    }
  }
}

TEST(TokenizerWindows, WhereAllKeysStandInLineGiveTheSameValue) {
  for (const bool raw : {false, true}) {
    DecodeOptions options;
    options.any_key = !raw;
    options.raw_keys = raw;
    const std::vector<Expected> all = expected_of(all_samples(), options);
    for (uint32_t tape = Tokenizer::kMinTape; tape <= 40; tape++)
      ASSERT_TRUE(same_in(all, {.tape = tape}, options));
    for (uint32_t chunk = 80; chunk <= 200; chunk += 7) {
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .tape = 24, .pooled = 0}, options));
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .pooled = 0, .arrival = 13}, options));
    }
  }
}

TEST(TokenizerWindows, OfAnyLaneGiveTheSameNumbers) {
  std::vector<Sample> numbers;
  for (const Sample& sample : all_samples()) {
    if (sample.name.starts_with("integers") || sample.name.starts_with("numbers")) numbers.push_back(sample);
  }
  ASSERT_GE(numbers.size(), 4U);
  // Numbers that have a word each find room: no window has more words than this.
  constexpr uint32_t kTape = 32;
  const std::vector<Expected> all = expected_of(numbers);
  for (uint32_t lane = 2 * kTape; lane <= 200; lane++)
    ASSERT_TRUE(same_in(all, {.tape = kTape, .lane = lane}));
}

/// Behind each end of a window, the next begins with something else.
TEST(TokenizerWindows, EndAnywhereInAMapOfAShape) {
  std::vector<Sample> messages;
  for (size_t before = 0; before <= 20; before++) {
    const Bytes inner = map({{"x", {1}}, {"y", array({{1}, {2}})}});
    const Bytes outer = map({{"a", {1}}, {"b", inner}, {"c", map({})}, {"d", inner}});
    std::vector<Bytes> items(before, test::nil());
    items.push_back(outer);
    items.push_back(map({{"last", outer}}));
    messages.push_back({"maps behind " + std::to_string(before) + " items", array(items)});
    // The last of all, so that nothing is left to come around it.
    items.pop_back();
    messages.push_back({"a map at the end", array(items)});
  }
  const std::vector<Expected> all = expected_of(messages);
  for (uint32_t tape = Tokenizer::kMinTape; tape <= 40; tape++) ASSERT_TRUE(same_in(all, {.tape = tape}));
}

/// A payload that goes beyond the chunk, where the window is full as well.
TEST(TokenizerWindows, EndBehindAPayloadThatEndsBeyondTheChunk) {
  std::vector<Sample> messages;
  for (size_t before = 0; before <= 40; before++) {
    for (const Bytes& payload :
         {test::bin(test::counted(3000)), str(test::ascii(3000)), test::ext(5, test::counted(3000))}) {
      const Bytes nils = repeat(before, test::nil());
      const auto count = static_cast<uint32_t>(before);
      messages.push_back({"in the middle", join({head(0xdc, count + 3, 2), nils, payload, {1}, str("x")})});
      messages.push_back({"at the end", join({head(0xdc, count + 1, 2), nils, payload})});
      messages.push_back(
          {"in a map", join({head(0xdc, count + 1, 2), nils, map({{"a", payload}, {"b", {2}}})})});
    }
  }
  const std::vector<Expected> all = expected_of(messages);
  for (const uint32_t tape : {16U, 17U, 18U, 24U}) {
    for (const uint32_t chunk : {600U, 700U, 1500U, 3020U})
      ASSERT_TRUE(same_in(all, {.chunk = chunk, .tape = tape}));
  }
}

TEST(TokenizerWindows, SayWhereThePayloadLiesFromTheStartOfTheChunk) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  const Bytes message = array({test::bin(test::counted(5000)), test::bin({1, 2, 3}), {7}});
  const Outcome outcome = Session(*keys, {.chunk = 600}).decode(message);
  // The second chunk begins behind the first payload.
  EXPECT_EQ(outcome.tape, (Words{word(kArray, 3), wide(kBin), 5000, 4, wide(kBin), 3, 2, word(kInt, 7)}));
}

/// Where errors stand, and what they say, does not depend on where windows and chunks end.
TEST(TokenizerWindows, OfAnySizeFailAtTheSamePlace) {
  test::MessageSource source(3);
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session large(*keys, {.chunk = 32 * 1024, .pooled = 32});
  std::vector<std::unique_ptr<Session>> sessions;
  for (uint32_t i = 0; i < 12; i++) {
    const Sizes sizes = {
        .chunk = Sizes::least_chunk(32) + i * 9, .tape = Tokenizer::kMinTape + i * 5 % 13, .pooled = 32};
    sessions.push_back(std::make_unique<Session>(*keys, sizes));
  }
  for (int i = 0; i < 3000; i++) {
    const Bytes message = source.damaged(source.value());
    const Outcome expected = large.decode(message);
    for (const std::unique_ptr<Session>& session : sessions) {
      const Outcome outcome = session->decode(message);
      ASSERT_EQ(outcome.status, expected.status) << "message " << i;
      ASSERT_EQ(outcome.offset, expected.offset) << "message " << i;
      if (expected.status == Status::kDone) {
        ASSERT_EQ(outcome.events, expected.events) << "message " << i;
      } else if (expected.status != Status::kForbiddenKey && expected.status != Status::kInvalidUtf8) {
        ASSERT_EQ(outcome.detail, expected.detail) << "message " << i;
      }
    }
  }
}

/// Random messages in random windows, with a table that goes on learning.
TEST(TokenizerWindows, OfAnySizeDecodeRandomMessages) {
  test::MessageSource source(4);
  std::unique_ptr<KeyTable> keys = test::key_table();
  for (int i = 0; i < 4000; i++) {
    if (i % 100 == 0) keys->clear();
    const Bytes message = source.value();
    DecodeOptions options;
    options.int64 = static_cast<Int64>(source.below(3));
    options.raw_strings = source.below(4) == 0;
    options.any_key = source.below(4) == 0;
    options.raw_keys = source.below(6) == 0;
    const uint32_t pooled = source.below(2) == 0 ? source.below(40) : kMaxPooledBytes;
    const Sizes sizes = {.chunk = Sizes::least_chunk(pooled) + source.below(300),
                         .tape = Tokenizer::kMinTape + source.below(100),
                         .pooled = pooled,
                         .arrival = source.below(3) == 0 ? 1 + source.below(200) : 0};
    const Outcome outcome = Session(*keys, sizes, options).decode(message);
    const Reference reference = reference_decode(message, options);
    ASSERT_EQ(outcome.status, reference.status) << "message " << i;
    // Some have a bigint for a key.
    if (reference.status != Status::kDone) continue;
    ASSERT_EQ(outcome.offset, message.size()) << "message " << i;
    ASSERT_EQ(outcome.events, reference.events) << "message " << i;
  }
}

}  // namespace
}  // namespace mpw
