#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "bytes.hpp"

namespace mpw {

/// A stack that says when memory is out, or when it is full, instead of throwing, and that gives back what a
/// deep message made it take. It holds at most `Most` frames, if that is a power of two.
template <typename Frame, size_t Most = SIZE_MAX>
class FrameStack {
  static_assert(std::is_trivially_copyable_v<Frame>);

 public:
  static constexpr size_t kMost = Most;

  FrameStack() = default;
  FrameStack(const FrameStack&) = delete;
  FrameStack& operator=(const FrameStack&) = delete;
  FrameStack(FrameStack&& other) noexcept { swap(other); }
  FrameStack& operator=(FrameStack&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FrameStack() { std::free(frames_); }

  size_t size() const { return size_; }
  Frame& operator[](size_t i) { return frames_[i]; }

  /// Returns false when there is no memory or no room for it.
  MPW_INLINE bool push(const Frame& frame) {
    if (size_ == capacity_ && !grow()) return false;
    frames_[size_++] = frame;
    return true;
  }
  /// What it returns is there until the next push.
  MPW_INLINE const Frame& pop() { return frames_[--size_]; }

  /// Forgets the `count` oldest.
  void drop_first(size_t count) {
    size_ -= count;
    std::memmove(frames_, frames_ + count, size_ * sizeof(Frame));
  }
  /// To no more than it has held since it was cleared. What the new frames are is for the caller to say.
  void resize(size_t size) { size_ = size; }

  void clear() {
    size_ = 0;
    if (capacity_ > kKept) {
      std::free(frames_);
      frames_ = nullptr;
      capacity_ = 0;
    }
  }

 private:
  void swap(FrameStack& other) {
    std::swap(frames_, other.frames_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  static constexpr size_t kFirst = 64;
  static constexpr size_t kKept = 4096;

  MPW_APART bool grow() {
    if (capacity_ == kMost) return false;
    const size_t capacity = capacity_ == 0 ? kFirst : capacity_ * 2;
    void* frames = std::realloc(static_cast<void*>(frames_), capacity * sizeof(Frame));
    if (frames == nullptr) return false;
    frames_ = static_cast<Frame*>(frames);
    capacity_ = capacity;
    return true;
  }

  Frame* frames_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace mpw
