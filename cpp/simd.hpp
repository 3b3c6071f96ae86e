#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "bytes.hpp"

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

/// The kernels that are worth 128-bit vectors, each with a portable twin that the native tests run.
namespace mpw {

/// Copies `length` bytes, in steps that may touch up to kSlack bytes more on both sides.
/// Returns whether all `length` bytes are ASCII.
inline bool copy_ascii(uint8_t* to, const uint8_t* from, uint32_t length) {
#ifdef __wasm_simd128__
  v128_t seen = wasm_i64x2_const(0, 0);
  uint32_t i = 0;
  for (; i + 16 <= length; i += 16) {
    const v128_t bytes = wasm_v128_load(from + i);
    wasm_v128_store(to + i, bytes);
    seen = wasm_v128_or(seen, bytes);
  }
  uint32_t high = wasm_i8x16_bitmask(seen);
  if (i < length) {
    const v128_t bytes = wasm_v128_load(from + i);
    wasm_v128_store(to + i, bytes);
    high |= wasm_i8x16_bitmask(bytes) & ((1U << (length - i)) - 1);
  }
  return high == 0;
#else
  uint64_t seen = 0;
  uint32_t i = 0;
  for (; i + 8 <= length; i += 8) {
    const auto bytes = load<uint64_t>(from + i);
    store(to + i, bytes);
    seen |= bytes;
  }
  for (; i < length; i++) {
    to[i] = from[i];
    seen |= from[i];
  }
  return (seen & 0x8080808080808080U) == 0;
#endif
}

/// As `copy_ascii`, for at most 31 bytes.
inline bool copy_ascii_31(uint8_t* to, const uint8_t* from, uint32_t length) {
#ifdef __wasm_simd128__
  const v128_t first = wasm_v128_load(from);
  const v128_t second = wasm_v128_load(from + 16);
  wasm_v128_store(to, first);
  wasm_v128_store(to + 16, second);
  const uint32_t high = wasm_i8x16_bitmask(first) | wasm_i8x16_bitmask(second) << 16;
  return (high & ((1U << length) - 1)) == 0;
#else
  return copy_ascii(to, from, length);
#endif
}

/// Copies `length` bytes, in steps of 16 that may touch up to kSlack bytes more on both sides.
inline void copy_short(uint8_t* to, const uint8_t* from, uint32_t length) {
#ifdef __wasm_simd128__
  for (uint32_t i = 0; i < length; i += 16) wasm_v128_store(to + i, wasm_v128_load(from + i));
#else
  std::memcpy(to, from, length);
#endif
}

#ifdef __wasm_simd128__
/// Which of eight UTF-16 units take no three bytes of UTF-8: those below 0x800, and surrogates.
inline v128_t not_three_bytes(v128_t units) {
  return wasm_v128_or(
      wasm_u16x8_lt(units, wasm_u16x8_const_splat(0x800)),
      wasm_i16x8_eq(wasm_v128_and(units, wasm_u16x8_const_splat(0xf800)), wasm_u16x8_const_splat(0xd800)));
}
#endif

/// Narrows UTF-16 units to bytes until the first unit above 0x7f; reads and writes up to
/// kSlack more.
/// Returns how many units were narrowed: all `units` of them when the text is ASCII.
inline uint32_t narrow_ascii(uint8_t* to, const uint16_t* from, uint32_t units) {
#ifdef __wasm_simd128__
  for (uint32_t i = 0; i < units; i += 8) {
    const v128_t eight = wasm_v128_load(from + i);
    wasm_v128_store64_lane(to + i, wasm_u8x16_narrow_i16x8(eight, eight), 0);
    const uint32_t left = units - i;
    const uint32_t mine = left < 8 ? (1U << left) - 1 : 0xff;
    const uint32_t beyond = wasm_i16x8_bitmask(wasm_u16x8_gt(eight, wasm_i16x8_const_splat(0x7f))) & mine;
    if (beyond != 0) return i + static_cast<uint32_t>(__builtin_ctz(beyond));
  }
  return units;
#else
  uint32_t i = 0;
  for (; i < units && from[i] < 0x80; i++) to[i] = static_cast<uint8_t>(from[i]);
  return i;
#endif
}

/// Widens bytes to UTF-16 units until the first above 0x7f; reads and writes up to kSlack more.
/// Returns how many bytes were widened: all `length` of them when the text is ASCII.
inline uint32_t widen_ascii(uint16_t* to, const uint8_t* from, uint32_t length) {
#ifdef __wasm_simd128__
  for (uint32_t i = 0; i < length; i += 8) {
    const v128_t eight = wasm_v128_load64_zero(from + i);
    wasm_v128_store(to + i, wasm_u16x8_extend_low_u8x16(eight));
    const uint32_t left = length - i;
    const uint32_t mine = left < 8 ? (1U << left) - 1 : 0xff;
    const uint32_t beyond = wasm_i8x16_bitmask(eight) & mine;
    if (beyond != 0) return i + static_cast<uint32_t>(__builtin_ctz(beyond));
  }
  return length;
#else
  uint32_t i = 0;
  for (; i < length && from[i] < 0x80; i++) to[i] = from[i];
  return i;
#endif
}

/// Writes eight UTF-16 units as 24 bytes of UTF-8 if each takes three; returns whether they do. Else what
/// stands at `to` may have been written over.
inline bool narrow_to_three_bytes(uint8_t* to, const uint16_t* from) {
#ifdef __wasm_simd128__
  const v128_t units = wasm_v128_load(from);
  if (wasm_v128_any_true(not_three_bytes(units))) return false;
  const v128_t six_bits = wasm_i16x8_const_splat(0x3f);
  const v128_t mark = wasm_i16x8_const_splat(0x80);
  const v128_t first = wasm_v128_or(wasm_u16x8_shr(units, 12), wasm_i16x8_const_splat(0xe0));
  const v128_t second = wasm_v128_or(wasm_v128_and(wasm_u16x8_shr(units, 6), six_bits), mark);
  const v128_t third = wasm_v128_or(wasm_v128_and(units, six_bits), mark);
  // The bytes of the first two in turn, then those of the third in their places.
  const v128_t pairs = wasm_v128_or(first, wasm_i16x8_shl(second, 8));
  const v128_t low = wasm_i8x16_shuffle(pairs, third, 0, 1, 16, 2, 3, 18, 4, 5, 20, 6, 7, 22, 8, 9, 24, 10);
  const v128_t high =
      wasm_i8x16_shuffle(pairs, third, 11, 26, 12, 13, 28, 14, 15, 30, 0, 0, 0, 0, 0, 0, 0, 0);
  wasm_v128_store(to, low);
  wasm_v128_store64_lane(to + 16, high, 0);
#else
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t unit = from[i];
    if (unit < 0x800 || (unit & 0xf800) == 0xd800) return false;
    to[3 * i] = static_cast<uint8_t>(0xe0 | unit >> 12);
    to[3 * i + 1] = static_cast<uint8_t>(0x80 | (unit >> 6 & 0x3f));
    to[3 * i + 2] = static_cast<uint8_t>(0x80 | (unit & 0x3f));
  }
#endif
  return true;
}

