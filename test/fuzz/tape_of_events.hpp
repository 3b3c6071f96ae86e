#pragma once

#include <charconv>
#include <cmath>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "encoding.hpp"
#include "reference.hpp"

namespace mpw::test {

/// Writes the tape that JS would write for a value, which the events of its decoding tell (`Events`).
class TapeOfEvents {
 public:
  TapeOfEvents(std::string_view events, KeyStore& keys) : events_(events), keys_(keys) {}

  TapeWriter write() {
    while (!events_.empty()) {
      std::string_view line = events_.substr(0, events_.find('\n'));
      events_.remove_prefix(line.size() + 1);
      const bool is_key = take(line, "key: ");
      if (is_key) (*maps_.back())++;
      value(line, is_key);
    }
    for (const auto& [at, count] : counts_) writer_.tape[at] = word(kMap, count);
    return writer_;
  }

 private:
  static bool take(std::string_view& line, std::string_view what) {
    if (!line.starts_with(what)) return false;
    line.remove_prefix(what.size());
    return true;
  }
  template <typename Number>
  static Number number(std::string_view digits) {
    Number number{};
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }
  static uint8_t byte_at(std::string_view digits, size_t at) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + at, digits.data() + at + 2, byte, 16);
    return byte;
  }
  static Bytes bytes(std::string_view digits) {
    Bytes bytes;
    for (size_t i = 0; i + 2 <= digits.size(); i += 2) bytes.push_back(byte_at(digits, i));
    return bytes;
  }

  void value(std::string_view line, bool is_key) {
    if (take(line, "nil")) {
      writer_.nil();
    } else if (line == "true" || line == "false") {
      writer_.boolean(line == "true");
    } else if (take(line, "number ")) {
      real(number<double>(line));
    } else if (take(line, "int64 ")) {
      writer_.bigint(true, static_cast<uint64_t>(number<int64_t>(line)));
    } else if (take(line, "uint64 ")) {
      writer_.bigint(false, number<uint64_t>(line));
    } else if (take(line, "text ")) {
      text(line.substr(1, line.size() - 2), is_key);
    } else if (take(line, "bin ")) {
      data(bytes(line), kBin, kShortBin, 0);
    } else if (take(line, "ext ")) {
      const size_t space = line.find(' ');
      const auto type = static_cast<uint8_t>(number<int32_t>(line.substr(0, space)));
      data(bytes(line.substr(space + 1)), kExt, kShortExt, type);
    } else if (take(line, "array ")) {
      writer_.array(number<uint32_t>(line));
      maps_.push_back(nullptr);
    } else if (line == "map") {
      counts_.emplace_back(writer_.tape.size(), 0);
      writer_.map(0);
      maps_.push_back(&counts_.back().second);
    } else {
      EXPECT_EQ(line, "end");
      maps_.pop_back();
    }
  }

  void real(double value) {
    const bool fits = value >= -(1 << 27) && value < 1 << 27 && value == static_cast<int32_t>(value);
    if (fits && !std::signbit(value)) {
      writer_.integer(static_cast<int32_t>(value));
    } else {
      writer_.number(value);
    }
  }

  void text(std::string_view escaped, bool is_key) {
    std::u16string units;
    for (size_t i = 0; i < escaped.size();) {
      if (escaped[i] == '\\') {
        units.push_back(static_cast<char16_t>(byte_at(escaped, i + 2) << 8 | byte_at(escaped, i + 4)));
        i += 6;
      } else {
        units.push_back(static_cast<char16_t>(escaped[i++]));
      }
    }
    const uint32_t key =
        is_key ? keys_.add({reinterpret_cast<const uint16_t*>(units.data()), units.size()}) : 0;
    if (key != 0) {
      writer_.key(key);
    } else if (units.size() <= Emitter::kMaxText) {
      writer_.text16(units);
    } else {
      writer_.hole(wide(kLongStr), reference_utf16(units));
    }
  }

  void data(const Bytes& data, Wide large, Wide small, uint32_t type) {
    if (data.size() > Emitter::kMaxText) {
      writer_.hole(wide(large, type), data);
    } else if (small == kShortBin) {
      writer_.short_bin(data);
    } else {
      writer_.short_ext(static_cast<int32_t>(type), data);
    }
  }

  std::string_view events_;
  KeyStore& keys_;
  TapeWriter writer_;
  /// Where the words of maps stand, and how many keys they have.
  std::deque<std::pair<size_t, uint32_t>> counts_;
  /// The counts of the maps that are open; null for arrays.
  std::vector<uint32_t*> maps_;
};

inline TapeWriter tape_of_events(std::string_view events, KeyStore& keys) {
  return TapeOfEvents(events, keys).write();
}

/// What the value is after it was written: -0 is 0, as for `@msgpack/msgpack`, and a bigint above 0 is
/// unsigned.
inline std::string as_written(std::string events) {
  for (size_t at = 0; (at = events.find("number -0\n", at)) != std::string::npos;) events.erase(at + 7, 1);
  for (size_t at = 0; at < events.size(); at = events.find('\n', at) + 1) {
    const std::string_view line = std::string_view(events).substr(at);
    const size_t kind = line.starts_with("key: ") ? 5 : 0;
    if (line.substr(kind).starts_with("int64 ") && line[kind + 6] != '-') events.insert(at + kind, "u");
  }
  return events;
}

}  // namespace mpw::test
