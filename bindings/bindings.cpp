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

/// What JS sees of the codec: sessions, each a tokenizer or an emitter with the buffers it works in, as
/// functions that take the session's address first. Everything that crosses is a number, which wasm itself
/// converts: so `embind.js` lets JS call these functions without anything between. JS reads and writes the
/// buffers itself, at the addresses given here. Of a bool, JS sees 0 or 1; no unsigned result has more than
/// 31 bits.
namespace {

using mpw::KeyStore;
using mpw::KeyTable;
using mpw::kSlack;
using mpw::Region;
using Message = mpw::Tokenizer::Message;

template <typename T>
uint32_t address(std::span<T> buffer) {
  return reinterpret_cast<uintptr_t>(buffer.data());
}

/// What JS has of an object: its address, or 0 where memory is out.
using Handle = uint32_t;

template <typename T>
Handle handle(T* object) {
  return reinterpret_cast<uintptr_t>(object);
}

template <typename T>
T& object(Handle handle) {
  return *reinterpret_cast<T*>(static_cast<uintptr_t>(handle));
}

/// A method as a function.
template <auto kMethod>
struct Method;

template <typename T, typename Result, typename... Arguments, Result (T::*kMethod)(Arguments...)>
struct Method<kMethod> {
  static Result call(Handle self, Arguments... arguments) { return (object<T>(self).*kMethod)(arguments...); }
};

template <typename T, typename Result, typename... Arguments, Result (T::*kMethod)(Arguments...) const>
struct Method<kMethod> {
  static Result call(Handle self, Arguments... arguments) { return (object<T>(self).*kMethod)(arguments...); }
};

class DecodeSession {
 public:
  /// The window stays in a core's second-level cache: 576 KB in all, of which a message touches as much as it
  /// needs.
  static constexpr uint32_t kInput = 128 * 1024;
  static constexpr uint32_t kTape = 32 * 1024;
  static_assert(kTape <= mpw::ContainerStack::kNear);
  static constexpr uint32_t kLane = 2 * kTape;
  static constexpr uint32_t kInputSlack = KeyTable::kLookahead + kSlack;
  static constexpr size_t kSize =
      Region::cost<uint8_t>(kInput, kInputSlack) + Region::cost<uint32_t>(kTape, kSlack) +
      Region::cost<double>(kLane, kSlack) + Region::cost<uint8_t>(kInput, kSlack) +
      Region::cost<uint16_t>(kInput, kSlack);

