#include <gtest/gtest.h>

#include <utility>

#include "decoding.hpp"
#include "sweep.hpp"

/// Messages that arrive bit by bit.
namespace mpw {
namespace {

using test::all_samples;
using test::array;
using test::Bytes;
using test::Expected;
using test::expected_of;
using test::float64;
using test::head;
using test::integer;
using test::map;
using test::Outcome;
using test::reference_decode;
using test::repeat;
using test::same_in;
using test::Sample;
using test::Session;
using test::Sizes;
using test::str;
using test::TapeReader;
using test::Words;

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

TEST(TokenizerMany, GivesTheSameValuesInAnyWindows) {
  const std::vector<Expected> all = expected_of(all_samples());
  Bytes message;
  std::string events;
  for (const Expected& one : all) {
    message.insert(message.end(), one.message.begin(), one.message.end());
    events += one.events;
  }
  for (uint32_t tape = Tokenizer::kMinTape; tape <= 4096; tape = tape < 40 ? tape + 1 : tape * 2) {
    for (const uint32_t chunk : {100U, 1000U, 64 * 1024U}) {
      const std::unique_ptr<KeyTable> keys = test::key_table();
      Session session(*keys, {.chunk = chunk, .tape = tape, .pooled = 16});
      for (int sight = 1; sight <= 3; sight++) {
        const Outcome outcome = session.decode_many(message);
        ASSERT_EQ(outcome.status, Status::kDone) << tape << " words, chunks of " << chunk;
        ASSERT_EQ(outcome.offset, message.size());
        ASSERT_EQ(outcome.events, events) << tape << " words, chunks of " << chunk;
      }
    }
  }
}

TEST(TokenizerMany, ReadsAsManyAsAWindowTakes) {
  Bytes message;
  for (int64_t i = 0; i < 100; i++) {
    const Bytes one = map({{"id", integer(i)}, {"name", str("\u00fc")}});
    message.insert(message.end(), one.begin(), one.end());
  }
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys);
  session.decode_many(message);
  EXPECT_EQ(session.windows, 1U);
}

TEST(TokenizerMany, ReadsAllBeforeAnError) {
  const Bytes good = map({{"id", integer(300)}, {"name", str("a \u00fc")}});
  const Bytes bad = map({{"id", integer(300)}, {"name", {0xc1}}});
  const std::unique_ptr<KeyTable> keys = test::key_table();
  for (size_t count = 1; count < 40; count++) {
    Bytes message;
    for (size_t i = 0; i < count; i++) message.insert(message.end(), good.begin(), good.end());
    message.insert(message.end(), bad.begin(), bad.end());
    Session session(*keys);
    const Outcome outcome = session.decode_many(message);
    EXPECT_EQ(outcome.status, Status::kUnknownFormat);
    EXPECT_EQ(outcome.offset, message.size() - 1);
    EXPECT_EQ(session.windows, 2U);
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
  EXPECT_EQ(stream.decode(message, 9),
            (Words{wide(kDeepArray, 3), word(kInt, 1), word(kArray, 2), word(kInt, 2), word(kInt, 3),
                   wide(kDeepArray, 2), word(kInt, 4), wide(kDeepArray, 2), word(kInt, 5)}));
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
  for (const Bytes& token :
       {integer(300), float64(0.5), str("text"), str(test::ascii(600)), test::bin(Bytes(600)),
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

/// A value whose input comes bit by bit, through a tokenizer that reads others meanwhile.
class Interrupted {
 public:
  Interrupted(const KeyTable& keys, const Bytes& message) : message_(message), reader_(keys, message_, {}) {}

  /// Goes on with `arrival` bytes more. Returns whether the value is complete.
  bool go_on(Session& session, uint64_t arrival) {
    Tokenizer& tokenizer = session.tokenizer();
    if (is_begun_) {
      tokenizer.resume(std::move(state_));
    } else {
      tokenizer.begin();
      is_begun_ = true;
    }
    there_ = std::min<uint64_t>(there_ + arrival, message_.size());
    for (;;) {
      const auto size = static_cast<uint32_t>(std::min<uint64_t>(session.input().size(), there_ - chunk_));
      session.load(message_, {}, chunk_, size);
      tokenizer.feed(size, there_ - chunk_, true);
      const Status status = session.read_windows(reader_, chunk_, true);
      if (status != Status::kNeedInput || !reader_.is_good()) {
        EXPECT_EQ(status, Status::kDone);
        return true;
      }
      chunk_ += tokenizer.offset();
      if (size == there_ - chunk_ + tokenizer.offset() || tokenizer.offset() == 0) break;
    }
    state_ = tokenizer.suspend();
    return false;
  }

  const std::string& events() const { return reader_.events().str(); }

 private:
  const Bytes message_;
  TapeReader reader_;
  Tokenizer::Message state_;
  bool is_begun_ = false;
  uint64_t chunk_ = 0;
  uint64_t there_ = 0;
};

TEST(TokenizerStreams, TakeTurns) {
  for (const uint32_t tape : {Tokenizer::kMinTape, 100U}) {
    for (const uint32_t arrival : {1U, 3U, 10U, 100U, 1000U}) {
      const std::unique_ptr<KeyTable> keys = test::key_table();
      Session session(*keys, {.chunk = Sizes::least_chunk(16), .tape = tape, .pooled = 16});
      std::vector<std::unique_ptr<Interrupted>> all;
      for (const Sample& sample : all_samples())
        all.push_back(std::make_unique<Interrupted>(*keys, sample.message));
      const Bytes other = array({map({{"id", {1}}, {"name", {2}}}), test::nested_first_items(20), {3}});
      const std::string expected = reference_decode(other).events;

      std::vector<bool> is_complete(all.size());
      for (size_t complete = 0, turn = 0; complete < all.size(); turn++) {
        const size_t i = turn % all.size();
        if (is_complete[i]) continue;
        // They do not all get as much at a time.
        is_complete[i] = all[i]->go_on(session, arrival + i % 5);
        if (is_complete[i]) complete++;
        // A message in one piece in between, and one that fails.
        if (turn % 7 == 0) {
          ASSERT_EQ(session.decode(other).events, expected);
        }
        if (turn % 11 == 0) {
          ASSERT_EQ(session.decode(Bytes{0x92, 0x92, 0xc1}).status, Status::kInsufficientData);
        }
      }
      for (size_t i = 0; i < all.size(); i++) {
        ASSERT_EQ(all[i]->events(), reference_decode(all_samples()[i].message).events)
            << all_samples()[i].name;
      }
    }
  }
}

TEST(TokenizerStreams, LeaveNothingBehindWhenTheyAreSuspended) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys);
  const size_t before = test::allocated_bytes();
  {
    const Bytes deep = repeat(50000, {0x92});
    Interrupted stream(*keys, deep);
    ASSERT_FALSE(stream.go_on(session, deep.size()));
    // A count that lies fails by what its own message has, whatever another still lacks.
    const Outcome outcome = session.decode(array({{1}, {2}}));
    EXPECT_EQ(outcome.status, Status::kDone);
    EXPECT_EQ(session.decode(array({{1}, {2}, test::record(1)})).status, Status::kDone);
  }
  EXPECT_LT(test::allocated_bytes() - before, 16384U) << "its stack goes with it";
}

}  // namespace
}  // namespace mpw
