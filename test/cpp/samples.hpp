#pragma once

#include <string>
#include <vector>

#include "messages.hpp"
#include "tape.hpp"
#include "tokenizer.hpp"

/// Messages that between them hold every format, and every kind of word.
namespace mpw::test {

struct Sample {
  std::string name;
  Bytes message;
};

inline Bytes record(int64_t i) {
  return map({{"id", integer(i)},
              {"name", str("name " + std::to_string(i))},
              {"a key that is longer than two words", float64(static_cast<double>(i) / 8)},
              {"tags", array({str("x"), str("\u00fc"), nil(), boolean(i % 2 == 0)})},
              {"position", array({float64(1.5), float64(-2.5)})},
              {"nested", map({{"x", integer(i * 1000)}, {"y", integer(-i)}})}});
}

/// `depth` arrays, each the only item of the one around it.
inline Bytes nested_arrays(size_t depth) { return join({repeat(depth - 1, {0x91}), {0x90}}); }
/// `depth` maps, each the only value of the one around it.
inline Bytes nested_maps(size_t depth) { return join({repeat(depth - 1, {0x81, 0xa1, 'a'}), {0x80}}); }
/// [[[…, 1], 1], 1]: each has something left to come behind the one in it.
inline Bytes nested_first_items(size_t depth) {
  return join({repeat(depth - 1, {0x92}), {0x90}, repeat(depth - 1, {0x01})});
}
/// {a: {a: …, b: 1}, b: 1}
inline Bytes nested_first_values(size_t depth) {
  return join({repeat(depth - 1, {0x82, 0xa1, 'a'}), {0x80}, repeat(depth - 1, {0xa1, 'b', 0x01})});
}

inline std::vector<Sample> samples() {
  std::vector<Sample> all;
  const auto add = [&](const char* name, const Bytes& message) { all.push_back({name, message}); };

  for (const int64_t value : {0LL, 127LL, 128LL, 256LL, 65536LL, 1LL << 27, 1LL << 31, 1LL << 32, -1LL, -32LL,
                              -33LL, -129LL, -32769LL, -2147483649LL}) {
    add("an integer", integer(value));
  }
  add("a float 32", float32(0.5F));
  add("a float 64", float64(0.1));
  add("an int64", int64(-5));
  add("nil", nil());
  for (const size_t length : {0U, 5U, 31U, 32U, 300U, 512U, 513U}) {
    add("a string", str(ascii(length)));
    add("a binary", bin(counted(length)));
    add("an extension", ext(-7, counted(length)));
  }
  for (const size_t length : {1U, 2U, 4U, 8U, 16U})
    add("an extension of a fixed size", ext(5, counted(length)));
  for (const uint32_t format : {0xc4U, 0xc5U, 0xc6U, 0xd9U, 0xdaU, 0xdbU}) {
    const uint32_t size = 1U << ((format - (format >= 0xd9 ? 0xd9 : 0xc4)) & 3);
    add("five bytes in a longer format", join({head(format, 5, size), text_bytes("hello")}));
  }
  add("an ext 32", join({head(0xc9, 5, 4), {0x07}, counted(5)}));
  add("an array 16", join({head(0xdc, 3, 2), {1, 2, 3}}));
  add("an array 32", join({head(0xdd, 3, 4), {1, 2, 3}}));
  add("a map 16", join({head(0xde, 1, 2), str("a"), {2}}));
  add("a map 32", join({head(0xdf, 1, 4), str("a"), {2}}));

  add("no items", array({}));
  add("no pairs", map({}));
  add("text that is not ASCII", array({str("\u00fc"), str("a"), str("\u20ac\U0001f600"),
                                       str("b\xff"
                                           "c")}));
  add("a map of one pair", map({{"a", {1}}}));
  add("a map that ends with a map", map({{"a", {1}}, {"b", map({{"c", map({{"d", {4}}})}})}}));
  add("a record", record(5));

  std::vector<Bytes> records;
  for (int64_t i = 0; i < 12; i++) records.push_back(record(i));
  add("records", array(records));
  add("records in a map", map({{"first", array(records)}, {"count", {12}}, {"empty", map({})}}));

  std::vector<Bytes> mixed;
  for (int64_t i = 0; i < 12; i++) {
    mixed.push_back(map({{"type", {1}}, {i % 2 == 0 ? "even" : "odd", integer(i)}, {"end", nil()}}));
    mixed.push_back(map({{"type", {2}}}));
    mixed.push_back(
        map({{"type", {1}}, {"even", {3}}, {"key " + std::to_string(i), str("once")}, {"end", nil()}}));
  }
  add("shapes that alternate", array(mixed));

  add("integers", join({array_header(150), repeat(150, {0x07})}));
  std::vector<Bytes> integers;
  for (int64_t i = 0; i < 150; i++) integers.push_back(integer((i - 75) * (i - 70) * (i - 75) * 31));
  add("integers of many formats", array(integers));
  add("floats", join({array_header(120), repeat(120, float64(0.1))}));
  std::vector<Bytes> numbers;
  for (int64_t i = 0; i < 120; i++) {
    numbers.push_back(i % 10 == 3 ? float64(0.5) : i % 25 == 7 ? uint64(1ULL << 60) : integer(i));
  }
  add("numbers of all kinds", array(numbers));
  numbers[60] = str("not a number");
  numbers[90] = array({{1}, {2}, {3}, {4}, {5}});
  add("numbers and others", array(numbers));

  std::vector<Bytes> points;
  for (int64_t i = 0; i < 40; i++) {
    const auto x = static_cast<double>(i);
    points.push_back(array({float64(x), float64(x / 2)}));
    points.push_back(array({float64(x), float64(x / 2), float64(0)}));
    points.push_back(array({float64(x), integer(i), float64(0)}));
    points.push_back(array(std::vector<Bytes>(static_cast<size_t>(i % 7), float64(x))));
  }
  add("points", array(points));

  std::vector<std::pair<std::string, Bytes>> pairs;
  for (int64_t i = 0; i < 140; i++) pairs.push_back({"key " + std::to_string(i), integer(i)});
  add("a dictionary", array({map(pairs), map({{"key 5", {1}}})}));

  add("keys of many lengths",
      array({map({{ascii(63), {1}}, {ascii(64), {2}}, {ascii(65), {3}}, {ascii(513), {4}}, {"", {5}}}),
             map({{ascii(64), {1}}, {"\u00fc", {2}}}),
             map_of({{integer(5), {1}}, {float64(0.5), str("x")}})}));

  std::vector<Bytes> strings;
  for (size_t i = 0; i < 60; i++) {
    strings.push_back(str(ascii(i * 7 % 90)));
    strings.push_back(str(utf8_of(0xfc) + ascii(i * 5 % 60) + utf8_of(0x20ac)));
  }
  add("strings", array(strings));

  std::vector<Bytes> payloads;
  for (size_t i = 0; i < 12; i++) {
    payloads.push_back(bin(counted(i * 61)));
    payloads.push_back(integer(static_cast<int64_t>(i)));
    payloads.push_back(str(ascii(500 + i * 5)));
    payloads.push_back(ext(static_cast<int32_t>(i), counted(i * 97)));
  }
  add("payloads", array(payloads));
  add("payloads in maps",
      array({map({{"a", bin(counted(900))}, {"b", {1}}}), map({{"a", bin(counted(900))}, {"b", {2}}}),
             map({{"a", bin(counted(900))}, {"b", bin(counted(700))}})}));

  constexpr size_t kDepth = Tokenizer::kDeep + 20;
  add("deep arrays", nested_arrays(kDepth));
  add("deep maps", nested_maps(kDepth));
  add("deep first items", nested_first_items(kDepth));
  add("deep first values", nested_first_values(kDepth));
  return all;
}

}  // namespace mpw::test
