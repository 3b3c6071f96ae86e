#include "decoding.hpp"
#include "fuzz.hpp"
#include "tape_of_events.hpp"

/// decode → encode → decode: any message that can be read gives the same value again, and from then on the
/// same bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mpw;
  using test::Bytes;
  using test::Outcome;
  fuzz::Choices choices({data, size});
  DecodeOptions options;
  const uint32_t byte = choices.byte();
  options.int64 = static_cast<Int64>(byte % 3);
  const bool is_map = byte / 3 % 2 != 0;
  const uint32_t copies = byte / 6;
  // Who reads 64-bit formats as bigints writes numbers in others.
  const EncodeOptions writing = {.no_int64 = options.int64 == Int64::kBigint};
  const uint32_t output = Emitter::kMinOutput + choices.byte();
  const test::Sizes sizes = {.chunk = 8192, .tape = 512};
  const auto decode = [&](std::span<const uint8_t> message) {
    return test::Session(fuzz::empty_key_table(), sizes, options).decode(message);
  };
  static const auto keys = std::make_unique<KeyStore>();
  const auto encode = [&](const std::string& events) {
    keys->clear();
    const test::TapeWriter writer = test::tape_of_events(events, *keys);
    return test::Encoding(*keys, writer, {.output = output, .holes = 2}, writing).run();
  };

  Bytes input;
  if (copies > 0) input = is_map ? test::map_header(copies) : test::array_header(copies);
  fuzz::append_copies(input, choices.rest(), std::max(copies, 1U));
  const Outcome first = decode(input);
  if (first.status != Status::kDone) return 0;
  const Bytes message = encode(first.events);
  const Outcome second = decode(message);
  EXPECT_EQ(second.status, Status::kDone);
  EXPECT_EQ(second.offset, message.size());
  EXPECT_EQ(second.events, test::as_written(first.events));
  EXPECT_EQ(encode(second.events), message);
  return 0;
}
