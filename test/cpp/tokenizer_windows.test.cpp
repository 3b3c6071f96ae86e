#include <gtest/gtest.h>

#include "decoding.hpp"
#include "samples.hpp"

/// Windows, chunks and streams of any size: the value is the same wherever one ends.
namespace mpw {
namespace {

using test::array;
using test::Bytes;
using test::float64;
using test::head;
using test::integer;
using test::join;
using test::map;
using test::Outcome;
using test::Reference;
using test::reference_decode;
using test::repeat;
using test::Sample;
using test::samples;
using test::Session;
using test::Sizes;
using test::str;
using test::Words;

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> all = samples();
  return all;
}

struct Expected {
  std::string name;
  Bytes message;
  std::string events;
};

std::vector<Expected> expected_of(const std::vector<Sample>& messages, const DecodeOptions& options = {}) {
  std::vector<Expected> all;
  for (const Sample& sample : messages) {
    all.push_back({sample.name, sample.message, reference_decode(sample.message, options).events});
  }
  return all;
}

/// Three times over: keys in line, learned, and known. Returns false at the first that is not as it must be.
bool same_in(const std::vector<Expected>& all, const Sizes& sizes, const DecodeOptions& options = {}) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys, sizes, options);
  for (int sight = 1; sight <= 3; sight++) {
    for (const Expected& expected : all) {
      const Outcome outcome = session.decode(expected.message);
      const bool same = outcome.status == Status::kDone && outcome.offset == expected.message.size() &&
                        outcome.events == expected.events;
      if (same) continue;
      EXPECT_EQ(outcome.status, Status::kDone);
      EXPECT_EQ(outcome.offset, expected.message.size());
      EXPECT_EQ(outcome.events, expected.events);
      ADD_FAILURE() << expected.name << ", sight " << sight << ", in chunks of " << sizes.chunk << ", windows of "
                    << sizes.tape << " words, a lane of " << sizes.lane_slots() << ", pooled up to " << sizes.pooled
                    << ", arriving by " << sizes.arrival;
      return false;
    }
  }
  return true;
}

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
    for (uint32_t tape = Tokenizer::kMinTape; tape <= 40; tape++) ASSERT_TRUE(same_in(all, {.tape = tape}, options));
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
  for (uint32_t lane = 2 * kTape; lane <= 200; lane++) ASSERT_TRUE(same_in(all, {.tape = kTape, .lane = lane}));
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
    for (const Bytes& payload : {test::bin(test::counted(3000)), str(test::ascii(3000)), test::ext(5, test::counted(3000))}) {
      const Bytes nils = repeat(before, test::nil());
      const auto count = static_cast<uint32_t>(before);
      messages.push_back({"in the middle", join({head(0xdc, count + 3, 2), nils, payload, {1}, str("x")})});
      messages.push_back({"at the end", join({head(0xdc, count + 1, 2), nils, payload})});
      messages.push_back({"in a map", join({head(0xdc, count + 1, 2), nils, map({{"a", payload}, {"b", {2}}})})});
    }
  }
  const std::vector<Expected> all = expected_of(messages);
  for (const uint32_t tape : {16U, 17U, 18U, 24U}) {
    for (const uint32_t chunk : {600U, 700U, 1500U, 3020U}) ASSERT_TRUE(same_in(all, {.chunk = chunk, .tape = tape}));
  }
}

TEST(TokenizerWindows, SayWhereThePayloadLiesFromTheStartOfTheChunk) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  const Bytes message = array({test::bin(test::counted(5000)), test::bin({1, 2, 3}), {7}});
  const Outcome outcome = Session(*keys, {.chunk = 600}).decode(message);
  // The second chunk begins behind the first payload.
  EXPECT_EQ(outcome.tape,
            (Words{word(kArray, 3), wide(kBin), 5000, 4, wide(kBin), 3, 2, word(kInt, 7)}));
}

TEST(TokenizerStreams, OfAnyArrivalGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  for (uint32_t arrival = 1; arrival <= 70; arrival += arrival < 20 ? 1 : 7) {
    ASSERT_TRUE(same_in(all, {.chunk = 2048, .arrival = arrival}));
  }
  for (uint32_t arrival = 71; arrival <= 1000; arrival += 83) ASSERT_TRUE(same_in(all, {.arrival = arrival}));
}

