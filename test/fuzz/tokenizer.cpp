#include "decoding.hpp"
#include "fuzz.hpp"

/// Any bytes, in any windows and chunks: the value and the error are those of the message as a whole, and the
/// value is the reference's.
namespace mpw {
namespace {

using fuzz::Choices;
using test::Outcome;
using test::Reference;
using test::Session;
using test::Sizes;

bool is_limit(Status status) { return status >= Status::kMaxStrLength && status <= Status::kMaxElements; }
bool is_typed_array(Status status) {
  return status >= Status::kTypedArrayOffset && status <= Status::kTypedArrayTruncated;
}

struct Case {
  Sizes sizes;
  /// How often the message is what the fuzzer has chosen, in an array; 0: it is that.
  uint32_t copies;
};

Case small_sizes(Choices& choices, bool may_copy) {
  Sizes sizes;
  sizes.pooled = choices.one_in(2) ? kMaxPooledBytes : KeyTable::kMaxKeyLength + choices.below(64);
  const uint32_t least = Sizes::least_chunk(sizes.pooled);
  sizes.tape = Tokenizer::kMinTape + choices.below(64);
  sizes.lane = 2 * sizes.tape + choices.below(16);
  sizes.chunk = least + choices.below(256);
  const uint32_t byte = choices.byte();
  const uint32_t kind = byte % 8;
  if (kind >= 6) sizes.arrival = 1 + choices.byte();
  if (kind == 4 || kind == 5) {
    sizes.further = least + choices.below(64);
    sizes.chunk = std::max(sizes.chunk, 2 * sizes.further);
  }
  sizes.is_suspended = kind % 2 == 1;
  // What goes through a pool is looked at here, what does not, by JS: it is all the same but where that is
  // for errors.
  if (may_copy && choices.one_in(4)) sizes.copied = 1 + choices.below(1024);
  return {sizes, byte / 8};
}

/// Where a stream brings the bytes, the lengths that go beyond its end are known only when that has come.
void expect_same_error(const Outcome& outcome, const Outcome& whole, const Sizes& sizes) {
  if (sizes.arrival != 0 && whole.status == Status::kInsufficientData) {
    EXPECT_NE(outcome.status, Status::kDone);
    return;
  }
  if (sizes.arrival != 0 && whole.status == Status::kTypedArrayTruncated) {
    EXPECT_NE(outcome.status, Status::kDone);
    return;
  }
  EXPECT_EQ(outcome.status, whole.status);
  EXPECT_EQ(outcome.offset, whole.offset);
}

void expect_reference(const Outcome& outcome, const Reference& reference, const DecodeOptions& options) {
  if (outcome.status == Status::kDone || is_limit(outcome.status)) {
    EXPECT_EQ(outcome.status, reference.exceeded);
  }
  if (outcome.status == Status::kDone) {
    // Strings that do not go through a pool are JS's to check.
    if (!(options.fatal_utf8 && reference.status == Status::kInvalidUtf8)) {
      EXPECT_EQ(reference.status, Status::kDone);
      EXPECT_EQ(outcome.offset, reference.size);
      EXPECT_EQ(outcome.events, reference.events);
    }
  } else if (!is_limit(outcome.status) && !is_typed_array(outcome.status)) {
    EXPECT_NE(reference.status, Status::kDone);
  }
}

}  // namespace
}  // namespace mpw

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mpw;
  fuzz::Choices choices({data, size});
  const DecodeOptions options = fuzz::decode_options(choices);
  const auto [sizes, copies] = small_sizes(choices, !options.fatal_utf8);
  test::Bytes message = copies == 0 ? test::Bytes() : test::array_header(copies);
  fuzz::append_copies(message, choices.rest(), std::max(copies, 1U));

  const auto room =
      std::max(test::Sizes::least_chunk(kMaxPooledBytes), static_cast<uint32_t>(message.size()));
  test::Session whole(fuzz::empty_key_table(0),
                      {.chunk = room, .tape = 2 * room + Tokenizer::kMinTape, .pooled = sizes.pooled},
                      options);
  test::Session session(fuzz::empty_key_table(1), sizes, options);
  const test::Outcome expected = whole.decode(message);
  expect_reference(expected, test::reference_decode(message, options), options);
  // Keys stand in line at first, then are learned, then known.
  for (int sight = 1; sight <= 3; sight++) {
    const test::Outcome outcome = session.decode(message, message);
    expect_same_error(outcome, expected, sizes);
    if (outcome.status == Status::kDone) EXPECT_EQ(outcome.events, expected.events);
  }
  const test::Outcome again = whole.decode(message, message);
  EXPECT_EQ(again.status, expected.status);
  EXPECT_EQ(again.offset, expected.offset);
  if (again.status == Status::kDone) EXPECT_EQ(again.events, expected.events);
  return 0;
}
