#include "format.hpp"

#include <gtest/gtest.h>

namespace mpw {
namespace {

/// A row of the table in the specification ("Formats"): bytes from `first` to `last` start values alike.
struct Row {
  uint32_t first;
  uint32_t last;
  uint32_t header;
  format::Family family;
  bool is_number;
};

using format::Family;

/// `header`: of a scalar its whole size; of others their first byte, length, and type.
constexpr Row kRows[] = {
    {0x00, 0x7f, 1, Family::kScalar, true},   // positive fixint
    {0x80, 0x8f, 1, Family::kMap, false},     // fixmap
    {0x90, 0x9f, 1, Family::kArray, false},   // fixarray
    {0xa0, 0xbf, 1, Family::kStr, false},     // fixstr
    {0xc0, 0xc0, 1, Family::kScalar, false},  // nil
    {0xc1, 0xc1, 1, Family::kScalar, false},  // (never used)
    {0xc2, 0xc3, 1, Family::kScalar, false},  // false, true
    {0xc4, 0xc4, 2, Family::kBin, false},     // bin 8
    {0xc5, 0xc5, 3, Family::kBin, false},     // bin 16
    {0xc6, 0xc6, 5, Family::kBin, false},     // bin 32
    {0xc7, 0xc7, 3, Family::kExt, false},     // ext 8
    {0xc8, 0xc8, 4, Family::kExt, false},     // ext 16
    {0xc9, 0xc9, 6, Family::kExt, false},     // ext 32
    {0xca, 0xca, 5, Family::kScalar, true},   // float 32
    {0xcb, 0xcb, 9, Family::kScalar, true},   // float 64
    {0xcc, 0xcc, 2, Family::kScalar, true},   // uint 8
    {0xcd, 0xcd, 3, Family::kScalar, true},   // uint 16
    {0xce, 0xce, 5, Family::kScalar, true},   // uint 32
    {0xcf, 0xcf, 9, Family::kScalar, true},   // uint 64
    {0xd0, 0xd0, 2, Family::kScalar, true},   // int 8
    {0xd1, 0xd1, 3, Family::kScalar, true},   // int 16
    {0xd2, 0xd2, 5, Family::kScalar, true},   // int 32
    {0xd3, 0xd3, 9, Family::kScalar, true},   // int 64
    {0xd4, 0xd8, 2, Family::kExt, false},     // fixext 1, 2, 4, 8, 16
    {0xd9, 0xd9, 2, Family::kStr, false},     // str 8
    {0xda, 0xda, 3, Family::kStr, false},     // str 16
    {0xdb, 0xdb, 5, Family::kStr, false},     // str 32
    {0xdc, 0xdc, 3, Family::kArray, false},   // array 16
    {0xdd, 0xdd, 5, Family::kArray, false},   // array 32
    {0xde, 0xde, 3, Family::kMap, false},     // map 16
    {0xdf, 0xdf, 5, Family::kMap, false},     // map 32
    {0xe0, 0xff, 1, Family::kScalar, true},   // negative fixint
};

TEST(Format, KnowsEveryFirstByteAsTheSpecificationDoes) {
  uint32_t next = 0;
  for (const Row& row : kRows) {
    ASSERT_EQ(row.first, next) << "the test's own table has a gap";
    for (uint32_t byte = row.first; byte <= row.last; byte++) {
      EXPECT_EQ(format::kHeaderSizes[byte], row.header) << "byte " << byte;
      EXPECT_EQ(format::kFamilies[byte], row.family) << "byte " << byte;
      EXPECT_EQ(format::is_number(byte), row.is_number) << "byte " << byte;
    }
    next = row.last + 1;
  }
  EXPECT_EQ(next, 256U);
}

}  // namespace
}  // namespace mpw
