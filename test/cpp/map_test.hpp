#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "decoding.hpp"

namespace mpw::test {

/// A decoder with a table of keys that goes on learning.
class MapTest : public ::testing::Test {
 protected:
  /// Decodes a whole message, and compares its value with the reference's.
  Outcome check(const Bytes& message) {
    const Outcome outcome = session_.decode(message);
    const Reference reference = reference_decode(message, options_);
    EXPECT_EQ(outcome.status, reference.status);
    if (outcome.status == Status::kDone) {
      EXPECT_EQ(outcome.offset, message.size());
      EXPECT_EQ(outcome.events, reference.events);
    }
    return outcome;
  }

  void set_options(const DecodeOptions& options) {
    options_ = options;
    session_.set_options(options);
  }
  void accept_any_key() {
    DecodeOptions options;
    options.any_key = true;
    set_options(options);
  }

  /// The word of the map that is the first item of an array.
  uint32_t map_word(const Bytes& message) {
    const Words words = check(message).tape;
    return words.size() > 1 ? words[1] : 0;
  }

  std::unique_ptr<KeyTable> keys_ = key_table();
  DecodeOptions options_;
  Session session_{*keys_};
};

/// Not the last item, so that another follows it.
inline Bytes listed(const Bytes& value) { return array({value, {0x2a}}); }

}  // namespace mpw::test
