#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#if defined(__SANITIZE_ADDRESS__)
#define MPW_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MPW_TEST_ASAN 1
#endif
#endif

#ifdef MPW_TEST_ASAN
// Of <sanitizer/allocator_interface.h>, which GCC does not always bring along.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#include <sys/resource.h>
#endif

namespace mpw::test {

#ifdef MPW_TEST_ASAN
constexpr bool kHasAsan = true;
#else
constexpr bool kHasAsan = false;
#endif

/// A heap block of `count` items and `slack` bytes, and not a byte more: ASan sees what goes beyond. It is
/// filled with junk, so that nothing can rely on zeros.
template <typename T>
class HeapBuffer {
 public:
  explicit HeapBuffer(size_t count, size_t slack = 0)
      : count_(count), memory_(static_cast<uint8_t*>(std::malloc(std::max<size_t>(1, bytes(count, slack))))) {
    std::fill_n(memory_.get(), bytes(count, slack), uint8_t{0xdb});
  }

  T* data() const { return reinterpret_cast<T*>(memory_.get()); }
  std::span<T> span() const { return {data(), count_}; }

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };

  static size_t bytes(size_t count, size_t slack) { return count * sizeof(T) + slack; }

  size_t count_;
  std::unique_ptr<uint8_t, Free> memory_;
};

/// Text of any length that ends where its heap block ends, but for `slack` bytes.
template <typename T>
class TailBuffer {
 public:
  explicit TailBuffer(size_t capacity, size_t slack = 0) : memory_(capacity, slack), capacity_(capacity) {}

  T* at(size_t count) { return memory_.data() + capacity_ - count; }
  T* place(std::span<const T> items) {
    std::copy(items.begin(), items.end(), at(items.size()));
    return at(items.size());
  }

 private:
  HeapBuffer<T> memory_;
  size_t capacity_;
};

/// How many bytes of heap the process has in use.
inline size_t allocated_bytes() {
#ifdef MPW_TEST_ASAN
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

#ifndef MPW_TEST_ASAN
/// What is freed of large blocks goes back to the system, or a limit of address space would be none.
inline const bool kGivesBack = mallopt(M_MMAP_THRESHOLD, 128 * 1024) == 1;

/// While it lives, the process gets no more than `bytes` of further address space.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    struct rlimit limited = before_;
    limited.rlim_cur = address_space() + bytes;
    setrlimit(RLIMIT_AS, &limited);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  /// In bytes; the first number of `statm` counts pages.
  static size_t address_space() {
    size_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    return pages * 4096;
  }

  struct rlimit before_;
};
#endif

}  // namespace mpw::test
