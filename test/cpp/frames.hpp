#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoding.hpp"
#include "frame_reader.hpp"

/// Batches of frames, each a length and a value.
namespace mpw::test {

inline Bytes varint(uint64_t length) {
  Bytes bytes;
  for (; length >= 0x80; length >>= 7) bytes.push_back(static_cast<uint8_t>(length | 0x80));
  bytes.push_back(static_cast<uint8_t>(length));
  return bytes;
}

inline Bytes frame(const Bytes& body) { return join({varint(body.size()), body}); }

/// A frame reader in buffers without a byte to spare, and the loop that a caller drives it with.
class FrameSession {
 public:
  struct Sizes {
    uint32_t chunk = 64 * 1024;
    uint32_t tape = 4096;
    uint32_t pooled = kMaxPooledBytes;
    bool may_go_on = false;
    uint32_t max_length = FrameReader::kMaxLength;
  };

  FrameSession(KeyTable& keys, const Sizes& sizes, const DecodeOptions& options = {})
      : keys_(keys),
        sizes_(sizes),
        options_(options),
        input_(sizes.chunk, KeyTable::kLookahead + kSlack),
        tape_(sizes.tape, kSlack),
        lane_(2 * sizes.tape, kSlack),
        pool8_(sizes.chunk, kSlack),
        pool16_(sizes.chunk, kSlack),
        tokenizer_(keys, buffers()),
        frames_(tokenizer_, buffers()) {
    tokenizer_.set_window(sizes.tape, sizes.pooled);
    tokenizer_.set_options(options);
    frames_.set_max_length(sizes.max_length);
  }

  /// Reads the batch as far as it goes. The events of a frame that has an error may be there in part.
  Outcome read(std::span<const uint8_t> batch) {
    Outcome outcome;
    TapeReader reader(keys_, batch, options_, true);
    windows = 0;
    uint64_t chunk = 0;
    frames_.begin();
    for (;;) {
      uint64_t window = load(batch, chunk, sizes_.chunk, false);
      for (;;) {
        Status status = frames_.run();
        while (status == Status::kMore) {
          chunk += frames_.offset();
          load(batch, chunk, sizes_.chunk / 2, true);
          status = frames_.run();
        }
        outcome.status = status;
        windows++;
        // A pool may have been opened for the text that is malformed.
        if (status == Status::kInvalidUtf8) break;
        const bool is_good =
            reader.read({tape_.span(), lane_.span(), pool8_.span(), pool16_.span(), window, status, false});
        outcome.events = reader.events().str();
        if (!is_good) return outcome;
        window = chunk;
        if (status != Status::kWindowFull) break;
      }
      outcome.offset = chunk + frames_.offset();
      outcome.detail = frames_.detail();
      if (outcome.status != Status::kNeedInput) return outcome;
      if (outcome.offset > batch.size() || outcome.offset == chunk) {
        ADD_FAILURE() << "the next chunk would start at " << outcome.offset;
        return outcome;
      }
      chunk = outcome.offset;
    }
  }

  /// Of the last batch.
  uint32_t windows = 0;

 private:
  DecodeBuffers buffers() const {
    return {input_.span(), tape_.span(), lane_.span(), pool8_.span(), pool16_.span()};
  }

  uint64_t load(std::span<const uint8_t> batch, uint64_t chunk, uint32_t limit, bool goes_on) {
    const uint64_t available = batch.size() - chunk;
    const auto size = static_cast<uint32_t>(std::min<uint64_t>(limit, available));
    std::copy_n(batch.data() + chunk, size, input_.data());
    if (goes_on) {
      frames_.go_on(size, available);
    } else {
      frames_.feed(size, available, sizes_.may_go_on);
    }
    return chunk;
  }

  KeyTable& keys_;
  const Sizes sizes_;
  const DecodeOptions options_;
  HeapBuffer<uint8_t> input_;
  HeapBuffer<uint32_t> tape_;
  HeapBuffer<double> lane_;
  HeapBuffer<uint8_t> pool8_;
  HeapBuffer<uint16_t> pool16_;
  Tokenizer tokenizer_;
  FrameReader frames_;
};

/// Reads a batch as plainly as can be: the events of all frames before the first error, and that.
inline Outcome reference_frames(std::span<const uint8_t> batch, const DecodeOptions& options = {},
                                uint32_t max_length = FrameReader::kMaxLength) {
  Outcome outcome;
  size_t at = 0;
  const auto ends = [&](Status status, size_t offset) {
    outcome.status = status;
    outcome.offset = offset;
    return outcome;
  };
  while (at < batch.size()) {
    const size_t start = at;
    uint64_t length = 0;
    uint32_t bytes = 0;
    bool goes_on = true;
    while (goes_on) {
      if (at == batch.size()) return ends(Status::kFrameLengthCut, start);
      const uint64_t byte = batch[at++];
      length += byte % 128 << 7 * bytes++;
      goes_on = byte >= 128;
      if (bytes == 5 && (goes_on || length > FrameReader::kMaxLength)) {
        return ends(Status::kFrameTooLong, start);
      }
    }
    if (length > max_length) return ends(Status::kFrameTooLong, start);
    if (length > batch.size() - at) return ends(Status::kFrameCut, start);
    if (length == 0) return ends(Status::kFrameEmpty, start);
    const Reference value = reference_decode(batch.subspan(at, length), options);
    if (value.status != Status::kDone) return ends(value.status, at + value.size);
    Events mark;
    mark.frame(start);
    outcome.events += mark.str() + value.events;
    if (value.size != length) return ends(Status::kFrameRest, at + value.size);
    at += length;
  }
  return ends(Status::kDone, at);
}

}  // namespace mpw::test
