#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace mpw {

/// One allocation that several buffers are cut from. Says when memory is out instead of throwing.
class Region {
 public:
  /// What `take` needs for `count` items and `slack` bytes behind them.
  template <typename T>
  static constexpr size_t cost(size_t count, size_t slack) {
    return (count * sizeof(T) + slack + kAlignment - 1) / kAlignment * kAlignment;
  }

  explicit Region(size_t size) : memory_(static_cast<uint8_t*>(std::calloc(size, 1))), at_(memory_) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { std::free(memory_); }

  bool is_valid() const { return memory_ != nullptr; }

  /// The next `count` items. The sizes of all calls must add up to no more than the region's.
  template <typename T>
  std::span<T> take(size_t count, size_t slack) {
    T* const start = reinterpret_cast<T*>(at_);
    at_ += cost<T>(count, slack);
    return {start, count};
  }

 private:
  static constexpr size_t kAlignment = 16;

  uint8_t* const memory_;
  uint8_t* at_;
};

}  // namespace mpw
