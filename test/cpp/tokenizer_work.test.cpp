#include <gtest/gtest.h>

#include <functional>

#include "decoding.hpp"
#include "messages.hpp"
#include "samples.hpp"

/// How many basic blocks of the core have been run: GCC calls this in each (see CMakeLists.txt).
static uint64_t blocks_run = 0;
extern "C" void __sanitizer_cov_trace_pc() { blocks_run++; }

#ifdef __clang__
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;
#endif

namespace mpw {
namespace {

using test::Bytes;
using test::join;
using test::repeat;
using test::Session;

struct Hostile {
  const char* name;
  std::function<Bytes(size_t size)> make;
  /// How much of it comes at a time; 0: all of it.
  size_t piece = 0;
  bool any_key = false;
};

/// As many items as fit, each written by `item`.
Bytes filled(uint32_t format, size_t size, size_t item_size, const std::function<Bytes(size_t i)>& item) {
  const size_t count = size / item_size;
  Bytes all = test::head(format, count, 4);
  for (size_t i = 0; i < count; i++) {
    const Bytes bytes = item(i);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

/// An array of as many items as fit; `item` may be several `values`.
std::function<Bytes(size_t)> list_of(Bytes item, size_t values = 1) {
  return [item, values](size_t size) {
    const size_t count = size / item.size();
    return join({test::head(0xdd, count * values, 4), repeat(count, item)});
  };
}

/// 4 letters, the same for no two numbers below 2^20.
Bytes key(size_t i) {
  Bytes bytes = {0xa4};
  for (uint32_t shift = 0; shift < 20; shift += 5)
    bytes.push_back(static_cast<uint8_t>(0x41 + (i >> shift & 31)));
  return bytes;
}

Bytes promises(size_t size, uint32_t part) {
  Bytes all;
  while (all.size() + 5 <= size) {
    const Bytes header = test::head(0xdd, (size - all.size() - 5) / part, 4);
    all.insert(all.end(), header.begin(), header.end());
  }
  return all;
}

/// Keys of 8 letters with the same hash: `KeyTable::hash`, backwards.
std::vector<Bytes> colliding_keys(uint32_t seed, size_t count) {
  const auto fold = [](uint64_t value) { return value ^ value >> 32; };
  const uint64_t seeded = (uint64_t{seed} << 32 | seed) ^ 8;
  std::vector<Bytes> keys;
  for (uint64_t upper = 0; keys.size() < count; upper++) {
    const uint64_t once = fold(fold(upper << 32 | 0x12345678) * 0x9cb4b2f8129337db);
    const uint64_t letters = fold(once * 0x4f74430c22a54005) ^ seeded;
    if ((letters & 0x8080808080808080) != 0) continue;
    Bytes bytes = {0xa8};
    for (uint32_t i = 0; i < 8; i++) bytes.push_back(static_cast<uint8_t>(letters >> (8 * i)));
    keys.push_back(bytes);
  }
  return keys;
}

constexpr uint32_t kSeed = 0x5eed5eed;

Bytes collisions(size_t size) {
  static const std::vector<Bytes> keys = colliding_keys(kSeed, 2048);
  Bytes map = test::map_header(2048);
  for (const Bytes& one : keys) map = join({map, one, {0xc0}});
  return join({test::head(0xdd, size / map.size() + 1, 4), repeat(size / map.size() + 1, map)});
}

Bytes maps_of_15(size_t size) {
  return filled(0xdd, size, 46, [](size_t i) {
    Bytes map = {0x8f};
    for (size_t k = 0; k < 15; k++)
      map = join({map, {0xa1, static_cast<uint8_t>(0x41 + 2 * k + (i >> k & 1)), 0xc0}});
    return map;
  });
}

const std::vector<Hostile>& hostile_messages() {
  static const std::vector<Hostile> all = {
      {"headers that promise all that is left", [](size_t size) { return promises(size, 1); }},
      {"headers that promise half of what is left", [](size_t size) { return promises(size, 2); }},
      {"arrays in arrays", [](size_t size) { return test::nested_arrays(size); }},
      {"maps in maps", [](size_t size) { return test::nested_maps(size / 3); }},
      {"arrays in arrays, with more to come", [](size_t size) { return repeat(size, {0x92}); }},
      {"the same in pieces", [](size_t size) { return repeat(size, {0x92}); }, 1000},
      {"arrays of 15 in pieces", [](size_t size) { return repeat(size, {0x9f}); }, 1000},
      {"arrays in arrays, and all the ends", [](size_t size) { return test::nested_first_items(size / 2); }},
      {"maps in maps, and all the ends", [](size_t size) { return test::nested_first_values(size / 6); }},
      {"pairs of arrays, each gap another",
       [](size_t size) {
         return repeat(size / 6, {0x92, 0x91, 0x93, 0x91, 0x91, 0x9f});
       },
       1000},
      {"empty arrays", list_of({0x90})},
      {"empty maps", list_of({0x80})},
      {"empty maps with any keys", list_of({0x80}), 0, true},
      {"arrays of one", list_of({0x91, 0xc0})},
      {"maps of one pair", list_of({0x81, 0xa0, 0xc0})},
      {"maps of one pair with an integer key", list_of({0x81, 1, 0xc0})},
      {"empty strings", list_of({0xa0})},
      {"strings of one letter", list_of({0xa1, 'a'})},
      {"strings of one malformed byte", list_of({0xa1, 0xff})},
      {"empty binary data", list_of({0xc4, 0})},
      {"extensions of one byte", list_of({0xd4, 5, 0})},
      {"timestamps", list_of({0xd6, 0xff, 0, 0, 0, 1})},
      {"runs that break off", list_of({1, 2, 3, 4, 5, 6, 7, 8, 0xc0}, 9)},
      {"runs that are almost integers", list_of({1, 2, 3, 4, 5, 6, 7, 0xca, 0x3f, 0, 0, 1}, 8)},
      {"maps with a key of their own",
       [](size_t size) {
         return filled(0xdd, size, 7, [](size_t i) { return join({{0x81}, key(i), {0xc0}}); });
       }},
      {"maps of 15 keys", maps_of_15},
      {"one map of many keys",
       [](size_t size) { return filled(0xdf, size, 6, [](size_t i) {
                           return join({key(i), {0xc0}});
                         }); }},
      {"one map of integer keys",
       [](size_t size) {
         return filled(0xdf, size, 6, [](size_t i) { return join({test::head(0xce, i * 4093, 4), {0xc0}}); });
       }},
      {"one map with the same key",
       [](size_t size) { return filled(0xdf, size, 3, [](size_t) {
                           return Bytes{0xa1, 'a', 0xc0};
                         }); }},
      {"keys that collide", collisions},
      {"one string",
       [](size_t size) {
         return join({test::head(0xdb, size, 4), repeat(size, {'a'})});
       }},
      {"one string in pieces",
       [](size_t size) {
         return join({test::head(0xdb, size, 4), repeat(size, {'a'})});
       },
       1000},
      {"one malformed string",
       [](size_t size) {
         return join({test::head(0xdb, size, 4), repeat(size, {0xff})});
       }},
      {"strings that are malformed at their ends", list_of(join({{0xb0}, repeat(15, {'a'}), {0xc3}}))},
      {"a key __proto__ behind all else",
       [](size_t size) {
         return join({{0x92}, list_of({1})(size), {0x81}, test::str("__proto__")});
       }},
      {"a byte that is never used behind all else",
       [](size_t size) {
         return join({test::head(0xdd, size + 1, 4), repeat(size, {0x90}), {0xc1}});
       }},
  };
  return all;
}

/// The blocks that reading it runs.
uint64_t work_of(const Hostile& one, size_t size) {
  const Bytes message = one.make(size);
  auto keys = std::make_unique<KeyTable>(kSeed);
  DecodeOptions options;
  options.any_key = one.any_key;
  Session session(*keys, {}, options);
  Tokenizer& tokenizer = session.tokenizer();
  const uint64_t before = blocks_run;
  tokenizer.begin();
  size_t arrived = one.piece == 0 ? message.size() : 0;
  for (uint64_t chunk = 0;;) {
    arrived = std::min(message.size(), std::max<size_t>(arrived, chunk + one.piece));
    const auto there = static_cast<uint32_t>(std::min<uint64_t>(session.input().size(), arrived - chunk));
    std::copy_n(message.data() + chunk, there, session.input().data());
    tokenizer.feed(there, arrived - chunk, arrived < message.size());
    Status status = Status::kWindowFull;
    while (status == Status::kWindowFull) status = tokenizer.run();
    if (status != Status::kNeedInput) break;
    chunk = std::min<uint64_t>(chunk + tokenizer.offset(), message.size());
    arrived = std::min<uint64_t>(message.size(), std::max<uint64_t>(chunk, arrived + one.piece));
  }
  return blocks_run - before;
}

TEST(TokenizerWork, IsLinearForEveryHostileMessage) {
  if (!kCounts) GTEST_SKIP() << "GCC counts";
  for (const Hostile& one : hostile_messages()) {
    // So large that windows and tables are full many times over.
    constexpr size_t kSize = 400000;
    const uint64_t once = work_of(one, kSize);
    const uint64_t twice = work_of(one, 2 * kSize);
    ASSERT_GT(once, 0U) << one.name;
    // A little is needed whatever the size, and tables may be fuller at the second half.
    EXPECT_LT(static_cast<double>(twice), 2.1 * static_cast<double>(once) + 1000) << one.name;
    EXPECT_LT(once, 100 * kSize) << one.name;
    RecordProperty(one.name, std::to_string(static_cast<double>(once) / kSize));
  }
}

/// A map of four pairs, with keys of its kind.
Bytes map_of_kind(size_t kind) {
  Bytes map = {0x84};
  for (uint8_t k = 0; k < 4; k++) {
    map = join({map, {0xa2, static_cast<uint8_t>('a' + kind), static_cast<uint8_t>('0' + k), 1}});
  }
  return map;
}

/// 500 maps of six keys, whose values are maps of so many kinds, directly or in arrays.
Bytes maps_of_kinds(size_t kinds, bool in_arrays) {
  Bytes record = {0x86};
  for (size_t i = 0; i < 6; i++) {
    const Bytes map = map_of_kind(i % kinds);
    record = join({record, {0xa1, static_cast<uint8_t>('A' + i)}, in_arrays ? Bytes{0x91} : Bytes{}, map});
  }
  return join({test::head(0xdd, 500, 4), repeat(500, record)});
}

TEST(TokenizerWork, IsTheSameForMapsOfManyKindsEachInItsPlace) {
  if (!kCounts) GTEST_SKIP() << "GCC counts";
  for (const bool in_arrays : {false, true}) {
    const uint64_t one = work_of({"", [&](size_t) { return maps_of_kinds(1, in_arrays); }}, 0);
    const uint64_t six = work_of({"", [&](size_t) { return maps_of_kinds(6, in_arrays); }}, 0);
    EXPECT_LT(static_cast<double>(six), 1.02 * static_cast<double>(one)) << in_arrays;
  }
}

}  // namespace
}  // namespace mpw
