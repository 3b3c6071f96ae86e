#include "key_table.hpp"

namespace mpw {
namespace {

/// MurmurHash3's 64-bit finaliser constants: each spreads a bit over the whole word.
constexpr uint64_t kMultiplier1 = 0xff51afd7ed558ccdU;
constexpr uint64_t kMultiplier2 = 0xc4ceb9fe1a85ec53U;

constexpr uint64_t scramble(uint64_t value) {
  value = (value ^ value >> 33) * kMultiplier1;
  value = (value ^ value >> 33) * kMultiplier2;
  return value ^ value >> 33;
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
  nodes_[kRoot] = unpredicted(seed_, kRoot, 0);
}

uint32_t KeyTable::hash(std::span<const uint8_t> key) const {
  uint64_t state = (static_cast<uint64_t>(seed_) << 32 | seed_) ^ key.size() * kMultiplier2;
  const uint8_t* at = key.data();
  size_t left = key.size();
  for (; left >= 8; at += 8, left -= 8) state = scramble(state ^ load<uint64_t>(at));
  if (left > 0) {
    uint64_t rest = 0;
    std::memcpy(&rest, at, left);
    state = scramble(state ^ rest);
  }
  return static_cast<uint32_t>(state);
}

uint32_t KeyTable::find(std::span<const uint8_t> key, uint32_t hash) const {
  for (uint32_t slot = hash % kKeySlots; key_slots_[slot] != 0; slot = (slot + 1) % kKeySlots) {
    const uint32_t number = key_slots_[slot];
    const Key& known = keys_[number];
    if (known.hash == hash && known.length == key.size() &&
        std::memcmp(&bytes_[known.offset + known.header_length], key.data(), key.size()) == 0) {
      return number;
    }
  }
  return 0;
}

uint32_t KeyTable::intern(std::span<const uint8_t> key, uint32_t hash) {
  if (const uint32_t number = find(key, hash)) return number;
  const auto length = static_cast<uint32_t>(key.size());
  const uint32_t header_length = length < 32 ? 1 : 2;
  if (key_count_ == kMaxKeys || bytes_used_ + header_length + length + kSlack > kBytes) {
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
  uint32_t slot = hash % kKeySlots;
  while (key_slots_[slot] != 0) slot = (slot + 1) % kKeySlots;
  key_slots_[slot] = static_cast<uint16_t>(key_count_);
  keys_[key_count_] = {bytes_used_, length, hash, header_length};
  bytes_used_ += header_length + length;
  return key_count_++;
}

KeyTable::Node KeyTable::unpredicted(uint32_t path, uint32_t parent, uint32_t key) {
  // 0xc1 starts no key, and a length of 0 is no match even for malformed input.
  return {0xc1, 0xff, 0, 0, kRoot, path, parent, key};
}

uint32_t KeyTable::mix(uint32_t path, uint32_t hash) const {
  return static_cast<uint32_t>(scramble(static_cast<uint64_t>(path) << 32 | hash));
}

void KeyTable::predict(uint32_t node, uint32_t key, uint32_t next) {
  const Key& known = keys_[key];
  const uint32_t length = known.header_length + known.length;
  Node& from = nodes_[node];
  from.mask = length < 8 ? (1ULL << length * 8) - 1 : ~0ULL;
  from.first = load<uint64_t>(&bytes_[known.offset]);
  from.offset = known.offset;
  from.length = length;
  from.next = next;
}

uint32_t KeyTable::follow(uint32_t node, std::span<const uint8_t> key, uint32_t hash) {
  uint32_t number = find(key, hash);
  uint32_t slot = 0;
  if (number != 0) {
    for (slot = mix(node, number) % kEdgeSlots; edges_[slot].to != 0; slot = (slot + 1) % kEdgeSlots) {
      if (edges_[slot].from == node && edges_[slot].key == number) {
        predict(node, number, edges_[slot].to);
        return edges_[slot].to;
      }
    }
  }
  const uint32_t path = mix(nodes_[node].path, hash);
  uint32_t& seen = seen_[path % kSeenSlots];
  if (seen != path) {
    seen = path;
    return 0;
  }
  if (node_count_ == kMaxNodes) {
    full_ = true;
    return 0;
  }
  if (number == 0) {
    number = intern(key, hash);
    if (number == 0) return 0;
  }
  for (slot = mix(node, number) % kEdgeSlots; edges_[slot].to != 0;) slot = (slot + 1) % kEdgeSlots;
  const uint32_t next = node_count_++;
  edges_[slot] = {node, number, next};
  nodes_[next] = unpredicted(path, node, number);
  predict(node, number, next);
  return next;
}

uint32_t KeyTable::see(uint32_t path, uint32_t hash) {
  path = mix(path, hash);
  seen_[path % kSeenSlots] = path;
  return path;
}

std::span<const uint8_t> KeyTable::text(uint32_t key) const {
  const Key& known = keys_[key];
  return {&bytes_[known.offset + known.header_length], known.length};
}

}  // namespace mpw
