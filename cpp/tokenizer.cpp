#include "tokenizer.hpp"

#include <algorithm>
#include <utility>

#include "bytes.hpp"
#include "format.hpp"
#include "simd.hpp"
#include "utf.hpp"

namespace mpw {
namespace {

/// A row of integers this long is worth a run of its own when other numbers follow it.
constexpr uint32_t kLongRun = 32;
/// The tape words that one step of the loop writes at the most (a kKeys word and a string that opens both
/// pools), the two words that `begin_next` writes, and the kEnd word; the first of them is within the limit.
constexpr uint32_t kTapeReserve = 8;
constexpr uint64_t kMaxSafeInteger = (1ULL << 53) - 1;

/// `value` must fit 28 bits.
uint32_t int_word(int32_t value) { return static_cast<uint32_t>(value) << 4 | kInt; }
bool fits_word(int32_t value) { return value >= -(1 << 27) && value < (1 << 27); }

/// The number at `at`, whose whole length must be readable. Integers beyond 2^53 are rounded.
inline double number_at(const uint8_t* at) {
  switch (*at) {
    case format::kFloat32:
      return static_cast<double>(std::bit_cast<float>(load_be32(at + 1)));
    case format::kFloat64:
      return load_float(at + 1);
    case format::kUint8:
      return at[1];
    case format::kUint16:
      return load_be16(at + 1);
    case format::kUint32:
      return load_be32(at + 1);
    case format::kUint64:
      return static_cast<double>(load_be64(at + 1));
    case format::kInt8:
      return static_cast<int8_t>(at[1]);
    case format::kInt16:
      return static_cast<int16_t>(load_be16(at + 1));
    case format::kInt32:
      return static_cast<int32_t>(load_be32(at + 1));
    case format::kInt64:
      return static_cast<double>(static_cast<int64_t>(load_be64(at + 1)));
    default:
      return static_cast<int8_t>(*at);
  }
}

/// The length or count in a header, fixmap, fixarray and fixstr excepted.
inline uint32_t length_at(const uint8_t* at) {
  const uint32_t byte = *at;
  if (byte >= format::kFixExt1 && byte <= format::kFixExt16) return 1U << (byte - format::kFixExt1);
  switch (byte) {
    case format::kBin8:
    case format::kExt8:
    case format::kStr8:
      return at[1];
    case format::kBin16:
    case format::kExt16:
    case format::kStr16:
    case format::kArray16:
    case format::kMap16:
      return load_be16(at + 1);
    default:
      return load_be32(at + 1);
  }
}

/// Reads the integer at `in`, whose whole length must be readable, if its format has no more than 32 bits and
/// its value fits an int32. Returns whether it does. Without a branch for each format: those follow one
/// another as they like, which no processor foresees.
MPW_INLINE bool read_int32(const uint8_t* in, int32_t& value) {
  const uint32_t byte = *in;
  const bool is_fix = static_cast<int8_t>(byte) >= -0x20;
  const uint32_t kind = byte - format::kUint8;
  if (!is_fix && (kind > 6 || (kind & 3) == 3)) return false;
  const uint32_t bits = load_be32(in + 1);
  const uint32_t unused = (32 - (8U << (kind & 3))) & 31;
  const auto as_signed = static_cast<int32_t>(bits) >> unused;
  const auto as_unsigned = static_cast<int32_t>(bits >> unused);
  const int32_t wide = kind >= 4 ? as_signed : as_unsigned;
  value = is_fix ? static_cast<int8_t>(byte) : wide;
  return kind != 2 || value >= 0;
}

/// Writes the int32 items at `in` to `words` while they last, and moves `in` behind them.
inline uint32_t read_ints(uint32_t* words, const uint8_t*& in, const uint8_t* end, uint32_t count) {
  uint32_t i = 0;
  for (; i < count && in < end; i++) {
    const uint8_t size = format::kHeaderSizes[*in];
    int32_t value;
    if (end - in < size || !read_int32(in, value)) break;
    words[i] = static_cast<uint32_t>(value);
    in += size;
  }
  return i;
}

/// Writes the numbers at `in` to `lane` while they last, and moves `in` behind them.
inline uint32_t read_numbers(double* lane, const uint8_t*& in, const uint8_t* end, uint32_t count,
                             bool wide_ints) {
  uint32_t i = 0;
  while (i < count && in < end) {
    const uint32_t byte = *in;
    if (byte == format::kFloat64) {
      const uint32_t floats = read_floats(lane + i, in, end, count - i);
      if (floats == 0) break;
      i += floats;
      in += 9 * floats;
      continue;
    }
    if (!format::is_number(byte) || end - in < format::kHeaderSizes[byte]) break;
    if (!wide_ints && (byte == format::kUint64 || byte == format::kInt64)) break;
    lane[i++] = number_at(in);
    in += format::kHeaderSizes[byte];
  }
  return i;
}

inline bool is_proto(std::span<const uint8_t> key) {
  return key.size() == 9 && std::memcmp(key.data(), "__proto__", 9) == 0;
}

}  // namespace

/// What `fill` changes at each step. It fits the registers of a core, and stays there as long as its address
/// is not taken: what is called out of line gets a copy (see `aside`).
struct Tokenizer::Cursor {
  const uint8_t* in;
  uint32_t* tape;
  double* lane;
  uint8_t* pool8;
  /// Of the current container, as in Container.
  uint32_t left;
  uint32_t state;