/// The float 64 whose big-endian bytes are at `in`; reads no more than these 8.
inline double load_float(const uint8_t* in) {
#ifdef __wasm_simd128__
  // No engine makes one instruction of the shifts that reverse a 64-bit integer.
  const v128_t bytes = wasm_v128_load64_zero(in);
  return wasm_f64x2_extract_lane(
      wasm_i8x16_shuffle(bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0), 0);
#else
  return std::bit_cast<double>(load_be64(in));
#endif
}

/// Writes a float 64 as its 8 big-endian bytes. Returns where they end.
inline uint8_t* store_float(uint8_t* out, double value) {
#ifdef __wasm_simd128__
  const v128_t bytes = wasm_f64x2_splat(value);
  wasm_v128_store64_lane(out,
                         wasm_i8x16_shuffle(bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0), 0);
  return out + 8;
#else
  return store_be64(out, std::bit_cast<uint64_t>(value));
#endif
}

/// Writes two numbers as `0xcb` float 64 items if both have a fraction, which keeps out all that are not
/// finite. Returns whether they have; else what stands at `out` may have been written over.
inline bool write_two_fractions(uint8_t* out, const double* lane) {
#ifdef __wasm_simd128__
  const v128_t pair = wasm_v128_load(lane);
  const v128_t fractions = wasm_f64x2_abs(wasm_f64x2_sub(pair, wasm_f64x2_trunc(pair)));
  if (!wasm_i64x2_all_true(wasm_f64x2_gt(fractions, wasm_f64x2_const(0, 0)))) return false;
  const v128_t bytes = wasm_i8x16_shuffle(pair, pair, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  out[0] = out[9] = 0xcb;
  wasm_v128_store64_lane(out + 1, bytes, 0);
  wasm_v128_store64_lane(out + 10, bytes, 1);
#else
  for (uint32_t i = 0; i < 2; i++) {
    if (!(std::fabs(lane[i] - std::trunc(lane[i])) > 0)) return false;
    out[9 * i] = 0xcb;
    store_float(out + 9 * i + 1, lane[i]);
  }
#endif
  return true;
}

/// Makes five UTF-16 units of 15 bytes of UTF-8, if these are five well-formed sequences of three bytes;
/// returns whether they are. Reads and writes up to kSlack bytes more than that.
inline bool widen_three_bytes(uint16_t* to, const uint8_t* from) {
#ifdef __wasm_simd128__
  const v128_t bytes = wasm_v128_load(from);
  const v128_t marks = wasm_v128_and(bytes, wasm_u8x16_const(0xf0, 0xc0, 0xc0, 0xf0, 0xc0, 0xc0, 0xf0, 0xc0,
                                                             0xc0, 0xf0, 0xc0, 0xc0, 0xf0, 0xc0, 0xc0, 0));
  const v128_t expected = wasm_u8x16_const(0xe0, 0x80, 0x80, 0xe0, 0x80, 0x80, 0xe0, 0x80, 0x80, 0xe0, 0x80,
                                           0x80, 0xe0, 0x80, 0x80, 0);
  if (!wasm_i8x16_all_true(wasm_i8x16_eq(marks, expected))) return false;
  const v128_t zero = wasm_i64x2_const(0, 0);
  const v128_t high =
      wasm_i8x16_shuffle(bytes, zero, 0, 16, 3, 16, 6, 16, 9, 16, 12, 16, 16, 16, 16, 16, 16, 16);
  const v128_t middle =
      wasm_i8x16_shuffle(bytes, zero, 1, 16, 4, 16, 7, 16, 10, 16, 13, 16, 16, 16, 16, 16, 16, 16);
  const v128_t low =
      wasm_i8x16_shuffle(bytes, zero, 2, 16, 5, 16, 8, 16, 11, 16, 14, 16, 16, 16, 16, 16, 16, 16);
  const v128_t six_bits = wasm_i16x8_const_splat(0x3f);
  const v128_t units = wasm_v128_or(
      wasm_i16x8_shl(high, 12),
      wasm_v128_or(wasm_i16x8_shl(wasm_v128_and(middle, six_bits), 6), wasm_v128_and(low, six_bits)));
  // Overlong forms and surrogates.
  if ((wasm_i16x8_bitmask(not_three_bytes(units)) & 0x1f) != 0) return false;
  wasm_v128_store(to, units);
  return true;
#else
  for (uint32_t i = 0; i < 5; i++, from += 3) {
    if ((from[0] & 0xf0) != 0xe0 || (from[1] & 0xc0) != 0x80 || (from[2] & 0xc0) != 0x80) return false;
    to[i] = static_cast<uint16_t>((from[0] & 0xf) << 12 | (from[1] & 0x3f) << 6 | (from[2] & 0x3f));
    if (to[i] < 0x800 || (to[i] & 0xf800) == 0xd800) return false;
  }
  return true;
#endif
}

/// Reads `0xcb` float 64 items while they last: at most `count` of them, all before `end`.
/// Writes them to `lane`, and returns how many there were.
inline uint32_t read_floats(double* lane, const uint8_t* in, const uint8_t* end, uint32_t count) {
  uint32_t i = 0;
#ifdef __wasm_simd128__
  for (; i + 2 <= count && end - in >= 18 && in[0] == 0xcb && in[9] == 0xcb; i += 2, in += 18) {
    v128_t pair = wasm_v128_load64_zero(in + 1);
    pair = wasm_v128_load64_lane(in + 10, pair, 1);
    pair = wasm_i8x16_shuffle(pair, pair, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    wasm_v128_store(lane + i, pair);
  }
#endif
  for (; i < count && end - in >= 9 && *in == 0xcb; i++, in += 9) {
    lane[i] = load_float(in + 1);
  }
  return i;
}

}  // namespace mpw
