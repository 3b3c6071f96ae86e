#include "frame_reader.hpp"

#include <gtest/gtest.h>

#include "frames.hpp"

namespace mpw {
namespace {

using test::array;
using test::bin;
using test::Bytes;
using test::frame;
using test::FrameSession;
using test::integer;
using test::join;
using test::key_table;
using test::nil;
using test::Outcome;
using test::reference_frames;
using test::repeat;

Outcome read(const Bytes& batch, const FrameSession::Sizes& sizes = {}) {
  const std::unique_ptr<KeyTable> keys = key_table();
  return FrameSession(*keys, sizes).read(batch);
}

/// What whole frames with these bodies are.
std::string events_of(const std::vector<Bytes>& bodies) {
  std::vector<Bytes> frames;
  for (const Bytes& body : bodies) frames.push_back(frame(body));
  return reference_frames(join(frames)).events;
}

TEST(FrameReader, ReadsAllFramesIntoOneWindow) {
  const std::unique_ptr<KeyTable> keys = key_table();
  FrameSession session(*keys, {});
  const Outcome outcome =
      session.read(join({frame(array({integer(6)})), frame(nil()), frame(array({integer(8), integer(42)}))}));
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, 9U);
  EXPECT_EQ(
      outcome.events,
      "frame at 0\narray 1\nnumber 6\nend\nframe at 3\nnil\nframe at 5\narray 2\nnumber 8\nnumber 42\nend\n");
  EXPECT_EQ(session.windows, 1U);
}

TEST(FrameReader, ReadsNothingFromNothing) {
  const Outcome outcome = read({});
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.events, "");
}

TEST(FrameReader, TakesLongerFormsOfALength) {
  const std::string events = events_of({array({integer(6)})});
  EXPECT_EQ(read({0x82, 0x00, 0x91, 0x06}).events, events);
  EXPECT_EQ(read({0x82, 0x80, 0x80, 0x80, 0x00, 0x91, 0x06}).events, events);
}

TEST(FrameReader, ReadsLengthsAtTheThresholdsOfTheirForms) {
  for (const uint32_t length : {0x7fU, 0x80U, 0x3fffU, 0x4000U}) {
    const Bytes body = bin(repeat(length - (length < 0x100 ? 2 : 3), {7}));
    const Outcome outcome = read(join({frame(body), frame(nil())}));
    EXPECT_EQ(outcome.status, Status::kDone) << length;
    EXPECT_EQ(outcome.events, events_of({body, nil()}));
  }
}

struct Wrong {
  const char* name;
  Bytes batch;
  Status status;
  uint64_t offset;
  uint64_t detail;
};

TEST(FrameReader, SaysWhatIsWrongWithAFrameBehindThoseBeforeIt) {
  const std::vector<Wrong> all = {
      {"cut in its length", {0x80}, Status::kFrameLengthCut, 0, 1},
      {"cut in a longer length", {0xff, 0xff, 0xff, 0xff}, Status::kFrameLengthCut, 0, 1},
      {"cut in its body", {0x05, 0x91}, Status::kFrameCut, 0, 4},
      {"without a body", {0x01}, Status::kFrameCut, 0, 1},
      {"of 2 GiB less one, cut", {0xff, 0xff, 0xff, 0xff, 0x07}, Status::kFrameCut, 0, 0x7fffffff},
      {"of 2 GiB", {0x80, 0x80, 0x80, 0x80, 0x08}, Status::kFrameTooLong, 0, 0},
      {"of a length that does not end", {0x80, 0x80, 0x80, 0x80, 0x80}, Status::kFrameTooLong, 0, 0},
      {"empty", {0x00}, Status::kFrameEmpty, 0, 0},
      {"that goes on after its value", {0x03, 0xc0, 0xc0, 0xc0}, Status::kFrameRest, 2, 2},
      {"that ends in its value", {0x01, 0x91}, Status::kInsufficientData, 1, 1},
      {"whose value would go on in the next",
       {0x02, 0xa2, 0x61, 0x01, 0x61},
       Status::kInsufficientData,
       1,
       1},
      {"whose array is longer than it", {0x02, 0xdc, 0xff, 0x01, 0xc0}, Status::kInsufficientData, 1, 1},
      {"of no format", {0x01, 0xc1}, Status::kUnknownFormat, 1, 0xc1},
  };
  for (const Wrong& wrong : all) {
    SCOPED_TRACE(wrong.name);
    const Outcome alone = read(wrong.batch);
    EXPECT_EQ(alone.status, wrong.status);
    EXPECT_EQ(alone.offset, wrong.offset);
    EXPECT_EQ(alone.detail, wrong.detail);
    const Outcome second = read(join({frame(array({integer(6)})), wrong.batch}));
    EXPECT_EQ(second.status, wrong.status);
    EXPECT_EQ(second.offset, 3 + wrong.offset);
    EXPECT_TRUE(second.events.starts_with(events_of({array({integer(6)})})));
  }
}

TEST(FrameReader, HoldsFramesToTheirLimit) {
  const auto status = [](uint32_t limit) {
    return read(frame(bin(repeat(98, {1}))), {.max_length = limit}).status;
  };
  EXPECT_EQ(status(99), Status::kFrameTooLong);
  EXPECT_EQ(status(100), Status::kDone);
  EXPECT_EQ(status(101), Status::kDone);
}

TEST(FrameReader, WorksAfterAnError) {
  const std::unique_ptr<KeyTable> keys = key_table();
  FrameSession session(*keys, {});
  EXPECT_EQ(session.read(Bytes{0x02, 0x91, 0xc1}).status, Status::kUnknownFormat);
  EXPECT_EQ(session.read(Bytes{0x00}).status, Status::kFrameEmpty);
  EXPECT_EQ(session.read(frame(nil())).events, events_of({nil()}));
}

TEST(FrameReader, InAnyChunksAndWindowsGivesTheSame) {
  std::vector<Bytes> frames;
  for (uint32_t i = 0; i < 60; i++) {
    frames.push_back(
        frame(array({integer(i), nil(), array({integer(1000 * i), nil()}), bin(repeat(i * 9, {3}))})));
    frames.push_back(frame(integer(-1)));
  }
  const Bytes batch = join(frames);
  const std::string expected = reference_frames(batch).events;
  for (const bool may_go_on : {false, true}) {
    for (uint32_t chunk = 16; chunk < 200; chunk += chunk < 40 ? 1 : 13) {
      for (const uint32_t tape : {Tokenizer::kMinTape, 17U, 18U, 19U, 20U, 33U, 4096U}) {
        const Outcome outcome = read(batch, {.chunk = chunk, .tape = tape, .may_go_on = may_go_on});
        ASSERT_EQ(outcome.status, Status::kDone) << chunk << ", " << tape;
        ASSERT_EQ(outcome.events, expected) << chunk << ", " << tape << ", " << may_go_on;
      }
    }
  }
}

TEST(FrameReader, EveryBatchThatIsCutSaysSo) {
  const Bytes batch = join({frame(array({integer(1), nil()})), frame(bin(repeat(200, {1})))});
  for (size_t size = 1; size < batch.size(); size++) {
    const Outcome outcome = read({batch.begin(), batch.begin() + static_cast<ptrdiff_t>(size)});
    const bool at_boundary = size == 4;
    const bool in_length = size == 5;
    EXPECT_EQ(outcome.status, at_boundary ? Status::kDone
                              : in_length ? Status::kFrameLengthCut
                                          : Status::kFrameCut)
        << size;
  }
}

}  // namespace
}  // namespace mpw
