#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages.hpp"
#include "status.hpp"
#include "tokenizer.hpp"

/// Plain decoders, written from the standards and not from the core, to compare it with.
namespace mpw::test {

/// What a UTF-8 decoder should say of its input.
struct ReferenceText {
  std::u16string units;
  bool valid = true;
};

/// Whether a well-formed sequence could begin with these bytes (Unicode 15, D84–D92): they are a lead byte
/// and trail bytes, and some scalar value of that length begins with their bits. `length` is that of the
/// whole sequence.
inline bool begins_sequence(std::span<const uint8_t> bytes, uint32_t& length) {
  const uint8_t lead = bytes[0];
  length = lead < 0x80 ? 1 : static_cast<uint32_t>(std::countl_one(lead));
  if (lead < 0x80) return bytes.size() == 1;
  if (length < 2 || length > 4 || bytes.size() > length) return false;
  uint32_t bits = lead & (0xffU >> (length + 1));
  for (size_t i = 1; i < bytes.size(); i++) {
    if (bytes[i] < 0x80 || bytes[i] > 0xbf) return false;
    bits = bits * 64 + (bytes[i] - 0x80U);
  }
  // The scalar values that begin with these bits.
  const auto open = static_cast<uint32_t>(6 * (length - bytes.size()));
  const uint32_t low = bits << open;
  const uint32_t high = low + (1U << open) - 1;
  const auto meets = [&](uint32_t first, uint32_t last) { return low <= last && high >= first; };
  if (length == 2) return meets(0x80, 0x7ff);
  if (length == 3) return meets(0x800, 0xd7ff) || meets(0xe000, 0xffff);
  return meets(0x10000, 0x10ffff);
}

inline void append_scalar(std::u16string& text, uint32_t scalar) {
  if (scalar < 0x10000) {
    text.push_back(static_cast<char16_t>(scalar));
  } else {
    text.push_back(static_cast<char16_t>(0xd800 + (scalar - 0x10000) / 1024));
    text.push_back(static_cast<char16_t>(0xdc00 + (scalar - 0x10000) % 1024));
  }
}

/// UTF-8 as the WHATWG decoder reads it: a part that begins a sequence and does not end it is one U+FFFD.
inline ReferenceText reference_utf8(std::span<const uint8_t> bytes) {
  ReferenceText result;
  while (!bytes.empty()) {
    size_t longest = 0;
    uint32_t length = 0;
    for (size_t size = 1; size <= bytes.size() && size <= 4; size++) {
      uint32_t of_sequence = 0;
      if (!begins_sequence(bytes.first(size), of_sequence)) break;
      longest = size;
      length = of_sequence;
    }
    if (longest == 0 || longest < length) {
      result.units.push_back(0xfffd);
      result.valid = false;
      bytes = bytes.subspan(longest == 0 ? 1 : longest);
      continue;
    }
    uint32_t scalar = length == 1 ? bytes[0] : bytes[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) scalar = scalar * 64 + (bytes[i] & 0x3fU);
    append_scalar(result.units, scalar);
    bytes = bytes.subspan(length);
  }
  return result;
}

/// UTF-16 as the WHATWG encoder writes it: a lone surrogate is U+FFFD.
inline std::vector<uint8_t> reference_utf16(std::u16string_view units) {
  std::string bytes;
  for (size_t i = 0; i < units.size(); i++) {
    uint32_t scalar = units[i];
    if (scalar >= 0xd800 && scalar <= 0xdfff) {
      const bool is_pair =
          scalar < 0xdc00 && i + 1 < units.size() && units[i + 1] >= 0xdc00 && units[i + 1] <= 0xdfff;
      scalar = is_pair ? 0x10000 + (scalar - 0xd800) * 1024 + (units[i + 1] - 0xdc00U) : 0xfffd;
      if (is_pair) i++;
    }
    bytes += utf8_of(scalar);
  }
  return {bytes.begin(), bytes.end()};
}

/// What a value is, one line each: equal text means equal values. Both the reference and the reader of tapes
/// write it.
class Events {
 public:
  void line(std::string_view what) {
    text_ += what;
    text_ += '\n';
  }
  void frame(uint64_t at) { line("frame at " + std::to_string(at)); }
  void key(bool is_key) {
    if (is_key) text_ += "key: ";
  }
  void number(double value) {
    text_ += "number ";
    if (std::isnan(value)) {
      line("nan");
      return;
    }
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    line({digits, static_cast<size_t>(end - digits)});
  }
  void bits64(bool is_signed, uint64_t bits) {
    line(is_signed ? "int64 " + std::to_string(static_cast<int64_t>(bits))
                   : "uint64 " + std::to_string(bits));
  }
  void text(std::u16string_view units) {
    text_ += "text \"";
    for (const char16_t unit : units) {
      if (unit >= 0x20 && unit < 0x7f && unit != '"' && unit != '\\') {
        text_ += static_cast<char>(unit);
      } else {
        text_ += "\\u";
        hex(static_cast<uint32_t>(unit) >> 8);
        hex(unit & 0xffU);
      }
    }
    line("\"");
  }
  void bytes(std::string_view what, std::span<const uint8_t> data) {
    text_ += what;
    for (const uint8_t byte : data) hex(byte);
    line("");
  }

