#pragma once

#include <cstdint>
#include <span>

#include "key_store.hpp"
#include "status.hpp"
#include "tape.hpp"

namespace mpw {

/// How numbers are written. The defaults are those of an unconfigured encoder.
struct EncodeOptions {
  /// Floats become float 32, whatever that loses.
  bool float32 = false;
  /// Numbers of the lane become floats, integers, too. (kInt words stay integers: they could not tell -0.)
  bool integers_as_floats = false;
  /// Integers that need more than 32 bits become floats: 64-bit formats are kept for bigints.
  bool no_int64 = false;
  /// bigints take the smallest format; otherwise always 9 bytes.
  bool smallest_bigint = false;
};

/// Where an emitter works: memory that both sides reach. Behind each span lie kSlack bytes more.
struct EncodeBuffers {
  std::span<const uint32_t> tape;
  std::span<const double> lane;
  std::span<const uint8_t> pool8;
  std::span<const uint16_t> pool16;
  std::span<uint8_t> output;
  /// Where in the output the holes lie.
  std::span<uint32_t> holes;
};

/// Tape → bytes. It keeps no stack: each header on the tape holds its count, so any window may end anywhere.
///
/// The caller writes a window (tape, lane, pools), then calls `start` with the number of its words and `run`
/// until that says kDone. kWindowFull: the output or the list of holes is full; take both away, call `drain`,
/// go on.
class Emitter {
 public:
  /// The longest text in UTF-16 units that may stand in the 16-bit pool, and in bytes in the 8-bit pool.
  /// Longer ones are holes.
  static constexpr uint32_t kMaxText = 2048;
  /// The largest alignment of a typed array, as its binary logarithm: its offset must fit a byte.
  static constexpr uint32_t kMaxAlignment = 7;
  /// The longest varint that stands before a message.
  static constexpr uint32_t kMaxFramePrefix = 5;
  /// The smallest output with which each run gets on.
  static constexpr uint32_t kMinOutput = 5 + 3 * kMaxText;

  Emitter(const KeyStore& keys, EncodeBuffers buffers) : keys_(keys), buffers_(buffers) {}

  void set_options(const EncodeOptions& options) { options_ = options; }

  /// Where the message will start, from where alignments count. Holds for all messages until it is set anew.
  void set_origin(uint32_t origin) { origin_ = origin; }

  /// Writes the length of the message so far, as a varint, so that it ends at `end`; at most kMaxFramePrefix
  /// bytes. It takes all of them if the message depends on its position, which must be known before its
  /// length is. Returns its size in bytes.
  uint32_t write_frame_prefix(uint8_t* end) const;

  /// Forgets what earlier, perhaps abandoned, runs have left.
  ///
  /// The message may have begun, with `length` bytes that stand in the output already.
  void begin(uint32_t length = 0) {
    is_placed_ = false;
    go_on_at(length, 0, 0);
  }
  /// Goes on with a message that has begun: with `length` bytes that stand in the output already, `holes`
  /// among them, and `passed` bytes, modulo 2^32, that stand before these or will stand in those.
  void go_on_at(uint32_t length, uint32_t holes, uint32_t passed) {
    length_ = length;
    hole_count_ = holes;
    passed_ = origin_ + passed;
  }
  /// `text_is_bytes`: all text of the window is ASCII, and `pool16` holds a byte for each of its units.
  void start(uint32_t words, bool text_is_bytes = false) {
    words_ = words;
    text_is_bytes_ = text_is_bytes;
    at_ = 0;
    lane_at_ = 0;
    pool8_at_ = 0;
    text_at_ = 0;
    run_left_ = 0;
  }
  Status run();

  /// Bytes in the output, holes not counted.
  uint32_t length() const { return length_; }
  uint32_t hole_count() const { return hole_count_; }
  /// Says that the output has been taken away.
  void drain() {
    passed_ += length_;
    length_ = 0;
    hole_count_ = 0;
  }

 private:
  struct Cursor;

  void number(Cursor& c, double value) const;
  void int32(Cursor& c, int32_t value) const;
  void integer(Cursor& c, int64_t value) const;
  void bigint(Cursor& c, uint64_t bits, bool is_signed) const;
  bool text(Cursor& c, uint32_t units) const;
  static uint8_t* wide_text16(uint8_t* out, const uint16_t* from, uint32_t units);
  bool wide_word(Cursor& c, uint32_t word);
  void typed_array_header(Cursor& c, uint32_t extra, uint32_t bytes) const;

  const KeyStore& keys_;
  const EncodeBuffers buffers_;
  EncodeOptions options_;

  uint32_t words_ = 0;
  bool text_is_bytes_ = false;
  uint32_t at_ = 0;
  uint32_t lane_at_ = 0;
  uint32_t pool8_at_ = 0;
  /// In bytes.
  uint32_t text_at_ = 0;
  /// What is left of a kFloats run that the output had no room for.
  uint32_t run_left_ = 0;
  uint32_t length_ = 0;
  uint32_t hole_count_ = 0;
  uint32_t origin_ = 0;
  /// Whether the message depends on where it starts.
  bool is_placed_ = false;
  /// How far into its target the message is, the output not counted: modulo 2^32, which all alignments
  /// divide.
  uint32_t passed_ = 0;
};

}  // namespace mpw
