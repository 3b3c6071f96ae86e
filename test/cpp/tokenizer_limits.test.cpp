#include <gtest/gtest.h>

#include "decoding.hpp"
#include "samples.hpp"

namespace mpw {
namespace {

using test::array;
using test::ascii;
using test::Bytes;
using test::decode;
using test::head;
using test::join;
using test::map;
using test::Outcome;
using test::repeat;
using test::Sizes;
using test::str;

/// Decodes a value behind two bytes, with a limit one below, at, and one above its length.
void check_limit(int64_t DecodeOptions::*limit, uint32_t length, const Bytes& value, Status error) {
  const Bytes message = array({test::nil(), value});
  const auto with_limit = [&](int64_t most) {
    DecodeOptions options;
    options.*limit = most;
    return decode(message, options);
  };
  EXPECT_EQ(with_limit(length).status, Status::kDone) << length;
  EXPECT_EQ(with_limit(int64_t{length} + 1).status, Status::kDone) << length;
  const Outcome outcome = with_limit(int64_t{length} - 1);
  EXPECT_EQ(outcome.status, error) << length;
  EXPECT_EQ(outcome.offset, 2U) << length;
  EXPECT_EQ(outcome.detail, length) << length;
}

constexpr uint32_t kLengths[] = {0,  1,  2,   4,   5,   15,  16,  17,    31,
                                 32, 33, 255, 256, 511, 512, 513, 65535, 65536};

TEST(TokenizerLimits, HoldForStrings) {
  for (const uint32_t length : kLengths) {
    check_limit(&DecodeOptions::max_str_length, length, str(ascii(length)), Status::kMaxStrLength);
  }
  check_limit(&DecodeOptions::max_str_length, 4, str("\U0001f600"), Status::kMaxStrLength);
}

TEST(TokenizerLimits, HoldForBinaries) {
  for (const uint32_t length : kLengths) {
    check_limit(&DecodeOptions::max_bin_length, length, test::bin(Bytes(length)), Status::kMaxBinLength);
  }
}

TEST(TokenizerLimits, HoldForExtensionsTwice) {
  for (const uint32_t length : kLengths) {
    check_limit(&DecodeOptions::max_ext_length, length, test::ext(7, Bytes(length)), Status::kMaxExtLength);
    check_limit(&DecodeOptions::max_bin_length, length, test::ext(7, Bytes(length)), Status::kMaxBinLength);
  }
}

TEST(TokenizerLimits, HoldForArrays) {
  for (const uint32_t length : kLengths) {
    // The array around it has two items.
    if (length <= 2) continue;
    check_limit(&DecodeOptions::max_array_length, length,
                join({test::array_header(length), repeat(length, {1})}), Status::kMaxArrayLength);
  }
  check_limit(&DecodeOptions::max_array_length, 3,
              array({test::float64(1), test::float64(2), test::float64(3)}), Status::kMaxArrayLength);
}

TEST(TokenizerLimits, HoldForMaps) {
  for (const uint32_t length : kLengths) {
    check_limit(&DecodeOptions::max_map_length, length,
                join({test::map_header(length), repeat(length, {1, 2})}), Status::kMaxMapLength);
  }
}

TEST(TokenizerLimits, OfZeroLeaveTheEmptyOnes) {
  DecodeOptions none;
  none.max_str_length = none.max_bin_length = none.max_ext_length = none.max_map_length = 0;
  none.max_array_length = 5;
  const Bytes message = array({str(""), test::bin({}), test::ext(1, {}), map({}), array({})});
  EXPECT_EQ(decode(message, none).status, Status::kDone);
  none.max_array_length = 0;
  EXPECT_EQ(decode(array({}), none).status, Status::kDone);
  EXPECT_EQ(decode(array({{1}}), none).status, Status::kMaxArrayLength);
}

TEST(TokenizerLimits, BelowZeroRefuseEvenTheEmptyOnes) {
  const auto status = [](int64_t DecodeOptions::*limit, const Bytes& message) {
    DecodeOptions options;
    options.*limit = -1;
    return decode(message, options).status;
  };
  EXPECT_EQ(status(&DecodeOptions::max_str_length, str("")), Status::kMaxStrLength);
  EXPECT_EQ(status(&DecodeOptions::max_str_length, map({{"", {1}}})), Status::kMaxStrLength);
  EXPECT_EQ(status(&DecodeOptions::max_bin_length, test::bin({})), Status::kMaxBinLength);
  EXPECT_EQ(status(&DecodeOptions::max_bin_length, test::ext(1, {})), Status::kMaxBinLength);
  EXPECT_EQ(status(&DecodeOptions::max_ext_length, test::ext(1, {})), Status::kMaxExtLength);
  EXPECT_EQ(status(&DecodeOptions::max_array_length, array({})), Status::kMaxArrayLength);
  EXPECT_EQ(status(&DecodeOptions::max_map_length, map({})), Status::kMaxMapLength);
  EXPECT_EQ(status(&DecodeOptions::max_depth, array({})), Status::kMaxDepth);
  EXPECT_EQ(status(&DecodeOptions::max_depth, {1}), Status::kDone);
  EXPECT_EQ(status(&DecodeOptions::max_str_length, array({})), Status::kDone);
}

TEST(TokenizerLimits, OfStringsHoldForKeys) {
  for (const uint32_t length : {0U, 1U, 5U, 31U, 32U, 63U, 64U, 65U, 512U, 513U}) {
    const Bytes message = array({map({{ascii(length), {1}}}), {2}});
    const std::unique_ptr<KeyTable> keys = test::key_table();
    for (int i = 0; i < 4; i++) {
      for (const int64_t limit : {int64_t{length} - 1, int64_t{length}, int64_t{length} + 1}) {
        DecodeOptions options;
        options.max_str_length = limit;
        const Outcome outcome = test::Session(*keys, {}, options).decode(message);
        EXPECT_EQ(outcome.status, limit < length ? Status::kMaxStrLength : Status::kDone)
            << length << " " << limit;
        if (limit < length) {
          EXPECT_EQ(outcome.offset, 2U);
          EXPECT_EQ(outcome.detail, length);
        }
      }
      // What other decoders have learned must not let it pass.
      test::Session(*keys).decode(message);
    }
  }
}

TEST(TokenizerLimits, OfStringsHoldForKeysThatComeAsBytes) {
  for (const uint32_t length : {0U, 1U, 64U, 600U}) {
    DecodeOptions options;
    options.raw_keys = true;
    options.max_str_length = int64_t{length} - 1;
    EXPECT_EQ(decode(map({{ascii(length), {1}}}), options).status, Status::kMaxStrLength);
    options.max_str_length = length;
    EXPECT_EQ(decode(map({{ascii(length), {1}}}), options).status, Status::kDone);
  }
}

TEST(TokenizerLimits, OfBinariesHoldForRawStrings) {
  DecodeOptions options;
  options.raw_strings = true;
  options.max_str_length = 3;
  options.max_bin_length = 5;
  EXPECT_EQ(decode(str(ascii(5)), options).status, Status::kDone);
  EXPECT_EQ(decode(str(ascii(6)), options).status, Status::kMaxBinLength);
  EXPECT_EQ(decode(map({{"abc", str("abcd")}}), options).status, Status::kDone);
  EXPECT_EQ(decode(map({{"abcd", {1}}}), options).status, Status::kMaxStrLength);
}

TEST(TokenizerLimits, OfDepthHoldForEveryKindOfContainer) {
  DecodeOptions options;
  const auto status = [&](uint32_t depth, const Bytes& message) {
    options.max_depth = depth;
    return decode(message, options);
  };
  EXPECT_EQ(status(0, {1}).status, Status::kDone);
  EXPECT_EQ(status(0, str("x")).status, Status::kDone);
  for (const Bytes& container :
       {array({}), map({}), array({{1}}), map({{"a", {1}}}), array({test::float64(1)})}) {
    const Outcome outcome = status(0, container);
    EXPECT_EQ(outcome.status, Status::kMaxDepth);
    EXPECT_EQ(outcome.offset, 0U);
    EXPECT_EQ(outcome.detail, 1U);
    EXPECT_EQ(status(1, container).status, Status::kDone);
    EXPECT_EQ(status(1, array({{1}, container})).status, Status::kMaxDepth);
    EXPECT_EQ(status(1, array({{1}, container})).offset, 2U);
    EXPECT_EQ(status(2, array({{1}, container})).status, Status::kDone);
    EXPECT_EQ(status(2, map({{"a", map({{"b", container}})}})).status, Status::kMaxDepth);
    EXPECT_EQ(status(2, map({{"a", map({{"b", container}})}})).detail, 3U);
  }
  for (const uint32_t depth : {1U, 2U, 100U, 255U, 256U, 257U, 1000U}) {
    for (const Bytes& message : {test::nested_arrays(depth), test::nested_maps(depth),
                                 test::nested_first_items(depth), test::nested_first_values(depth)}) {
      EXPECT_EQ(status(depth - 1, message).status, Status::kMaxDepth) << depth;
      EXPECT_EQ(status(depth - 1, message).detail, depth);
      EXPECT_EQ(status(depth, message).status, Status::kDone) << depth;
      EXPECT_EQ(status(depth + 1, message).status, Status::kDone) << depth;
    }
  }
}

TEST(TokenizerLimits, OfDepthCountSiblingsOnce) {
  DecodeOptions options;
  options.max_depth = 2;
  const Bytes siblings =
      join({test::array_header(100), repeat(50, array({{1}})), repeat(50, map({{"a", {1}}}))});
  EXPECT_EQ(decode(siblings, options).status, Status::kDone);
}

/// How many items and pairs a message holds, all containers together.
struct Counted {
  Bytes message;
  uint32_t elements;
};

std::vector<Counted> counted_messages() {
  const Bytes pair = map({{"a", {1}}});
  const Bytes point = array({test::float64(1), test::float64(2)});
  const Bytes run = join({test::array_header(40), repeat(40, {1})});
  return {
      {{1}, 0},
      {array({}), 0},
      {map({}), 0},
      {array({{1}, {2}}), 2},
      {point, 2},
      {run, 40},
      {join({test::array_header(50), repeat(50, pair)}), 100},
      {join({test::array_header(50), repeat(50, point)}), 150},
      {join({test::array_header(5), repeat(5, run)}), 205},
      {join({test::map_header(200), repeat(200, {1, 0x91, 2})}), 400},
      {map({{"a", array({pair, pair})}, {"b", map({{"c", point}})}}), 9},
      {test::nested_arrays(600), 599},
      {test::nested_maps(600), 599},
      {test::nested_first_items(600), 1198},
  };
}

TEST(TokenizerLimits, OfElementsHoldForAllContainersTogether) {
  for (const Counted& sample : counted_messages()) {
    const uint32_t elements = sample.elements;
    for (const Sizes& sizes : {Sizes{}, Sizes{.chunk = 640, .tape = 64},
                               Sizes{.chunk = 640, .tape = 64, .arrival = 7}, Sizes{.further = 600}}) {
      const std::unique_ptr<KeyTable> keys = test::key_table();
      const auto with_limit = [&](int64_t most) {
        DecodeOptions options;
        options.max_elements = most;
        return test::Session(*keys, sizes, options).decode(sample.message);
      };
      for (int i = 0; i < 3; i++) {
        EXPECT_EQ(with_limit(elements).status, Status::kDone) << elements;
        EXPECT_EQ(with_limit(int64_t{elements} + 1).status, Status::kDone) << elements;
        // A value that is no container counts as none.
        if (elements == 0) continue;
        EXPECT_EQ(with_limit(int64_t{elements} - 1).status, Status::kMaxElements) << elements;
        EXPECT_EQ(with_limit(0).status, Status::kMaxElements) << elements;
        EXPECT_EQ(with_limit(0).offset, 0U) << elements;
      }
    }
  }
}

TEST(TokenizerLimits, OfElementsSayWhichContainerGoesTooFar) {
  DecodeOptions options;
  options.max_elements = 7;
  const Outcome outcome =
      decode(array({{1}, map({{"a", {1}}, {"b", {2}}}), array({{1}, {2}, {3}})}), options);
  EXPECT_EQ(outcome.status, Status::kMaxElements);
  EXPECT_EQ(outcome.offset, 9U);
  EXPECT_EQ(outcome.detail, 3U);
  options.max_elements = -1;
  EXPECT_EQ(decode(array({}), options).status, Status::kMaxElements);
  EXPECT_EQ(decode({1}, options).status, Status::kDone);
}

TEST(TokenizerLimits, OfElementsHoldForEachValueAnew) {
  DecodeOptions options;
  options.max_elements = 3;
  const std::unique_ptr<KeyTable> keys = test::key_table();
  test::Session session(*keys, {}, options);
  for (int i = 0; i < 5; i++) {
    EXPECT_EQ(session.decode(array({{1}, {2}, {3}})).status, Status::kDone);
    EXPECT_EQ(session.decode(array({{1}, array({{2}, {3}})})).status, Status::kMaxElements);
  }
}

/// A length that lies and is too large is too large: that says more.
TEST(TokenizerLimits, ComeBeforeTheEndOfTheInput) {
  DecodeOptions options;
  options.max_str_length = options.max_bin_length = options.max_ext_length = 10;
  options.max_array_length = options.max_map_length = 10;
  EXPECT_EQ(decode(head(0xdb, 1000, 4), options).status, Status::kMaxStrLength);
  EXPECT_EQ(decode(head(0xc6, 1000, 4), options).status, Status::kMaxBinLength);
  EXPECT_EQ(decode(join({head(0xc9, 1000, 4), {1}}), options).status, Status::kMaxExtLength);
  EXPECT_EQ(decode(head(0xdd, 1000, 4), options).status, Status::kMaxArrayLength);
  EXPECT_EQ(decode(head(0xdf, 1000, 4), options).status, Status::kMaxMapLength);
}

}  // namespace
}  // namespace mpw
