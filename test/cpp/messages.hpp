#pragma once

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Builds MessagePack byte by byte from the specification, with nothing of the core.
namespace mpw::test {

using Bytes = std::vector<uint8_t>;

inline Bytes join(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline Bytes text_bytes(std::string_view text) { return {text.begin(), text.end()}; }

/// `count` copies of `part`.
inline Bytes repeat(size_t count, const Bytes& part) {
  Bytes all;
  all.reserve(count * part.size());
  for (size_t i = 0; i < count; i++) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// `value` in `size` bytes, big-endian.
inline Bytes big_endian(uint64_t value, uint32_t size) {
  Bytes bytes;
  for (uint32_t i = size; i > 0; i--) bytes.push_back(static_cast<uint8_t>(value >> (8 * (i - 1))));
  return bytes;
}

/// A first byte, then `value` in `size` bytes.
inline Bytes head(uint32_t format, uint64_t value, uint32_t size) {
  return join({{static_cast<uint8_t>(format)}, big_endian(value, size)});
}

inline Bytes nil() { return {0xc0}; }
inline Bytes boolean(bool value) { return {static_cast<uint8_t>(value ? 0xc3 : 0xc2)}; }
inline Bytes float64(double value) { return head(0xcb, std::bit_cast<uint64_t>(value), 8); }
inline Bytes float32(float value) { return head(0xca, std::bit_cast<uint32_t>(value), 4); }
inline Bytes uint64(uint64_t value) { return head(0xcf, value, 8); }
inline Bytes int64(int64_t value) { return head(0xd3, static_cast<uint64_t>(value), 8); }

/// In the smallest format.
inline Bytes integer(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  if (value >= 0) {
    if (value <= 0x7f) return {static_cast<uint8_t>(value)};
    if (value <= 0xff) return head(0xcc, bits, 1);
    if (value <= 0xffff) return head(0xcd, bits, 2);
    if (value <= 0xffffffff) return head(0xce, bits, 4);
    return head(0xcf, bits, 8);
  }
  if (value >= -32) return {static_cast<uint8_t>(value)};
  if (value >= -128) return head(0xd0, bits, 1);
  if (value >= -32768) return head(0xd1, bits, 2);
  if (value >= -2147483648LL) return head(0xd2, bits, 4);
  return head(0xd3, bits, 8);
}

inline Bytes str_header(uint32_t bytes) {
  if (bytes <= 31) return {static_cast<uint8_t>(0xa0 + bytes)};
  if (bytes <= 0xff) return head(0xd9, bytes, 1);
  if (bytes <= 0xffff) return head(0xda, bytes, 2);
  return head(0xdb, bytes, 4);
}
inline Bytes bin_header(uint32_t bytes) {
  if (bytes <= 0xff) return head(0xc4, bytes, 1);
  if (bytes <= 0xffff) return head(0xc5, bytes, 2);
  return head(0xc6, bytes, 4);
}
inline Bytes ext_header(int32_t type, uint32_t bytes) {
  const Bytes type_byte = {static_cast<uint8_t>(type)};
  switch (bytes) {
    case 1:
      return join({{0xd4}, type_byte});
    case 2:
      return join({{0xd5}, type_byte});
    case 4:
      return join({{0xd6}, type_byte});
    case 8:
      return join({{0xd7}, type_byte});
    case 16:
      return join({{0xd8}, type_byte});
    default:
      break;
  }
  if (bytes <= 0xff) return join({head(0xc7, bytes, 1), type_byte});
  if (bytes <= 0xffff) return join({head(0xc8, bytes, 2), type_byte});
  return join({head(0xc9, bytes, 4), type_byte});
}
inline Bytes array_header(uint32_t count) {
  if (count <= 15) return {static_cast<uint8_t>(0x90 + count)};
  return count <= 0xffff ? head(0xdc, count, 2) : head(0xdd, count, 4);
}
inline Bytes map_header(uint32_t count) {
  if (count <= 15) return {static_cast<uint8_t>(0x80 + count)};
  return count <= 0xffff ? head(0xde, count, 2) : head(0xdf, count, 4);
}

inline Bytes str(std::string_view text) {
  return join({str_header(static_cast<uint32_t>(text.size())), text_bytes(text)});
}
inline Bytes bin(const Bytes& data) { return join({bin_header(static_cast<uint32_t>(data.size())), data}); }
inline Bytes ext(int32_t type, const Bytes& data) {
  return join({ext_header(type, static_cast<uint32_t>(data.size())), data});
}
/// The header of `size` bytes for an extension of `length`, or nothing if it has none of that size.
inline Bytes ext_header_of(uint32_t size, uint8_t type, uint32_t length) {
  const bool is_fixed = length == 1 || length == 2 || length == 4 || length == 8 || length == 16;
  switch (size) {
    case 2:
      return is_fixed ? ext_header(type, length) : Bytes{};
    case 3:
      return length <= 0xff ? join({head(0xc7, length, 1), {type}}) : Bytes{};
    case 4:
      return length <= 0xffff ? join({head(0xc8, length, 2), {type}}) : Bytes{};
    default:
      return join({head(0xc9, length, 4), {type}});
  }
}

/// A typed array as it must be at `position`, found by trying everything.
inline Bytes typed_array(uint32_t position, uint8_t type, uint32_t alignment, const Bytes& data) {
  for (const uint32_t size : {2U, 3U, 4U, 6U}) {
    uint32_t offset = 1;
    while ((position + size + offset) % alignment != 0) offset++;
    const Bytes found = ext_header_of(size, type, offset + static_cast<uint32_t>(data.size()));
    if (!found.empty()) return join({found, {static_cast<uint8_t>(offset)}, Bytes(offset - 1, 0), data});
  }
  return {};
}

inline Bytes array(const std::vector<Bytes>& items) {
  return join({array_header(static_cast<uint32_t>(items.size())), join(items)});
}
/// Keys as encoded values.
inline Bytes map_of(const std::vector<std::pair<Bytes, Bytes>>& pairs) {
  Bytes bytes = map_header(static_cast<uint32_t>(pairs.size()));
  for (const auto& [key, value] : pairs) bytes = join({bytes, key, value});
  return bytes;
}
inline Bytes map(const std::vector<std::pair<std::string, Bytes>>& pairs) {
  Bytes bytes = map_header(static_cast<uint32_t>(pairs.size()));
  for (const auto& [key, value] : pairs) bytes = join({bytes, str(key), value});
  return bytes;
}

inline Bytes counted(size_t size) {
  Bytes bytes;
  for (size_t i = 0; i < size; i++) bytes.push_back(static_cast<uint8_t>(i * 7 + 1));
  return bytes;
}

/// ASCII of any length, never the same twice in a row.
inline std::string ascii(size_t length) {
  std::string text;
  for (size_t i = 0; i < length; i++) text.push_back(static_cast<char>('a' + i % 23));
  return text;
}

/// The UTF-8 of a scalar value.
inline std::string utf8_of(uint32_t scalar) {
  if (scalar < 0x80) return {static_cast<char>(scalar)};
  if (scalar < 0x800) return {static_cast<char>(0xc0 + scalar / 64), static_cast<char>(0x80 + scalar % 64)};
  if (scalar < 0x10000) {
    return {static_cast<char>(0xe0 + scalar / 4096), static_cast<char>(0x80 + scalar / 64 % 64),
            static_cast<char>(0x80 + scalar % 64)};
  }
  return {static_cast<char>(0xf0 + scalar / 262144), static_cast<char>(0x80 + scalar / 4096 % 64),
          static_cast<char>(0x80 + scalar / 64 % 64), static_cast<char>(0x80 + scalar % 64)};
}

/// Random messages, the same for the same seed.
class MessageSource {
 public:
  explicit MessageSource(uint32_t seed) : random_(seed) {}

  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

  Bytes value(uint32_t depth = 0) {
    switch (below(depth < 5 ? 16 : 10)) {
      case 0:
        return nil();
      case 1:
        return boolean(below(2) == 1);
      case 2:
      case 3:
        return number();
      case 4:
      case 5:
        return str(text(below(8) == 0 ? 700 : 40));
      case 6:
        return bin(counted(below(below(4) == 0 ? 900 : 20)));
      case 7:
        return ext(static_cast<int32_t>(below(256)) - 128, counted(below(below(4) == 0 ? 900 : 20)));
      case 8:
        return numbers(below(90));
      case 9:
        return repeated_array(below(5), float64(below(1000) / 8.0));
      case 10:
      case 11:
      case 12:
        return items(depth);
      default:
        return pairs(depth);
    }
  }

  /// A message with one byte changed, or cut short.
  Bytes damaged(Bytes message) {
    if (below(4) == 0) {
      message.resize(below(static_cast<uint32_t>(message.size())));
    } else {
      message[below(static_cast<uint32_t>(message.size()))] = static_cast<uint8_t>(below(256));
    }
    return message;
  }

 private:
  Bytes number() {
    switch (below(6)) {
      case 0:
        return float64(std::bit_cast<double>(random_()));
      case 1:
        return float32(static_cast<float>(below(1000)) / 16);
      case 2:
        return uint64(random_() >> below(64));
      case 3:
        return int64(static_cast<int64_t>(random_()) >> below(64));
      default:
        return integer(static_cast<int64_t>(random_()) >> (20 + below(44)));
    }
  }

  std::string text(uint32_t limit) {
    constexpr uint32_t kLimits[] = {0x80, 0x800, 0xd800, 0x110000};
    std::string text;
    const uint32_t length = below(limit);
    const bool is_ascii = below(3) != 0;
    while (text.size() < length) {
      uint32_t scalar = below(kLimits[is_ascii ? 0 : below(4)]);
      if (scalar >= 0xd800 && scalar < 0xe000) scalar = 0xfffd;
      text += utf8_of(scalar);
    }
    if (below(20) == 0) text += "\xe2\x82";
    return text;
  }

  static Bytes repeated_array(uint32_t count, const Bytes& item) {
    return join({array_header(count), repeat(count, item)});
  }

  Bytes numbers(uint32_t count) {
    Bytes bytes = array_header(count);
    const uint32_t kind = below(3);
    for (uint32_t i = 0; i < count; i++) {
      const Bytes item = kind == 0   ? integer(static_cast<int64_t>(below(3000)) - 1000)
                         : kind == 1 ? float64(below(100) / 4.0)
                                     : number();
      bytes.insert(bytes.end(), item.begin(), item.end());
    }
    return bytes;
  }

  Bytes items(uint32_t depth) {
    const uint32_t count = below(6);
    Bytes bytes = array_header(count);
    for (uint32_t i = 0; i < count; i++) bytes = join({bytes, value(depth + 1)});
    return bytes;
  }

  Bytes key() {
    if (below(40) == 0) return number();
    if (below(30) == 0) return str(ascii(60 + below(10)));
    constexpr std::string_view kKeys[] = {
        "id", "name", "x", "y", "", "created_at", "a key longer than a word", "\xc3\xbc"};
    return str(kKeys[below(8)]);
  }

  Bytes pairs(uint32_t depth) {
    const uint32_t count = below(20) == 0 ? 120 + below(20) : below(6);
    Bytes bytes = map_header(count);
    for (uint32_t i = 0; i < count; i++)
      bytes = join({bytes, key(), count > 10 ? number() : value(depth + 1)});
    return bytes;
  }

  std::mt19937_64 random_;
};

}  // namespace mpw::test
