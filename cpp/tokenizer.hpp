#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "container_stack.hpp"
#include "key_table.hpp"
#include "status.hpp"
#include "tape.hpp"

namespace mpw {

/// How 64-bit integers come out.
enum class Int64 : uint32_t {
  /// As a double, rounded beyond 2^53.
  kNumber = 0,
  /// As raw bits (kUint64, kInt64), whatever their value.
  kBigint = 1,
  /// As raw bits where a double would be rounded.
  kAuto = 2,
};

/// What a decoder allows and wants. The defaults are those of an unconfigured decoder.
struct DecodeOptions {
  /// A negative limit refuses even what is empty.
  int64_t max_str_length = UINT32_MAX;
  int64_t max_bin_length = UINT32_MAX;
  int64_t max_array_length = UINT32_MAX;
  int64_t max_map_length = UINT32_MAX;
  int64_t max_ext_length = UINT32_MAX;
  int64_t max_depth = UINT32_MAX;
  /// Of all arrays and maps of a value together: items and pairs.
  int64_t max_elements = INT64_MAX;
  Int64 int64 = Int64::kNumber;
  /// Strings come out as bytes (kBin); keys do not.
  bool raw_strings = false;
  /// Keys may be any value, and all of them stand in line.
  bool any_key = false;
  /// Keys that are strings come out as bytes (kBin), and all keys stand in line.
  bool raw_keys = false;
  bool fatal_utf8 = false;
  /// For each extension type from 0 on: the bytes of an element, if it is a typed array, else 0.
  std::array<uint8_t, 128> element_sizes{};
};

/// Where a tokenizer works: memory that both sides reach. The sizes are those that the contents may have;
/// behind each span lie kSlack bytes more, behind `input` KeyTable::kLookahead + kSlack.
struct DecodeBuffers {
  std::span<uint8_t> input;
  std::span<uint32_t> tape;
  /// Twice as long as `tape`: one half for runs, which take one word for many numbers, one for those with a
  /// word each.
  std::span<double> lane;
  /// As long as `input`: no window can overflow it.
  std::span<uint8_t> pool8;
  /// As many units as `input` has bytes: no window can overflow it.
  std::span<uint16_t> pool16;
};

/// Bytes → tape. Iterative, resumable at every token, and bounded by its buffers.
///
/// The caller copies a chunk of the message into `input` and calls `feed`; each `run` then fills one window
/// (tape, lane, pools) and says why it stopped. After kWindowFull `run` goes on in the same chunk; after
/// kNeedInput the next chunk must start at `offset()`, counted from the start of the last one. Long payloads
/// are skipped, not read.
class Tokenizer {
 public:
  /// Containers nested deeper than this are marked (kDeepArray, kDeepMap), so that JS need not recurse into
  /// them.
  static constexpr uint32_t kDeep = 256;
  /// Maps with more keys than this are taken for dictionaries: no shape is sought.
  static constexpr uint32_t kMaxShapeKeys = 128;
  /// The smallest tape with which each window gets on.
  static constexpr uint32_t kMinTape = 16;

  /// A value whose end has not arrived: what a tokenizer knows of it between two chunks.
  struct Message {
    ContainerStack stack;
    Container current = {0, 0, kItems, nullptr};
    uint64_t reserved = 0;
    int64_t elements_left = 0;
  };

  Tokenizer(KeyTable& keys, DecodeBuffers buffers)
      : keys_(keys),
        buffers_(buffers),
        run_end_(buffers.lane.data() + buffers.lane.size() / 2),
        input_(buffers.input.data()),
        tape_(buffers.tape) {}

  void set_options(const DecodeOptions& options) { options_ = options; }
  /// Limits the window, for tests that want its end everywhere: tape words (at least kMinTape), and the
  /// longest pooled string in bytes.
  void set_window(uint32_t tape_words, uint32_t pooled_bytes) {
    tape_ = buffers_.tape.first(tape_words);
    max_pooled_ = pooled_bytes;
    max_copied_ = pooled_bytes;
  }
  /// Makes strings of up to `bytes` go through a pool that the chunk happens to hold whole.
  void set_max_copied(uint32_t bytes) { max_copied_ = bytes; }

