#include <emscripten/bind.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "../cpp/emitter.hpp"
#include "../cpp/frame_reader.hpp"
#include "../cpp/key_store.hpp"
#include "../cpp/key_table.hpp"
#include "../cpp/region.hpp"
#include "../cpp/tokenizer.hpp"

/// What JS sees of the codec: sessions, each a tokenizer or an emitter with the buffers it works in.
/// Everything that crosses is a number: JS reads and writes the buffers themselves, at the addresses given
/// here.
namespace {

using mpw::KeyStore;
using mpw::KeyTable;
using mpw::kSlack;
using mpw::Region;

template <typename T>
uint32_t address(std::span<T> buffer) {
  return reinterpret_cast<uintptr_t>(buffer.data());
}

class DecodeSession {
 public:
  /// The window stays in a core's second-level cache: 576 KB in all, of which a message touches as much as it
  /// needs.
  static constexpr uint32_t kInput = 128 * 1024;
  static constexpr uint32_t kTape = 32 * 1024;
  static constexpr uint32_t kLane = 2 * kTape;
  static constexpr uint32_t kInputSlack = KeyTable::kLookahead + kSlack;
  static constexpr size_t kSize =
      Region::cost<uint8_t>(kInput, kInputSlack) + Region::cost<uint32_t>(kTape, kSlack) +
      Region::cost<double>(kLane, kSlack) + Region::cost<uint8_t>(kInput, kSlack) +
      Region::cost<uint16_t>(kInput, kSlack);

  /// Returns null when memory is out.
  static DecodeSession* create(KeyTable& keys) {
    auto* session = new (std::nothrow) DecodeSession(keys);
    if (session != nullptr && !session->region_.is_valid()) {
      delete session;
      session = nullptr;
    }
    return session;
  }

  uint32_t input() const { return address(buffers_.input); }
  uint32_t tape() const { return address(buffers_.tape); }
  uint32_t lane() const { return address(buffers_.lane); }
  uint32_t pool8() const { return address(buffers_.pool8); }
  uint32_t pool16() const { return address(buffers_.pool16); }

  /// Each a whole number, -1 for "not even an empty one".
  void set_limits(double str, double bin, double array, double map, double ext, double depth,
                  double elements) {
    options_.max_str_length = static_cast<int64_t>(str);
    options_.max_bin_length = static_cast<int64_t>(bin);
    options_.max_array_length = static_cast<int64_t>(array);
    options_.max_map_length = static_cast<int64_t>(map);
    options_.max_ext_length = static_cast<int64_t>(ext);
    options_.max_depth = static_cast<int64_t>(depth);
    options_.max_elements = static_cast<int64_t>(elements);
    tokenizer_.set_options(options_);
  }
  /// `max_frame`: if above 0, the input is a batch of frames, each with a value of at most so many bytes.
  void set_modes(uint32_t int64, bool raw_strings, bool any_key, bool raw_keys, bool fatal_utf8,
                 uint32_t max_frame) {
    framed_ = max_frame > 0;
    frames_.set_max_length(max_frame);
    options_.int64 = static_cast<mpw::Int64>(int64);
    options_.raw_strings = raw_strings;
    options_.any_key = any_key;
    options_.raw_keys = raw_keys;
    options_.fatal_utf8 = fatal_utf8;
    tokenizer_.set_options(options_);
  }
  /// Makes typed arrays with elements of `size` bytes of extensions of `type`, which is below 128; of none,
  /// if `size` is 0.
  void set_element_size(uint32_t type, uint32_t size) {
    options_.element_sizes[type] = static_cast<uint8_t>(size);
    tokenizer_.set_options(options_);
  }
  void set_window(uint32_t tape_words, uint32_t pooled_bytes) {
    tokenizer_.set_window(tape_words, pooled_bytes);
  }

  void set_max_copied(uint32_t bytes) { tokenizer_.set_max_copied(bytes); }

  /// Lets `feed` take its bytes from address `input` on, where `createBlock` or this session has made room.
  void place(uint32_t input) {
    tokenizer_.place(reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(input)));
  }
  void begin() { tokenizer_.begin(); }
  /// `available` is a whole number of bytes. Bit 0 of `flags` says that a value begins, bit 1 that the input
  /// is open, bit 2 that the window may go on. Returns as `run`.
  double feed(uint32_t size, double available, uint32_t flags) {
    if (framed_) {
      if ((flags & 1) != 0) frames_.begin();
      frames_.feed(size, static_cast<uint64_t>(available), (flags & 4) != 0);
    } else {
      if ((flags & 1) != 0) tokenizer_.begin();
      tokenizer_.feed(size, static_cast<uint64_t>(available), (flags & 2) != 0, (flags & 4) != 0);
    }
    return run();
  }
  /// After a kMore. Returns as `run`.
  double go_on(uint32_t size, double available) {
    if (framed_) {
      frames_.go_on(size, static_cast<uint64_t>(available));
    } else {
      tokenizer_.go_on(size, static_cast<uint64_t>(available));
    }
    return run();
  }
  /// For kDone, the offset of the value's end; for another status, that status negated. One call tells all
  /// that a small message needs.
  double run() {
    const mpw::Status status = framed_ ? frames_.run() : tokenizer_.run();
    return status == mpw::Status::kDone ? offset() : -static_cast<double>(static_cast<uint32_t>(status));
  }
  double offset() const { return static_cast<double>(framed_ ? frames_.offset() : tokenizer_.offset()); }
  /// Returns null when memory is out.
  mpw::Tokenizer::Message* suspend() {
    auto* message = new (std::nothrow) mpw::Tokenizer::Message;
    if (message != nullptr) *message = tokenizer_.suspend();
    return message;
  }
  void resume(mpw::Tokenizer::Message& message) { tokenizer_.resume(std::move(message)); }
  double detail() const { return static_cast<double>(framed_ ? frames_.detail() : tokenizer_.detail()); }

