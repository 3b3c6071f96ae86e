#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "bytes.hpp"
#include "key_table.hpp"
#include "tokenizer.hpp"

namespace mpw::fuzz {

/// The bytes that a fuzzer chose, as choices: each takes some from the front. Where none are left, they are
/// 0.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool are_left() const { return !bytes_.empty(); }
  uint32_t byte() {
    if (bytes_.empty()) return 0;
    const uint32_t first = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return first;
  }
  template <typename T>
  T number() {
    std::array<uint8_t, sizeof(T)> bytes{};
    for (uint8_t& each : bytes) each = static_cast<uint8_t>(byte());
    return load<T>(bytes.data());
  }
  /// `limit` is at most 65536.
  uint32_t below(uint32_t limit) { return (limit <= 256 ? byte() : number<uint16_t>()) % limit; }
  bool one_in(uint32_t count) { return below(count) == count - 1; }
  std::span<const uint8_t> rest() const { return bytes_; }

 private:
  std::span<const uint8_t> bytes_;
};

constexpr int64_t DecodeOptions::*kLimits[] = {
    &DecodeOptions::max_str_length, &DecodeOptions::max_bin_length, &DecodeOptions::max_array_length,
    &DecodeOptions::max_map_length, &DecodeOptions::max_ext_length, &DecodeOptions::max_depth,
    &DecodeOptions::max_elements};

/// The bits of a byte say what of the options is not as usual.
inline DecodeOptions decode_options(Choices& choices) {
  DecodeOptions options;
  const uint32_t modes = choices.byte();
  options.int64 = static_cast<Int64>((modes & 3) % 3);
  options.raw_strings = (modes & 4) != 0;
  options.any_key = (modes & 8) != 0;
  options.raw_keys = (modes & 16) != 0;
  options.fatal_utf8 = (modes & 32) != 0;
  if ((modes & 64) != 0) {
    for (uint32_t type = 0; type < 8; type++)
      options.element_sizes[type] = static_cast<uint8_t>(1 << type % 4);
  }
  if ((modes & 128) != 0) {
    for (const auto limit : kLimits) {
      // None, or most often one that messages meet.
      const uint32_t byte = choices.byte();
      if (byte % 2 == 0) options.*limit = int64_t{byte < 192 ? byte / 2 % 8 : byte} - 1;
    }
  }
  return options;
}

/// Fuzzers seldom come upon input that fills several windows: a few bytes, again and again, do.
inline void append_copies(std::vector<uint8_t>& to, std::span<const uint8_t> bytes, uint32_t copies) {
  for (uint32_t i = 0; i < copies; i++) to.insert(to.end(), bytes.begin(), bytes.end());
}

inline bool has_limits(const DecodeOptions& options) {
  const DecodeOptions none;
  return std::any_of(std::begin(kLimits), std::end(kLimits),
                     [&](const auto limit) { return options.*limit != none.*limit; });
}

/// One for each `index`, with nothing in it. To copy an empty one takes a twentieth of the time to make one.
inline KeyTable& empty_key_table(size_t index = 0) {
  static const auto empty = std::make_unique<KeyTable>(0x5eed);
  static const std::array<std::unique_ptr<KeyTable>, 2> tables = {std::make_unique<KeyTable>(*empty),
                                                                  std::make_unique<KeyTable>(*empty)};
  std::destroy_at(tables[index].get());
  return *std::construct_at(tables[index].get(), *empty);
}

}  // namespace mpw::fuzz

/// Not inline, or it would not be there for who looks for it. What the checks of the unit tests find ends the
/// process, so that the fuzzer sees it.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  GTEST_FLAG_SET(break_on_failure, true);
  // That is what GoogleTest breaks with; the fuzzer keeps an input that aborts.
  std::signal(SIGTRAP, [](int) { std::abort(); });
  return 0;
}