  static Handle create(Handle keys) {
    auto* session = new (std::nothrow) DecodeSession(object<KeyTable>(keys));
    if (session != nullptr && !session->region_.is_valid()) {
      delete session;
      session = nullptr;
    }
    return handle(session);
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
  /// `many`: as many values as the window takes.
  void begin(bool many) {
    tokenizer_.set_many(many);
    tokenizer_.begin();
  }
  /// `available` is a whole number of bytes. Bit 0 of `flags` says that a value begins, bit 1 that the input
  /// is open, bit 2 that the window may go on, bit 3 that as many values are wanted as it takes. Returns as
  /// `run`.
  double feed(uint32_t size, double available, uint32_t flags) {
    if (framed_) {
      if ((flags & 1) != 0) frames_.begin();
      frames_.feed(size, static_cast<uint64_t>(available), (flags & 4) != 0);
    } else {
      if ((flags & 1) != 0) tokenizer_.begin();
      tokenizer_.set_many((flags & 8) != 0);
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
  Handle suspend() {
    auto* message = new (std::nothrow) Message;
    if (message != nullptr) *message = tokenizer_.suspend();
    return handle(message);
  }
  /// Takes a message back; its handle is void then.
  void resume(Handle message) {
    tokenizer_.resume(std::move(object<Message>(message)));
    delete_message(message);
  }
  static void delete_message(Handle message) { delete &object<Message>(message); }
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

  /// `output` is at least Emitter::kMinOutput.
  static Handle create(Handle keys, uint32_t output) {
    auto* session = new (std::nothrow) EncodeSession(object<KeyStore>(keys), output);
    if (session != nullptr && !session->region_.is_valid()) {
      delete session;
      session = nullptr;
    }
    return handle(session);
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

Handle create_key_table(uint32_t seed) { return handle(new (std::nothrow) KeyTable(seed)); }
/// The text of a key lies at `keyAddress` for `keyLength` bytes.
uint32_t key_address(Handle table, uint32_t key) { return address(object<KeyTable>(table).text(key)); }
uint32_t key_length(Handle table, uint32_t key) {
  return static_cast<uint32_t>(object<KeyTable>(table).text(key).size());
}

Handle create_key_store() { return handle(new (std::nothrow) KeyStore()); }
/// Registers the key that stands as `units` UTF-16 units at `at`.
uint32_t add_key(Handle store, uint32_t at, uint32_t units) {
  return object<KeyStore>(store).add({reinterpret_cast<const uint16_t*>(static_cast<uintptr_t>(at)), units});
}

}  // namespace

EMSCRIPTEN_BINDINGS(codec) {
  using emscripten::function;

  function("createKeyTable", &create_key_table);
  function("parentShape", &Method<&KeyTable::parent>::call);
  function("lastKey", &Method<&KeyTable::key>::call);
  function("keyAddress", &key_address);
  function("keyLength", &key_length);
  function("isFull", &Method<&KeyTable::is_full>::call);
  function("clearKeyTable", &Method<&KeyTable::clear>::call);

  function("createBlock", &create_block);
  function("createDecodeSession", &DecodeSession::create);
  function("decodeInput", &Method<&DecodeSession::input>::call);
  function("decodeTape", &Method<&DecodeSession::tape>::call);
  function("decodeLane", &Method<&DecodeSession::lane>::call);
  function("decodePool8", &Method<&DecodeSession::pool8>::call);
  function("decodePool16", &Method<&DecodeSession::pool16>::call);
  function("setLimits", &Method<&DecodeSession::set_limits>::call);
  function("setModes", &Method<&DecodeSession::set_modes>::call);
  function("setElementSize", &Method<&DecodeSession::set_element_size>::call);
  function("setWindow", &Method<&DecodeSession::set_window>::call);
  function("setMaxCopied", &Method<&DecodeSession::set_max_copied>::call);
  function("place", &Method<&DecodeSession::place>::call);
  function("begin", &Method<&DecodeSession::begin>::call);
  function("feed", &Method<&DecodeSession::feed>::call);
  function("goOn", &Method<&DecodeSession::go_on>::call);
  function("tokenize", &Method<&DecodeSession::run>::call);
  function("offset", &Method<&DecodeSession::offset>::call);
  function("suspend", &Method<&DecodeSession::suspend>::call);
  function("resume", &Method<&DecodeSession::resume>::call);
  function("deleteMessage", &DecodeSession::delete_message);
  function("detail", &Method<&DecodeSession::detail>::call);

  function("createKeyStore", &create_key_store);
  function("addKey", &add_key);
  function("clearKeyStore", &Method<&KeyStore::clear>::call);

  function("createEncodeSession", &EncodeSession::create);
  function("encodeTape", &Method<&EncodeSession::tape>::call);
  function("encodeLane", &Method<&EncodeSession::lane>::call);
  function("encodePool8", &Method<&EncodeSession::pool8>::call);
  function("encodePool16", &Method<&EncodeSession::pool16>::call);
  function("encodeFront", &Method<&EncodeSession::front>::call);
  function("encodeHoles", &Method<&EncodeSession::holes>::call);
  function("setOptions", &Method<&EncodeSession::set_options>::call);
  function("setOrigin", &Method<&EncodeSession::set_origin>::call);
  function("goOnAt", &Method<&EncodeSession::go_on_at>::call);
  function("start", &Method<&EncodeSession::start>::call);
  function("emit", &Method<&EncodeSession::run>::call);
  function("length", &Method<&EncodeSession::length>::call);
  function("holeCount", &Method<&EncodeSession::hole_count>::call);
  function("drain", &Method<&EncodeSession::drain>::call);
}