TEST(TokenizerStreams, InAnyWindowsGiveTheSameValue) {
  const std::vector<Expected> all = expected_of(all_samples());
  for (uint32_t tape = Tokenizer::kMinTape; tape <= 32; tape++) {
    for (const uint32_t arrival : {1U, 7U, 50U, 1000U}) {
      ASSERT_TRUE(same_in(all, {.chunk = 100, .tape = tape, .pooled = 16, .arrival = arrival}));
    }
  }
}

/// The tape of a stream whose first `size` bytes are there.
class StreamStart {
 public:
  explicit StreamStart(const DecodeOptions& options = {}) : session_(*keys_, {}, options) {}

  Words decode(const Bytes& message, size_t size) {
    Tokenizer& tokenizer = session_.tokenizer();
    session_.load(message, {}, 0, static_cast<uint32_t>(size));
    tokenizer.begin();
    tokenizer.feed(static_cast<uint32_t>(size), size, true);
    status = tokenizer.run();
    offset = tokenizer.offset();
    detail = tokenizer.detail();
    Words words;
    const std::span<uint32_t> tape = session_.tape();
    // None of the operands in these tests is zero.
    for (size_t i = 0; tape[i] != word(kEnd, 0); i++) words.push_back(tape[i]);
    return words;
  }

  Status status = Status::kDone;
  uint64_t offset = 0;
  uint64_t detail = 0;

 private:
  std::unique_ptr<KeyTable> keys_ = test::key_table();
  Session session_;
};

TEST(TokenizerStreams, MarkWhatTheChunkLeavesOpen) {
  StreamStart stream;
  const Bytes message = array({{1}, array({{2}, {3}}), array({{4}, array({{5}, {6}})})});
  EXPECT_EQ(stream.decode(message, 1), (Words{wide(kDeepArray, 3)}));
  EXPECT_EQ(stream.decode(message, 2), (Words{wide(kDeepArray, 3), word(kInt, 1)}));
  EXPECT_EQ(stream.decode(message, 3), (Words{wide(kDeepArray, 3), word(kInt, 1), wide(kDeepArray, 2)}));
  // What is complete is not marked.
  EXPECT_EQ(stream.decode(message, 7)[2], word(kArray, 2));
  EXPECT_EQ(stream.decode(message, 9), (Words{wide(kDeepArray, 3), word(kInt, 1), word(kArray, 2), word(kInt, 2),
                                              word(kInt, 3), wide(kDeepArray, 2), word(kInt, 4), wide(kDeepArray, 2),
                                              word(kInt, 5)}));
  EXPECT_EQ(stream.status, Status::kNeedInput);
  EXPECT_EQ(stream.decode(message, 10)[0], word(kArray, 3));
  EXPECT_EQ(stream.status, Status::kDone);
}

TEST(TokenizerStreams, MarkMapsThatTheChunkLeavesOpen) {
  StreamStart stream;
  const Bytes message = array({map({{"a", {1}}, {"b", map({{"c", {2}}})}}), {3}});
  for (int i = 0; i < 3; i++) {
    for (size_t size = 1; size < message.size(); size++) {
      const Words words = stream.decode(message, size);
      EXPECT_EQ(stream.status, Status::kNeedInput);
      EXPECT_EQ(words[0], wide(kDeepArray, 2));
      if (size >= 2 && size < 11) {
        ASSERT_GE(words.size(), 2U) << size;
        EXPECT_EQ(words[1] & 0xff, wide(kDeepMap)) << size;
      }
    }
    EXPECT_EQ(stream.decode(message, message.size())[0], word(kArray, 2));
  }
}

TEST(TokenizerStreams, WaitForTheWholeOfAToken) {
  StreamStart stream;
  for (const Bytes& token : {integer(300), float64(0.5), str("text"), str(test::ascii(600)), test::bin(Bytes(600)),
                             test::ext(1, Bytes(4)), test::ext(1, Bytes(600)), head(0xdc, 2, 2), head(0xdf, 2, 4)}) {
    Bytes whole = {0x92, 7};
    whole.insert(whole.end(), token.begin(), token.end());
    for (size_t size = 2; size < whole.size(); size++) {
      EXPECT_EQ(stream.decode(whole, size), (Words{wide(kDeepArray, 2), word(kInt, 7)}));
      EXPECT_EQ(stream.status, Status::kNeedInput);
      EXPECT_EQ(stream.offset, 2U) << "the next chunk starts at the token";
      EXPECT_GE(stream.detail, 1U);
      EXPECT_LE(stream.detail, whole.size() - size) << "no more is asked for than the token takes";
    }
  }
}

