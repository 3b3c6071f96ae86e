#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bytes.hpp"
#include "utf.hpp"

namespace mpw {

/// The keys that encoders have registered, ready to be copied: header and UTF-8. Bounded in number and in
/// bytes.
class KeyStore {
 public:
  static constexpr uint32_t kMaxKeys = 4096;
  static constexpr uint32_t kMaxUnits = 64;
  static constexpr uint32_t kBytes = 64 * 1024;
  /// The longest encoded key.
  static constexpr uint32_t kMaxLength = 2 + 3 * kMaxUnits;

  /// Registers a key of at most kMaxUnits UTF-16 units. Returns its number, or 0 when there is no room.
  uint32_t add(std::span<const uint16_t> units) {
    if (units.size() > kMaxUnits || count_ == kMaxKeys || used_ + kMaxLength + kSlack > kBytes) return 0;
    const auto size = static_cast<uint32_t>(units.size());
    const uint32_t length = utf8_length(units.data(), size);
    uint8_t* to = &bytes_[used_];
    if (length < 32) {
      *to++ = static_cast<uint8_t>(0xa0 | length);
    } else {
      *to++ = 0xd9;
      *to++ = static_cast<uint8_t>(length);
    }
    to += utf16_to_utf8(to, units.data(), size);
    const auto end = static_cast<uint32_t>(to - bytes_.data());
    keys_[count_] = {used_, end - used_};
    used_ = end;
    return count_++;
  }

  /// The encoded form; readable for kSlack bytes more.
  std::span<const uint8_t> encoded(uint32_t number) const {
    return {&bytes_[keys_[number].offset], keys_[number].length};
  }

  /// Forgets all keys; their numbers are given anew.
  void clear() {
    count_ = 1;
    used_ = 0;
  }

 private:
  struct Key {
    uint32_t offset;
    uint32_t length;
  };

  uint32_t count_ = 1;
  uint32_t used_ = 0;
  std::array<Key, kMaxKeys> keys_ = {};
  std::array<uint8_t, kBytes> bytes_ = {};
};

}  // namespace mpw
