#include "emitter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bytes.hpp"
#include "format.hpp"
#include "simd.hpp"
#include "utf.hpp"

namespace mpw {
namespace {

constexpr double kMaxSafeInteger = 9007199254740991.0;
/// A header and a number take 9 bytes at the most; a key, KeyStore::kMaxLength.
constexpr uint32_t kMaxNumber = 9;
/// An ext 32 header, and what stands before the data.
constexpr uint32_t kMaxTypedArrayHeader = 6 + (1U << Emitter::kMaxAlignment);

constexpr uint32_t str_header_size(uint32_t bytes) {
  return bytes < 32 ? 1 : bytes < 0x100 ? 2 : bytes < 0x10000 ? 3 : 5;
}

MPW_INLINE uint8_t* write_str_header(uint8_t* out, uint32_t bytes) {
  if (bytes < 32) {
    *out++ = static_cast<uint8_t>(format::kFixStr | bytes);
    return out;
  }
  if (bytes < 0x100) {
    *out++ = format::kStr8;
    *out++ = static_cast<uint8_t>(bytes);
    return out;
  }
  if (bytes < 0x10000) {
    *out++ = format::kStr16;
    return store_be16(out, static_cast<uint16_t>(bytes));
  }
  *out++ = format::kStr32;
  return store_be32(out, bytes);
}

struct IntFormat {
  uint8_t first;
  /// How far the value is shifted for its bytes to be the first of four.
  uint8_t shift;
  /// With the first byte, which is the value itself where that is all.
  uint8_t size;
};

/// By the bits of an int32 without its sign, plus 32 if it is negative.
constexpr std::array<IntFormat, 64> int_formats() {
  std::array<IntFormat, 64> formats{};
  for (uint32_t bits = 0; bits < 32; bits++) {
    formats[bits] = bits < 8     ? IntFormat{0, 0, 1}
                    : bits == 8  ? IntFormat{format::kUint8, 24, 2}
                    : bits <= 16 ? IntFormat{format::kUint16, 16, 3}
                                 : IntFormat{format::kUint32, 0, 5};
    formats[32 + bits] = bits < 6    ? IntFormat{0, 0, 1}
                         : bits < 8  ? IntFormat{format::kInt8, 24, 2}
                         : bits < 16 ? IntFormat{format::kInt16, 16, 3}
                                     : IntFormat{format::kInt32, 0, 5};
  }
  return formats;
}
constexpr std::array<IntFormat, 64> kIntFormats = int_formats();

}  // namespace

/// What `run` changes at each step. It stays in registers as long as its address is not taken: members would
/// be stored and loaded anew at each byte.
struct Emitter::Cursor {
  const uint32_t* tape;
  const uint32_t* tape_end;
  const double* lane;
  const uint8_t* pool8;
  const uint8_t* text;
  uint8_t* out;
  uint8_t* out_end;
  EncodeOptions options;

  bool has_room(uint32_t bytes) const { return static_cast<size_t>(out_end - out) >= bytes; }