TEST(TokenizerStreams, WaitForAKeyAndItsValueTogether) {
  StreamStart stream;
  const Bytes message = map({{"a", {1}}, {"key", integer(1000)}});
  for (int i = 0; i < 3; i++) stream.decode(message, message.size());
  for (size_t size = 4; size < message.size(); size++) {
    stream.decode(message, size);
    EXPECT_EQ(stream.status, Status::kNeedInput);
    EXPECT_EQ(stream.offset, 4U) << size;
    EXPECT_GE(stream.detail, 1U);
    EXPECT_LE(stream.detail, message.size() - size);
  }
}

TEST(TokenizerStreams, GetNoFurtherBeforeAsMuchHasArrivedAsTheySay) {
  StreamStart stream;
  for (const Sample& sample : all_samples()) {
    if (sample.message.size() > 2000) continue;
    for (size_t size = 1; size < sample.message.size();) {
      stream.decode(sample.message, size);
      ASSERT_EQ(stream.status, Status::kNeedInput) << sample.name << " " << size;
      const uint64_t offset = stream.offset;
      const uint64_t missing = stream.detail;
      ASSERT_GE(missing, 1U) << sample.name << " " << size;
      ASSERT_LE(missing, sample.message.size() - size) << sample.name << " " << size;
      for (uint64_t more = 1; more < std::min<uint64_t>(missing, 10); more++) {
        stream.decode(sample.message, size + more);
        ASSERT_EQ(stream.status, Status::kNeedInput) << sample.name << " " << size;
        ASSERT_EQ(stream.offset, offset) << sample.name << " " << size;
        ASSERT_EQ(stream.detail, missing - more) << sample.name << " " << size;
      }
      size += missing;
    }
  }
}

/// In a stream a length beyond what is there is no lie yet.
TEST(TokenizerStreams, TakeCountsOnTrust) {
  StreamStart stream;
  EXPECT_EQ(stream.decode(head(0xdd, 0x00ffffff, 4), 5), (Words{wide(kDeepArray, 0x00ffffff)}));
  EXPECT_EQ(stream.status, Status::kNeedInput);
  EXPECT_EQ(stream.decode(head(0xdf, 0x00ffffff, 4), 5), (Words{wide(kDeepMap), word(kKeys, 0x00ffffff)}));
  EXPECT_EQ(stream.status, Status::kNeedInput);
  EXPECT_TRUE(stream.decode(head(0xc6, 0xffffffff, 4), 5).empty());
  EXPECT_EQ(stream.status, Status::kNeedInput);
  EXPECT_EQ(stream.detail, 0xffffffffU);
}

TEST(TokenizerStreams, FailAtOnceForWhatNoInputCanMend) {
  DecodeOptions options;
  options.max_array_length = 10;
  options.max_depth = 2;
  StreamStart stream(options);
  stream.decode({0x92, 1, 0xc1}, 3);
  EXPECT_EQ(stream.status, Status::kUnknownFormat);
  EXPECT_EQ(stream.offset, 2U);
  stream.decode({0x92, 1, 0x9b}, 3);
  EXPECT_EQ(stream.status, Status::kMaxArrayLength);
  stream.decode({0x92, 0x91, 0x91}, 3);
  EXPECT_EQ(stream.status, Status::kMaxDepth);
  stream.decode(map({{"__proto__", {1}}}), 11);
  EXPECT_EQ(stream.status, Status::kForbiddenKey);
}

TEST(TokenizerStreams, ThatEndTooEarlyLackData) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  for (const Sample& sample : all_samples()) {
    const std::span<const uint8_t> whole(sample.message);
    for (size_t size = 1; size < whole.size(); size += 1 + size / 8) {
      Session session(*keys, {.chunk = 1024, .arrival = 50});
      const Outcome outcome = session.decode(whole.first(size), whole.subspan(size));
      ASSERT_EQ(outcome.status, Status::kInsufficientData) << sample.name << " " << size;
      ASSERT_GE(outcome.detail, 1U) << sample.name << " " << size;
      ASSERT_LE(outcome.detail, whole.size() - size) << sample.name << " " << size;
    }
  }
}

/// Where errors stand, and what they say, does not depend on where windows and chunks end.
TEST(TokenizerWindows, OfAnySizeFailAtTheSamePlace) {
  test::MessageSource source(3);
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session large(*keys, {.chunk = 32 * 1024, .pooled = 32});
  std::vector<std::unique_ptr<Session>> sessions;
  for (uint32_t i = 0; i < 12; i++) {
    const Sizes sizes = {.chunk = Sizes::least_chunk(32) + i * 9, .tape = Tokenizer::kMinTape + i * 5 % 13, .pooled = 32};
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
