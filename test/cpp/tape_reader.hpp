#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "format.hpp"
#include "key_table.hpp"
#include "reference.hpp"
#include "tape.hpp"
#include "tokenizer.hpp"

namespace mpw::test {

/// What a run of the tokenizer has left behind.
struct Window {
  std::span<const uint32_t> tape;
  std::span<const double> lane;
  std::span<const uint8_t> pool8;
  std::span<const uint16_t> pool16;
  /// Where in the message the chunk starts.
  uint64_t chunk;
  Status status;
  /// Whether more input may come.
  bool open;
};

/// Tape → events, as JS makes values of it; it also holds the tape to what JS relies on.
class TapeReader {
 public:
  /// `framed`: the message is a batch of frames, whose values follow one another. `many`: they do without
  /// frames.
  TapeReader(const KeyTable& keys, std::span<const uint8_t> message, const DecodeOptions& options,
             bool framed = false, bool many = false)
      : keys_(keys), message_(message), options_(options), framed_(framed), many_(many) {}

  /// Returns false, with a test failure, if the window is not as it must be.
  bool read(const Window& window) {
    window_ = &window;
    at_ = lane_at_ = 0;
    pool8_ = {};
    pool16_ = {};
    next8_ = next16_ = 0;
    while (is_good_) {
      if (at_ >= window.tape.size()) return fail("the tape has no end");
      const uint32_t word = window.tape[at_++];
      if ((word & 15) == kEnd) break;
      step(word);
    }
    length_ = at_ - 1;
    require(pool8_.empty() && pool16_.empty(), "a pool is longer than its text");
    close_complete();
    if (window.status == Status::kDone) {
      require((has_value_ || framed_) && frames_.empty() && !in_frame_, "a container is left open");
    }
    if (window.status == Status::kNeedInput && window.open) {
      require(unmarked_ == 0, "a container that the chunk leaves open is not marked");
    }
    return is_good_;
  }

  bool is_good() const { return is_good_; }
  const Events& events() const { return events_; }
  /// The words of the last window, without its end.
  size_t length() const { return length_; }

 private:
  struct Frame {
    uint64_t left;
    /// Of an array: the items it had from the start.
    uint64_t count;
    uint32_t shape;
    /// Values of the shape that have been read.
    uint32_t next;
    bool is_map;
    bool is_marked;
    /// A kKeys word will come after the shape's values.
    bool needs_keys;
    bool at_key;
  };

  bool fail(const char* what) {
    if (is_good_) ADD_FAILURE() << what << ", at word " << at_ << " of the window; so far:\n" << tail();
    is_good_ = false;
    return false;
  }
  void require(bool holds, const char* what) {
    if (!holds) fail(what);
  }
  std::string tail() const {
    const std::string& all = events_.str();
    return all.size() > 500 ? all.substr(all.size() - 500) : all;
  }

  const std::vector<uint32_t>& keys_of(uint32_t shape) {
    std::vector<uint32_t>& keys = shapes_[shape];
    if (keys.empty() && shape != KeyTable::kRoot) {
      for (uint32_t node = shape; node != KeyTable::kRoot; node = keys_.parent(node))
        keys.push_back(keys_.key(node));
      std::reverse(keys.begin(), keys.end());
    }
    return keys;
  }

  bool is_complete(const Frame& frame) {
    return frame.left == 0 && !frame.needs_keys && frame.next == keys_of(frame.shape).size();
  }
  void close_complete() {
    while (!frames_.empty() && is_complete(frames_.back())) {
      if (!frames_.back().is_marked) unmarked_--;
      frames_.pop_back();
      events_.line("end");
    }
  }

  /// A value, or a key in line, begins. `is_text`: it may be a key anywhere.
  void begin_value(bool is_text) {
    close_complete();
    if (frames_.empty()) {
      require(framed_ ? in_frame_ : many_ || !has_value_, "a second value");
      has_value_ = true;
      in_frame_ = false;
      return;
    }
    Frame& top = frames_.back();
    if (!top.is_map) {
      require(top.left > 0, "an item too many");
      top.left--;
      return;
    }
    const std::vector<uint32_t>& keys = keys_of(top.shape);
    if (top.next < keys.size()) {
      events_.key(true);
      events_.text(reference_utf8(keys_.text(keys[top.next++])).units);
      return;
    }
    require(!top.needs_keys, "a value where the number of pairs should be");
    require(top.left > 0, "a pair too many");
    if (top.at_key)
      require(is_text || options_.any_key || is_number_, "a key that is neither string nor number");
    events_.key(top.at_key);
    if (!top.at_key) top.left--;
    top.at_key = !top.at_key;
  }