  void byte(uint32_t value) { *out++ = static_cast<uint8_t>(value); }
  void head8(uint32_t format, uint32_t value) {
    byte(format);
    byte(value);
  }
  void head16(uint32_t format, uint32_t value) {
    byte(format);
    out = store_be16(out, static_cast<uint16_t>(value));
  }
  void head32(uint32_t format, uint32_t value) {
    byte(format);
    out = store_be32(out, value);
  }
  void head64(uint32_t format, uint64_t value) {
    byte(format);
    out = store_be64(out, value);
  }
  void str_header(uint32_t bytes) { out = write_str_header(out, bytes); }
  void bin_header(uint32_t bytes) {
    if (bytes < 0x100) {
      head8(format::kBin8, bytes);
    } else if (bytes < 0x10000) {
      head16(format::kBin16, bytes);
    } else {
      head32(format::kBin32, bytes);
    }
  }
  void ext_header(uint32_t type, uint32_t bytes) {
    switch (bytes) {
      case 1:
        byte(format::kFixExt1);
        break;
      case 2:
        byte(format::kFixExt2);
        break;
      case 4:
        byte(format::kFixExt4);
        break;
      case 8:
        byte(format::kFixExt8);
        break;
      case 16:
        byte(format::kFixExt16);
        break;
      default:
        if (bytes < 0x100) {
          head8(format::kExt8, bytes);
        } else if (bytes < 0x10000) {
          head16(format::kExt16, bytes);
        } else {
          head32(format::kExt32, bytes);
        }
    }
    byte(type);
  }
  void array_header(uint32_t count) {
    if (count < 16) {
      byte(format::kFixArray | count);
    } else if (count < 0x10000) {
      head16(format::kArray16, count);
    } else {
      head32(format::kArray32, count);
    }
  }
  void map_header(uint32_t count) {
    if (count < 16) {
      byte(format::kFixMap | count);
    } else if (count < 0x10000) {
      head16(format::kMap16, count);
    } else {
      head32(format::kMap32, count);
    }
  }
};

/// Without a branch for each format: those follow one another as they like, which no processor foresees.
MPW_INLINE void Emitter::int32(Cursor& c, int32_t value) const {
  const int32_t sign = value >> 31;
  const uint32_t magnitude = static_cast<uint32_t>(value ^ sign);
  const auto bits = static_cast<uint32_t>(std::bit_width(magnitude));
  const IntFormat format = kIntFormats[bits | (static_cast<uint32_t>(sign) & 32)];
  *c.out = static_cast<uint8_t>(format.size == 1 ? static_cast<uint32_t>(value) : format.first);
  store_be32(c.out + 1, static_cast<uint32_t>(value) << format.shift);
  c.out += format.size;
}

/// `value` is safe (below 2^53 in size).
MPW_INLINE void Emitter::integer(Cursor& c, int64_t value) const {
  if (value >= 0) {
    if (value < 0x80) {
      c.byte(static_cast<uint32_t>(value));
    } else if (value < 0x100) {
      c.head8(format::kUint8, static_cast<uint32_t>(value));
    } else if (value < 0x10000) {
      c.head16(format::kUint16, static_cast<uint32_t>(value));
    } else if (value < 0x100000000) {
      c.head32(format::kUint32, static_cast<uint32_t>(value));
    } else {
      c.head64(format::kUint64, static_cast<uint64_t>(value));
    }
  } else if (value >= -0x20) {
    c.byte(static_cast<uint32_t>(value));
  } else if (value >= -0x80) {
    c.head8(format::kInt8, static_cast<uint32_t>(value));
  } else if (value >= -0x8000) {
    c.head16(format::kInt16, static_cast<uint32_t>(value));
  } else if (value >= -0x80000000LL) {
    c.head32(format::kInt32, static_cast<uint32_t>(value));
  } else {
    c.head64(format::kInt64, static_cast<uint64_t>(value));
  }
}

MPW_INLINE void Emitter::number(Cursor& c, double value) const {
  // Most numbers that are not small integers have a fraction: one instruction finds that out.
  if (!c.options.integers_as_floats && std::trunc(value) == value && std::fabs(value) <= kMaxSafeInteger) {
    const auto whole = static_cast<int64_t>(value);
    const bool narrow = whole >= INT32_MIN && whole <= UINT32_MAX;
    if (narrow || !c.options.no_int64) return integer(c, whole);
  }
  // NaNs may carry a payload that JS cannot see; all are written as the one that JS would write.
  if (c.options.float32) {
    // C++ leaves a double beyond the range of float undefined; JS rounds it to infinity.
    constexpr double kOverflow = 0x1.ffffffp127;
    const float narrow = std::fabs(value) >= kOverflow
                             ? std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0F : 1.0F)
                             : static_cast<float>(value);
    c.head32(format::kFloat32, value != value ? 0x7fc00000 : std::bit_cast<uint32_t>(narrow));
  } else {
    c.byte(format::kFloat64);
    c.out = store_float(c.out, value != value ? std::numeric_limits<double>::quiet_NaN() : value);
  }
}

MPW_INLINE void Emitter::bigint(Cursor& c, uint64_t bits, bool is_signed) const {
  const bool negative = is_signed && bits >> 63 != 0;
  constexpr uint64_t kExact = 1ULL << 32;
  if (c.options.smallest_bigint && (negative ? ~bits < kExact : bits < kExact)) {
    integer(c, static_cast<int64_t>(bits));
  } else {
    c.head64(negative ? format::kInt64 : format::kUint64, bits);
  }
}

