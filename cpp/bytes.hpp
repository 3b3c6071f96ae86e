#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

/// For functions that must become part of their caller: those that share a cursor with it, which lives in
/// registers only as long as no call takes its address.
#define MPW_INLINE inline __attribute__((always_inline))
/// For functions that would crowd the registers of a hot loop.
#define MPW_APART __attribute__((noinline))
/// For those that, moreover, run so seldom that their size counts, not their speed.
#ifdef __clang__
#define MPW_SMALL __attribute__((noinline, minsize))
#else
#define MPW_SMALL __attribute__((noinline))
#endif

namespace mpw {

/// MessagePack is big-endian and WebAssembly little-endian, as is every host the native tests run on.
static_assert(std::endian::native == std::endian::little);

template <typename T>
inline T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

inline uint16_t load_be16(const uint8_t* at) { return __builtin_bswap16(load<uint16_t>(at)); }
inline uint32_t load_be32(const uint8_t* at) { return __builtin_bswap32(load<uint32_t>(at)); }
inline uint64_t load_be64(const uint8_t* at) { return __builtin_bswap64(load<uint64_t>(at)); }

template <typename T>
inline uint8_t* store(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

inline uint8_t* store_be16(uint8_t* at, uint16_t value) { return store(at, __builtin_bswap16(value)); }
inline uint8_t* store_be32(uint8_t* at, uint32_t value) { return store(at, __builtin_bswap32(value)); }
inline uint8_t* store_be64(uint8_t* at, uint64_t value) { return store(at, __builtin_bswap64(value)); }

/// How far the copy and compare loops below may read or write past the length they are given.
/// Every buffer that they touch has this much room behind it.
constexpr uint32_t kSlack = 32;

}  // namespace mpw
