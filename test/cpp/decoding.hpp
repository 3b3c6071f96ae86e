#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "key_table.hpp"
#include "memory.hpp"
#include "messages.hpp"
#include "printing.hpp"
#include "tape_reader.hpp"
#include "tokenizer.hpp"

namespace mpw::test {

/// How large the windows and chunks of a session are, and how its input comes.
struct Sizes {
  uint32_t chunk = 64 * 1024;
  uint32_t tape = 4096;
  /// 0: twice as long as the tape, or long enough for a chunk of nothing but float 32.
  uint32_t lane = 0;
  uint32_t pooled = kMaxPooledBytes;
  /// The longest string that goes through a pool if the chunk holds it whole. 0: `pooled`.
  uint32_t copied = 0;
  /// The message comes as a stream, so many bytes at a time. 0: it is all there.
  uint32_t arrival = 0;
  /// Windows go on with further chunks, of at most so many bytes. 0: they do not.
  uint32_t further = 0;
  /// Another value is read wherever input is needed.
  bool is_suspended = false;

  uint32_t lane_slots() const { return lane != 0 ? lane : 2 * std::max(tape, chunk / 5); }

  /// The smallest chunk that holds any key and pooled value together, with room for their headers.
  static constexpr uint32_t least_chunk(uint32_t pooled) { return pooled + KeyTable::kMaxKeyLength + 16; }
};

struct Outcome {
  Status status = Status::kDone;
  /// From the start of the message.
  uint64_t offset = 0;
  uint64_t detail = 0;
  std::string events;
  /// The words of all windows, their ends left out.
  std::vector<uint32_t> tape;
};

inline std::unique_ptr<KeyTable> key_table(uint32_t seed = 0x5eed) {
  return std::make_unique<KeyTable>(seed);
}

/// A tokenizer in buffers without a byte to spare, and the loop that a caller drives it with.
class Session {
 public:
  explicit Session(KeyTable& keys, const Sizes& sizes = {}, const DecodeOptions& options = {})
      : keys_(keys),
        sizes_(sizes),
        options_(options),
        input_(sizes.chunk, KeyTable::kLookahead + kSlack),
        tape_(sizes.tape, kSlack),
        lane_(sizes.lane_slots(), kSlack),
        pool8_(sizes.chunk, kSlack),
        pool16_(sizes.chunk, kSlack),
        tokenizer_(keys, {input_.span(), tape_.span(), lane_.span(), pool8_.span(), pool16_.span()}) {
    tokenizer_.set_window(sizes.tape, sizes.pooled);
    if (sizes.copied != 0) tokenizer_.set_max_copied(sizes.copied);
    set_options(options);
  }

  void set_options(const DecodeOptions& options) {
    options_ = options;
    tokenizer_.set_options(options);
  }

  /// Decodes the value that `message` holds, as far as it goes. `behind`: what lies in memory behind the
  /// message.
  Outcome decode(std::span<const uint8_t> message, std::span<const uint8_t> behind = {}) {
    Outcome outcome;
    TapeReader reader(keys_, message, options_);
    uint64_t chunk = 0;
    uint64_t there =
        sizes_.arrival == 0 ? message.size() : std::min<uint64_t>(sizes_.arrival, message.size());
    tokenizer_.begin();
    for (;;) {
      // The end of a stream is only known when it has come.
      const bool open = sizes_.arrival != 0 && !(there == message.size() && is_closed_);
      const uint64_t start = chunk;
      const auto size = static_cast<uint32_t>(std::min<uint64_t>(sizes_.chunk, there - start));
      load(message, behind, chunk, size);
      tokenizer_.feed(size, there - chunk, open, sizes_.further != 0);
      further_ = [&] { return feed_further(message, behind, chunk, there); };
      outcome.status = read_windows(reader, chunk, open, &outcome);
      outcome.offset = chunk + tokenizer_.offset();
      outcome.detail = tokenizer_.detail();
      if (outcome.status != Status::kNeedInput || !reader.is_good()) break;
      const bool moved = outcome.offset > start;
      if (outcome.offset > there) {
        ADD_FAILURE() << "the next chunk should start at " << outcome.offset << ", behind the input of "
                      << there;
        break;
      }
      if (there - start == size || !moved) {
        if (open && there < message.size()) {
          there = std::min<uint64_t>(there + sizes_.arrival, message.size());
        } else if (open) {
          is_closed_ = true;
        } else if (!moved) {
          ADD_FAILURE() << "no progress at " << outcome.offset << " of " << message.size();
          break;
        }
      }
      chunk = outcome.offset;
      if (sizes_.is_suspended) decode_meanwhile();
    }
    is_closed_ = false;
    outcome.events = reader.events().str();
    return outcome;
  }