  void open(const Frame& frame) {
    frames_.push_back(frame);
    const bool is_deep = frames_.size() > Tokenizer::kDeep;
    require(frame.is_marked || !is_deep || is_complete(frame), "a container that is too deep is not marked");
    if (!frame.is_marked) unmarked_++;
  }
  void open_array(uint64_t count, bool is_marked) {
    begin_value(false);
    events_.line("array " + std::to_string(count));
    open({count, count, KeyTable::kRoot, 0, false, is_marked, false, false});
  }
  void open_map(uint32_t shape, bool is_marked, bool needs_keys) {
    begin_value(false);
    events_.line("map");
    open({0, 0, shape, 0, true, is_marked, needs_keys, true});
  }

  void number(double value) {
    is_number_ = true;
    begin_value(false);
    is_number_ = false;
    events_.number(value);
  }
  double next_of_lane() {
    if (lane_at_ < window_->lane.size()) return window_->lane[lane_at_++];
    fail("the lane is too short");
    return 0;
  }
  uint32_t operand() {
    if (at_ < window_->tape.size()) return window_->tape[at_++];
    fail("an operand is missing");
    return 0;
  }

  /// The next `count` units of a pool.
  template <typename Unit>
  std::span<const Unit> cut(std::span<const Unit>& pool, uint32_t count) {
    if (count > pool.size()) {
      fail("a pool is shorter than its text");
      return {};
    }
    const std::span<const Unit> part = pool.first(count);
    pool = pool.subspan(count);
    return part;
  }
  template <typename Unit>
  void open_pool(std::span<const Unit> memory, std::span<const Unit>& pool, size_t& next) {
    const uint32_t size = operand();
    require(pool.empty(), "a pool is longer than its text");
    if (size > memory.size() - next) {
      fail("a pool goes beyond its buffer");
      return;
    }
    pool = memory.subspan(next, size);
    next += size;
    const uint32_t follower = at_ < window_->tape.size() ? window_->tape[at_] : 0;
    require((follower & 15) == kText8 || (follower & 15) == kText16 || follower == kPool16,
            "a pool is not followed by text");
  }

  std::span<const uint8_t> payload() {
    const uint32_t length = operand();
    payload_start_ = window_->chunk + operand();
    if (payload_start_ + length > message_.size()) {
      fail("a payload goes beyond the message");
      return {};
    }
    return message_.subspan(payload_start_, length);
  }
  /// Whether the payload that was read last has a header of so many bytes.
  void require_header(uint32_t size, format::Family family) {
    const bool holds = size <= payload_start_ && format::family(message_[payload_start_ - size]) == family &&
                       format::kHeaderSizes[message_[payload_start_ - size]] == size;
    require(holds, "a wrong size of a header");
  }

  void step(uint32_t word) {
    const uint32_t payload = word >> 4;
    switch (word & 15) {
      case kNil:
        begin_value(false);
        events_.line("nil");
        break;
      case kBool:
        require(payload <= 1, "a bool that is neither");
        begin_value(false);
        events_.line(payload == 1 ? "true" : "false");
        break;
      case kInt:
        number(static_cast<int32_t>(word) >> 4);
        break;
      case kFloat:
        number(next_of_lane());
        break;
      case kPoint:
        require(payload >= 1 && payload <= kMaxPoint, "a point of a wrong size");
        open_array(payload, true);
        for (uint32_t i = 0; i < payload && is_good_; i++) number(next_of_lane());
        break;
      case kText8: {
        const std::span<const uint8_t> text = cut(pool8_, payload);
        begin_value(true);
        require(std::all_of(text.begin(), text.end(), [](uint8_t byte) { return byte < 0x80; }), "not ASCII");
        events_.text(std::u16string(text.begin(), text.end()));
        break;
      }
      case kText16: {
        const std::span<const uint16_t> text = cut(pool16_, payload);
        begin_value(true);
        events_.text(std::u16string(text.begin(), text.end()));
        break;
      }
      case kKey:
        begin_value(true);
        require(!frames_.empty() && frames_.back().is_map && !frames_.back().at_key, "a key that is none");
        events_.text(reference_utf8(keys_.text(payload)).units);
        break;
      case kArray:
        open_array(payload, false);
        break;
      case kMap:
        open_map(payload, false, true);
        break;
      case kShape:
        open_map(payload, false, false);
        break;
      case kKeys:
        pairs(payload);
        break;
      case kInts:
      case kFloats:
        run(payload, (word & 15) == kInts);
        break;
      default:
        wide_word(word);
    }
  }