  /// Makes the chunks to come lie at `input` instead of in the buffer of that name: as much as `feed` will be
  /// told of stands there already, and KeyTable::kLookahead + kSlack bytes behind it can be read. It is not
  /// written to.
  void place(const uint8_t* input) { input_ = input; }

  /// Starts a new value at the current position of the chunk.
  void begin();

  /// Makes `run` go on, behind a value that has ended in the chunk, with those that follow it, as many as the
  /// chunk holds whole and the window has room for.
  void set_many(bool many) { many_ = many; }

  /// Takes `size` bytes of `input` as the next chunk. `available` bytes, those included, are there before the
  /// input ends, or, if `open`, before the next ones arrive: then a length beyond them is no error but a
  /// kNeedInput, and containers that the chunk leaves open are marked like deep ones.
  /// `may_go_on`: the caller knows what a kMore asks for. Without it there is none, nor is there if `open`.
  void feed(uint32_t size, uint64_t available, bool open, bool may_go_on = false);

  /// After a kMore: as `feed`, but the window that has been begun goes on. The chunk has at most half the
  /// size of the input buffer.
  ///
  /// A chunk that ends in a payload, or is short, says little of how much will come, and a window that ended
  /// with it would break the shapes of all maps that are open.
  void go_on(uint32_t size, uint64_t available);

  /// Begins a window with nothing in it, for `begin_next`.
  void open_window();

  /// Begins another value in the window that has been opened, or in which the last value has ended. Its frame
  /// begins at offset `start` of the chunk, which is put before it as an integer, counted as offsets on the
  /// tape are; it itself begins at offset `at`. The chunk has `size` bytes, and the input `available`, up to
  /// the frame's end.
  void begin_next(uint32_t start, uint32_t at, uint32_t size, uint64_t available);

  /// Hands out the value that has been begun, after a kNeedInput, so that another can be read meanwhile.
  Message suspend();
  /// Takes a value back. `feed` comes next.
  void resume(Message message);

  /// Fills a window. An error is final for the value.
  Status run();

  /// Bytes from the start of the chunk to the end of the value (kDone), to where the next chunk must start
  /// (kNeedInput), or to the token that is in error. It can lie beyond the chunk, behind a payload.
  uint64_t offset() const { return offset_; }

  /// What a status is about. kInsufficientData: how many bytes are missing at the least. kNeedInput in a
  /// stream: how many must arrive at the least before it is worth going on. kMax…: the length or depth in
  /// question. kUnknownFormat, kKeyType: the byte.
  uint64_t detail() const { return detail_; }

 private:
  struct StrHeader {
    uint32_t size;
    uint32_t length;
  };
  struct Cursor;
  /// What `frequent` has read.
  enum class Progress { kNone, kValue, kContainer };

