#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "bytes.hpp"
#include "frame_stack.hpp"

namespace mpw {

enum ContainerKind : uint32_t {
  kItems,
  /// A map whose keys have matched shape `state` so far.
  kShaped,
  /// A map that was kShaped when a window ended: `state` is the shape that was reached, the rest goes in
  /// line.
  kBroken,
  /// A map with its keys in line. `state` is the path of its keys, or 0 if none is followed.
  kInline,
};
constexpr uint32_t kKindMask = 3;
constexpr uint32_t kLevel = 4;

/// What a tokenizer knows of a container that is open.
struct Container {
  /// Items, or keys and values, that are to come: so many bytes it takes at the least.
  uint32_t left;
  uint32_t state;
  /// Its depth times kLevel, plus its kind.
  uint32_t nesting;
  /// Its word on the tape of this window, or null.
  uint32_t* header;
};

/// A stack of bytes that copies none when it grows.
class ByteStack {
 public:
  ByteStack() = default;
  ByteStack(const ByteStack&) = delete;
  ByteStack& operator=(const ByteStack&) = delete;
  ByteStack(ByteStack&& other) noexcept { swap(other); }
  ByteStack& operator=(ByteStack&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ByteStack() { clear(); }

  /// Returns false when there is no memory for it.
  bool push(uint8_t byte) {
    if ((top_ == nullptr || used_ == kBlock) && !grow()) return false;
    top_->bytes[used_++] = byte;
    return true;
  }
  uint8_t pop() {
    if (used_ == 0) shrink();
    return top_->bytes[--used_];
  }

  void clear() {
    while (top_ != nullptr) shrink();
  }

 private:
  static constexpr size_t kBlock = 32 * 1024;
  struct Block {
    Block* below;
    uint8_t bytes[kBlock];
  };

  void swap(ByteStack& other) {
    std::swap(top_, other.top_);
    std::swap(used_, other.used_);
  }

  MPW_APART bool grow() {
    auto* const block = static_cast<Block*>(std::malloc(sizeof(Block)));
    if (block == nullptr) return false;
    block->below = top_;
    top_ = block;
    used_ = 0;
    return true;
  }

  MPW_APART void shrink() {
    Block* const block = top_;
    top_ = block->below;
    used_ = kBlock;
    std::free(block);
  }

  Block* top_ = nullptr;
  size_t used_ = 0;
};

/// The containers around the current one that have something to come. A message can open one with each byte,
/// so those far out are packed: into a byte each, where they are short arrays.
class ContainerStack {
 public:
  /// So many of the last ones are never packed: as many as a window can open, since it changes their headers.
  static constexpr size_t kNear = 32 * 1024;

  /// Whether there is none. Else the last one is not packed then.
  MPW_INLINE bool is_empty() { return near_.size() == 0 && !unpack(); }

  /// Returns false when there is no memory for it.
  MPW_INLINE bool push(const Container& container) {
    return near_.push(container) || (make_room() && near_.push(container));
  }
  /// There must be one that is not packed. What it returns is there until the next push.
  MPW_INLINE const Container& pop() { return near_.pop(); }

  /// Of those that are not packed.
  size_t near_size() const { return near_.size(); }
  Container& operator[](size_t i) { return near_[i]; }

  void clear() {
    near_.clear();
    packed_.clear();
    packed_count_ = 0;
  }

 private:
  MPW_APART bool make_room() {
    if (near_.size() < near_.kMost) return false;
    for (size_t i = 0; i < kNear; i++) {
      if (!pack(near_[i], near_[i + 1].nesting)) return false;
    }
    packed_count_ += kNear;
    inner_nesting_ = near_[kNear].nesting;
    near_.drop_first(kNear);
    return true;
  }

  /// Fetches back what was packed last. Returns false if nothing is.
  MPW_APART bool unpack() {
    if (packed_count_ == 0) return false;
    const size_t count = std::min(kNear, packed_count_);
    near_.resize(count);
    for (size_t i = count; i > 0; i--) {
      near_[i - 1] = unpacked(inner_nesting_);
      inner_nesting_ = near_[i - 1].nesting;
    }
    packed_count_ -= count;
    return true;
  }

  /// `inner` is the nesting of the container on top of it.
  MPW_APART bool pack(const Container& container, uint32_t inner) {
    const uint32_t levels = inner / kLevel - container.nesting / kLevel;
    const bool is_usual = levels == 1 && container.state == 0;
    if (!is_usual && !(put(levels) && put(container.state))) return false;
    const uint32_t kind = container.nesting & kKindMask;
    return put(uint64_t{container.left} << 3 | kind << 1 | (is_usual ? 1 : 0));
  }

  MPW_APART Container unpacked(uint32_t inner) {
    const uint64_t number = take();
    const bool is_usual = (number & 1) != 0;
    const uint32_t state = is_usual ? 0 : static_cast<uint32_t>(take());
    const uint32_t levels = is_usual ? 1 : static_cast<uint32_t>(take());
    const uint32_t kind = number >> 1 & kKindMask;
    const uint32_t depth = inner / kLevel - levels;
    return {static_cast<uint32_t>(number >> 3), state, depth * kLevel | kind, nullptr};
  }

  /// 7 bits a byte, the upper ones first. All bytes but the first say that another comes before them.
  MPW_APART bool put(uint64_t number) {
    uint32_t shift = 0;
    while (number >> shift > 127) shift += 7;
    for (uint32_t more = 0;; more = 128, shift -= 7) {
      if (!packed_.push(static_cast<uint8_t>((number >> shift & 127) | more))) return false;
      if (shift == 0) return true;
    }
  }

  MPW_APART uint64_t take() {
    uint64_t number = 0;
    for (uint32_t shift = 0;; shift += 7) {
      const uint32_t byte = packed_.pop();
      number |= uint64_t{byte & 127} << shift;
      if (byte < 128) return number;
    }
  }

  FrameStack<Container, 2 * kNear> near_;
  ByteStack packed_;
  size_t packed_count_ = 0;
  /// That of the first container which is not packed.
  uint32_t inner_nesting_ = 0;
};

}  // namespace mpw
