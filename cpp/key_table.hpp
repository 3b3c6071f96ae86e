#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bytes.hpp"

namespace mpw {

/// The keys and the map shapes that a decoder has met, bounded in number and in bytes.
///
/// A shape is a node of a trie: the sequence of keys on the way from the root. A node predicts the key that
/// came after it last time, so that a map like the one before costs one 8-byte comparison a key. Keys and
/// shapes enter at their second sight only: what strangers send once (dictionaries, floods) leaves nothing
/// behind but a fingerprint.
class KeyTable {
 public:
  static constexpr uint32_t kMaxNodes = 4096;
  /// Those of maps without a shape; as many more as there are nodes are kept for those with one.
  static constexpr uint32_t kMaxLooseKeys = 12 * 1024;
  static constexpr uint32_t kMaxKeys = kMaxLooseKeys + kMaxNodes;
  static constexpr uint32_t kMaxKeyLength = 64;
  static constexpr uint32_t kMaxLooseBytes = 192 * 1024;
  static constexpr uint32_t kBytes = kMaxLooseBytes + 64 * 1024;
  /// An encoded key (a header of 2 bytes at most) and the word that a comparison may read beyond it.
  static constexpr uint32_t kLookahead = 2 + kMaxKeyLength + sizeof(uint64_t);
  /// The empty shape. No edge leads to it, so 0 also says "none".
  static constexpr uint32_t kRoot = 0;

  /// `seed` keeps the collisions of the hash from being known to who chooses the keys.
  explicit KeyTable(uint32_t seed) : seed_(seed) { clear(); }

  /// Forgets all keys and shapes; their numbers are given anew.
  void clear();

  /// A key that came after a node, as it is encoded in its shortest form, and the node that it leads to.
  struct Prediction {
    /// The first 8 bytes of the key with its header, and which of them count.
    uint64_t first;
    uint64_t mask;
    uint32_t offset;
    uint32_t length;
    uint32_t next;
  };

  /// What `node` predicts if that is the encoded key at `in` (its header included), else null.
  /// `in` must be readable for kLookahead bytes; bytes past the input's end may match by accident, so the
  /// caller compares the length with what it has.
  const Prediction* match(uint32_t node, const uint8_t* in) {
    const Prediction& likely = nodes_[node].likely;
    return matches(likely, in) ? &likely : match_other(node, in);
  }

  /// A key that is looked up must be readable for 8 bytes beyond its end: keys are compared in whole words.
  uint32_t hash(std::span<const uint8_t> key) const;

  /// Stands for the root in maps that are reached by way of `node`: it predicts their first key apart from
  /// that of all others.
  static constexpr uint32_t entry(uint32_t node) { return kMaxNodes + node; }
  /// The shape of a node, or of the root that an entry stands for.
  static constexpr uint32_t shape(uint32_t node) { return node < kMaxNodes ? node : kRoot; }

  /// The number of a known key, or 0.
  uint32_t find(std::span<const uint8_t> key, uint32_t hash) const;

  /// As `find`, for a key of a map without a shape: learns it if this is its second sight, and if such keys
  /// have not taken the room that they may.
  uint32_t recognize(std::span<const uint8_t> key, uint32_t hash);

  /// The shape that `key` leads to from `node`, which `node` predicts from now on. Learns it if this is its
  /// second sight and there is room. 0 if it is not known.
  uint32_t follow(uint32_t node, std::span<const uint8_t> key, uint32_t hash);

  /// Marks a shape as seen that has no node: the `path` of what came before it, and the next key.
  /// Returns the path with that key.
  uint32_t see(uint32_t path, uint32_t hash);
  uint32_t path(uint32_t node) const { return nodes_[node].path; }

  uint32_t parent(uint32_t node) const { return nodes_[node].parent; }
  /// The last key of a shape.
  uint32_t key(uint32_t node) const { return nodes_[node].key; }
  /// The text of a key, as the UTF-8 it came in.
  std::span<const uint8_t> text(uint32_t key) const;
  /// Whether something was turned away since the last `clear()` because there was no room.
  bool is_full() const { return full_; }

 private:
  struct Key {
    uint32_t offset;
    uint32_t length;
    uint32_t hash;
    uint32_t header_length;
  };
  struct Node {
    Prediction likely;
    /// The next best, for maps of two kinds that take turns.
    Prediction other;
    /// How often the other one was right since it became the other.
    uint32_t surprises;
    uint32_t path;
    uint32_t parent;
    uint32_t key;
  };
  struct Edge {
    uint32_t from;
    uint32_t key;
    uint32_t to;
  };

  /// A quarter full at the most, so that searches are short.
  static constexpr uint32_t kKeySlots = 4 * kMaxKeys;
  static constexpr uint32_t kEdgeSlots = 4 * kMaxNodes;
  static constexpr uint32_t kSeenSlots = 32768;
  /// Bounds what a search costs, even if all keys were made to collide: one that finds no place is not
  /// learned.
  static constexpr uint32_t kMaxProbes = 16;
  /// So often the other prediction must be right to become the likely one.
  static constexpr uint32_t kMaxSurprises = 4;

  static bool same(const uint8_t* a, const uint8_t* b, uint32_t length) {
    for (; length > 8; a += 8, b += 8, length -= 8) {
      if (load<uint64_t>(a) != load<uint64_t>(b)) return false;
    }
    return length == 0 || ((load<uint64_t>(a) ^ load<uint64_t>(b)) << (64 - length * 8)) == 0;
  }

  bool matches(const Prediction& prediction, const uint8_t* in) const {
    if (((load<uint64_t>(in) ^ prediction.first) & prediction.mask) != 0) return false;
    return prediction.length <= 8 || same(&bytes_[prediction.offset + 8], in + 8, prediction.length - 8);
  }
  const Prediction* match_other(uint32_t node, const uint8_t* in);
  void add_node(uint32_t node, uint32_t path, uint32_t parent, uint32_t key);
  /// A free slot for `hash` among those that a search looks at, or null.
  template <typename Slot, size_t Size, typename IsFree>
  static Slot* free_slot(std::array<Slot, Size>& slots, uint32_t hash, IsFree is_free) {
    for (uint32_t i = 0; i < kMaxProbes; i++) {
      Slot& slot = slots[(hash + i) % Size];
      if (is_free(slot)) return &slot;
    }
    return nullptr;
  }

  /// Whether `path` was marked as seen lately; it is now.
  bool was_seen(uint32_t path);
  uint32_t find_edge(uint32_t node, uint32_t key) const;
  uint32_t mix(uint32_t path, uint32_t hash) const;
  uint32_t intern(std::span<const uint8_t> key, uint32_t hash);
  void predict(uint32_t node, uint32_t key, uint32_t next);

  const uint32_t seed_;
  bool full_ = false;
  uint32_t key_count_ = 0;
  uint32_t node_count_ = 0;
  uint32_t bytes_used_ = 0;
  std::array<Node, 2 * kMaxNodes> nodes_;
  std::array<Key, kMaxKeys> keys_;
  std::array<Edge, kEdgeSlots> edges_;
  std::array<uint16_t, kKeySlots> key_slots_;
  std::array<uint32_t, kSeenSlots> seen_;
  std::array<uint8_t, kBytes> bytes_;
};

}  // namespace mpw
