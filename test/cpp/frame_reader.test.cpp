#include "frame_reader.hpp"

#include <gtest/gtest.h>

#include "decoding.hpp"

/// Batches of frames, each a length and a value.
namespace mpw {
namespace {

using test::array;
using test::bin;
using test::Bytes;
using test::HeapBuffer;
using test::integer;
using test::join;
using test::key_table;
using test::nil;
using test::repeat;
using test::str;

using Words = std::vector<uint32_t>;

Bytes varint(uint64_t length) {
  Bytes bytes;
  for (; length >= 0x80; length >>= 7) bytes.push_back(static_cast<uint8_t>(length | 0x80));
  bytes.push_back(static_cast<uint8_t>(length));
  return bytes;
}

Bytes frame(const Bytes& body) { return join({varint(body.size()), body}); }

struct Outcome {
  Status status = Status::kDone;
  uint64_t offset = 0;
  uint64_t detail = 0;
  /// Of all windows, their ends left out. Marks tell where frames begin in the batch.
  Words words;
  std::vector<uint64_t> starts;
};

/// A frame reader in buffers without a byte to spare, and the loop that a caller drives it with.
class Reading {
 public:
  struct Sizes {
    uint32_t chunk = 64 * 1024;
    uint32_t tape = 4096;
    bool may_go_on = false;
    uint32_t max_length = FrameReader::kMaxLength;
  };

  explicit Reading(const Sizes& sizes)
      : sizes_(sizes),
        input_(sizes.chunk, KeyTable::kLookahead + kSlack),
        tape_(sizes.tape, kSlack),
        lane_(2 * sizes.tape, kSlack),
        pool8_(sizes.chunk, kSlack),
        pool16_(sizes.chunk, kSlack),
        tokenizer_(*keys_, buffers()),
        frames_(tokenizer_, buffers()) {
    frames_.set_max_length(sizes.max_length);
  }

  Outcome read(const Bytes& batch) {
    Outcome outcome;
    uint64_t chunk = 0;
    frames_.begin();
    for (;;) {
      uint64_t window = load(batch, chunk, sizes_.chunk, false);
      for (;;) {
        Status status = frames_.run();
        while (status == Status::kMore) {
          chunk += frames_.offset();
          load(batch, chunk, sizes_.chunk / 2, true);
          status = frames_.run();
        }
        outcome.status = status;
        take(outcome, window);
        window = chunk;
        if (status != Status::kWindowFull) break;
      }
      outcome.offset = chunk + frames_.offset();
      outcome.detail = frames_.detail();
      if (outcome.status != Status::kNeedInput) return outcome;
      if (outcome.offset > batch.size() || outcome.offset == chunk) {
        ADD_FAILURE() << "the next chunk would start at " << outcome.offset;
        return outcome;
      }
      chunk = outcome.offset;
    }
  }

 private:
  DecodeBuffers buffers() {
    return {input_.span(), tape_.span(), lane_.span(), pool8_.span(), pool16_.span()};
  }

  uint64_t load(const Bytes& batch, uint64_t chunk, uint32_t limit, bool goes_on) {
    const uint64_t available = batch.size() - chunk;
    const auto size = static_cast<uint32_t>(std::min<uint64_t>(limit, available));
    std::copy_n(batch.data() + chunk, size, input_.data());
    if (goes_on) {
      frames_.go_on(size, available);
    } else {
      frames_.feed(size, available, sizes_.may_go_on);
    }
    return chunk;
  }

  /// Takes the words of a window, in which offsets count from `start`. Only what these tests send is known.
  void take(Outcome& outcome, uint64_t start) {
    const std::span<const uint32_t> tape = tape_.span();
    for (size_t i = 0; (tape[i] & 15) != kEnd; i++) {
      const uint32_t word = tape[i];
      if (word == wide(kInt32)) {
        outcome.starts.push_back(start + tape[++i]);
      } else if (word == wide(kBin)) {
        outcome.words.insert(outcome.words.end(), {word, tape[i + 1]});
        i += 2;
      } else {
        outcome.words.push_back(word);
      }
    }
  }

