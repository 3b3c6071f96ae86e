#pragma once

#include <array>
#include <cstdint>

/// The first byte of a value (MessagePack specification, "Formats").
namespace mpw::format {

constexpr uint32_t kFixMap = 0x80;
constexpr uint32_t kFixArray = 0x90;
constexpr uint32_t kFixStr = 0xa0;
constexpr uint32_t kNil = 0xc0;
constexpr uint32_t kNeverUsed = 0xc1;
constexpr uint32_t kFalse = 0xc2;
constexpr uint32_t kTrue = 0xc3;
constexpr uint32_t kBin8 = 0xc4;
constexpr uint32_t kBin16 = 0xc5;
constexpr uint32_t kBin32 = 0xc6;
constexpr uint32_t kExt8 = 0xc7;
constexpr uint32_t kExt16 = 0xc8;
constexpr uint32_t kExt32 = 0xc9;
constexpr uint32_t kFloat32 = 0xca;
constexpr uint32_t kFloat64 = 0xcb;
constexpr uint32_t kUint8 = 0xcc;
constexpr uint32_t kUint16 = 0xcd;
constexpr uint32_t kUint32 = 0xce;
constexpr uint32_t kUint64 = 0xcf;
constexpr uint32_t kInt8 = 0xd0;
constexpr uint32_t kInt16 = 0xd1;
constexpr uint32_t kInt32 = 0xd2;
constexpr uint32_t kInt64 = 0xd3;
constexpr uint32_t kFixExt1 = 0xd4;
constexpr uint32_t kFixExt2 = 0xd5;
constexpr uint32_t kFixExt4 = 0xd6;
constexpr uint32_t kFixExt8 = 0xd7;
constexpr uint32_t kFixExt16 = 0xd8;
constexpr uint32_t kStr8 = 0xd9;
constexpr uint32_t kStr16 = 0xda;
constexpr uint32_t kStr32 = 0xdb;
constexpr uint32_t kArray16 = 0xdc;
constexpr uint32_t kArray32 = 0xdd;
constexpr uint32_t kMap16 = 0xde;
constexpr uint32_t kMap32 = 0xdf;
constexpr uint32_t kNegativeFixInt = 0xe0;

/// For each first byte: how many bytes must be there before the value can be read or its payload found.
/// That is the whole of a number, and the header (with the type of an ext) of everything else.
constexpr std::array<uint8_t, 256> header_sizes() {
  std::array<uint8_t, 256> sizes{};
  sizes.fill(1);
  const auto set = [&sizes](uint32_t byte, uint8_t size) { sizes[byte] = size; };
  for (const uint32_t byte : {kBin8, kStr8, kUint8, kInt8}) set(byte, 2);
  for (const uint32_t byte : {kBin16, kStr16, kArray16, kMap16, kUint16, kInt16, kExt8}) set(byte, 3);
  for (const uint32_t byte : {kBin32, kStr32, kArray32, kMap32, kUint32, kInt32, kFloat32}) set(byte, 5);
  for (const uint32_t byte : {kUint64, kInt64, kFloat64}) set(byte, 9);
  for (uint32_t byte = kFixExt1; byte <= kFixExt16; byte++) set(byte, 2);
  set(kExt16, 4);
  set(kExt32, 6);
  return sizes;
}
inline constexpr std::array<uint8_t, 256> kHeaderSizes = header_sizes();

/// What a first byte begins, as far as it matters to find the value's end.
enum class Family : uint8_t { kScalar, kStr, kBin, kExt, kArray, kMap };

constexpr Family family(uint32_t byte) {
  if (byte < kFixMap || byte >= kNegativeFixInt) return Family::kScalar;
  if (byte < kFixArray) return Family::kMap;
  if (byte < kFixStr) return Family::kArray;
  if (byte < kNil) return Family::kStr;
  if (byte >= kBin8 && byte <= kBin32) return Family::kBin;
  if ((byte >= kExt8 && byte <= kExt32) || (byte >= kFixExt1 && byte <= kFixExt16)) return Family::kExt;
  if (byte >= kStr8 && byte <= kStr32) return Family::kStr;
  if (byte == kArray16 || byte == kArray32) return Family::kArray;
  if (byte == kMap16 || byte == kMap32) return Family::kMap;
  return Family::kScalar;
}

constexpr std::array<Family, 256> families() {
  std::array<Family, 256> all{};
  for (uint32_t byte = 0; byte < 256; byte++) all[byte] = family(byte);
  return all;
}
inline constexpr std::array<Family, 256> kFamilies = families();

constexpr bool is_number(uint32_t byte) {
  return byte < kFixMap || byte >= kNegativeFixInt || (byte >= kFloat32 && byte <= kInt64);
}

}  // namespace mpw::format
