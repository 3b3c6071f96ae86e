#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "emitter.hpp"
#include "key_store.hpp"
#include "memory.hpp"
#include "messages.hpp"
#include "printing.hpp"
#include "tape.hpp"

namespace mpw::test {

/// A window as JS writes it: words, numbers, text, and what will fill the holes.
class TapeWriter {
 public:
  TapeWriter& put(uint32_t word) {
    tape.push_back(word);
    return *this;
  }
  TapeWriter& nil() { return put(word(kNil, 0)); }
  TapeWriter& boolean(bool value) { return put(word(kBool, value ? 1 : 0)); }
  /// Of 28 bits.
  TapeWriter& integer(int32_t value) { return put(static_cast<uint32_t>(value) << 4 | kInt); }
  TapeWriter& number(double value) {
    lane.push_back(value);
    return put(word(kFloat, 0));
  }
  TapeWriter& floats(const std::vector<double>& values) {
    lane.insert(lane.end(), values.begin(), values.end());
    return put(word(kFloats, static_cast<uint32_t>(values.size())));
  }
  TapeWriter& bigint(bool is_signed, uint64_t bits) {
    lane.push_back(std::bit_cast<double>(bits));
    return put(wide(is_signed ? kInt64 : kUint64));
  }
  TapeWriter& text16(std::u16string_view units) {
    pool16.insert(pool16.end(), units.begin(), units.end());
    return put(word(kText16, static_cast<uint32_t>(units.size())));
  }
  /// Says that all of the text is ASCII, and has it stand in its pool as bytes.
  TapeWriter& text_as_bytes() {
    text_is_bytes = true;
    return *this;
  }
  TapeWriter& point(const std::vector<double>& values) {
    lane.insert(lane.end(), values.begin(), values.end());
    return put(word(kPoint, static_cast<uint32_t>(values.size())));
  }
  TapeWriter& array(uint32_t count) { return put(word(kArray, count)); }
  TapeWriter& map(uint32_t count) { return put(word(kMap, count)); }
  TapeWriter& key(uint32_t number) { return put(word(kKey, number)); }
  TapeWriter& short_bin(const Bytes& data) { return short_data(wide(kShortBin), data); }
  TapeWriter& short_ext(int32_t type, const Bytes& data) {
    return short_data(wide(kShortExt, static_cast<uint8_t>(type)), data);
  }
  TapeWriter& short_typed_array(uint32_t type, uint32_t log2_alignment, const Bytes& data) {
    return short_data(wide(kShortTypedArray, log2_alignment << 8 | type), data);
  }
  TapeWriter& typed_array(uint32_t type, uint32_t log2_alignment, const Bytes& data) {
    return hole(wide(kTypedArray, log2_alignment << 8 | type), data);
  }
  /// A payload of kLongStr, kBin, kExt, kPlacedExt or kTypedArray.
  TapeWriter& hole(uint32_t word, const Bytes& data) {
    payloads.push_back(data);
    return put(word).put(static_cast<uint32_t>(data.size()));
  }

  std::vector<uint32_t> tape;
  std::vector<double> lane;
  std::vector<uint8_t> pool8;
  std::vector<uint16_t> pool16;
  bool text_is_bytes = false;
  std::vector<Bytes> payloads;

 private:
  TapeWriter& short_data(uint32_t word, const Bytes& data) {
    pool8.insert(pool8.end(), data.begin(), data.end());
    return put(word).put(static_cast<uint32_t>(data.size()));
  }
};

/// An emitter in buffers without a byte to spare, and the loop that a caller drives it with.
class Encoding {
 public:
  struct Limits {
    uint32_t output = Emitter::kMinOutput;
    uint32_t holes = 16;
    uint32_t origin = 0;
  };

  Encoding(const KeyStore& keys, const TapeWriter& writer, const Limits& limits,
           const EncodeOptions& options = {})
      : Encoding(keys, std::vector<TapeWriter>{writer}, limits, options) {}

  /// Of a message of several windows.
  Encoding(const KeyStore& keys, std::vector<TapeWriter> windows, const Limits& limits,
           const EncodeOptions& options = {})
      : windows_(std::move(windows)),
        tape_(longest([](const TapeWriter& window) { return window.tape.size(); }), kSlack),
        lane_(longest([](const TapeWriter& window) { return window.lane.size(); }), kSlack),
        pool8_(longest([](const TapeWriter& window) { return window.pool8.size(); }), kSlack),
        pool16_(longest([](const TapeWriter& window) { return units(window).size(); }), kSlack),
        output_(limits.output, kSlack),
        holes_(limits.holes, kSlack),
        emitter_(keys,
                 {tape_.span(), lane_.span(), pool8_.span(), pool16_.span(), output_.span(), holes_.span()}) {
    emitter_.set_options(options);
    emitter_.set_origin(limits.origin);
  }

