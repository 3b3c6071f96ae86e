#include "decoding.hpp"
#include "encoding.hpp"
#include "frames.hpp"
#include "fuzz.hpp"

/// Any tape that JS could write: the bytes are those that the specification asks for, wherever windows and
/// the output end, and the tokenizer reads them.
namespace mpw {
namespace {

using fuzz::Choices;
using test::Bytes;
using test::TapeWriter;

/// Writes random values both as windows and, byte by byte, as the message that these mean.
class Generator {
 public:
  Generator(Choices& choices, const EncodeOptions& options, uint32_t origin, KeyStore& keys)
      : choices_(choices), options_(options), origin_(origin) {
    for (const std::u16string_view key : {u"id", u"", u"\u00fcber", u"a key that is longer than a word"}) {
      keys.add({reinterpret_cast<const uint16_t*>(key.data()), key.size()});
      keys_.push_back(test::str(utf8(key)));
    }
    open_window();
  }

  void value(uint32_t depth = 0) {
    if (choices_.one_in(16)) open_window();
    switch (choices_.below(depth < 6 ? 20 : 14)) {
      case 0:
        put(window().nil(), test::nil());
        break;
      case 1: {
        const bool value = choices_.one_in(2);
        put(window().boolean(value), test::boolean(value));
        break;
      }
      case 2: {
        const int32_t value = static_cast<int32_t>(static_cast<uint32_t>(bits()) << 4) >> 4;
        put(window().integer(value), test::integer(value));
        break;
      }
      case 3: {
        const double value = number();
        put(window().number(value), bytes_of(value));
        break;
      }
      case 4:
        numbers(1 + choices_.below(kMaxPoint), true);
        break;
      case 5:
        numbers(choices_.below(choices_.one_in(4) ? 2000 : 40), false);
        break;
      case 6:
        bigint(choices_.one_in(2), bits());
        break;
      case 7:
      case 8:
        text();
        break;
      case 9:
        long_text();
        break;
      case 10:
        binary();
        break;
      case 11:
        extension();
        break;
      case 12:
      case 13:
        typed_array();
        break;
      case 14:
      case 15:
      case 16:
        array(depth);
        break;
      default:
        map(depth);
    }
  }

  const std::vector<TapeWriter>& windows() const { return windows_; }
  const Bytes& message() const { return message_; }
  bool is_placed() const { return is_placed_; }

 private:
  TapeWriter& window() { return windows_.back(); }
  void open_window() {
    windows_.emplace_back();
    if (choices_.one_in(2)) window().text_as_bytes();
  }
  void put(const TapeWriter&, const Bytes& bytes) {
    message_.insert(message_.end(), bytes.begin(), bytes.end());
  }

  static std::string utf8(std::u16string_view units) {
    const Bytes bytes = test::reference_utf16(units);
    return {bytes.begin(), bytes.end()};
  }

  /// Any number, and often one next to a power of two, where formats change.
  uint64_t bits() {
    const uint64_t size = choices_.one_in(2) ? (uint64_t{1} << choices_.below(64)) + choices_.below(3) - 1
                                             : choices_.number<uint64_t>() >> choices_.below(64);
    return choices_.one_in(2) ? -size : size;
  }

  double number() {
    switch (choices_.below(5)) {
      case 0:
        return std::bit_cast<double>(choices_.number<uint64_t>());
      case 1:
        return std::bit_cast<float>(choices_.number<uint32_t>());
      case 2:
        return choices_.number<int16_t>() / 4.0;
      case 3:
        return -0.0;
      default:
        return static_cast<double>(static_cast<int64_t>(bits()));
    }
  }

  Bytes bytes_of(double value) const {
    constexpr double kTwo53 = 9007199254740992.0;
    const bool is_whole = std::trunc(value) == value && std::fabs(value) < kTwo53;
    const bool is_narrow = value >= -2147483648.0 && value <= 4294967295.0;
    if (is_whole && !options_.integers_as_floats && (is_narrow || !options_.no_int64)) {
      return test::integer(static_cast<int64_t>(value));
    }
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    if (!options_.float32) return test::float64(value);
    // Halfway to what would come next, and from there on, is infinity.
    constexpr double kOverflow = 0x1.ffffffp127;
    const double infinity = std::copysign(std::numeric_limits<double>::infinity(), value);
    return test::float32(static_cast<float>(std::fabs(value) >= kOverflow ? infinity : value));
  }

  /// A point, or the items of an array in runs of any length.
  void numbers(uint32_t count, bool is_point) {
    std::vector<double> values;
    const bool is_same = count > kMaxPoint && choices_.one_in(2);
    for (uint32_t i = 0; i < count; i++) values.push_back(is_same && i > 0 ? values[0] : number());
    Bytes bytes = test::array_header(count);
    for (const double value : values) {
      const Bytes number = bytes_of(value);
      bytes.insert(bytes.end(), number.begin(), number.end());
    }
    if (is_point) {
      put(window().point(values), bytes);
      return;
    }
    window().array(count);
    const size_t first = count == 0 ? 0 : choices_.below(count);
    const auto split = values.begin() + static_cast<ptrdiff_t>(first);
    window().floats({values.begin(), split});
    if (choices_.one_in(2)) open_window();
    put(window().floats({split, values.end()}), bytes);
  }

  void bigint(bool is_signed, uint64_t bits) {
    const auto value = static_cast<int64_t>(bits);
    const bool is_negative = is_signed && value < 0;
    const bool is_small = is_negative ? value >= -(int64_t{1} << 32) : bits < uint64_t{1} << 32;
    put(window().bigint(is_signed, bits), options_.smallest_bigint && is_small ? test::integer(value)
                                          : is_negative                        ? test::int64(value)
                                                                               : test::uint64(bits));
  }

