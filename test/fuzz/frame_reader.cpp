#include "frames.hpp"
#include "fuzz.hpp"

/// Any batch of frames, in any windows and chunks: the values of all whole frames, and the error, are those
/// of the batch as a whole, and the reference's.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mpw;
  using test::FrameSession;
  fuzz::Choices choices({data, size});
  DecodeOptions options = fuzz::decode_options(choices);
  FrameSession::Sizes sizes;
  sizes.pooled = choices.one_in(2) ? kMaxPooledBytes : KeyTable::kMaxKeyLength + choices.below(64);
  sizes.tape = Tokenizer::kMinTape + choices.below(64);
  const uint32_t byte = choices.byte();
  sizes.may_go_on = byte % 2 != 0;
  sizes.chunk = (sizes.may_go_on ? 2 : 1) * test::Sizes::least_chunk(sizes.pooled) + choices.below(256);
  if (choices.one_in(4)) sizes.max_length = choices.byte();
  test::Bytes batch;
  fuzz::append_copies(batch, choices.rest(), 1 + byte / 16);

  FrameSession::Sizes large = sizes;
  large.chunk = std::max(test::Sizes::least_chunk(kMaxPooledBytes), static_cast<uint32_t>(batch.size()));
  large.tape = 4 * large.chunk + Tokenizer::kMinTape;
  FrameSession whole(fuzz::empty_key_table(0), large, options);
  FrameSession session(fuzz::empty_key_table(1), sizes, options);
  const test::Outcome expected = whole.read(batch);
  const test::Outcome reference = test::reference_frames(batch, options, sizes.max_length);
  // The offsets of maps that the reference tells count from the start of the frame.
  const bool is_plain = !fuzz::has_limits(options) && !options.fatal_utf8 && !options.any_key &&
                        !options.raw_keys && options.element_sizes == DecodeOptions().element_sizes;
  if (is_plain) {
    EXPECT_TRUE(expected.events.starts_with(reference.events));
    EXPECT_EQ(expected.status == Status::kDone, reference.status == Status::kDone);
    if (expected.status >= Status::kFrameLengthCut || expected.status == Status::kDone) {
      EXPECT_EQ(expected.status, reference.status);
      EXPECT_EQ(expected.offset, reference.offset);
    }
  }
  for (int sight = 1; sight <= 2; sight++) {
    const test::Outcome outcome = session.read(batch);
    EXPECT_EQ(outcome.status, expected.status);
    EXPECT_EQ(outcome.offset, expected.offset) << ::testing::PrintToString(outcome.status);
    // How far the events of a value with an error go, the windows decide.
    if (outcome.status == Status::kDone || outcome.status >= Status::kFrameLengthCut) {
      EXPECT_EQ(outcome.detail, expected.detail);
      EXPECT_EQ(outcome.events, expected.events);
    }
  }
  return 0;
}