/// Returns false, with nothing written, if the output has no room.
MPW_INLINE bool Emitter::text(Cursor& c, uint32_t units) const {
  if (!c.has_room(5 + 3 * units)) return false;
  uint8_t* const start = c.out;
  c.str_header(units);
  if (text_is_bytes_) {
    copy_short(c.out, c.text, units);
    c.out += units;
    c.text += units;
    return true;
  }
  const auto* const from = reinterpret_cast<const uint16_t*>(c.text);
  if (narrow_ascii(c.out, from, units) == units) {
    c.out += units;
  } else {
    c.out = wide_text16(start, from, units);
  }
  c.text += units * sizeof(uint16_t);
  return true;
}

/// Writes text that is not ASCII, with its header, at `out`. Returns where it ends.
MPW_APART uint8_t* Emitter::wide_text16(uint8_t* out, const uint16_t* from, uint32_t units) {
  // Most such text is of scripts with three bytes a unit. Where it is not, a shorter header may do, and the
  // text moves.
  const uint32_t guess = str_header_size(3 * units);
  const uint32_t length = utf16_to_utf8(out + guess, from, units);
  const uint32_t size = str_header_size(length);
  if (size != guess) std::memmove(out + size, out + guess, length);
  return write_str_header(out, length) + length;
}

/// Writes all of a typed array that stands before its data, of `bytes`: the smallest ext header that fits,
/// the offset of the data, and as many zeros as bring them to a multiple of the alignment. Whether a header
/// fits depends on the padding, and that on the size of the header, so the formats are tried in turn.
MPW_SMALL void Emitter::typed_array_header(Cursor& c, uint32_t extra, uint32_t bytes) const {
  const uint32_t type = extra & 0xff;
  const uint32_t alignment = 1U << (extra >> 8);
  const uint32_t position = passed_ + static_cast<uint32_t>(c.out - buffers_.output.data());
  // The data begin as early as they can: behind the offset, which takes a byte itself.
  const auto offset_behind = [=](uint32_t header) {
    return 1 + (-(position + header + 1) & (alignment - 1));
  };
  uint32_t offset = offset_behind(2);
  if (const uint64_t size = uint64_t{offset} + bytes; size <= 16 && std::has_single_bit(size)) {
    c.byte(format::kFixExt1 + static_cast<uint32_t>(std::countr_zero(size)));
  } else if (offset = offset_behind(3); uint64_t{offset} + bytes < 0x100) {
    c.head8(format::kExt8, offset + bytes);
  } else if (offset = offset_behind(4); uint64_t{offset} + bytes < 0x10000) {
    c.head16(format::kExt16, offset + bytes);
  } else {
    offset = offset_behind(6);
    c.head32(format::kExt32, offset + bytes);
  }
  c.byte(type);
  c.byte(offset);
  for (uint32_t i = 1; i < offset; i++) c.byte(0);
}

/// Returns false, with nothing read or written, if the output or the list of holes has no room.
MPW_SMALL bool Emitter::wide_word(Cursor& c, uint32_t word) {
  const uint32_t operand = *c.tape;
  const uint32_t extra = word >> 8;
  const auto kind = static_cast<Wide>(word >> 4 & 15);
  switch (kind) {
    case kUint64:
    case kInt64:
      bigint(c, std::bit_cast<uint64_t>(*c.lane++), kind == kInt64);
      return true;
    case kLargeArray:
      c.array_header(operand);
      break;
    case kLargeMap:
      c.map_header(operand);
      break;
    case kShortBin:
    case kShortExt:
      if (!c.has_room(6 + operand)) return false;
      if (kind == kShortBin) {
        c.bin_header(operand);
      } else {
        c.ext_header(extra, operand);
      }
      copy_short(c.out, c.pool8, operand);
      c.out += operand;
      c.pool8 += operand;
      break;
    case kShortTypedArray:
      if (!c.has_room(kMaxTypedArrayHeader + operand)) return false;
      is_placed_ = true;
      typed_array_header(c, extra, operand);
      copy_short(c.out, c.pool8, operand);
      c.out += operand;
      c.pool8 += operand;
      break;
    default:
      if (hole_count_ == buffers_.holes.size()) return false;
      if (kind == kTypedArray) {
        if (!c.has_room(kMaxTypedArrayHeader)) return false;
        is_placed_ = true;
        typed_array_header(c, extra, operand);
      } else if (kind == kLongStr) {
        c.str_header(operand);
      } else if (kind == kBin) {
        c.bin_header(operand);
      } else if (kind == kExt) {
        c.ext_header(extra, operand);
      } else {
        is_placed_ = true;
        c.head32(format::kExt32, operand);
        c.byte(extra);
      }
      buffers_.holes[hole_count_++] = static_cast<uint32_t>(c.out - buffers_.output.data());
      passed_ += operand;
  }
  c.tape++;
  return true;
}

