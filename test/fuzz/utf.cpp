#include "utf.hpp"

#include "fuzz.hpp"
#include "memory.hpp"
#include "reference.hpp"
#include "simd.hpp"

/// UTF-8 and UTF-16, against the reference, in memory that ends where the text does.
namespace mpw {
namespace {

using test::HeapBuffer;

void decode(std::span<const uint8_t> bytes) {
  const auto length = static_cast<uint32_t>(bytes.size());
  const HeapBuffer<uint8_t> from(length);
  const HeapBuffer<uint16_t> to(length);
  std::copy(bytes.begin(), bytes.end(), from.data());
  const Utf16Result result = utf8_to_utf16(to.data(), from.data(), length);
  const test::ReferenceText expected = test::reference_utf8(bytes);
  EXPECT_EQ(std::u16string(to.data(), to.data() + result.units), expected.units);
  EXPECT_EQ(result.valid, expected.valid);
}

void encode(std::span<const uint8_t> bytes) {
  const auto units = static_cast<uint32_t>(bytes.size() / 2);
  const HeapBuffer<uint16_t> from(units);
  std::copy_n(bytes.begin(), 2 * units, reinterpret_cast<uint8_t*>(from.data()));
  const std::u16string text(from.data(), from.data() + units);
  const std::vector<uint8_t> expected = test::reference_utf16(text);
  EXPECT_EQ(utf8_length(from.data(), units), expected.size());
  const HeapBuffer<uint8_t> to(expected.size(), kSlack);
  const uint32_t length = utf16_to_utf8(to.data(), from.data(), units);
  EXPECT_EQ(std::vector<uint8_t>(to.data(), to.data() + length), expected);
}

/// Of text that is ASCII up to some unit.
void copy(std::span<const uint8_t> bytes) {
  const auto length = static_cast<uint32_t>(bytes.size());
  const auto is_ascii = [](uint8_t byte) { return byte < 0x80; };
  const auto ascii =
      static_cast<uint32_t>(std::find_if_not(bytes.begin(), bytes.end(), is_ascii) - bytes.begin());
  const HeapBuffer<uint8_t> from(length, kSlack);
  const HeapBuffer<uint16_t> wide(length, kSlack);
  std::copy(bytes.begin(), bytes.end(), from.data());
  std::copy(bytes.begin(), bytes.end(), wide.data());
  for (const auto& copy_any : {copy_ascii, length <= 31 ? copy_ascii_31 : copy_ascii}) {
    const HeapBuffer<uint8_t> to(length, kSlack);
    EXPECT_EQ(copy_any(to.data(), from.data(), length), ascii == length);
    if (ascii == length) EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), to.data()));
  }
  const HeapBuffer<uint8_t> narrow(length, kSlack);
  EXPECT_EQ(narrow_ascii(narrow.data(), wide.data(), length), ascii);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + ascii, narrow.data()));
}

}  // namespace
}  // namespace mpw

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  mpw::decode(bytes);
  mpw::encode(bytes);
  mpw::copy(bytes);
  return 0;
}
