#include "key_table.hpp"

#include <utility>

#include "utf.hpp"

namespace mpw {
namespace {

/// MurmurHash3's finaliser: each multiplication spreads a bit over all those above it, each fold brings the
/// upper half down. One round is not enough: it leaves keys that differ in the last bytes of a word alone in
/// one slot.
constexpr uint64_t scramble(uint64_t value) {
  value = (value ^ value >> 32) * 0xff51afd7ed558ccdU;
  value = (value ^ value >> 32) * 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 32;
}

}  // namespace

void KeyTable::clear() {
  key_slots_.fill(0);
  edges_.fill({0, 0, 0});
  seen_.fill(0);
  // Number 0 stands for "none" in both tables.
  key_count_ = 1;
  node_count_ = 1;
  bytes_used_ = 0;
  full_ = false;
  keys_[0] = {0, 0, 0, 0};
  add_node(kRoot, seed_, kRoot, 0);
}

uint32_t KeyTable::hash(std::span<const uint8_t> key) const {
  uint64_t state = (static_cast<uint64_t>(seed_) << 32 | seed_) ^ key.size();
  const uint8_t* at = key.data();
  size_t left = key.size();
  for (; left >= 8; at += 8, left -= 8) state = scramble(state ^ load<uint64_t>(at));
  if (left > 0) state = scramble(state ^ (load<uint64_t>(at) & ((1ULL << left * 8) - 1)));
  return static_cast<uint32_t>(state);
}

uint32_t KeyTable::find(std::span<const uint8_t> key, uint32_t hash) const {
  for (uint32_t i = 0; i < kMaxProbes; i++) {
    const uint32_t number = key_slots_[(hash + i) % kKeySlots];
    if (number == 0) break;
    const Key& known = keys_[number];
    if (known.hash == hash && known.length == key.size() &&
        same(&bytes_[known.offset + known.header_length], key.data(), known.length)) {
      return number;
    }
  }
  return 0;
}

uint32_t KeyTable::find_edge(uint32_t node, uint32_t key) const {
  for (uint32_t i = 0, hash = mix(node, key); i < kMaxProbes; i++) {
    const Edge& edge = edges_[(hash + i) % kEdgeSlots];
    if (edge.to == 0) break;
    if (edge.from == node && edge.key == key) return edge.to;
  }
  return 0;
}

uint32_t KeyTable::intern(std::span<const uint8_t> key, uint32_t hash) {
  const auto length = static_cast<uint32_t>(key.size());
  // Malformed keys stay strangers, for those who want an error for each.
  std::array<uint16_t, kMaxKeyLength + kSlack / sizeof(uint16_t)> units;
  if (!utf8_to_utf16(units.data(), key.data(), length).valid) return 0;
  const uint32_t header_length = length < 32 ? 1 : 2;
  uint16_t* const slot = free_slot(key_slots_, hash, [](uint16_t number) { return number == 0; });
  if (slot == nullptr || key_count_ == kMaxKeys || bytes_used_ + header_length + length + kSlack > kBytes) {
    full_ = true;
    return 0;
  }
  uint8_t* to = &bytes_[bytes_used_];
  if (header_length == 1) {
    *to++ = static_cast<uint8_t>(0xa0 | length);
  } else {
    *to++ = 0xd9;
    *to++ = static_cast<uint8_t>(length);
  }
  std::memcpy(to, key.data(), length);
  *slot = static_cast<uint16_t>(key_count_);
  keys_[key_count_] = {bytes_used_, length, hash, header_length};
  bytes_used_ += header_length + length;
  return key_count_++;
}

MPW_SMALL void KeyTable::add_node(uint32_t node, uint32_t path, uint32_t parent, uint32_t key) {
  // 0xc1 starts no key.
  constexpr Prediction kNothing = {0xc1, 0xff, 0, 0, kRoot};
  for (const uint32_t at : {entry(node), node}) nodes_[at] = {kNothing, kNothing, 0, seed_, kRoot, 0};
  nodes_[node].path = path;
  nodes_[node].parent = parent;
  nodes_[node].key = key;
}

MPW_APART const KeyTable::Prediction* KeyTable::match_other(uint32_t node, const uint8_t* in) {
  Node& from = nodes_[node];
  if (!matches(from.other, in)) return nullptr;
  if (++from.surprises < kMaxSurprises) return &from.other;
  std::swap(from.likely, from.other);
  from.surprises = 0;
  return &from.likely;
}

uint32_t KeyTable::mix(uint32_t path, uint32_t hash) const {
  return static_cast<uint32_t>(scramble(static_cast<uint64_t>(path) << 32 | hash));
}

void KeyTable::predict(uint32_t node, uint32_t key, uint32_t next) {
  const Key& known = keys_[key];
  const uint32_t length = known.header_length + known.length;
  Node& from = nodes_[node];
  from.other = from.likely;
  from.surprises = 0;
  from.likely = {load<uint64_t>(&bytes_[known.offset]), length < 8 ? (1ULL << length * 8) - 1 : ~0ULL,
                 known.offset, length, next};
}

uint32_t KeyTable::follow(uint32_t node, std::span<const uint8_t> key, uint32_t hash) {
  const uint32_t from = shape(node);
  uint32_t number = find(key, hash);
  uint32_t next = number == 0 ? 0 : find_edge(from, number);
  if (next == 0) {
    const uint32_t path = mix(nodes_[from].path, hash);
    if (!was_seen(path)) return 0;
    if (number == 0) number = intern(key, hash);
    if (number == 0) return 0;
    Edge* const edge = free_slot(edges_, mix(from, number), [](const Edge& at) { return at.to == 0; });
    if (edge == nullptr || node_count_ == kMaxNodes) {
      full_ = true;
      return 0;
    }
    next = node_count_++;
    *edge = {from, number, next};
    add_node(next, path, from, number);
  }
  predict(node, number, next);
  return next;
}

uint32_t KeyTable::recognize(std::span<const uint8_t> key, uint32_t hash) {
  if (const uint32_t number = find(key, hash)) return number;
  const bool has_room = key_count_ < kMaxLooseKeys && bytes_used_ < kMaxLooseBytes;
  return has_room && was_seen(hash) ? intern(key, hash) : 0;
}

uint32_t KeyTable::see(uint32_t path, uint32_t hash) {
  path = mix(path, hash);
  was_seen(path);
  return path;
}

bool KeyTable::was_seen(uint32_t path) {
  // Two places for each: with one, two paths of a map that share it would drive each other out at every
  // sight.
  uint32_t* const slot = &seen_[path % (kSeenSlots / 2) * 2];
  if (slot[0] == path || slot[1] == path) return true;
  slot[1] = slot[0];
  slot[0] = path;
  return false;
}

std::span<const uint8_t> KeyTable::text(uint32_t key) const {
  const Key& known = keys_[key];
  return {&bytes_[known.offset + known.header_length], known.length};
}

}  // namespace mpw