MPW_SMALL uint32_t Emitter::write_frame_prefix(uint8_t* end) const {
  const uint32_t length = passed_ + length_ - origin_;
  uint32_t size = 1;
  while (size < kMaxFramePrefix && (is_placed_ || length >> 7 * size != 0)) size++;
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t more = i + 1 < size ? 0x80 : 0;
    end[static_cast<int32_t>(i - size)] = static_cast<uint8_t>((length >> 7 * i & 0x7f) | more);
  }
  return size;
}

Status Emitter::run() {
  const auto* const text = reinterpret_cast<const uint8_t*>(buffers_.pool16.data());
  Cursor c{buffers_.tape.data() + at_,
           buffers_.tape.data() + words_,
           buffers_.lane.data() + lane_at_,
           buffers_.pool8.data() + pool8_at_,
           text + text_at_,
           buffers_.output.data() + length_,
           buffers_.output.data() + buffers_.output.size(),
           options_};
  Status status = Status::kDone;
  // Every word but those that check for themselves needs no more than this.
  constexpr uint32_t kRoom = std::max(kMaxNumber, KeyStore::kMaxLength);
  uint32_t run_left = run_left_;
  for (;;) {
    for (; run_left > 0 && c.has_room(2 * kMaxNumber); run_left--) {
      if (run_left > 1 && !options_.float32 && write_two_fractions(c.out, c.lane)) {
        c.out += 2 * kMaxNumber;
        c.lane += 2;
        run_left--;
      } else {
        number(c, *c.lane++);
      }
    }
    if (run_left == 0 && c.tape == c.tape_end) break;
    if (run_left > 0 || !c.has_room(kRoom)) {
      status = Status::kWindowFull;
      break;
    }
    const uint32_t word = *c.tape++;
    const uint32_t payload = word >> 4;
    bool written = true;
    switch (word & 15) {
      case kNil:
        c.byte(format::kNil);
        break;
      case kBool:
        c.byte(format::kFalse | payload);
        break;
      case kInt:
        int32(c, static_cast<int32_t>(word) >> 4);
        break;
      case kFloat:
        run_left = 1;
        break;
      case kText16:
        written = this->text(c, payload);
        break;
      case kArray:
        c.array_header(payload);
        break;
      case kMap:
        c.map_header(payload);
        break;
      case kKey: {
        const std::span<const uint8_t> key = keys_.encoded(payload);
        copy_short(c.out, key.data(), static_cast<uint32_t>(key.size()));
        c.out += key.size();
        break;
      }
      case kPoint:
        c.array_header(payload);
        run_left = payload;
        break;
      case kFloats:
        run_left = payload;
        break;
      default: {
        // A copy, so that the cursor's own address is never taken.
        Cursor copy = c;
        written = wide_word(copy, word);
        c = copy;
      }
    }
    if (!written) {
      c.tape--;
      status = Status::kWindowFull;
      break;
    }
  }
  at_ = static_cast<uint32_t>(c.tape - buffers_.tape.data());
  lane_at_ = static_cast<uint32_t>(c.lane - buffers_.lane.data());
  pool8_at_ = static_cast<uint32_t>(c.pool8 - buffers_.pool8.data());
  text_at_ = static_cast<uint32_t>(c.text - text);
  run_left_ = run_left;
  length_ = static_cast<uint32_t>(c.out - buffers_.output.data());
  return status;
}

}  // namespace mpw