 private:
  explicit DecodeSession(KeyTable& keys)
      : region_(kSize),
        buffers_{region_.take<uint8_t>(kInput, kInputSlack), region_.take<uint32_t>(kTape, kSlack),
                 region_.take<double>(kLane, kSlack), region_.take<uint8_t>(kInput, kSlack),
                 region_.take<uint16_t>(kInput, kSlack)},
        tokenizer_(keys, buffers_),
        frames_(tokenizer_, buffers_) {}

  Region region_;
  mpw::DecodeBuffers buffers_;
  mpw::DecodeOptions options_;
  mpw::Tokenizer tokenizer_;
  mpw::FrameReader frames_;
  bool framed_ = false;
};

class EncodeSession {
 public:
  static constexpr uint32_t kTape = 16 * 1024;
  /// As for decoding: half of it is for runs.
  static constexpr uint32_t kLane = 2 * kTape;
  static constexpr uint32_t kPool = 64 * 1024;
  /// In UTF-16 units.
  static constexpr uint32_t kText = 16 * 1024;
  static constexpr uint32_t kHoles = 256;
  /// In front of the output: the size of a frame's prefix in the first byte, and the prefix, which ends where
  /// the output begins.
  static constexpr uint32_t kFront = 8;

  /// Returns null when memory is out, or when `output` is below Emitter::kMinOutput.
  static EncodeSession* create(const KeyStore& keys, uint32_t output) {
    if (output < mpw::Emitter::kMinOutput) return nullptr;
    auto* session = new (std::nothrow) EncodeSession(keys, output);
    if (session != nullptr && !session->region_.is_valid()) {
      delete session;
      session = nullptr;
    }
    return session;
  }

  uint32_t tape() const { return address(tape_); }
  uint32_t lane() const { return address(lane_); }
  uint32_t pool8() const { return address(pool8_); }
  uint32_t pool16() const { return address(pool16_); }
  uint32_t front() const { return address(front_); }
  uint32_t holes() const { return address(holes_); }

  void set_options(bool float32, bool integers_as_floats, bool no_int64, bool smallest_bigint) {
    emitter_.set_options({float32, integers_as_floats, no_int64, smallest_bigint});
  }
  void set_origin(uint32_t origin) { emitter_.set_origin(origin); }
  /// Emits a window of `words`. Bit 0 of `flags` says that it is the first of a message, bit 1 that its text
  /// is bytes, bit 2 that the message is to be framed; above, for a first window, stands how many bytes of
  /// the message are in the output already, without holes. Numbers alone cost embind less than bools among
  /// them. Returns as `run`.
  int32_t start(uint32_t words, uint32_t flags) {
    if ((flags & 1) != 0) emitter_.begin(flags >> 3);
    framed_ = (flags & 4) != 0;
    emitter_.start(words, (flags & 2) != 0);
    return run();
  }
  void go_on_at(uint32_t length, uint32_t holes, double passed) {
    emitter_.go_on_at(length, holes, static_cast<uint32_t>(static_cast<uint64_t>(passed)));
  }
  /// The bytes in the output so far, or -1 if it is full and must be drained.
  int32_t run() {
    if (emitter_.run() != mpw::Status::kDone) return -1;
    // That of the last window counts.
    if (framed_) front_[0] = static_cast<uint8_t>(emitter_.write_frame_prefix(output_.data()));
    return static_cast<int32_t>(emitter_.length());
  }
  uint32_t length() const { return emitter_.length(); }
  uint32_t hole_count() const { return emitter_.hole_count(); }
  void drain() { emitter_.drain(); }

