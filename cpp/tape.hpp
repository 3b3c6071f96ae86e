#pragma once

#include <cstdint>

namespace mpw {

/// The words of the tape. A word is `payload << 4 | tag`; `js/tape.ts` holds the same table (tested).
/// Decoding: C++ writes the tape, JS makes values of it. Encoding: JS writes it, C++ makes bytes of it.
enum Tag : uint32_t {
  /// Decoding: no more words in this window. Never a value.
  kEnd = 0,
  kNil = 1,
  /// Payload 0 is false, 1 true.
  kBool = 2,
  /// A whole array of payload numbers, at most kMaxPoint, which stand in the lane.
  kPoint = 3,
  /// A 28-bit signed integer.
  kInt = 4,
  /// The next number of the lane.
  kFloat = 5,
  /// Decoding: payload bytes of the 8-bit text pool, which are ASCII.
  kText8 = 6,
  /// Payload UTF-16 units of the 16-bit text pool.
  kText16 = 7,
  /// Payload items follow.
  kArray = 8,
  /// Encoding: payload pairs follow. Decoding: the values of shape `payload` follow, then a kKeys word.
  kMap = 9,
  /// Decoding: the values of shape `payload` follow, and that is the whole map.
  kShape = 10,
  /// Decoding: payload pairs of key and value follow, the last ones of a kMap. Where all keys
  /// stand in line (DecodeOptions), a word with the offset of the map stands before them.
  kKeys = 11,
  /// A key that both sides know by number.
  kKey = 12,
  /// Decoding: payload words follow, each an int32: as many items of an array.
  kInts = 13,
  /// Payload numbers of the lane: as many items of an array.
  kFloats = 14,
  /// A rare kind, named by a `Wide` in the low 4 bits of the payload; operand words follow.
  kWide = 15,
};

/// What a kWide word stands for. Operands are whole words; an offset counts from the start of the chunk with
/// which the window began.
enum Wide : uint32_t {
  /// Decoding: the next pool begins, the 8-bit one if the extra bits are 0, else the 16-bit one. Operands:
  /// its
  /// bytes or units.
  kPool = 0,
  /// Decoding: an int32 that does not fit kInt. A number of the lane would become a boxed double in V8, also
  /// where it is whole. Operands: the integer.
  kInt32 = 1,
  /// A string that is too long for a pool. Operands: bytes, offset (encoding: bytes; the payload is a hole).
  /// Decoding:
  /// extra bits 8–15 hold the size of its header.
  kLongStr = 2,
  /// Decoding: bytes, offset. Encoding: bytes; the payload is a hole in the output that JS fills.
  kBin = 3,
  /// Extra bits 0–7 hold the type (int8); decoding: 8–15, the size of the header. Operands as for kBin.
  kExt = 4,
  /// An array with more items than fit the payload of kArray (or kDeepArray). Operands: count.
  kLargeArray = 5,
  /// Encoding: a map with more pairs than fit the payload of kMap. Operands: count.
  kLargeMap = 6,
  /// Decoding: an array that JS must not recurse into, because it is too deep, or open where a stream's chunk
  /// ends.
  /// The extra bits hold the count.
  kDeepArray = 7,
  /// As kDeepArray, for a map. The extra bits hold the shape whose values come first; then as after kMap.
  kDeepMap = 8,
  /// 64 raw bits in the next slot of the lane.
  kUint64 = 9,
  kInt64 = 10,
  /// Encoding: bytes that stand in the 8-bit pool. Operands: bytes.
  kShortBin = 11,
  /// Encoding: as kShortBin, an extension with its type in extra bits 0–7. Operands: bytes.
  kShortExt = 12,
  /// Encoding: an ext 32 header whatever the size, then a hole: data whose position was asked for first.
  /// Type and operands as for kExt.
  kPlacedExt = 13,
  /// The data of a typed array, in an extension that begins with their offset: `[offset][zeros][data]`. Extra
  /// bits 0–7 hold the type. Decoding: 8–15, the size of the header; 16–23, the offset byte. Operands: bytes
  /// of
  /// data, and where they begin. Encoding: 8–15, the binary logarithm of the alignment. Operands: bytes of
  /// data;
  /// they are a hole.
  kTypedArray = 14,
  /// Encoding: as kTypedArray, with the data in the 8-bit pool.
  kShortTypedArray = 15,
};

constexpr uint32_t word(Tag tag, uint32_t payload) { return payload << 4 | tag; }
constexpr uint32_t wide(Wide kind, uint32_t extra = 0) {
  return extra << 8 | static_cast<uint32_t>(kind) << 4 | kWide;
}

constexpr uint32_t kPool8 = wide(kPool, 0);
constexpr uint32_t kPool16 = wide(kPool, 1);

/// The largest count or length that fits a word's payload.
constexpr uint32_t kMaxPayload = (1U << 28) - 1;
/// The largest that fits the extra bits of a kWide word.
constexpr uint32_t kMaxWideExtra = (1U << 24) - 1;

/// Coordinates and pairs: arrays so short that JS makes them as literals.
constexpr uint32_t kMaxPoint = 4;

/// Fewer numbers than this in a row are no run. Arrays that are shorter hold none: JS makes them as literals.
constexpr uint32_t kMinRun = 8;

/// Strings longer than this (in bytes) never go through a text pool: they are decoded alone, so that a short
/// string cut from a pool keeps at most `kPoolBytes` alive.
constexpr uint32_t kMaxPooledBytes = 512;

/// Where a pool is closed and the next begins. V8 ties a cut of 13 characters or more to the whole of its
/// pool.
constexpr uint32_t kPoolBytes = 8192;

}  // namespace mpw