  const std::string& str() const { return text_; }

 private:
  void hex(uint32_t byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text_ += kDigits[byte >> 4];
    text_ += kDigits[byte & 15];
  }

  std::string text_;
};

inline bool reference_is_map(uint32_t byte) {
  return (byte >= 0x80 && byte <= 0x8f) || byte == 0xde || byte == 0xdf;
}

struct Reference {
  Status status = Status::kDone;
  /// Bytes of the value.
  size_t size = 0;
  std::string events;
  /// The first limit of the options that was exceeded, at which the reference does not stop.
  Status exceeded = Status::kDone;
};

/// Reads one MessagePack value as plainly as can be.
class ReferenceDecoder {
 public:
  ReferenceDecoder(std::span<const uint8_t> message, const DecodeOptions& options)
      : message_(message), options_(options) {}

  Reference decode() {
    std::vector<Open> stack = {{1, false}};
    // What is left of all that is open takes so many bytes at the least.
    uint64_t least = 1;
    Status status = Status::kDone;
    while (!stack.empty() && status == Status::kDone) {
      Open& top = stack.back();
      if (top.left == 0) {
        stack.pop_back();
        if (!stack.empty()) events_.line("end");
        continue;
      }
      const bool is_key = top.is_map && top.left % 2 == 0;
      top.left--;
      least--;
      Open inner{0, false};
      bool opens = false;
      depth_ = static_cast<int64_t>(stack.size());
      status = value(is_key, inner, opens);
      if (!opens || status != Status::kDone) continue;
      stack.push_back(inner);
      least += inner.left;
      if (least > message_.size() - at_) status = Status::kInsufficientData;
    }
    return {status, at_, events_.str(), exceeded_};
  }

 private:
  struct Open {
    uint64_t left;
    bool is_map;
  };

  void limit(uint64_t size, int64_t most, Status status) {
    if (exceeded_ == Status::kDone && static_cast<int64_t>(size) > most) exceeded_ = status;
  }

  /// Of a container of `count` items or pairs, at the current depth.
  void limit_container(uint64_t count, int64_t most, Status status) {
    limit(count, most, status);
    limit(static_cast<uint64_t>(depth_), options_.max_depth, Status::kMaxDepth);
    elements_ += count;
    limit(elements_, options_.max_elements, Status::kMaxElements);
  }

  bool take(size_t size, uint64_t& value) {
    if (message_.size() - at_ < size) return false;
    value = 0;
    for (size_t i = 0; i < size; i++) value = value << 8 | message_[at_++];
    return true;
  }