  std::u16string units(uint32_t count, bool is_ascii) {
    constexpr uint32_t kLimits[] = {0x80, 0x800, 0xd800, 0x10000};
    const uint32_t limit = kLimits[is_ascii ? 0 : choices_.below(4)];
    std::u16string units;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t unit = choices_.are_left() ? choices_.number<uint16_t>() : i * 31;
      // Surrogates come in pairs, and alone.
      units.push_back(
          static_cast<char16_t>(limit == 0x10000 && unit % 3 != 0 ? 0xd800 + unit % 0x800 : unit % limit));
    }
    return units;
  }
  /// Most often one of those at which formats change, what stands before typed arrays counted in.
  uint32_t length(uint32_t longest) {
    switch (choices_.below(4)) {
      case 0:
        return 230 + choices_.below(40);
      case 3:
        return choices_.below(longest + 1);
      default:
        return choices_.below(40);
    }
  }

  void text() {
    const std::u16string text = units(length(Emitter::kMaxText), window().text_is_bytes);
    put(window().text16(text), test::str(utf8(text)));
  }
  void long_text() {
    const std::string text = utf8(units(length(5000), choices_.one_in(2)));
    put(window().hole(wide(kLongStr), {text.begin(), text.end()}), test::str(text));
  }
  void binary() {
    const Bytes data = test::counted(length(Emitter::kMaxText));
    if (choices_.one_in(2)) {
      put(window().hole(wide(kBin), data), test::bin(data));
    } else {
      put(window().short_bin(data), test::bin(data));
    }
  }
  void extension() {
    const auto type = static_cast<int8_t>(choices_.byte());
    const Bytes data = test::counted(length(Emitter::kMaxText));
    const uint32_t kind = choices_.below(3);
    if (kind == 0) {
      put(window().short_ext(type, data), test::ext(type, data));
      return;
    }
    const auto extra = static_cast<uint8_t>(type);
    if (kind == 1) {
      put(window().hole(wide(kExt, extra), data), test::ext(type, data));
      return;
    }
    is_placed_ = true;
    put(window().hole(wide(kPlacedExt, extra), data),
        test::join({test::head(0xc9, data.size(), 4), {extra}, data}));
  }

  void typed_array() {
    const auto type = static_cast<uint8_t>(choices_.byte());
    const uint32_t log2_alignment = choices_.below(Emitter::kMaxAlignment + 1);
    const Bytes data = test::counted(length(Emitter::kMaxText));
    const auto position = origin_ + static_cast<uint32_t>(message_.size());
    const Bytes bytes = test::typed_array(position, type, 1U << log2_alignment, data);
    is_placed_ = true;
    if (choices_.one_in(2)) {
      put(window().typed_array(type, log2_alignment, data), bytes);
    } else {
      put(window().short_typed_array(type, log2_alignment, data), bytes);
    }
  }

  void array(uint32_t depth) {
    const uint32_t count = choices_.below(choices_.one_in(8) ? 40 : 4);
    TapeWriter& at = window();
    put(choices_.one_in(4) ? at.put(wide(kLargeArray)).put(count) : at.array(count),
        test::array_header(count));
    for (uint32_t i = 0; i < count; i++) value(depth + 1);
  }
  void map(uint32_t depth) {
    const uint32_t count = choices_.below(choices_.one_in(8) ? 40 : 4);
    TapeWriter& at = window();
    put(choices_.one_in(4) ? at.put(wide(kLargeMap)).put(count) : at.map(count), test::map_header(count));
    for (uint32_t i = 0; i < count; i++) {
      if (choices_.one_in(2)) {
        const uint32_t key = choices_.below(static_cast<uint32_t>(keys_.size()));
        put(window().key(key + 1), keys_[key]);
      } else {
        text();
      }
      value(depth + 1);
    }
  }

  Choices& choices_;
  const EncodeOptions options_;
  const uint32_t origin_;
  std::vector<Bytes> keys_;
  std::vector<TapeWriter> windows_;
  Bytes message_;
  bool is_placed_ = false;
};

}  // namespace
}  // namespace mpw

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mpw;
  fuzz::Choices choices({data, size});
  const uint32_t modes = choices.byte();
  const EncodeOptions options = {(modes & 1) != 0, (modes & 2) != 0, (modes & 4) != 0, (modes & 8) != 0};
  const test::Encoding::Limits limits = {.output = Emitter::kMinOutput + choices.below(300),
                                         .holes = 1 + choices.below(4),
                                         .origin = choices.byte()};
  static const auto keys = std::make_unique<KeyStore>();
  keys->clear();
  Generator generator(choices, options, limits.origin, *keys);
  generator.value();
  const test::Bytes& message = generator.message();

  test::Encoding encoding(*keys, generator.windows(), limits, options);
  EXPECT_EQ(encoding.run(), message);
  test::Bytes prefix = test::varint(message.size());
  if (generator.is_placed()) {
    for (prefix.back() |= 0x80; prefix.size() < Emitter::kMaxFramePrefix; prefix.push_back(0x80)) continue;
    prefix.back() &= 0x7f;
  }
  EXPECT_EQ(encoding.frame_prefix(), prefix);

  DecodeOptions any_key;
  any_key.any_key = true;
  const test::Outcome outcome =
      test::Session(fuzz::empty_key_table(), {.chunk = 8192, .tape = 512}, any_key).decode(message);
  EXPECT_EQ(outcome.status, Status::kDone);
  EXPECT_EQ(outcome.offset, message.size());
  return 0;
}
