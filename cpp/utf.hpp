#pragma once

#include <cstdint>

namespace mpw {

/// What `utf8_to_utf16` made of its input.
struct Utf16Result {
  uint32_t units;
  /// Whether every byte belonged to well-formed UTF-8.
  bool valid;
};

/// Decodes UTF-8 as the WHATWG Encoding Standard does (section 8.1.1): each maximal malformed part becomes
/// one U+FFFD; a byte order mark is data. Writes at most `length` units. Reads and writes up to kSlack bytes
/// more.
Utf16Result utf8_to_utf16(uint16_t* to, const uint8_t* from, uint32_t length);

/// The number of bytes that `utf16_to_utf8` writes for the same units.
uint32_t utf8_length(const uint16_t* from, uint32_t units);

/// Encodes UTF-16 as UTF-8; a lone surrogate becomes U+FFFD. Writes at most 3 × `units` bytes, and
/// up to kSlack more behind them. Returns how many.
uint32_t utf16_to_utf8(uint8_t* to, const uint16_t* from, uint32_t units);

}  // namespace mpw