 private:
  EncodeSession(const KeyStore& keys, uint32_t output)
      : region_(Region::cost<uint32_t>(kTape, kSlack) + Region::cost<double>(kLane, kSlack) +
                Region::cost<uint8_t>(kPool, kSlack) + Region::cost<uint16_t>(kText + kText / 2, kSlack) +
                Region::cost<uint8_t>(kFront + output, kSlack) + Region::cost<uint32_t>(kHoles, kSlack)),
        tape_(region_.take<uint32_t>(kTape, kSlack)),
        lane_(region_.take<double>(kLane, kSlack)),
        pool8_(region_.take<uint8_t>(kPool, kSlack)),
        // With room for 3 bytes a unit.
        pool16_(region_.take<uint16_t>(kText + kText / 2, kSlack)),
        front_(region_.take<uint8_t>(kFront + output, kSlack)),
        output_(front_.subspan(kFront)),
        holes_(region_.take<uint32_t>(kHoles, kSlack)),
        emitter_(keys, {tape_, lane_, pool8_, pool16_, output_, holes_}) {}

  Region region_;
  std::span<uint32_t> tape_;
  std::span<double> lane_;
  std::span<uint8_t> pool8_;
  std::span<uint16_t> pool16_;
  std::span<uint8_t> front_;
  std::span<uint8_t> output_;
  std::span<uint32_t> holes_;
  mpw::Emitter emitter_;
  bool framed_ = false;
};

/// Room for `bytes` of input that are decoded where they are, as long as the instance lives: its address, a
/// multiple of 16, or 0 if memory is out.
uint32_t create_block(uint32_t bytes) {
  constexpr uint32_t kAlignment = 16;
  const size_t size = size_t{bytes} + DecodeSession::kInputSlack + kAlignment - 1;
  return reinterpret_cast<uintptr_t>(std::aligned_alloc(kAlignment, size / kAlignment * kAlignment));
}

/// The text of a key lies at `textAddress` for `textLength` bytes.
uint32_t text_address(const KeyTable& table, uint32_t key) { return address(table.text(key)); }
uint32_t text_length(const KeyTable& table, uint32_t key) {
  return static_cast<uint32_t>(table.text(key).size());
}
KeyTable* create_key_table(uint32_t seed) { return new (std::nothrow) KeyTable(seed); }

/// Registers the key that stands as `units` UTF-16 units at `at`.
uint32_t add_key(KeyStore& store, uint32_t at, uint32_t units) {
  return store.add({reinterpret_cast<const uint16_t*>(static_cast<uintptr_t>(at)), units});
}
KeyStore* create_key_store() { return new (std::nothrow) KeyStore(); }

}  // namespace

EMSCRIPTEN_BINDINGS(codec) {
  using emscripten::allow_raw_pointers;
  using emscripten::class_;
  using emscripten::function;

  class_<KeyTable>("KeyTable")
      .function("parent", &KeyTable::parent)
      .function("key", &KeyTable::key)
      .function("textAddress", &text_address)
      .function("textLength", &text_length)
      .function("isFull", &KeyTable::is_full)
      .function("clear", &KeyTable::clear);
  class_<mpw::Tokenizer::Message>("Message");
  class_<DecodeSession>("DecodeSession")
      .function("input", &DecodeSession::input)
      .function("tape", &DecodeSession::tape)
      .function("lane", &DecodeSession::lane)
      .function("pool8", &DecodeSession::pool8)
      .function("pool16", &DecodeSession::pool16)
      .function("setLimits", &DecodeSession::set_limits)
      .function("setModes", &DecodeSession::set_modes)
      .function("setElementSize", &DecodeSession::set_element_size)
      .function("setWindow", &DecodeSession::set_window)
      .function("setMaxCopied", &DecodeSession::set_max_copied)
      .function("place", &DecodeSession::place)
      .function("begin", &DecodeSession::begin)
      .function("feed", &DecodeSession::feed)
      .function("goOn", &DecodeSession::go_on)
      .function("run", &DecodeSession::run)
      .function("offset", &DecodeSession::offset)
      .function("suspend", &DecodeSession::suspend, allow_raw_pointers())
      .function("resume", &DecodeSession::resume)
      .function("detail", &DecodeSession::detail);
  function("createKeyTable", &create_key_table, allow_raw_pointers());
  function("createDecodeSession", &DecodeSession::create, allow_raw_pointers());
  function("createBlock", &create_block);

  class_<KeyStore>("KeyStore").function("add", &add_key).function("clear", &KeyStore::clear);
  class_<EncodeSession>("EncodeSession")
      .function("tape", &EncodeSession::tape)
      .function("lane", &EncodeSession::lane)
      .function("pool8", &EncodeSession::pool8)
      .function("pool16", &EncodeSession::pool16)
      .function("front", &EncodeSession::front)
      .function("holes", &EncodeSession::holes)
      .function("setOptions", &EncodeSession::set_options)
      .function("setOrigin", &EncodeSession::set_origin)
      .function("goOnAt", &EncodeSession::go_on_at)
      .function("start", &EncodeSession::start)
      .function("run", &EncodeSession::run)
      .function("length", &EncodeSession::length)
      .function("holeCount", &EncodeSession::hole_count)
      .function("drain", &EncodeSession::drain);
  function("createKeyStore", &create_key_store, allow_raw_pointers());
  function("createEncodeSession", &EncodeSession::create, allow_raw_pointers());
}