  Status value(bool is_key, Open& inner, bool& opens) {
    const size_t start = at_;
    uint64_t first = 0;
    if (!take(1, first)) return Status::kInsufficientData;
    const auto byte = static_cast<uint32_t>(first);
    const bool is_str = (byte >= 0xa0 && byte <= 0xbf) || (byte >= 0xd9 && byte <= 0xdb);
    const bool is_ext = (byte >= 0xc7 && byte <= 0xc9) || (byte >= 0xd4 && byte <= 0xd8);
    const bool is_number = byte <= 0x7f || byte >= 0xe0 || (byte >= 0xca && byte <= 0xd3);
    if (byte == 0xc1) return Status::kUnknownFormat;
    if (is_key && !is_str && !is_number && !is_ext && !options_.any_key) return Status::kKeyType;
    if (is_number) return number(is_key, byte);
    if (byte == 0xc0 || byte == 0xc2 || byte == 0xc3) {
      events_.key(is_key);
      events_.line(byte == 0xc0 ? "nil" : byte == 0xc2 ? "false" : "true");
      return Status::kDone;
    }
    uint64_t length = 0;
    if (byte >= 0xd4 && byte <= 0xd8) {
      length = uint64_t{1} << (byte - 0xd4);
    } else if (byte <= 0x9f) {
      length = byte & 0x0f;
    } else if (byte <= 0xbf) {
      length = byte & 0x1f;
    } else if (!take(length_size(byte), length)) {
      return Status::kInsufficientData;
    }
    if (byte <= 0x8f || byte >= 0xde) {
      opens = true;
      inner = {length * 2, true};
      limit_container(length, options_.max_map_length, Status::kMaxMapLength);
      events_.key(is_key);
      events_.line("map");
      if (length > 0 && (options_.any_key || options_.raw_keys)) events_.line("at " + std::to_string(start));
      return Status::kDone;
    }
    if (byte <= 0x9f || byte >= 0xdc) {
      opens = true;
      inner = {length, false};
      limit_container(length, options_.max_array_length, Status::kMaxArrayLength);
      events_.key(is_key);
      events_.line("array " + std::to_string(length));
      return Status::kDone;
    }
    uint64_t type = 0;
    if (is_ext && !take(1, type)) return Status::kInsufficientData;
    if (is_ext) limit(length, options_.max_ext_length, Status::kMaxExtLength);
    if (is_str && (is_key || !options_.raw_strings)) {
      limit(length, options_.max_str_length, Status::kMaxStrLength);
    } else {
      limit(length, options_.max_bin_length, Status::kMaxBinLength);
    }
    if (message_.size() - at_ < length) return Status::kInsufficientData;
    const std::span<const uint8_t> data = message_.subspan(at_, length);
    at_ += length;
    if (is_str && !(is_key ? options_.raw_keys : options_.raw_strings)) return text(is_key, data);
    events_.key(is_key);
    events_.bytes(is_ext ? "ext " + std::to_string(static_cast<int8_t>(type)) + " " : "bin ", data);
    return Status::kDone;
  }

  /// Of bin, ext, str, array and map alike: 8, 16, 32 bits in the order of their first bytes.
  static size_t length_size(uint32_t byte) {
    if (byte >= 0xdc) return byte % 2 == 0 ? 2 : 4;
    const uint32_t first = byte >= 0xd9 ? 0xd9 : byte >= 0xc7 ? 0xc7 : 0xc4;
    return size_t{1} << (byte - first);
  }

  Status text(bool is_key, std::span<const uint8_t> data) {
    const ReferenceText decoded = reference_utf8(data);
    if (is_key && !options_.any_key && decoded.units == u"__proto__") return Status::kForbiddenKey;
    if (options_.fatal_utf8 && !decoded.valid) return Status::kInvalidUtf8;
    events_.key(is_key);
    events_.text(decoded.units);
    return Status::kDone;
  }

  Status number(bool is_key, uint32_t byte) {
    double number = 0;
    uint64_t bits = 0;
    if (byte <= 0x7f) {
      number = byte;
    } else if (byte >= 0xe0) {
      number = static_cast<double>(byte) - 256;
    } else {
      const size_t size = byte == 0xca   ? 4
                          : byte == 0xcb ? 8
                          : byte <= 0xcf ? size_t{1} << (byte - 0xcc)
                                         : size_t{1} << (byte - 0xd0);
      if (!take(size, bits)) return Status::kInsufficientData;
      const auto shift = static_cast<uint32_t>(64 - 8 * size);
      if (byte == 0xca) {
        number = std::bit_cast<float>(static_cast<uint32_t>(bits));
      } else if (byte == 0xcb) {
        number = std::bit_cast<double>(bits);
      } else if (byte <= 0xcf) {
        number = static_cast<double>(bits);
      } else {
        number = static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
      }
    }
    const bool is_wide = byte == 0xcf || byte == 0xd3;
    // 2^53 may be what 2^53 + 1 was rounded to, so it counts as rounded itself.
    const bool is_rounded = std::fabs(number) >= 9007199254740992.0;
    if (is_wide && (options_.int64 == Int64::kBigint || (options_.int64 == Int64::kAuto && is_rounded))) {
      if (is_key && !options_.any_key) return Status::kKeyType;
      events_.key(is_key);
      events_.bits64(byte == 0xd3, bits);
    } else {
      events_.key(is_key);
      events_.number(number);
    }
    return Status::kDone;
  }

  const std::span<const uint8_t> message_;
  const DecodeOptions options_;
  size_t at_ = 0;
  int64_t depth_ = 0;
  uint64_t elements_ = 0;
  Status exceeded_ = Status::kDone;
  Events events_;
};

inline Reference reference_decode(std::span<const uint8_t> message, const DecodeOptions& options = {}) {
  return ReferenceDecoder(message, options).decode();
}

}  // namespace mpw::test