  const Sizes sizes_;
  std::unique_ptr<KeyTable> keys_ = key_table();
  HeapBuffer<uint8_t> input_;
  HeapBuffer<uint32_t> tape_;
  HeapBuffer<double> lane_;
  HeapBuffer<uint8_t> pool8_;
  HeapBuffer<uint16_t> pool16_;
  Tokenizer tokenizer_;
  FrameReader frames_;
};

Outcome read(const Bytes& batch) { return Reading({}).read(batch); }

uint32_t int_word(uint32_t value) { return word(kInt, value); }

TEST(FrameReader, ReadsAllFramesIntoOneWindow) {
  const Outcome outcome =
      read(join({frame(array({integer(6)})), frame(nil()), frame(array({integer(8), integer(42)}))}));
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, 9U);
  EXPECT_EQ(outcome.words,
            (Words{word(kArray, 1), int_word(6), word(kNil, 0), word(kArray, 2), int_word(8), int_word(42)}));
  EXPECT_EQ(outcome.starts, (std::vector<uint64_t>{0, 3, 5}));
}

TEST(FrameReader, ReadsNothingFromNothing) {
  const Outcome outcome = read({});
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.words, Words());
}

TEST(FrameReader, TakesLongerFormsOfALength) {
  EXPECT_EQ(read({0x82, 0x00, 0x91, 0x06}).words, (Words{word(kArray, 1), int_word(6)}));
  EXPECT_EQ(read({0x82, 0x80, 0x80, 0x80, 0x00, 0x91, 0x06}).words, (Words{word(kArray, 1), int_word(6)}));
}

TEST(FrameReader, ReadsLengthsAtTheThresholdsOfTheirForms) {
  for (const uint32_t length : {0x7fU, 0x80U, 0x3fffU, 0x4000U}) {
    const Outcome outcome =
        read(join({frame(bin(repeat(length - (length < 0x100 ? 2 : 3), {7}))), frame(nil())}));
    EXPECT_EQ(outcome.status, Status::kDone) << length;
    EXPECT_EQ(outcome.words.size(), 3U);
    EXPECT_EQ(outcome.starts.back(), outcome.offset - 2);
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
    ASSERT_GE(second.words.size(), 2U);
    EXPECT_EQ(second.words[1], int_word(6));
  }
}

TEST(FrameReader, HoldsFramesToTheirLimit) {
  const auto status = [](uint32_t limit) {
    return Reading({.max_length = limit}).read(frame(bin(repeat(98, {1})))).status;
  };
  EXPECT_EQ(status(99), Status::kFrameTooLong);
  EXPECT_EQ(status(100), Status::kDone);
  EXPECT_EQ(status(101), Status::kDone);
}

TEST(FrameReader, WorksAfterAnError) {
  Reading reading({});
  EXPECT_EQ(reading.read({0x02, 0x91, 0xc1}).status, Status::kUnknownFormat);
  EXPECT_EQ(reading.read({0x00}).status, Status::kFrameEmpty);
  EXPECT_EQ(reading.read(frame(nil())).words, Words{word(kNil, 0)});
}

TEST(FrameReader, InAnyChunksAndWindowsGivesTheSame) {
  std::vector<Bytes> frames;
  for (uint32_t i = 0; i < 60; i++) {
    frames.push_back(
        frame(array({integer(i), nil(), array({integer(1000 * i), nil()}), bin(repeat(i * 9, {3}))})));
    frames.push_back(frame(integer(-1)));
  }
  const Bytes batch = join(frames);
  const Outcome expected = read(batch);
  ASSERT_EQ(expected.status, Status::kDone);
  ASSERT_EQ(expected.starts.size(), frames.size());
  for (const bool may_go_on : {false, true}) {
    for (uint32_t chunk = 16; chunk < 200; chunk += chunk < 40 ? 1 : 13) {
      for (const uint32_t tape : {Tokenizer::kMinTape, 17U, 18U, 19U, 20U, 33U, 4096U}) {
        const Outcome outcome = Reading({.chunk = chunk, .tape = tape, .may_go_on = may_go_on}).read(batch);
        ASSERT_EQ(outcome.status, Status::kDone) << chunk << ", " << tape;
        ASSERT_EQ(outcome.words, expected.words) << chunk << ", " << tape;
        ASSERT_EQ(outcome.starts, expected.starts) << chunk << ", " << tape << ", " << may_go_on;
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
