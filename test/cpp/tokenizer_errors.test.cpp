#include <gtest/gtest.h>

#include "decoding.hpp"
#include "samples.hpp"

namespace mpw {
namespace {

using test::array;
using test::Bytes;
using test::decode;
using test::head;
using test::join;
using test::map;
using test::Outcome;
using test::Reference;
using test::reference_decode;
using test::repeat;
using test::Sample;
using test::samples;
using test::Session;
using test::str;

TEST(TokenizerErrors, SamplesDecode) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys);
  for (int i = 0; i < 3; i++) {
    for (const Sample& sample : samples()) {
      const Outcome outcome = session.decode(sample.message);
      ASSERT_EQ(outcome.status, Status::kDone) << sample.name;
      ASSERT_EQ(outcome.offset, sample.message.size()) << sample.name;
      ASSERT_EQ(outcome.events, reference_decode(sample.message).events) << sample.name;
    }
  }
}

TEST(TokenizerErrors, TheEmptyInputLacksAByte) {
  const Outcome outcome = decode({});
  EXPECT_EQ(outcome.status, Status::kInsufficientData);
  EXPECT_EQ(outcome.offset, 0U);
  EXPECT_EQ(outcome.detail, 1U);
}

/// Behind the cut stand the bytes that were cut off: they must not be read.
TEST(TokenizerErrors, EveryTruncationLacksData) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys, {.chunk = 8192});
  for (const Sample& sample : samples()) {
    const std::span<const uint8_t> whole(sample.message);
    for (size_t size = 0; size < whole.size(); size++) {
      const Outcome outcome = session.decode(whole.first(size), whole.subspan(size));
      ASSERT_EQ(outcome.status, Status::kInsufficientData) << sample.name << " cut to " << size;
      ASSERT_GE(outcome.detail, 1U) << sample.name << " cut to " << size;
      ASSERT_LE(outcome.detail, whole.size() - size)
          << "more than is missing of " << sample.name << " cut to " << size;
      ASSERT_LE(outcome.offset, size) << sample.name;
    }
    ASSERT_EQ(session.decode(whole).status, Status::kDone) << "afterwards";
  }
}

/// With so many bytes more as it says are missing, it gets further; a byte less, and it does not.
TEST(TokenizerErrors, LacksAsMuchAsItSaysAtTheLeast) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys, {.chunk = 8192});
  for (const Sample& sample : samples()) {
    const std::span<const uint8_t> whole(sample.message);
    for (size_t size = 0; size < whole.size();) {
      const Outcome outcome = session.decode(whole.first(size), whole.subspan(size));
      ASSERT_EQ(outcome.status, Status::kInsufficientData);
      for (size_t i = 1; i < std::min<size_t>(outcome.detail, 10); i++) {
        const Outcome more = session.decode(whole.first(size + i), whole.subspan(size + i));
        ASSERT_EQ(more.offset, outcome.offset) << sample.name << " at " << size;
        ASSERT_EQ(more.detail, outcome.detail - i) << sample.name << " at " << size;
      }
      size += outcome.detail;
      ASSERT_LE(size, whole.size());
    }
  }
}

TEST(TokenizerErrors, TheByteThatIsNeverUsedIsUnknownAnywhere) {
  const auto check = [](const Bytes& message, uint64_t offset) {
    const Outcome outcome = decode(message);
    EXPECT_EQ(outcome.status, Status::kUnknownFormat);
    EXPECT_EQ(outcome.offset, offset);
    EXPECT_EQ(outcome.detail, 0xc1U);
  };
  const Bytes never = {0xc1};
  check(never, 0);
  check({0xc1, 0, 0, 0}, 0);
  for (size_t before = 0; before <= 40; before++) {
    for (const Bytes& item : {Bytes{1}, test::float64(0.5), test::nil(), str("x"), test::bin({1, 2})}) {
      const Bytes header = head(0xdc, before + 2, 2);
      check(join({header, repeat(before, item), never, {1}}), 3 + before * item.size());
      check(join({header, repeat(before + 1, item), never}), 3 + (before + 1) * item.size());
    }
  }
  check(map({{"a", {1}}, {"b", never}}), 6);
  check(map({{"a", array({map({{"b", never}})})}}), 7);
  check(join({repeat(1000, {0x91}), never}), 1000);
}

