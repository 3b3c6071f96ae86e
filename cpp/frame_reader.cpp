#include "frame_reader.hpp"

#include <algorithm>

#include "bytes.hpp"

namespace mpw {
namespace {

/// A fifth byte above this would bring a length of 2 GiB or more, or a sixth byte.
constexpr uint32_t kMaxLastByte = 7;
constexpr uint32_t kLastShift = 28;

}  // namespace

void FrameReader::begin() {
  next_ = 0;
  in_body_ = false;
  offset_ = 0;
}

void FrameReader::move_to(uint32_t size, uint64_t available) {
  size_ = size;
  available_ = available;
  // Each chunk begins at the offset that was told of the one before.
  next_ = 0;
  end_ -= offset_;
}

void FrameReader::feed(uint32_t size, uint64_t available, bool may_go_on) {
  move_to(size, available);
  const uint64_t end = in_body_ ? end_ : available;
  tokenizer_.feed(static_cast<uint32_t>(std::min<uint64_t>(size, end)), end, false, may_go_on);
}

void FrameReader::go_on(uint32_t size, uint64_t available) {
  move_to(size, available);
  tokenizer_.go_on(static_cast<uint32_t>(std::min<uint64_t>(size, end_)), end_);
}

MPW_APART Status FrameReader::fail(Status status, uint64_t offset, uint64_t detail) {
  offset_ = offset;
  detail_ = detail;
  return status;
}

/// Reads the length of the next frame, and begins its value.
Status FrameReader::header() {
  uint64_t at = next_;
  uint32_t length = 0;
  for (uint32_t shift = 0;; shift += 7) {
    if (at >= size_) return fail(size_ < available_ ? Status::kNeedInput : Status::kFrameLengthCut, next_, 1);
    const uint32_t byte = input_[at++];
    if (shift == kLastShift && byte > kMaxLastByte) return fail(Status::kFrameTooLong, next_, 0);
    length |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  if (length > max_length_) return fail(Status::kFrameTooLong, next_, length);
  end_ = at + length;
  if (end_ > available_) return fail(Status::kFrameCut, next_, end_ - available_);
  if (length == 0) return fail(Status::kFrameEmpty, next_, 0);
  tokenizer_.begin_next(static_cast<uint32_t>(next_), static_cast<uint32_t>(at),
                        static_cast<uint32_t>(std::min<uint64_t>(size_, end_)), end_);
  in_body_ = true;
  return Status::kDone;
}

Status FrameReader::run() {
  if (!in_body_) {
    tokenizer_.open_window();
    // The frame may have an error before anything is written behind it.
    *tape_ = word(kEnd, 0);
  }
  for (;;) {
    if (!in_body_) {
      if (next_ == available_) return fail(Status::kDone, next_, 0);
      if (const Status status = header(); status != Status::kDone) return status;
    }
    const Status status = tokenizer_.run();
    if (status != Status::kDone) return fail(status, tokenizer_.offset(), tokenizer_.detail());
    in_body_ = false;
    next_ = tokenizer_.offset();
    if (next_ != end_) return fail(Status::kFrameRest, next_, end_ - next_);
  }
}

}  // namespace mpw
