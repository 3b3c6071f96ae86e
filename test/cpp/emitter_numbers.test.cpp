#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "encoding.hpp"

namespace mpw {
namespace {

using test::Bytes;
using test::emit;
using test::float32;
using test::float64;
using test::head;
using test::integer;
using test::join;
using test::TapeWriter;

constexpr double kTwo53 = 9007199254740992.0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A number as each kind of word that can hold it: all must give the same bytes.
Bytes number(double value, const EncodeOptions& options = {}) {
  const Bytes bytes = emit(TapeWriter().number(value), options);
  EXPECT_EQ(emit(TapeWriter().floats({value, value, value}), options), join({bytes, bytes, bytes}));
  // A kInt word stays an integer, since it could not tell -0.
  if (std::fabs(value) < 1 << 27 && std::trunc(value) == value && !std::signbit(value)) {
    const Bytes word = emit(TapeWriter().integer(static_cast<int32_t>(value)), options);
    EXPECT_EQ(word, options.integers_as_floats ? integer(static_cast<int64_t>(value)) : bytes);
  }
  return bytes;
}

/// Integers at which the format may change, by themselves and one less and more, and negated.
std::vector<int64_t> thresholds() {
  std::vector<int64_t> all;
  for (uint32_t power = 0; power <= 53; power++) {
    for (const int64_t delta : {-1, 0, 1}) {
      all.push_back((int64_t{1} << power) + delta);
      all.push_back(-(int64_t{1} << power) + delta);
    }
  }
  all.insert(all.end(), {31, 32, 33, -31, -32, -33});
  return all;
}

bool is_safe(int64_t value) { return std::abs(value) < int64_t{1} << 53; }

TEST(EmitterNumbers, WritesIntegersInTheSmallestFormat) {
  EXPECT_EQ(number(0), Bytes{0x00});
  EXPECT_EQ(number(127), Bytes{0x7f});
  EXPECT_EQ(number(128), (Bytes{0xcc, 0x80}));
  EXPECT_EQ(number(255), (Bytes{0xcc, 0xff}));
  EXPECT_EQ(number(256), (Bytes{0xcd, 1, 0}));
  EXPECT_EQ(number(65536), (Bytes{0xce, 0, 1, 0, 0}));
  EXPECT_EQ(number(4294967295.0), (Bytes{0xce, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(number(4294967296.0), (Bytes{0xcf, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(number(-1), Bytes{0xff});
  EXPECT_EQ(number(-32), Bytes{0xe0});
  EXPECT_EQ(number(-33), (Bytes{0xd0, 0xdf}));
  EXPECT_EQ(number(-128), (Bytes{0xd0, 0x80}));
  EXPECT_EQ(number(-129), (Bytes{0xd1, 0xff, 0x7f}));
  EXPECT_EQ(number(-32769), (Bytes{0xd2, 0xff, 0xff, 0x7f, 0xff}));
  EXPECT_EQ(number(-2147483648.0), (Bytes{0xd2, 0x80, 0, 0, 0}));
  EXPECT_EQ(number(-2147483649.0), (Bytes{0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}));
}

TEST(EmitterNumbers, WritesIntegersAtEveryThreshold) {
  for (const int64_t value : thresholds()) {
    if (is_safe(value)) {
      EXPECT_EQ(number(static_cast<double>(value)), integer(value)) << value;
    }
  }
}

TEST(EmitterNumbers, HoldsTheLimitsOf28BitsInAWord) {
  constexpr int32_t kLimit = 1 << 27;
  for (const int32_t value : {kLimit - 1, -kLimit, -kLimit + 1, -1, 0, 1}) {
    EXPECT_EQ(emit(TapeWriter().integer(value)), integer(value));
  }
}

TEST(EmitterNumbers, WritesIntegersThatAreNotSafeAsFloats) {
  EXPECT_EQ(number(kTwo53 - 1), integer((int64_t{1} << 53) - 1));
  EXPECT_EQ(number(kTwo53), float64(kTwo53));
  EXPECT_EQ(number(kTwo53 + 2), float64(kTwo53 + 2));
  EXPECT_EQ(number(1 - kTwo53), integer(1 - (int64_t{1} << 53)));
  EXPECT_EQ(number(-kTwo53), float64(-kTwo53));
  EXPECT_EQ(number(1e300), float64(1e300));
  EXPECT_EQ(number(18446744073709551616.0), float64(18446744073709551616.0));
}

TEST(EmitterNumbers, WritesFloatsAsFloat64) {
  for (const double value : {0.5, -0.5, 0.1, 1e-300, 5e-324, 127.5, 4294967295.5, kInfinity, -kInfinity,
                             std::nextafter(1.0, 2.0), std::numeric_limits<double>::max()}) {
    EXPECT_EQ(number(value), float64(value)) << value;
  }
}

/// As `@msgpack/msgpack` does.
TEST(EmitterNumbers, WritesMinusZeroAsTheIntegerZero) { EXPECT_EQ(number(-0.0), Bytes{0x00}); }

TEST(EmitterNumbers, WritesAnyNanAsTheOneThatJsWrites) {
  const Bytes canonical = {0xcb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(number(kNan), canonical);
  for (const uint64_t bits :
       {0xfff8000000000000U, 0x7ff8000000000001U, 0xffffffffffffffffU, 0x7fffffffffffffffU}) {
    EXPECT_EQ(number(std::bit_cast<double>(bits)), canonical) << bits;
  }
}

TEST(EmitterNumbers, WritesFloat32WhereAsked) {
  constexpr EncodeOptions kOptions = {.float32 = true};
  for (const double value : {0.5, -0.5, 0.1, 1.0 / 3, 1e-40, 1e-50, 3.4e38, -3.4e38, kInfinity, -kInfinity}) {
    EXPECT_EQ(number(value, kOptions), float32(static_cast<float>(value))) << value;
  }
  EXPECT_EQ(number(kNan, kOptions), (Bytes{0xca, 0x7f, 0xc0, 0, 0}));
  EXPECT_EQ(number(std::bit_cast<double>(0xfff8000000000001U), kOptions), (Bytes{0xca, 0x7f, 0xc0, 0, 0}));
  for (const int64_t value : thresholds()) {
    if (is_safe(value)) {
      EXPECT_EQ(number(static_cast<double>(value), kOptions), integer(value)) << "integers stay";
    }
  }
  EXPECT_EQ(number(kTwo53, kOptions), float32(0x1p53F));
}

/// `Math.fround` rounds to the nearest, ties to even: from half a step above the largest float on, to
/// infinity.
TEST(EmitterNumbers, RoundsBeyondTheRangeOfFloat32AsJsDoes) {
  constexpr EncodeOptions kOptions = {.float32 = true};
  constexpr double kLargest = 0x1.fffffep127;
  constexpr double kHalfway = 0x1.ffffffp127;
  const float largest = std::numeric_limits<float>::max();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(number(kLargest, kOptions), float32(largest));
  EXPECT_EQ(number(std::nextafter(kLargest, kInfinity), kOptions), float32(largest));
  EXPECT_EQ(number(std::nextafter(kHalfway, 0), kOptions), float32(largest));
  EXPECT_EQ(number(kHalfway, kOptions), float32(infinity));
  EXPECT_EQ(number(1e300, kOptions), float32(infinity));
  EXPECT_EQ(number(-kLargest, kOptions), float32(-largest));
  EXPECT_EQ(number(std::nextafter(-kHalfway, 0), kOptions), float32(-largest));
  EXPECT_EQ(number(-kHalfway, kOptions), float32(-infinity));
  EXPECT_EQ(number(-1e300, kOptions), float32(-infinity));
}

TEST(EmitterNumbers, WritesIntegersAsFloatsWhereAsked) {
  constexpr EncodeOptions kOptions = {.integers_as_floats = true};
  constexpr EncodeOptions kNarrow = {.float32 = true, .integers_as_floats = true};
  for (const int64_t value : thresholds()) {
    const auto as_double = static_cast<double>(value);
    EXPECT_EQ(number(as_double, kOptions), float64(as_double)) << value;
    EXPECT_EQ(number(as_double, kNarrow), float32(static_cast<float>(value))) << value;
  }
  EXPECT_EQ(number(-0.0, kOptions), float64(-0.0));
  EXPECT_EQ(number(-0.0, kNarrow), float32(-0.0F));
  EXPECT_EQ(number(0.5, kOptions), float64(0.5));
}

TEST(EmitterNumbers, KeepsThe64BitFormatsForBigintsWhereAsked) {
  constexpr EncodeOptions kOptions = {.no_int64 = true};
  for (const int64_t value : thresholds()) {
    if (!is_safe(value)) continue;
    const bool narrow = value >= INT32_MIN && value <= int64_t{UINT32_MAX};
    const auto as_double = static_cast<double>(value);
    EXPECT_EQ(number(as_double, kOptions), narrow ? integer(value) : float64(as_double)) << value;
  }
  EXPECT_EQ(number(-0.0, kOptions), Bytes{0x00});
  EXPECT_EQ(number(4294967296.0, {.float32 = true, .no_int64 = true}), float32(4294967296.0F));
}

Bytes bigint(bool is_signed, uint64_t bits, const EncodeOptions& options = {}) {
  return emit(TapeWriter().bigint(is_signed, bits), options);
}

TEST(EmitterNumbers, WritesBigintsInNineBytes) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{1} << 32, uint64_t{1} << 53,
                               uint64_t{INT64_MAX}, uint64_t{INT64_MAX} + 1, UINT64_MAX}) {
    EXPECT_EQ(bigint(false, value), head(0xcf, value, 8)) << value;
  }
  for (const int64_t value :
       {int64_t{-1}, int64_t{-32}, -(int64_t{1} << 32), -(int64_t{1} << 53), INT64_MIN}) {
    EXPECT_EQ(bigint(true, static_cast<uint64_t>(value)), head(0xd3, static_cast<uint64_t>(value), 8))
        << value;
  }
  // One that is not negative is a uint64, however it comes.
  EXPECT_EQ(bigint(true, 5), head(0xcf, 5, 8));
  EXPECT_EQ(bigint(true, INT64_MAX), head(0xcf, INT64_MAX, 8));
}

TEST(EmitterNumbers, KeepsTheBitsOfBigintsThatLookLikeNans) {
  for (const uint64_t bits : {0x7ff0000000000001U, 0xfff0000000000001U, 0x7ff8dead0000beefU}) {
    EXPECT_EQ(bigint(false, bits), head(0xcf, bits, 8));
  }
}

TEST(EmitterNumbers, WritesBigintsInTheSmallestFormatWhereAsked) {
  constexpr EncodeOptions kOptions = {.smallest_bigint = true};
  for (uint32_t power = 0; power < 64; power++) {
    for (const int64_t delta : {-1, 0, 1}) {
      const uint64_t bits = (uint64_t{1} << power) + static_cast<uint64_t>(delta);
      const auto value = static_cast<int64_t>(bits);
      EXPECT_EQ(bigint(false, bits, kOptions), value >= 0 ? integer(value) : head(0xcf, bits, 8)) << bits;
      if (value > 0) {
        EXPECT_EQ(bigint(true, bits, kOptions), integer(value)) << value;
        EXPECT_EQ(bigint(true, static_cast<uint64_t>(-value), kOptions), integer(-value)) << -value;
      }
    }
  }
  EXPECT_EQ(bigint(true, uint64_t{1} << 63, kOptions), integer(INT64_MIN));
  EXPECT_EQ(bigint(false, UINT64_MAX, kOptions), head(0xcf, UINT64_MAX, 8));
  for (const int64_t value : {-32, -33, -128, -129}) {
    EXPECT_EQ(bigint(true, static_cast<uint64_t>(value), kOptions), integer(value));
  }
}

/// Options for numbers leave bigints as they are.
TEST(EmitterNumbers, WritesBigintsAsIntegersWhateverNumbersBecome) {
  constexpr EncodeOptions kOptions = {.float32 = true, .integers_as_floats = true, .no_int64 = true};
  EXPECT_EQ(bigint(false, 5, kOptions), head(0xcf, 5, 8));
  EXPECT_EQ(bigint(true, static_cast<uint64_t>(-5), kOptions), head(0xd3, static_cast<uint64_t>(-5), 8));
  constexpr EncodeOptions kSmallest = {
      .float32 = true, .integers_as_floats = true, .no_int64 = true, .smallest_bigint = true};
  EXPECT_EQ(bigint(false, 5, kSmallest), Bytes{5});
}

TEST(EmitterNumbers, WritesNumbersInPairsAsItWritesThemAlone) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers = {0,     -0.0, 1,    -1,       0.5, -0.5, 0x1p31, 0x1p52 + 0.5, 0x1p53,
                                       1e300, nan,  -nan, infinity, 0.1, 100,  5e-324, -infinity};
  for (const EncodeOptions& options :
       {EncodeOptions{}, EncodeOptions{.float32 = true}, EncodeOptions{.integers_as_floats = true}}) {
    for (const double first : numbers) {
      for (const double second : numbers) {
        const Bytes alone =
            join({emit(TapeWriter().floats({first}), options), emit(TapeWriter().floats({second}), options)});
        EXPECT_EQ(emit(TapeWriter().floats({first, second}), options), alone) << first << ' ' << second;
      }
    }
  }
}

}  // namespace
}  // namespace mpw