TEST(TokenizerErrors, PointAtTheirTokenInMapsOfAShapeToo) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys);
  const auto message = [](const Bytes& value) {
    return array({map({{"a", {1}}, {"b", value}, {"c", {3}}}), {5}});
  };
  for (int i = 0; i < 4; i++) {
    EXPECT_EQ(session.decode(message({2})).status, Status::kDone);
    const Outcome unknown = session.decode(message({0xc1}));
    EXPECT_EQ(unknown.status, Status::kUnknownFormat);
    EXPECT_EQ(unknown.offset, 7U);
    const Outcome lying = session.decode(message(head(0xc6, 1000, 4)));
    EXPECT_EQ(lying.status, Status::kInsufficientData);
    EXPECT_EQ(lying.offset, 7U);
    const Bytes whole = message({2});
    const Outcome in_key = session.decode(std::span(whole).first(6));
    EXPECT_EQ(in_key.status, Status::kInsufficientData);
    EXPECT_EQ(in_key.offset, 1U) << "a map of three pairs takes more than that";
  }
}

/// Headers that promise more than is there: they fail where they stand.
TEST(TokenizerErrors, LengthsThatLieFailAtOnce) {
  const Bytes lies[] = {head(0xdd, 0x7fffffff, 4),
                        head(0xdd, 0xffffffff, 4),
                        head(0xdc, 0xffff, 2),
                        {0x9f},
                        head(0xdf, 0x7fffffff, 4),
                        head(0xdf, 0xffffffff, 4),
                        head(0xde, 0xffff, 2),
                        {0x8f},
                        head(0xc6, 0xffffffff, 4),
                        head(0xc5, 0xffff, 2),
                        head(0xc4, 0xff, 1),
                        head(0xdb, 0xffffffff, 4),
                        head(0xda, 0xffff, 2),
                        head(0xd9, 0xff, 1),
                        {0xbf},
                        join({head(0xc9, 0xffffffff, 4), {1}}),
                        join({head(0xc8, 0xffff, 2), {1}}),
                        join({head(0xc7, 0xff, 1), {1}}),
                        {0xd8, 1}};
  for (const Bytes& lie : lies) {
    for (const Bytes& rest : {Bytes{}, Bytes{1}, Bytes{1, 2, 3}}) {
      const size_t before = test::allocated_bytes();
      const Outcome alone = decode(join({lie, rest}));
      EXPECT_EQ(alone.status, Status::kInsufficientData);
      EXPECT_EQ(alone.offset, 0U);
      EXPECT_GE(alone.detail, 1U);
      EXPECT_TRUE(alone.tape.empty());
      const Outcome inside = decode(join({{0x92, 5}, lie, rest}));
      EXPECT_EQ(inside.status, Status::kInsufficientData);
      EXPECT_EQ(inside.offset, 2U);
      EXPECT_LT(test::allocated_bytes() - before, 4096U);
    }
  }
}

TEST(TokenizerErrors, LengthsThatLieFailAtOnceWhereTheyAreNested) {
  for (const Bytes& lie : {head(0xdd, 0x7fffffff, 4), head(0xdf, 0x7fffffff, 4)}) {
    for (size_t depth = 1; depth <= 20; depth++) {
      const Outcome outcome = decode(repeat(depth, lie));
      EXPECT_EQ(outcome.status, Status::kInsufficientData);
      EXPECT_EQ(outcome.offset, 0U);
      EXPECT_GE(outcome.detail, 0x7fffffffU - 5 * depth);
    }
  }
}

/// Each of the nested headers takes all that is left: only the outermost may.
TEST(TokenizerErrors, ContainersShareWhatIsLeft) {
  constexpr uint32_t kRest = 1000;
  const Bytes rest = repeat(kRest, {0xc0});
  for (uint32_t count = 1; count <= 5; count++) {
    // Behind the header of the inner array are all the items of the inner and those that the outer still
    // lacks.
    const Bytes outer = head(0xdc, count, 2);
    for (const int32_t delta : {-1, 0, 1}) {
      const uint32_t fits = kRest - (count - 1);
      const auto inner = static_cast<uint32_t>(static_cast<int32_t>(fits) + delta);
      const Outcome outcome = decode(join({outer, head(0xdc, inner, 2), rest}));
      if (delta > 0) {
        EXPECT_EQ(outcome.status, Status::kInsufficientData);
        EXPECT_EQ(outcome.offset, 3U);
        EXPECT_EQ(outcome.detail, 1U);
      } else {
        EXPECT_EQ(outcome.status, Status::kDone);
        EXPECT_EQ(outcome.offset, 6 + kRest + static_cast<uint32_t>(delta));
      }
    }
  }
}

