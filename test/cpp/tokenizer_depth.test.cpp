#include <gtest/gtest.h>

#include "decoding.hpp"
#include "samples.hpp"

namespace mpw {
namespace {

using test::Bytes;
using test::decode;
using test::join;
using test::Outcome;
using test::reference_decode;
using test::repeat;
using test::Session;
using test::Words;

constexpr size_t kMillion = 1000000;

/// Drives a tokenizer to the end of a message without reading its tape. Returns the last status.
Status skim(Session& session, const Bytes& message) {
  Tokenizer& tokenizer = session.tokenizer();
  tokenizer.begin();
  for (uint64_t chunk = 0;;) {
    const auto size =
        static_cast<uint32_t>(std::min<uint64_t>(session.input().size(), message.size() - chunk));
    std::copy_n(message.data() + chunk, size, session.input().data());
    tokenizer.feed(size, message.size() - chunk, false);
    Status status = Status::kWindowFull;
    while (status == Status::kWindowFull) status = tokenizer.run();
    chunk += tokenizer.offset();
    if (status != Status::kNeedInput) return status;
  }
}

class TokenizerDepth : public ::testing::Test {
 protected:
  std::unique_ptr<KeyTable> keys_ = test::key_table();
  Session session_{*keys_};
};

TEST_F(TokenizerDepth, DecodesAMillionNestedContainers) {
  for (const Bytes& message : {test::nested_arrays(kMillion), test::nested_maps(kMillion)}) {
    const Outcome outcome = session_.decode(message);
    EXPECT_EQ(outcome.status, Status::kDone);
    EXPECT_EQ(outcome.offset, message.size());
    EXPECT_TRUE(outcome.events == reference_decode(message).events);
  }
}

TEST_F(TokenizerDepth, FindsBackOutOfManyNestedContainers) {
  for (const Bytes& message : {test::nested_first_items(200000), test::nested_first_values(200000)}) {
    const Outcome outcome = session_.decode(message);
    EXPECT_EQ(outcome.status, Status::kDone);
    EXPECT_EQ(outcome.offset, message.size());
    EXPECT_TRUE(outcome.events == reference_decode(message).events);
  }
}

TEST_F(TokenizerDepth, TakesNoMemoryForContainersThatEndWithTheirLastItem) {
  for (const Bytes& message : {test::nested_arrays(kMillion), test::nested_maps(kMillion)}) {
    const size_t before = test::allocated_bytes();
    EXPECT_EQ(skim(session_, message), Status::kDone);
    EXPECT_LT(test::allocated_bytes() - before, 16384U);
  }
}

TEST_F(TokenizerDepth, TakesAByteForAContainerThatIsFarOut) {
  for (const Bytes& message :
       {test::nested_first_items(4 * kMillion), test::nested_first_values(4 * kMillion)}) {
    const size_t before = test::allocated_bytes();
    EXPECT_EQ(skim(session_, message), Status::kDone);
    EXPECT_LT(test::allocated_bytes() - before, 6 * kMillion);
    session_.tokenizer().begin();
  }
}

TEST_F(TokenizerDepth, GivesBackTheMemoryOfADeepMessage) {
  for (const Bytes& message : {test::nested_first_items(kMillion), test::nested_first_values(kMillion)}) {
    const size_t before = test::allocated_bytes();
    EXPECT_EQ(skim(session_, message), Status::kDone);
    EXPECT_GT(test::allocated_bytes() - before, kMillion);
    session_.tokenizer().begin();
    EXPECT_LT(test::allocated_bytes() - before, 256 * 1024U);
  }
}

TEST_F(TokenizerDepth, SaysWhenMemoryIsOutAndStillWorks) {
#ifdef MPW_TEST_ASAN
  GTEST_SKIP() << "ASan's own memory does not go with a limit";
#else
  const Bytes message = test::nested_first_items(10 * kMillion);
  {
    const test::MemoryLimit limit(8 * 1024 * 1024);
    EXPECT_EQ(skim(session_, message), Status::kOutOfMemory);
    EXPECT_EQ(skim(session_, test::record(1)), Status::kDone);
  }
  EXPECT_EQ(skim(session_, message), Status::kDone);
#endif
}

TEST_F(TokenizerDepth, FailsAtTheBottomOfADeepMessage) {
  for (const uint8_t container : {uint8_t{0x91}, uint8_t{0x92}}) {
    const Outcome outcome =
        session_.decode(join({repeat(kMillion, {container}), {0xc1}, repeat(kMillion, {1})}));
    EXPECT_EQ(outcome.status, Status::kUnknownFormat);
    EXPECT_EQ(outcome.offset, kMillion);
  }
  const Outcome cut = session_.decode(repeat(kMillion, {0x91}));
  EXPECT_EQ(cut.status, Status::kInsufficientData);
  EXPECT_EQ(cut.offset, kMillion - 1) << "the last array lacks its item";
  EXPECT_EQ(cut.detail, 1U);
}

/// JS recurses into what is not marked.
TEST_F(TokenizerDepth, MarksContainersBelowTheLimitOfRecursionAndNoOthers) {
  for (size_t depth = Tokenizer::kDeep - 1; depth <= Tokenizer::kDeep + 2; depth++) {
    const Words arrays = session_.decode(join({repeat(depth, {0x92}), {1}, repeat(depth, {2})})).tape;
    ASSERT_EQ(arrays.size(), 2 * depth + 1);
    for (size_t i = 0; i < depth; i++) {
      ASSERT_EQ(arrays[i], i < Tokenizer::kDeep ? word(kArray, 2) : wide(kDeepArray, 2)) << i;
    }
    for (int sight = 0; sight < 3; sight++) {
      const Words maps =
          session_.decode(join({repeat(depth, {0x82, 0xa1, 'a'}), {1}, repeat(depth, {0xa1, 'b', 2}), {1}}))
              .tape;
      size_t deep = 0;
      for (const uint32_t found : maps) deep += found == wide(kDeepMap, KeyTable::kRoot) ? 1 : 0;
      ASSERT_EQ(deep, depth > Tokenizer::kDeep ? depth - Tokenizer::kDeep : 0) << depth;
    }
  }
}

TEST_F(TokenizerDepth, CountsContainersThatAreOpenOnly) {
  // Up and down again, many times: the depth at each item is what is open around it.
  const Bytes tower = test::nested_first_items(Tokenizer::kDeep - 1);
  const Bytes message = join({test::array_header(50), repeat(50, tower)});
  const Outcome outcome = session_.decode(message);
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.events, reference_decode(message).events);
  for (const uint32_t found : outcome.tape) EXPECT_NE(found, wide(kDeepArray, 2));
}

}  // namespace
}  // namespace mpw
