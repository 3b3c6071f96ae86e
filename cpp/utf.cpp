#include "utf.hpp"

#include "bytes.hpp"
#include "simd.hpp"

namespace mpw {
namespace {

constexpr uint16_t kReplacement = 0xfffd;

constexpr bool is_surrogate(uint32_t unit) { return (unit & 0xf800) == 0xd800; }
constexpr bool is_lead(uint32_t unit) { return (unit & 0xfc00) == 0xd800; }
constexpr bool is_trail(uint32_t unit) { return (unit & 0xfc00) == 0xdc00; }

/// The scalar value at `from[i]`, and how many units it takes.
struct Scalar {
  uint32_t value;
  uint32_t units;
};

inline Scalar scalar_at(const uint16_t* from, uint32_t i, uint32_t units) {
  const uint32_t unit = from[i];
  if (!is_surrogate(unit)) return {unit, 1};
  if (is_lead(unit) && i + 1 < units && is_trail(from[i + 1])) {
    return {0x10000 + ((unit & 0x3ff) << 10 | (from[i + 1] & 0x3ffU)), 2};
  }
  return {kReplacement, 1};
}

}  // namespace

namespace {

/// Decodes one scalar value at `from` that is not ASCII, or one maximal malformed part, by the letter of the
/// standard. Returns whether it was well-formed.
MPW_SMALL bool decode_one(uint16_t*& to, const uint8_t*& from, const uint8_t* end) {
  const uint32_t lead = *from++;
  // The bounds of the second byte differ for four leads: they keep out overlong forms, surrogates, and values
  // above U+10FFFF (Unicode 15, table 3-7).
  uint32_t more = 0;
  uint32_t low = 0x80;
  uint32_t high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    more = 1;
  } else if ((lead & 0xf0) == 0xe0) {
    more = 2;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    more = 3;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    *to++ = kReplacement;
    return false;
  }
  uint32_t scalar = lead & (0x3fU >> more);
  for (; more > 0 && from < end && *from >= low && *from <= high; more--) {
    scalar = scalar << 6 | (*from++ & 0x3fU);
    low = 0x80;
    high = 0xbf;
  }
  if (more > 0) {
    *to++ = kReplacement;
    return false;
  }
  if (scalar < 0x10000) {
    *to++ = static_cast<uint16_t>(scalar);
  } else {
    *to++ = static_cast<uint16_t>(0xd7c0 + (scalar >> 10));
    *to++ = static_cast<uint16_t>(0xdc00 | (scalar & 0x3ff));
  }
  return true;
}

}  // namespace

Utf16Result utf8_to_utf16(uint16_t* to, const uint8_t* from, uint32_t length) {
  const uint16_t* const start = to;
  const uint8_t* const end = from + length;
  bool valid = true;
  while (from < end) {
    // Runs of ASCII, and of sequences of as many bytes, make up most text: each has a loop of its own that
    // takes whole words. What is malformed goes the long way.
    const uint32_t lead = *from;
    if (lead < 0x80) {
      // One alone, as between words, is not worth a vector.
      const bool is_run = end - from >= 2 && from[1] < 0x80;
      if (!is_run) *to = static_cast<uint16_t>(lead);
      const uint32_t ascii = is_run ? widen_ascii(to, from, static_cast<uint32_t>(end - from)) : 1;
      to += ascii;
      from += ascii;
      continue;
    }
    const uint8_t* const before = from;
    if (lead < 0xe0) {
      while (end - from >= 2) {
        const auto bytes = load<uint16_t>(from);
        if ((bytes & 0xc0e0U) != 0x80c0U) break;
        const uint32_t scalar = (bytes & 0x1fU) << 6 | (bytes >> 8 & 0x3fU);
        if (scalar < 0x80) break;
        *to++ = static_cast<uint16_t>(scalar);
        from += 2;
      }
    } else if (lead < 0xf0) {
      while (end - from >= 15 && widen_three_bytes(to, from)) {
        to += 5;
        from += 15;
      }
      while (end - from >= 4) {
        const auto bytes = load<uint32_t>(from);
        if ((bytes & 0xc0c0f0U) != 0x8080e0U) break;
        const uint32_t scalar = (bytes & 0xf) << 12 | (bytes >> 2 & 0xfc0) | (bytes >> 16 & 0x3f);
        if (scalar < 0x800 || is_surrogate(scalar)) break;
        *to++ = static_cast<uint16_t>(scalar);
        from += 3;
      }
    } else {
      while (end - from >= 4) {
        const auto bytes = load<uint32_t>(from);
        if ((bytes & 0xc0c0c0f8U) != 0x808080f0U) break;
        const uint32_t scalar =
            (bytes & 7) << 18 | (bytes << 4 & 0x3f000) | (bytes >> 10 & 0xfc0) | (bytes >> 24 & 0x3f);
        if (scalar < 0x10000 || scalar > 0x10ffff) break;
        *to++ = static_cast<uint16_t>(0xd7c0 + (scalar >> 10));
        *to++ = static_cast<uint16_t>(0xdc00 | (scalar & 0x3ff));
        from += 4;
      }
    }
    if (from == before) valid &= decode_one(to, from, end);
  }
  return {static_cast<uint32_t>(to - start), valid};
}

MPW_SMALL uint32_t utf8_length(const uint16_t* from, uint32_t units) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < units;) {
    const Scalar scalar = scalar_at(from, i, units);
    bytes += scalar.value < 0x80 ? 1 : scalar.value < 0x800 ? 2 : scalar.value < 0x10000 ? 3 : 4;
    i += scalar.units;
  }
  return bytes;
}

uint32_t utf16_to_utf8(uint8_t* to, const uint16_t* from, uint32_t units) {
  const uint8_t* const start = to;
  for (uint32_t i = 0; i < units;) {
    const uint32_t unit = from[i];
    if (unit < 0x80) {
      // As in `utf8_to_utf16`.
      const bool is_run = i + 1 < units && from[i + 1] < 0x80;
      if (!is_run) *to = static_cast<uint8_t>(unit);
      const uint32_t ascii = is_run ? narrow_ascii(to, from + i, units - i) : 1;
      to += ascii;
      i += ascii;
      continue;
    }
    // Whole words are stored, whose last bytes the next scalar overwrites.
    if (unit < 0x800) {
      store(to, static_cast<uint16_t>(0x80c0 | unit >> 6 | (unit & 0x3f) << 8));
      to += 2;
      i++;
      continue;
    }
    if (units - i >= 8 && from[i + 7] >= 0x800 && narrow_to_three_bytes(to, from + i)) {
      to += 24;
      i += 8;
      continue;
    }
    const Scalar scalar = scalar_at(from, i, units);
    const uint32_t value = scalar.value;
    i += scalar.units;
    if (value < 0x10000) {
      store(to, 0x8080e0 | value >> 12 | (value >> 6 & 0x3f) << 8 | (value & 0x3f) << 16);
      to += 3;
    } else {
      store(to, 0x808080f0 | value >> 18 | (value >> 12 & 0x3f) << 8 | (value >> 6 & 0x3f) << 16 |
                    (value & 0x3f) << 24);
      to += 4;
    }
  }
  return static_cast<uint32_t>(to - start);
}

}  // namespace mpw