  /// Decodes the values that `message` holds, as many at once as windows take.
  Outcome decode_many(std::span<const uint8_t> message) {
    Outcome outcome;
    TapeReader reader(keys_, message, options_, false, true);
    tokenizer_.set_many(true);
    tokenizer_.begin();
    uint64_t chunk = 0;
    uint64_t size = 0;
    while (reader.is_good()) {
      if (outcome.offset >= chunk + size) {
        chunk = outcome.offset;
        size = std::min<uint64_t>(sizes_.chunk, message.size() - chunk);
        load(message, {}, chunk, static_cast<uint32_t>(size));
        tokenizer_.feed(static_cast<uint32_t>(size), message.size() - chunk, false);
      }
      outcome.status = read_windows(reader, chunk, false, &outcome);
      outcome.offset = chunk + tokenizer_.offset();
      windows++;
      if (outcome.status == Status::kNeedInput) {
        size = 0;
        chunk = 0;
      } else if (outcome.status != Status::kDone || outcome.offset >= message.size()) {
        break;
      } else {
        tokenizer_.begin();
      }
    }
    tokenizer_.set_many(false);
    outcome.events = reader.events().str();
    return outcome;
  }

  /// In how many parts `decode_many` has read.
  uint64_t windows = 0;
  /// How often a window has gone on.
  uint64_t furthers = 0;

  Tokenizer& tokenizer() { return tokenizer_; }
  std::span<uint8_t> input() const { return input_.span(); }
  std::span<uint32_t> tape() const { return tape_.span(); }

  /// Copies the next `size` bytes into the chunk. What follows them stands behind it, as it well may: memory
  /// that is used again holds old input.
  void load(std::span<const uint8_t> message, std::span<const uint8_t> behind, uint64_t start,
            uint32_t size) {
    uint8_t* const to = input_.data();
    std::copy_n(message.data() + start, size, to);
    size_t room = sizes_.chunk - size + KeyTable::kLookahead + kSlack;
    uint8_t* at = to + size;
    const auto stale = [&](std::span<const uint8_t> bytes) {
      const size_t count = std::min(room, bytes.size());
      at = std::copy_n(bytes.data(), count, at);
      room -= count;
    };
    stale(message.subspan(start + size));
    stale(behind);
  }

  /// Runs the tokenizer to the end of the chunk, or of the value, and reads each window.
  Status read_windows(TapeReader& reader, const uint64_t& chunk, bool open, Outcome* outcome = nullptr) {
    for (uint64_t windows = 1;; windows++) {
      const uint64_t start = chunk;
      Status status = tokenizer_.run();
      while (status == Status::kMore) {
        further_();
        status = tokenizer_.run();
      }
      if (status > Status::kWindowFull) return status;
      if (!reader.read({tape_.span(), lane_.span(), pool8_.span(), pool16_.span(), start, status, open}))
        return status;
      const std::span<uint32_t> words = tape_.span().first(reader.length());
      if (outcome != nullptr) outcome->tape.insert(outcome->tape.end(), words.begin(), words.end());
      if (status != Status::kWindowFull) return status;
      // Each takes a word at the least.
      if (windows > 4 * sizes_.chunk + 64) {
        ADD_FAILURE() << "the windows do not come to an end";
        return Status::kOutOfMemory;
      }
    }
  }

 private:
  /// [[nil, 7, without its end.
  void decode_meanwhile() {
    Tokenizer::Message message = tokenizer_.suspend();
    const Bytes other = {0x93, 0x93, 0xc0, 0x07};
    load(other, {}, 0, static_cast<uint32_t>(other.size()));
    tokenizer_.begin();
    tokenizer_.feed(static_cast<uint32_t>(other.size()), other.size(), true);
    EXPECT_NE(tokenizer_.run(), Status::kDone);
    tokenizer_.resume(std::move(message));
  }

  void feed_further(std::span<const uint8_t> message, std::span<const uint8_t> behind, uint64_t& chunk,
                    uint64_t there) {
    chunk += tokenizer_.offset();
    const auto size = static_cast<uint32_t>(std::min<uint64_t>(sizes_.further, there - chunk));
    load(message, behind, chunk, size);
    tokenizer_.go_on(size, there - chunk);
    furthers++;
  }

  std::function<void()> further_;
  KeyTable& keys_;
  const Sizes sizes_;
  DecodeOptions options_;
  bool is_closed_ = false;
  HeapBuffer<uint8_t> input_;
  HeapBuffer<uint32_t> tape_;
  HeapBuffer<double> lane_;
  HeapBuffer<uint8_t> pool8_;
  HeapBuffer<uint16_t> pool16_;
  Tokenizer tokenizer_;
};

/// Decodes with nothing known yet.
inline Outcome decode(const Bytes& message, const DecodeOptions& options = {}, const Sizes& sizes = {}) {
  const std::unique_ptr<KeyTable> keys = key_table();
  return Session(*keys, sizes, options).decode(message);
}

/// The number of a key, or 0.
inline uint32_t find_key(const KeyTable& keys, std::string_view text) {
  const HeapBuffer<uint8_t> bytes(text.size(), kSlack);
  std::copy(text.begin(), text.end(), bytes.data());
  return keys.find(bytes.span(), keys.hash(bytes.span()));
}

using Words = std::vector<uint32_t>;

/// The tape of a whole message, whose value is as the reference says.
inline Words words_of(const Bytes& message, const DecodeOptions& options = {}, const Sizes& sizes = {}) {
  const Outcome outcome = decode(message, options, sizes);
  const Reference reference = reference_decode(message, options);
  EXPECT_EQ(reference.status, Status::kDone);
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, message.size());
  EXPECT_EQ(outcome.events, reference.events);
  return outcome.tape;
}

}  // namespace mpw::test