  void pairs(uint32_t count) {
    close_complete();
    if (frames_.empty() || !frames_.back().needs_keys ||
        frames_.back().next != keys_of(frames_.back().shape).size()) {
      fail("a number of pairs where there should be none");
      return;
    }
    frames_.back().left = count;
    frames_.back().needs_keys = false;
    if (!options_.any_key && !options_.raw_keys) return;
    const uint64_t map = window_->chunk + operand();
    require(map < message_.size() && reference_is_map(message_[map]), "not the offset of a map");
    if (count > 0) events_.line("at " + std::to_string(map));
  }

  void run(uint32_t count, bool is_ints) {
    close_complete();
    require(!frames_.empty() && !frames_.back().is_map && frames_.back().left >= count,
            "a run outside an array");
    // JS makes shorter arrays as literals, item by item.
    require(is_good_ && frames_.back().count >= kMinRun && count >= kMinRun, "a run that is too short");
    for (uint32_t i = 0; i < count && is_good_; i++) {
      number(is_ints ? static_cast<double>(static_cast<int32_t>(operand())) : next_of_lane());
    }
  }

  void wide_word(uint32_t word) {
    const uint32_t extra = word >> 8;
    switch (word >> 4 & 15) {
      case kPool:
        if (word == kPool8) {
          open_pool(window_->pool8, pool8_, next8_);
        } else {
          open_pool(window_->pool16, pool16_, next16_);
        }
        break;
      case kLongStr: {
        const std::span<const uint8_t> bytes = payload();
        require_header(extra >> 8, format::Family::kStr);
        begin_value(true);
        events_.text(reference_utf8(bytes).units);
        break;
      }
      case kBin: {
        const std::span<const uint8_t> bytes = payload();
        begin_value(options_.raw_keys);
        events_.bytes("bin ", bytes);
        break;
      }
      case kExt: {
        const std::span<const uint8_t> bytes = payload();
        begin_value(true);
        require_header(extra >> 8, format::Family::kExt);
        events_.bytes("ext " + std::to_string(static_cast<int8_t>(extra)) + " ", bytes);
        break;
      }
      case kTypedArray:
        typed_array(extra);
        break;
      case kLargeArray:
        open_array(operand(), true);
        break;
      case kDeepArray:
        open_array(extra, true);
        break;
      case kDeepMap:
        open_map(extra, true, true);
        break;
      case kInt32:
        close_complete();
        if (framed_ && frames_.empty() && !in_frame_) {
          in_frame_ = true;
          events_.frame(window_->chunk + operand());
          break;
        }
        is_number_ = true;
        begin_value(false);
        is_number_ = false;
        events_.number(static_cast<int32_t>(operand()));
        break;
      case kUint64:
      case kInt64:
        is_number_ = true;
        begin_value(false);
        is_number_ = false;
        events_.bits64((word >> 4 & 15) == kInt64, std::bit_cast<uint64_t>(next_of_lane()));
        break;
      default:
        fail("a word of no kind");
    }
  }

  /// The event is that of the extension, which the words must tell all of.
  void typed_array(uint32_t extra) {
    const std::span<const uint8_t> data = payload();
    const uint32_t type = extra & 0xff;
    const uint32_t header = extra >> 8 & 0xff;
    const uint32_t offset = extra >> 16;
    require(type < 128 && options_.element_sizes[type] != 0, "a typed array of no type");
    require(offset >= 1 && offset + header <= payload_start_, "data before their extension");
    if (!is_good_) return;
    require(data.size() % options_.element_sizes[type] == 0, "a part of an element");
    payload_start_ -= offset;
    const std::span<const uint8_t> whole = message_.subspan(payload_start_, offset + data.size());
    require(whole[0] == offset, "not the offset that the payload begins with");
    begin_value(true);
    require_header(header, format::Family::kExt);
    events_.bytes("ext " + std::to_string(type) + " ", whole);
  }

  const KeyTable& keys_;
  const std::span<const uint8_t> message_;
  const DecodeOptions options_;
  const bool framed_;
  const bool many_;
  /// A frame has begun, and its value has not.
  bool in_frame_ = false;
  Events events_;
  std::vector<Frame> frames_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> shapes_;
  /// Open containers that are not marked.
  size_t unmarked_ = 0;
  bool has_value_ = false;
  bool is_number_ = false;
  bool is_good_ = true;

  const Window* window_ = nullptr;
  size_t at_ = 0;
  size_t lane_at_ = 0;
  size_t length_ = 0;
  uint64_t payload_start_ = 0;
  std::span<const uint8_t> pool8_;
  std::span<const uint16_t> pool16_;
  size_t next8_ = 0;
  size_t next16_ = 0;
};

}  // namespace mpw::test
