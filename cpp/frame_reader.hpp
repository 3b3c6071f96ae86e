#pragma once

#include <cstdint>

#include "status.hpp"
#include "tokenizer.hpp"

namespace mpw {

/// Batches of frames → tape. A frame is what SignalR's hub protocol sends a message in: the length of its
/// body as a varint (7 bits a byte, low ones first, the top bit says that more follow), then the body, which
/// is one value. Longer forms of a length than it needs are taken.
///
/// It drives a tokenizer as that is driven for a value, through `feed`, `go_on` and `run`, with the same
/// statuses. The values of all frames of a batch stand on the tape one after the other, each behind an
/// integer that tells where its frame begins. Frame errors (kFrame…) come behind the values of all frames
/// before. None of the input is open: a frame that ends later than the batch does is an error.
class FrameReader {
 public:
  static constexpr uint32_t kMaxLength = 0x7fffffff;

  FrameReader(Tokenizer& tokenizer, const DecodeBuffers& buffers)
      : tokenizer_(tokenizer), input_(buffers.input.data()), tape_(buffers.tape.data()) {}

  /// Frames with longer bodies are a kFrameTooLong. At most kMaxLength, which is also the default.
  void set_max_length(uint32_t max_length) { max_length_ = max_length; }

  /// A batch starts with the next chunk.
  void begin();
  void feed(uint32_t size, uint64_t available, bool may_go_on = false);
  void go_on(uint32_t size, uint64_t available);
  Status run();

  /// As that of the tokenizer; for a frame error, where the frame begins, for kFrameRest, where the value
  /// ends.
  uint64_t offset() const { return offset_; }
  /// As that of the tokenizer. kFrameCut: how many bytes are missing; kFrameRest: how many are too many;
  /// kFrameTooLong: the length, or 0 if it is above kMaxLength.
  uint64_t detail() const { return detail_; }

 private:
  void move_to(uint32_t size, uint64_t available);
  Status header();
  Status fail(Status status, uint64_t offset, uint64_t detail);

  Tokenizer& tokenizer_;
  const uint8_t* const input_;
  uint32_t* const tape_;
  uint32_t max_length_ = kMaxLength;
  /// Of the chunk, and of all input from its start on.
  uint32_t size_ = 0;
  uint64_t available_ = 0;
  /// Where the next frame begins, unless `in_body_`; where the current one ends. From the start of the chunk.
  uint64_t next_ = 0;
  uint64_t end_ = 0;
  bool in_body_ = false;
  uint64_t offset_ = 0;
  uint64_t detail_ = 0;
};

}  // namespace mpw
