#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "decoding.hpp"
#include "samples.hpp"

/// The same messages in sessions of all sizes.
namespace mpw::test {

inline const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> all = samples();
  return all;
}

struct Expected {
  std::string name;
  Bytes message;
  std::string events;
};

inline std::vector<Expected> expected_of(const std::vector<Sample>& messages,
                                         const DecodeOptions& options = {}) {
  std::vector<Expected> all;
  for (const Sample& sample : messages) {
    all.push_back({sample.name, sample.message, reference_decode(sample.message, options).events});
  }
  return all;
}

/// Three times over: keys in line, learned, and known. Returns false at the first that is not as it must be.
inline bool same_in(const std::vector<Expected>& all, const Sizes& sizes, const DecodeOptions& options = {}) {
  const std::unique_ptr<KeyTable> keys = key_table();
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
      ADD_FAILURE() << expected.name << ", sight " << sight << ", in chunks of " << sizes.chunk
                    << ", windows of " << sizes.tape << " words, a lane of " << sizes.lane_slots()
                    << ", pooled up to " << sizes.pooled << ", arriving by " << sizes.arrival;
      return false;
    }
  }
  return true;
}

}  // namespace mpw::test