  Status fill(Cursor& c);
  Status items(Cursor& c);
  Status shaped_pairs(Cursor& c);
  Status inline_pairs(Cursor& c);
  template <uint32_t kStep>
  Progress frequent(Cursor& c, const uint8_t* in, uint32_t state);
  Status item(Cursor& c);
  Status shaped_pair(Cursor& c);
  Status value(Cursor& c);
  Status scalar(Cursor& c);
  void integer64(Cursor& c, uint64_t bits, bool is_signed) const;
  Status text(Cursor& c, uint32_t header, uint32_t length);
  Status open_pool8(Cursor& c, uint32_t length);
  void close_pools(const uint8_t* pool8);
  Status wide_text(Cursor& c, uint32_t header, uint32_t length);
  Status pooled_text(Cursor& c, uint32_t header, uint32_t length);
  Status long_text(Cursor& c, uint32_t header, uint32_t length);
  Status bin(Cursor& c, uint32_t header, uint32_t length);
  Status ext(Cursor& c, uint32_t header, uint32_t length);
  Status typed_array(Cursor& c, uint32_t header, uint32_t length, uint32_t element_size);
  Status payload(Cursor& c, uint32_t kind, uint32_t header, uint32_t length);
  void skip(Cursor& c, uint64_t bytes);
  Status array(Cursor& c, uint32_t header, uint32_t count);
  bool point(Cursor& c, const uint8_t* in, uint32_t count);
  Status runs_of_numbers(Cursor& c);
  Status map(Cursor& c, uint32_t header, uint32_t count);
  Status nest(uint32_t count, uint32_t& depth);
  Status enter(Cursor& c, uint32_t left, ContainerKind kind, uint32_t* header);
  void leave(Cursor& c);
  Status key_header(const Cursor& c, StrHeader& header);
  Status other_key(Cursor& c);
  Status inline_key(Cursor& c);
  Status other_key_type(const Cursor& c);
  bool comes_out_raw(uint64_t bits, bool is_signed) const;
  void go_inline(Cursor& c);
  uint32_t kind() const { return current_.nesting & kKindMask; }
  bool holds(const uint8_t* in, uint64_t bytes) const { return static_cast<uint64_t>(end_ - in) >= bytes; }
  Status require(const Cursor& c, uint64_t bytes);
  Status reserve(const Cursor& c, uint64_t bytes);
  Status short_of(const uint8_t* in, uint64_t bytes);
  uint64_t position(const uint8_t* in) const;
  uint32_t window_position(const uint8_t* in) const;
  bool can_go_on(const Cursor& c, Status status) const;
  Status fail(Status status, uint64_t detail);
  void settle(Container& open) const;
  template <typename... Parameters, typename... Arguments>
  Status aside(Cursor& c, Status (Tokenizer::*step)(Cursor&, Parameters...), Arguments... arguments);

  KeyTable& keys_;
  const DecodeBuffers buffers_;
  /// The second half of the lane is for numbers that have a word each.
  const double* const run_end_;
  /// Where the chunk lies.
  const uint8_t* input_;
  std::span<uint32_t> tape_;
  uint32_t max_pooled_ = kMaxPooledBytes;
  uint32_t max_copied_ = kMaxPooledBytes;
  DecodeOptions options_;

  ContainerStack stack_;
  /// The current container. During a run, a cursor holds its `left` and `state`.
  Container current_ = {0, 0, kItems, nullptr};
  /// The fewest bytes that what is left of the containers on the stack can take.
  uint64_t reserved_ = 0;
  /// How many elements the containers to come may have, those not subtracted that `frequent` has read: it
  /// reads none where the input is long enough for too many.
  int64_t elements_left_ = 0;
  bool use_shapes_ = true;
  /// Whether the next value is a key, of which raw strings make no bytes.
  bool at_key_ = false;
  /// Strings below this length go by way of a pool.
  uint32_t pooled_end_ = 0;
  /// Strings below this length, and containers nested less than that, need no look at the options.
  uint32_t plain_text_end_ = 0;
  uint32_t plain_nesting_ = 0;
  uint32_t* tape_limit_ = nullptr;

  /// Pools that are being filled: where they begin and end, and the operand that will say how long they are.
  struct Pools {
    uint8_t* start8 = nullptr;
    uint8_t* limit8 = nullptr;
    uint32_t* length8 = nullptr;
    uint16_t* at16 = nullptr;
    uint16_t* start16 = nullptr;
    uint16_t* limit16 = nullptr;
    uint32_t* length16 = nullptr;
  };
  Pools pools_;

  uint32_t at_ = 0;
  uint32_t size_ = 0;
  const uint8_t* end_ = nullptr;
  uint64_t available_ = 0;
  /// The address at which what is available would end, if all of it lay behind the chunk.
  uint64_t available_end_ = 0;
  /// How much of a payload lies beyond the chunk.
  uint64_t skip_ = 0;
  bool open_ = false;
  bool many_ = false;
  uint64_t offset_ = 0;
  bool may_go_on_ = false;
  /// Whether the window has been begun before; how far before this chunk the one lies with which it was, and
  /// where the window's buffers are full to.
  bool goes_on_ = false;
  uint64_t window_offset_ = 0;
  uint32_t* window_tape_ = nullptr;
  double* window_lane_ = nullptr;
  uint8_t* window_pool8_ = nullptr;
  uint64_t detail_ = 0;
};

}  // namespace mpw