  void emit(uint32_t value) { *tape++ = value; }
  void emit_float(double value) {
    *lane++ = value;
    emit(word(kFloat, 0));
  }
  void emit_bits(Wide wide_kind, uint64_t bits) {
    *lane++ = std::bit_cast<double>(bits);
    emit(wide(wide_kind));
  }
  void emit_int(int32_t value) {
    if (fits_word(value)) {
      emit(int_word(value));
    } else {
      emit(wide(kInt32));
      emit(static_cast<uint32_t>(value));
    }
  }
  void emit_uint32(uint32_t value) {
    if (value <= INT32_MAX) {
      emit_int(static_cast<int32_t>(value));
    } else {
      emit_float(value);
    }
  }
};

/// From here on the keys of the current map stand in line, behind those of the shape it has reached.
MPW_INLINE void Tokenizer::go_inline(Cursor& c) {
  c.emit(word(kKeys, c.left / 2));
  c.state = keys_.path(c.state);
  current_.nesting = (current_.nesting & ~kKindMask) | kInline;
}

/// Calls what is not worth being in line, without taking the address of `c`.
template <typename... Parameters, typename... Arguments>
MPW_INLINE Status Tokenizer::aside(Cursor& c, Status (Tokenizer::*step)(Cursor&, Parameters...),
                                   Arguments... arguments) {
  Cursor copy = c;
  const Status status = (this->*step)(copy, arguments...);
  c = copy;
  return status;
}

void Tokenizer::begin() {
  stack_.clear();
  // The value is the one item of a container that is nowhere.
  current_ = {1, 0, kItems, nullptr};
  reserved_ = 0;
  elements_left_ = options_.max_elements;
}

Tokenizer::Message Tokenizer::suspend() {
  Message message{std::move(stack_), current_, reserved_, elements_left_};
  begin();
  return message;
}

void Tokenizer::resume(Message message) {
  stack_ = std::move(message.stack);
  current_ = message.current;
  reserved_ = message.reserved;
  elements_left_ = message.elements_left;
}

void Tokenizer::feed(uint32_t size, uint64_t available, bool open, bool may_go_on) {
  at_ = 0;
  end_ = input_ + size;
  size_ = size;
  available_ = available;
  skip_ = 0;
  open_ = open;
  may_go_on_ = may_go_on && !open;
  goes_on_ = false;
}

void Tokenizer::go_on(uint32_t size, uint64_t available) {
  window_offset_ += offset_;
  feed(size, available, false, true);
  goes_on_ = true;
}

void Tokenizer::open_window() {
  uint8_t* const pool8 = buffers_.pool8.data();
  // No room, not even for the empty string: a kPool8 word must come first.
  pools_.limit8 = pool8 - 1;
  pools_.length8 = pools_.length16 = nullptr;
  pools_.at16 = pools_.limit16 = buffers_.pool16.data();
  current_.header = nullptr;
  window_offset_ = 0;
  window_tape_ = tape_.data();
  window_lane_ = buffers_.lane.data();
  window_pool8_ = pool8;
  goes_on_ = true;
}

void Tokenizer::begin_next(uint32_t start, uint32_t at, uint32_t size, uint64_t available) {
  begin();
  at_ = at;
  end_ = input_ + size;
  size_ = size;
  available_ = available;
  skip_ = 0;
  goes_on_ = true;
  *window_tape_++ = wide(kInt32);
  *window_tape_++ = window_position(input_ + start);
}

uint64_t Tokenizer::position(const uint8_t* in) const { return static_cast<uint64_t>(in - input_); }

/// As the tape tells it.
uint32_t Tokenizer::window_position(const uint8_t* in) const {
  return static_cast<uint32_t>(window_offset_ + position(in));
}

/// Whether the window has room for what another chunk may bring, which there is no bound to but the pools.
bool Tokenizer::can_go_on(const Cursor& c, Status status) const {
  const size_t half = buffers_.pool8.size() / 2;
  // A chunk that held no whole token would come again and again.
  const bool has_moved = c.in > input_;
  const auto used8 = static_cast<size_t>(c.pool8 - buffers_.pool8.data());
  const auto used16 = static_cast<size_t>(pools_.at16 - buffers_.pool16.data());
  return status == Status::kNeedInput && may_go_on_ && has_moved && used8 <= half && used16 <= half &&
         window_offset_ + offset_ + half <= UINT32_MAX;
}

MPW_SMALL Status Tokenizer::fail(Status status, uint64_t detail) {
  detail_ = detail;
  return status;
}

/// Says what it means that the chunk does not hold `bytes` more than it has before `in`.
MPW_SMALL Status Tokenizer::short_of(const uint8_t* in, uint64_t bytes) {
  const uint64_t rest = available_ - position(in);
  const uint64_t missing = bytes > rest ? bytes - rest : 0;
  return fail(open_ || size_ < available_ ? Status::kNeedInput : Status::kInsufficientData, missing);
}

/// Checks that the chunk holds `bytes` more.
MPW_INLINE Status Tokenizer::require(const Cursor& c, uint64_t bytes) {
  return holds(c.in, bytes) ? Status::kDone : short_of(c.in, bytes);
}

/// Checks that `bytes` more can be there, after what all open containers still need at the least.
MPW_INLINE Status Tokenizer::reserve(const Cursor& c, uint64_t bytes) {
  const uint64_t rest = available_ - position(c.in);
  const uint64_t need = open_ ? bytes : bytes + reserved_ + c.left;
  return need <= rest ? Status::kDone
                      : fail(open_ ? Status::kNeedInput : Status::kInsufficientData, need - rest);
}

/// Closes the pool of ASCII text, and opens the next with room for `length` bytes.
MPW_SMALL Status Tokenizer::open_pool8(Cursor& c, uint32_t length) {
  close_pools(c.pool8);
  c.emit(kPool8);
  pools_.length8 = c.tape++;
  pools_.start8 = c.pool8;
  pools_.limit8 = c.pool8 + std::max(length, kPoolBytes);
  return Status::kDone;
}

MPW_SMALL void Tokenizer::close_pools(const uint8_t* pool8) {
  if (pools_.length8 != nullptr) *pools_.length8 = static_cast<uint32_t>(pool8 - pools_.start8);
  if (pools_.length16 != nullptr) *pools_.length16 = static_cast<uint32_t>(pools_.at16 - pools_.start16);
}

/// Leaves a payload where it is: only its place goes to the tape.
MPW_SMALL Status Tokenizer::payload(Cursor& c, uint32_t kind, uint32_t header, uint32_t length) {
  if (const Status status = reserve(c, uint64_t{header} + length); status != Status::kDone) return status;
  c.in += header;
  c.emit(kind);
  c.emit(length);
  c.emit(window_position(c.in));
  skip(c, length);
  return Status::kDone;
}

/// Goes on behind the next `bytes`, be they in the chunk or not.
void Tokenizer::skip(Cursor& c, uint64_t bytes) {
  if (holds(c.in, bytes)) {
    c.in += bytes;
  } else {
    skip_ = bytes - static_cast<uint64_t>(end_ - c.in);
    c.in = end_;
  }
}

MPW_SMALL Status Tokenizer::bin(Cursor& c, uint32_t header, uint32_t length) {
  if (length > options_.max_bin_length) return fail(Status::kMaxBinLength, length);
  return payload(c, wide(kBin), header, length);
}

/// The payload of an extension counts as binary data, too (so does `@msgpack/msgpack`).
MPW_SMALL Status Tokenizer::ext(Cursor& c, uint32_t header, uint32_t length) {
  if (length > options_.max_ext_length) return fail(Status::kMaxExtLength, length);
  if (length > options_.max_bin_length) return fail(Status::kMaxBinLength, length);
  const uint32_t type = c.in[header - 1];
  if (type < options_.element_sizes.size() && options_.element_sizes[type] != 0) {
    return typed_array(c, header, length, options_.element_sizes[type]);
  }
  return payload(c, wide(kExt, header << 8 | type), header, length);
}

/// Looks at the first byte of the payload, which says where in it the data begin, and leaves the data where
/// they are.
MPW_SMALL Status Tokenizer::typed_array(Cursor& c, uint32_t header, uint32_t length, uint32_t element_size) {
  const uint64_t size = uint64_t{header} + length;
  if (const Status status = reserve(c, size); status != Status::kDone) {
    const uint64_t rest = available_ - position(c.in);
    if (status == Status::kNeedInput || size <= rest) return status;
    return fail(Status::kTypedArrayTruncated, size - rest);
  }
  if (length == 0) return fail(Status::kTypedArrayOffset, 0);
  if (const Status status = require(c, header + 1); status != Status::kDone) return status;
  const uint32_t offset = c.in[header];
  if (offset == 0 || offset > length) return fail(Status::kTypedArrayOffset, offset);
  const uint32_t bytes = length - offset;
  if (bytes % element_size != 0) return fail(Status::kTypedArrayLength, bytes);
  const uint32_t type = c.in[header - 1];
  const uint32_t start = window_position(c.in) + header + offset;
  c.emit(wide(kTypedArray, offset << 16 | header << 8 | type));
  c.emit(bytes);
  c.emit(start);
  skip(c, size);
  return Status::kDone;
}

MPW_SMALL Status Tokenizer::long_text(Cursor& c, uint32_t header, uint32_t length) {
  if (length > options_.max_str_length) return fail(Status::kMaxStrLength, length);
  const uint64_t size = uint64_t{header} + length;
  if (length > max_copied_ || !holds(c.in, size)) {
    return payload(c, wide(kLongStr, header << 8), header, length);
  }
  if (const Status status = reserve(c, size); status != Status::kDone) return status;
  // In a pool of its own, so that neither keeps the other alive.
  pools_.limit8 = c.pool8 - 1;
  pools_.limit16 = pools_.at16;
  const Status status = pooled_text(c, header, length);
  pools_.limit8 = c.pool8 - 1;
  pools_.limit16 = pools_.at16;
  return status;
}

/// Text that is not ASCII, of `length` bytes at `c.in`, behind its header.
MPW_APART Status Tokenizer::wide_text(Cursor& c, uint32_t header, uint32_t length) {
  if (pools_.at16 + length > pools_.limit16) {
    close_pools(c.pool8);
    c.emit(kPool16);
    pools_.length16 = c.tape++;
    pools_.start16 = pools_.at16;
    pools_.limit16 = pools_.at16 + std::max<size_t>(length, kPoolBytes / sizeof(uint16_t));
  }
  const Utf16Result result = utf8_to_utf16(pools_.at16, c.in, length);
  if (!result.valid && options_.fatal_utf8) {
    c.in -= header;
    return Status::kInvalidUtf8;
  }
  pools_.at16 += result.units;
  c.emit(word(kText16, result.units));
  c.in += length;
  return Status::kDone;
}

MPW_INLINE Status Tokenizer::text(Cursor& c, uint32_t header, uint32_t length) {
  if (length >= pooled_end_) return aside(c, &Tokenizer::long_text, header, length);
  if (const Status status = require(c, header + length); status != Status::kDone) return status;
  return pooled_text(c, header, length);
}

/// Text that is there, of `length` bytes behind its header.
MPW_INLINE Status Tokenizer::pooled_text(Cursor& c, uint32_t header, uint32_t length) {
  c.in += header;
  if (c.pool8 + length > pools_.limit8) aside(c, &Tokenizer::open_pool8, length);
  if (!copy_ascii(c.pool8, c.in, length)) return aside(c, &Tokenizer::wide_text, header, length);
  c.pool8 += length;
  c.emit(word(kText8, length));
  c.in += length;
  return Status::kDone;
}

/// Checks that a container of `count` elements may stand in the current one. `depth` becomes its own.
MPW_INLINE Status Tokenizer::nest(uint32_t count, uint32_t& depth) {
  depth = current_.nesting / kLevel + 1;
  if (depth > options_.max_depth) return fail(Status::kMaxDepth, depth);
  if (count > elements_left_) return fail(Status::kMaxElements, count);
  elements_left_ -= count;
  return Status::kDone;
}

/// Makes a new container the current one, one level deeper.
MPW_INLINE Status Tokenizer::enter(Cursor& c, uint32_t left, ContainerKind kind, uint32_t* header) {
  const uint32_t nesting = ((current_.nesting & ~kKindMask) + kLevel) | kind;
  // A container with nothing left to come needs no frame: a chain of them, however long, takes no memory.
  if (c.left > 0 || open_) {
    reserved_ += c.left;
    if (!stack_.push({c.left, c.state, current_.nesting, current_.header})) return Status::kOutOfMemory;
  }
  // Below kDeep a level shall take a byte or two.
  const bool is_near = nesting < (kDeep + 1) * kLevel;
  const uint32_t way =
      is_near && (current_.nesting & kKindMask) != kInline ? KeyTable::shape(c.state) : KeyTable::kRoot;
  c.left = left;
  c.state = kind == kShaped ? KeyTable::entry(way) : kind == kItems ? way : KeyTable::kRoot;
  current_.nesting = nesting;
  current_.header = header;
  return Status::kDone;
}

/// Goes back to the container around the current one.
MPW_INLINE void Tokenizer::leave(Cursor& c) {
  const Container& outer = stack_.pop();
  c.left = outer.left;
  c.state = outer.state;
  current_.nesting = outer.nesting;
  current_.header = outer.header;
  reserved_ -= c.left;
  if (kind() == kBroken) go_inline(c);
}

/// Reads a short array whole, if its items, from `in` on, are all float 64.
MPW_INLINE bool Tokenizer::point(Cursor& c, const uint8_t* in, uint32_t count) {
  // Like a run, it has one word for several numbers, and keeps to the first half of the lane.
  if (in[0] != format::kFloat64 || !holds(in, 9 * uint64_t{count}) || c.lane + count > run_end_) return false;
  if (read_floats(c.lane, in, end_, count) != count) return false;
  c.lane += count;
  c.in = in + 9 * count;
  c.emit(word(kPoint, count));
  return true;
}

MPW_INLINE Status Tokenizer::array(Cursor& c, uint32_t header, uint32_t count) {
  if (count > options_.max_array_length) return fail(Status::kMaxArrayLength, count);
  // What a stream will bring is not known: there the items only count once they are there.
  if (const Status status = reserve(c, open_ ? header : uint64_t{header} + count); status != Status::kDone) {
    return status;
  }
  uint32_t depth;
  if (const Status status = nest(count, depth); status != Status::kDone) return status;
  uint32_t* const at = c.tape;
  c.in += header;
  if (count == 0) {
    c.emit(word(kArray, 0));
    return Status::kDone;
  }
  if (count <= kMaxPoint && point(c, c.in, count)) return Status::kDone;
  if (count > kMaxWideExtra && (open_ || depth > kDeep || count > kMaxPayload)) {
    c.emit(wide(kLargeArray));
    c.emit(count);
  } else {
    c.emit(depth > kDeep ? wide(kDeepArray, count) : word(kArray, count));
  }
  const Status status = enter(c, count, kItems, at);
  if (count >= kMinRun && status == Status::kDone) return aside(c, &Tokenizer::runs_of_numbers);
  return status;
}

MPW_INLINE Status Tokenizer::map(Cursor& c, uint32_t header, uint32_t count) {
  if (count > options_.max_map_length) return fail(Status::kMaxMapLength, count);
  if (const Status status = reserve(c, open_ ? header : header + uint64_t{count} * 2);
      status != Status::kDone) {
    return status;
  }
  // No object or Map of any engine has room for more.
  if (count > kMaxPayload) return fail(Status::kMaxMapLength, count);
  uint32_t depth;
  if (const Status status = nest(count, depth); status != Status::kDone) return status;
  uint32_t* const at = c.tape;
  c.in += header;
  if (count == 0 && !options_.any_key) {
    c.emit(word(kShape, KeyTable::kRoot));
    return Status::kDone;
  }
  if (depth > kDeep || count > kMaxShapeKeys || !use_shapes_) {
    c.emit(depth > kDeep ? wide(kDeepMap, KeyTable::kRoot) : word(kMap, KeyTable::kRoot));
    c.emit(word(kKeys, count));
    if (options_.any_key || options_.raw_keys) c.emit(window_position(c.in) - header);
    return enter(c, count * 2, kInline, at);
  }
  c.emit(0);
  return enter(c, count * 2, kShaped, at);
}

/// Reads the header of a key, if that is a string; else its size is 0.
MPW_INLINE Status Tokenizer::key_header(const Cursor& c, StrHeader& header) {
  if (const Status status = require(c, 1); status != Status::kDone) return status;
  const uint32_t byte = *c.in;
  header = {0, 0};
  if (format::kFamilies[byte] != format::Family::kStr) return Status::kDone;
  const uint32_t size = format::kHeaderSizes[byte];
  if (const Status status = require(c, size); status != Status::kDone) return status;
  header = {size, size == 1 ? byte & 31 : length_at(c.in)};
  return Status::kDone;
}

/// Reads the next key of a map that has had known keys so far, where it is not the predicted one. Where it
/// does not know how to go on, it leaves the map kInline with the key unread.
MPW_APART Status Tokenizer::other_key(Cursor& c) {
  StrHeader header;
  if (const Status status = key_header(c, header); status != Status::kDone) return status;
  uint32_t next = KeyTable::kRoot;
  if (header.size != 0 && header.length <= KeyTable::kMaxKeyLength) {
    if (const Status status = require(c, header.size + header.length); status != Status::kDone) return status;
    const std::span<const uint8_t> key(c.in + header.size, header.length);
    if (is_proto(key)) return Status::kForbiddenKey;
    next = keys_.follow(c.state, key, keys_.hash(key));
  }
  if (next == KeyTable::kRoot) {
    *current_.header = word(kMap, KeyTable::shape(c.state));
    go_inline(c);
  } else {
    c.state = next;
    c.in += header.size + header.length;
  }
  return Status::kDone;
}

/// Whether a key that is no string may be one, where not every value may: as a number that is no bigint.
MPW_SMALL Status Tokenizer::other_key_type(const Cursor& c) {
  const uint32_t byte = *c.in;
  if (byte == format::kNeverUsed) return fail(Status::kUnknownFormat, byte);
  // What a codec makes of an extension may be a string or a number: JS looks at that.
  if (format::kFamilies[byte] == format::Family::kExt) return Status::kDone;
  if (!format::is_number(byte)) return fail(Status::kKeyType, byte);
  if ((byte == format::kUint64 || byte == format::kInt64) && options_.int64 != Int64::kNumber) {
    if (const Status status = require(c, 9); status != Status::kDone) return status;
    if (comes_out_raw(load_be64(c.in + 1), byte == format::kInt64)) return fail(Status::kKeyType, byte);
  }
  return Status::kDone;
}

/// Reads a known key to the tape, and any as bytes if they are wanted; leaves all others unread, as values
/// like any.
MPW_APART Status Tokenizer::inline_key(Cursor& c) {
  StrHeader header;
  if (const Status status = key_header(c, header); status != Status::kDone) return status;
  if (header.size == 0) {
    return options_.any_key ? Status::kDone : other_key_type(c);
  }
  if (options_.raw_keys) {
    if (header.length > options_.max_str_length) return fail(Status::kMaxStrLength, header.length);
    return payload(c, wide(kBin), header.size, header.length);
  }
  if (header.length <= KeyTable::kMaxKeyLength && header.length <= options_.max_str_length) {
    if (const Status status = require(c, header.size + header.length); status != Status::kDone) return status;
    const std::span<const uint8_t> key(c.in + header.size, header.length);
    if (!options_.any_key && is_proto(key)) return Status::kForbiddenKey;
    const uint32_t hash = keys_.hash(key);
    if (c.state != 0) c.state = keys_.see(c.state, hash);
    if (const uint32_t number = options_.any_key ? keys_.find(key, hash) : keys_.recognize(key, hash)) {
      c.emit(word(kKey, number));
      c.in += header.size + header.length;
      return Status::kDone;
    }
  }
  return Status::kDone;
}

/// Reads numbers in a row, as many as there are and the window has room for, if the current container is an
/// array.
MPW_APART Status Tokenizer::runs_of_numbers(Cursor& c) {
  const double* const lane_limit = run_end_;
  while (kind() == kItems && c.left >= kMinRun && c.in < end_ && format::is_number(*c.in)) {
    if (c.tape >= tape_limit_ || c.lane >= lane_limit) break;
    const auto tape_room = static_cast<uint32_t>(tape_limit_ - c.tape);
    const auto lane_room = static_cast<uint32_t>(lane_limit - c.lane);
    const uint8_t* in = c.in;
    uint32_t count = read_ints(c.tape + 1, in, end_, std::min(c.left, tape_room));
    // Where the window or the chunk ends, more of them may follow: one run of floats would make the whole
    // array in JS one of doubles.
    const bool is_cut = count == tape_room || !holds(in, 1) || !holds(in, format::kHeaderSizes[*in]);
    if (count >= kMinRun && (count >= kLongRun || count == c.left || is_cut)) {
      c.emit(word(kInts, count));
      c.tape += count;
    } else {
      if (count > 0 && is_cut) break;
      in = c.in;
      count = read_numbers(c.lane, in, end_, std::min(c.left, lane_room), options_.int64 == Int64::kNumber);
      if (count < kMinRun) break;
      c.emit(word(kFloats, count));
      c.lane += count;
    }
    c.in = in;
    c.left -= count;
  }
  return Status::kDone;
}

bool Tokenizer::comes_out_raw(uint64_t bits, bool is_signed) const {
  if (options_.int64 != Int64::kAuto) return options_.int64 == Int64::kBigint;
  const uint64_t size = is_signed && bits >> 63 != 0 ? -bits : bits;
  return size > kMaxSafeInteger;
}

MPW_INLINE void Tokenizer::integer64(Cursor& c, uint64_t bits, bool is_signed) const {
  if (comes_out_raw(bits, is_signed)) {
    c.emit_bits(is_signed ? kInt64 : kUint64, bits);
  } else {
    c.emit_float(is_signed ? static_cast<double>(static_cast<int64_t>(bits)) : static_cast<double>(bits));
  }
}

/// Reads a number, nil or a bool that is not in a fix format.
MPW_INLINE Status Tokenizer::scalar(Cursor& c) {
  const uint8_t* const in = c.in;
  const uint32_t byte = *in;
  const uint32_t size = format::kHeaderSizes[byte];
  if (const Status status = require(c, size); status != Status::kDone) return status;
  switch (byte) {
    case format::kNil:
      c.emit(word(kNil, 0));
      break;
    case format::kFalse:
    case format::kTrue:
      c.emit(word(kBool, byte & 1));
      break;
    case format::kFloat32:
    case format::kFloat64:
      c.emit_float(number_at(in));
      break;
    case format::kUint8:
      c.emit(int_word(in[1]));
      break;
    case format::kUint16:
      c.emit(int_word(load_be16(in + 1)));
      break;
    case format::kUint32:
      c.emit_uint32(load_be32(in + 1));
      break;
    case format::kUint64:
      integer64(c, load_be64(in + 1), false);
      break;
    case format::kInt8:
      c.emit(int_word(static_cast<int8_t>(in[1])));
      break;
    case format::kInt16:
      c.emit(int_word(static_cast<int16_t>(load_be16(in + 1))));
      break;
    case format::kInt32:
      c.emit_int(static_cast<int32_t>(load_be32(in + 1)));
      break;
    case format::kInt64:
      integer64(c, load_be64(in + 1), true);
      break;
    default:
      return fail(Status::kUnknownFormat, byte);
  }
  c.in = in + size;
  return Status::kDone;
}

/// Reads one value, or the header of a container.
MPW_APART Status Tokenizer::value(Cursor& c) {
  if (const Status status = require(c, 1); status != Status::kDone) return status;
  const uint32_t byte = *c.in;
  if (byte < format::kFixMap || byte >= format::kNegativeFixInt) {
    c.emit(int_word(static_cast<int8_t>(byte)));
    c.in++;
    return Status::kDone;
  }
  // One path for all headers of a family, so that what follows is in line once.
  format::Family family = format::Family::kStr;
  uint32_t size = 1;
  uint32_t length = byte & 31;
  if (byte < format::kFixStr) {
    family = byte < format::kFixArray ? format::Family::kMap : format::Family::kArray;
    length = byte & 15;
  } else if (byte >= format::kNil) {
    family = format::kFamilies[byte];
    if (family == format::Family::kScalar) return scalar(c);
    size = format::kHeaderSizes[byte];
    if (const Status status = require(c, size); status != Status::kDone) return status;
    length = length_at(c.in);
  }
  if (family == format::Family::kStr && (at_key_ || !options_.raw_strings)) return text(c, size, length);
  if (family == format::Family::kMap) return map(c, size, length);
  if (family == format::Family::kArray) return array(c, size, length);
  if (family == format::Family::kExt) return aside(c, &Tokenizer::ext, size, length);
  return aside(c, &Tokenizer::bin, size, length);
}

/// Reads one of the most frequent values at `in`: a small integer, short ASCII text, nil, a bool, a plain
/// number, a small container. It takes kStep of what is left of the current container, which is in `state`
/// then. All others, and all that might reach beyond the chunk or a limit, it leaves unread.
template <uint32_t kStep>
MPW_INLINE Tokenizer::Progress Tokenizer::frequent(Cursor& c, const uint8_t* in, uint32_t state) {
  const uint32_t byte = *in;
  if (byte < format::kFixMap || byte >= format::kNegativeFixInt) {
    c.emit(int_word(static_cast<int8_t>(byte)));
    c.in = in + 1;
  } else if (byte < format::kFixStr) {
    const uint32_t count = byte & 15;
    const bool is_map = byte < format::kFixArray;
    const uint32_t items = is_map ? 2 * count : count;
    const uint32_t left = c.left - kStep;
    if (current_.nesting >= plain_nesting_) return Progress::kNone;
    if (reinterpret_cast<uintptr_t>(in) + uint64_t{1 + items + left} + reserved_ > available_end_) {
      return Progress::kNone;
    }
    if (count == 0) {
      c.emit(is_map ? word(kShape, KeyTable::kRoot) : word(kArray, 0));
      c.in = in + 1;
    } else {
      if (!is_map) {
        if (count >= kMinRun) return Progress::kNone;
        if (count <= kMaxPoint && point(c, in + 1, count)) {
          c.left = left;
          c.state = state;
          return Progress::kValue;
        }
      }
      if (kStep == 2 && left == 0) *current_.header = word(kShape, state);
      if (left > 0) {
        if (!stack_.push({left, state, current_.nesting, current_.header})) return Progress::kNone;
        reserved_ += left;
      }
      current_.nesting = ((current_.nesting & ~kKindMask) + kLevel) | (is_map ? kShaped : kItems);
      current_.header = c.tape;
      c.emit(word(kArray, count));
      c.in = in + 1;
      c.left = items;
      c.state = is_map ? KeyTable::entry(state) : state;
      return Progress::kContainer;
    }
  } else if (byte < format::kNil) {
    const uint32_t length = byte & 31;
    const uint8_t* const from = in + 1;
    if (length >= plain_text_end_ || c.pool8 + length > pools_.limit8 || from + length > end_ ||
        !copy_ascii_31(c.pool8, from, length)) {
      return Progress::kNone;
    }
    c.emit(word(kText8, length));
    c.pool8 += length;
    c.in = from + length;
  } else {
    switch (byte) {
      case format::kNil:
        c.emit(word(kNil, 0));
        c.in = in + 1;
        break;
      case format::kFalse:
      case format::kTrue:
        c.emit(word(kBool, byte & 1));
        c.in = in + 1;
        break;
      case format::kUint8:
        if (!holds(in, 2)) return Progress::kNone;
        c.emit(int_word(in[1]));
        c.in = in + 2;
        break;
      case format::kUint16:
        if (!holds(in, 3)) return Progress::kNone;
        c.emit(int_word(load_be16(in + 1)));
        c.in = in + 3;
        break;
      case format::kUint32:
        if (!holds(in, 5)) return Progress::kNone;
        c.emit_uint32(load_be32(in + 1));
        c.in = in + 5;
        break;
      case format::kFloat64:
        if (!holds(in, 9)) return Progress::kNone;
        c.emit_float(load_float(in + 1));
        c.in = in + 9;
        break;
      case format::kStr8: {
        const uint32_t length = in[1];
        const uint8_t* const from = in + 2;
        if (length >= plain_text_end_ || c.pool8 + length > pools_.limit8 || from + length > end_ ||
            !copy_ascii(c.pool8, from, length)) {
          return Progress::kNone;
        }
        c.emit(word(kText8, length));
        c.pool8 += length;
        c.in = from + length;
        break;
      }
      default:
        return Progress::kNone;
    }
  }
  c.left -= kStep;
  c.state = state;
  return Progress::kValue;
}

/// Reads one item of any kind.
MPW_APART Status Tokenizer::item(Cursor& c) {
  c.left--;
  const Status status = value(c);
  if (status == Status::kNeedInput) c.left++;
  return status;
}

/// Reads one pair of a map that has had known keys so far. A key leaves no trace on the tape, so it is read
/// together with its value or not at all.
MPW_APART Status Tokenizer::shaped_pair(Cursor& c) {
  const uint8_t* const start = c.in;
  const uint32_t state = c.state;
  const KeyTable::Prediction* const predicted = keys_.match(state, c.in);
  Status status = Status::kDone;
  // A node that predicts nothing matches the byte that starts no key.
  if (predicted != nullptr && predicted->next != KeyTable::kRoot && holds(c.in, predicted->length)) {
    c.state = predicted->next;
    c.in += predicted->length;
  } else {
    status = other_key(c);
    if (status == Status::kDone && kind() == kInline) return status;
  }
  if (status == Status::kDone) {
    c.left -= 2;
    if (c.left == 0) *current_.header = word(kShape, c.state);
    status = value(c);
    if (status == Status::kNeedInput) c.left += 2;
  }
  if (status == Status::kNeedInput) {
    c.in = start;
    c.state = state;
  }
  return status;
}

/// Fills the window with items of the current array. Returns kDone when it has come to its end, or when a
/// container in it has become the current one.
MPW_INLINE Status Tokenizer::items(Cursor& c) {
  do {
    if (c.tape >= tape_limit_) return Status::kWindowFull;
    const Progress progress = c.in < end_ ? frequent<1>(c, c.in, c.state) : Progress::kNone;
    if (progress == Progress::kNone) return aside(c, &Tokenizer::item);
    if (progress == Progress::kContainer) return Status::kDone;
  } while (c.left > 0);
  return Status::kDone;
}

/// As `items`, with the pairs of a map that has had known keys so far, until it has another.
MPW_INLINE Status Tokenizer::shaped_pairs(Cursor& c) {
  do {
    if (c.tape >= tape_limit_) return Status::kWindowFull;
    const KeyTable::Prediction* const predicted = keys_.match(c.state, c.in);
    Progress progress = Progress::kNone;
    if (predicted != nullptr) {
      const uint8_t* const in = c.in + predicted->length;
      if (in < end_) progress = frequent<2>(c, in, predicted->next);
    }
    if (progress == Progress::kNone) return aside(c, &Tokenizer::shaped_pair);
    if (progress == Progress::kContainer) return Status::kDone;
  } while (c.left > 0);
  *current_.header = word(kShape, c.state);
  return Status::kDone;
}

/// As `items`, with the keys and values of a map that has its keys in line.
MPW_APART Status Tokenizer::inline_pairs(Cursor& c) {
  do {
    if (c.tape >= tape_limit_) return Status::kWindowFull;
    const uint8_t* const start = c.in;
    const bool is_key = c.left % 2 == 0;
    const uint32_t nesting = current_.nesting;
    Status status = Status::kDone;
    c.left--;
    if (is_key) status = inline_key(c);
    if (status == Status::kDone && (!is_key || c.in == start)) {
      at_key_ = is_key;
      status = value(c);
      at_key_ = false;
    }
    if (status == Status::kNeedInput) c.left++;
    if (status != Status::kDone || current_.nesting != nesting) return status;
  } while (c.left > 0);
  return Status::kDone;
}

MPW_INLINE Status Tokenizer::fill(Cursor& c) {
  if (kind() == kBroken) go_inline(c);
  if (kind() == kItems && c.left >= kMinRun) aside(c, &Tokenizer::runs_of_numbers);
  for (;;) {
    if (c.left == 0) {
      if (stack_.is_empty()) return Status::kDone;
      if (c.tape >= tape_limit_) return Status::kWindowFull;
      leave(c);
      continue;
    }
    const Status status = kind() == kItems    ? items(c)
                          : kind() == kShaped ? shaped_pairs(c)
                                              : aside(c, &Tokenizer::inline_pairs);
    if (status != Status::kDone) return status;
  }
}

/// Closes the containers that the next window cannot go on with: maps of a shape, and in a stream all that
/// are open.
MPW_SMALL void Tokenizer::settle(Container& open) const {
  // A map of which all is read is a shape already, but for a stream, which may still wait for what its last
  // value holds.
  if ((open.nesting & kKindMask) == kShaped && (open.left > 0 || open_)) {
    *open.header = word(kMap, KeyTable::shape(open.state));
    open.nesting = (open.nesting & ~kKindMask) | kBroken;
  }
  if (open_ && open.header != nullptr) {
    uint32_t& header = *open.header;
    if ((header & 15) == kArray) header = wide(kDeepArray, header >> 4);
    if ((header & 15) == kMap) header = wide(kDeepMap, header >> 4);
  }
  open.header = nullptr;
}

Status Tokenizer::run() {
  use_shapes_ = !options_.any_key && !options_.raw_keys && options_.max_str_length >= KeyTable::kMaxKeyLength;
  pooled_end_ =
      static_cast<uint32_t>(std::clamp<int64_t>(options_.max_str_length + 1, 0, int64_t{max_pooled_} + 1));
  plain_text_end_ = options_.raw_strings ? 0 : pooled_end_;
  // Where every map and array of 15 is allowed, and no stream may end in one. An element takes a byte at the
  // least, so elements need no counting where there are fewer bytes than may be elements.
  const bool is_plain = !open_ && use_shapes_ && options_.max_array_length >= 15 &&
                        options_.max_map_length >= 15 &&
                        static_cast<int64_t>(available_) - int64_t{at_} <= elements_left_;
  plain_nesting_ =
      is_plain ? kLevel * static_cast<uint32_t>(std::clamp<int64_t>(options_.max_depth, 0, kDeep)) : 0;
  const uint8_t* const chunk = input_;
  available_end_ = reinterpret_cast<uintptr_t>(chunk) + available_;
  tape_limit_ = tape_.data() + tape_.size() - kTapeReserve;
  if (!goes_on_) open_window();
  goes_on_ = false;
  Cursor c{.in = chunk + at_,
           .tape = window_tape_,
           .lane = window_lane_,
           .pool8 = window_pool8_,
           .left = current_.left,
           .state = current_.state};
  Status status;
  bool has_value = false;
  Cursor whole{};
  Pools pools;
  for (;;) {
    status = fill(c);
    if (status != Status::kDone && has_value) {
      // A value is taken whole or not at all: this one begins the next window.
      c = whole;
      pools_ = pools;
      skip_ = 0;
      begin();
      status = Status::kDone;
      break;
    }
    if (status != Status::kDone || !many_ || skip_ != 0 || c.in >= end_ || c.tape >= tape_limit_) break;
    has_value = true;
    whole = c;
    pools = pools_;
    begin();
    c.left = current_.left;
    c.state = current_.state;
  }
  at_ = static_cast<uint32_t>(c.in - chunk);
  offset_ = at_ + skip_;
  current_.left = c.left;
  current_.state = c.state;
  window_tape_ = c.tape;
  window_lane_ = c.lane;
  window_pool8_ = c.pool8;
  if (can_go_on(c, status)) return Status::kMore;
  close_pools(c.pool8);
  c.emit(word(kEnd, 0));
  if (status != Status::kDone) {
    settle(current_);
    // Those below one without a header have been settled at the end of another window.
    for (size_t i = stack_.near_size(); i > 0 && stack_[i - 1].header != nullptr; i--) settle(stack_[i - 1]);
  }
  return status;
}

}  // namespace mpw