  /// The bytes of the message, holes filled. The first of them, `begun`, stand in the output already.
  Bytes run(const Bytes& begun = {}) {
    Bytes all;
    std::copy(begun.begin(), begun.end(), output_.data());
    emitter_.begin(static_cast<uint32_t>(begun.size()));
    payload_ = payload_window_ = 0;
    runs = 0;
    for (const TapeWriter& window : windows_) {
      put(tape_, window.tape);
      put(lane_, window.lane);
      put(pool8_, window.pool8);
      put(pool16_, units(window));
      emitter_.start(static_cast<uint32_t>(window.tape.size()), window.text_is_bytes);
      for (;;) {
        const Status status = emitter_.run();
        runs++;
        if (status == Status::kDone) break;
        if (status != Status::kWindowFull || runs > 100000) {
          ADD_FAILURE() << "the run ends with " << ::testing::PrintToString(status);
          return all;
        }
        drain(all);
      }
    }
    drain(all);
    EXPECT_EQ(next_payload(), nullptr) << "each payload has its hole";
    return all;
  }

  uint32_t runs = 0;

  /// After `run`: the length that stands before the message in a frame.
  Bytes frame_prefix() const {
    Bytes room(Emitter::kMaxFramePrefix, 0xee);
    const uint32_t size = emitter_.write_frame_prefix(room.data() + room.size());
    return {room.end() - size, room.end()};
  }

 private:
  template <typename Size>
  size_t longest(Size size) const {
    size_t longest = 0;
    for (const TapeWriter& window : windows_) longest = std::max(longest, size(window));
    return longest;
  }

  template <typename T>
  static void put(const HeapBuffer<T>& buffer, const std::vector<T>& items) {
    std::copy(items.begin(), items.end(), buffer.data());
  }

  /// The text of a window. ASCII units stand as bytes, two in the place of one.
  static std::vector<uint16_t> units(const TapeWriter& window) {
    if (!window.text_is_bytes) return window.pool16;
    std::vector<uint16_t> bytes((window.pool16.size() + 1) / 2);
    for (size_t i = 0; i < window.pool16.size(); i++) {
      bytes[i / 2] = static_cast<uint16_t>(bytes[i / 2] | window.pool16[i] << i % 2 * 8);
    }
    return bytes;
  }

  /// What fills the next hole, or null.
  const Bytes* next_payload() {
    while (payload_window_ < windows_.size() && payload_ == windows_[payload_window_].payloads.size()) {
      payload_window_++;
      payload_ = 0;
    }
    return payload_window_ < windows_.size() ? &windows_[payload_window_].payloads[payload_] : nullptr;
  }

  void drain(Bytes& all) {
    if (emitter_.length() > output_.span().size() || emitter_.hole_count() > holes_.span().size()) {
      ADD_FAILURE() << "more than there is room for";
      return;
    }
    uint32_t start = 0;
    for (uint32_t i = 0; i <= emitter_.hole_count(); i++) {
      const bool is_hole = i < emitter_.hole_count();
      const uint32_t end = is_hole ? holes_.data()[i] : emitter_.length();
      if (end < start || end > emitter_.length()) {
        ADD_FAILURE() << "a hole outside the output";
        return;
      }
      all.insert(all.end(), output_.data() + start, output_.data() + end);
      if (const Bytes* payload = is_hole ? next_payload() : nullptr) {
        all.insert(all.end(), payload->begin(), payload->end());
        payload_++;
      }
      start = end;
    }
    emitter_.drain();
    EXPECT_EQ(emitter_.length(), 0U);
    EXPECT_EQ(emitter_.hole_count(), 0U);
  }

  const std::vector<TapeWriter> windows_;
  size_t payload_window_ = 0;
  size_t payload_ = 0;
  HeapBuffer<uint32_t> tape_;
  HeapBuffer<double> lane_;
  HeapBuffer<uint8_t> pool8_;
  HeapBuffer<uint16_t> pool16_;
  HeapBuffer<uint8_t> output_;
  HeapBuffer<uint32_t> holes_;
  Emitter emitter_;
};

inline Bytes emit(const TapeWriter& writer, const EncodeOptions& options = {}) {
  static const std::unique_ptr<KeyStore> no_keys = std::make_unique<KeyStore>();
  return Encoding(*no_keys, writer, {.output = 1 << 18}, options).run();
}

}  // namespace mpw::test