TEST(TokenizerErrors, MapsLackTwoBytesAPair) {
  for (uint32_t pairs = 1; pairs <= 300; pairs += 13) {
    Bytes message = join({head(0xde, pairs, 2), repeat(pairs, {0xa0, 0xc0})});
    EXPECT_EQ(decode(message).status, Status::kDone);
    message.pop_back();
    const Outcome outcome = decode(message);
    EXPECT_EQ(outcome.status, Status::kInsufficientData);
    EXPECT_EQ(outcome.offset, 0U);
    EXPECT_EQ(outcome.detail, 1U);
  }
}

TEST(TokenizerErrors, PayloadsLeaveRoomForWhatMustFollow) {
  for (const Bytes& header : {test::bin_header(600), test::str_header(600), test::ext_header(1, 600)}) {
    const Bytes message = join({{0x93}, header, test::counted(600), {1, 2}});
    const std::span<const uint8_t> whole(message);
    for (size_t missing = 1; missing <= 2; missing++) {
      const Outcome outcome = decode({message.begin(), message.end() - static_cast<ptrdiff_t>(missing)});
      EXPECT_EQ(outcome.status, Status::kInsufficientData);
      EXPECT_EQ(outcome.offset, 1U) << "the payload's own header";
      EXPECT_EQ(outcome.detail, missing);
    }
  }
}

TEST(TokenizerErrors, TheInstanceStillWorksAfterThem) {
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys);
  const Bytes good = array({test::record(1), test::record(2)});
  const std::string expected = reference_decode(good).events;
  const Bytes bad[] = {{},
                       {0xc1},
                       {0x92, 0x81, 0xa1, 'a'},
                       {0x81, 0xc0, 1},
                       map({{"__proto__", {1}}}),
                       head(0xdd, 0x7fffffff, 4),
                       join({repeat(300, {0x92}), {0xc1}}),
                       Bytes(good.begin(), good.begin() + 40),
                       join({{0x92}, test::record(1), {0xc1}})};
  for (int i = 0; i < 3; i++) {
    for (const Bytes& message : bad) {
      EXPECT_GT(session.decode(message).status, Status::kWindowFull);
      const Outcome outcome = session.decode(good);
      ASSERT_EQ(outcome.status, Status::kDone);
      ASSERT_EQ(outcome.events, expected);
    }
  }
}

/// Any one byte changed, or the end cut off: the outcome is that of a plain decoder.
TEST(TokenizerErrors, DamagedMessagesFailOrDecodeAsAPlainDecoderSays) {
  test::MessageSource source(2);
  const std::unique_ptr<KeyTable> keys = test::key_table();
  Session session(*keys, {.chunk = 32 * 1024, .tape = 1024});
  for (int i = 0; i < 6000; i++) {
    const Bytes message = source.damaged(source.value());
    const Outcome outcome = session.decode(message);
    const Reference reference = reference_decode(message);
    ASSERT_EQ(outcome.status == Status::kDone, reference.status == Status::kDone) << "message " << i;
    if (reference.status == Status::kDone) {
      ASSERT_EQ(outcome.offset, reference.size) << "message " << i;
      ASSERT_EQ(outcome.events, reference.events) << "message " << i;
    } else if (reference.status != Status::kInsufficientData && outcome.status != Status::kInsufficientData) {
      ASSERT_EQ(outcome.status, reference.status) << "message " << i;
      ASSERT_GE(outcome.offset + 1, reference.size) << "message " << i;
    }
    if (outcome.status == Status::kInsufficientData) {
      ASSERT_GE(outcome.detail, 1U) << "message " << i;
    }
  }
}

}  // namespace
}  // namespace mpw
