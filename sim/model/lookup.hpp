// SPDX-License-Identifier: Apache-2.0
// What a packet's lookup uses: one class for each kind of key. N is the number of limbs of the whole key.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "table.hpp"

namespace p4 {

template <unsigned N>
using Key = std::array<uint64_t, N>;

// What applying a table gives. `row` is the default row on a miss, and never null.
struct Applied {
  const Row* row = nullptr;
  bool hit = false;
  bool exited = false;  // the action executed `exit`
};

template <unsigned N>
struct KeyHash {
  size_t operator()(const Key<N>& key) const {
    uint64_t hash = 0;
    for (auto part : key) {
      hash = (hash ^ part) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

template <unsigned N>
using KeyMap = std::unordered_map<Key<N>, const Row*, KeyHash<N>>;

template <unsigned N>
Key<N> to_key(const Limbs& limbs) {
  Key<N> key{};
  std::copy(limbs.begin(), limbs.end(), key.begin());
  return key;
}

// Counts a lookup and gives its result.
template <class Index, unsigned N>
class IndexedTable : public Table {
 public:
  IndexedTable(TableInfo info, uint32_t default_action, Limbs default_data, std::vector<Row> initial)
      : Table(std::move(info), default_action, std::move(default_data), std::move(initial)), index_(this->info) {
    reset();
  }
  Applied lookup(const Key<N>& key) {
    const Row* found = finder() != nullptr ? finder()->find(key.data()) : index_.find(key);
    ++(found != nullptr ? hits : misses);
    return {found != nullptr ? found : &default_row(), found != nullptr};
  }

 protected:
  void index(const Row& row) override { index_.add(row); }
  void unindex(const Row& row) override { index_.remove(row); }
  void unindex_all() override { index_.clear(); }

 private:
  Index index_;
};

// A table without key always runs its default action.
class NoIndex {
 public:
  explicit NoIndex(const TableInfo&) {}
  void add(const Row&) {}
  void remove(const Row&) {}
  void clear() {}
  const Row* find(const Key<0>&) const { return nullptr; }
};

template <unsigned N>
class ExactIndex {
 public:
  explicit ExactIndex(const TableInfo&) {}
  void add(const Row& row) { map_.emplace(to_key<N>(row.a), &row); }
  void remove(const Row& row) {
    const auto found = map_.find(to_key<N>(row.a));
    if (found != map_.end() && found->second == &row) map_.erase(found);
  }
  void clear() { map_.clear(); }
  const Row* find(const Key<N>& key) const {
    const auto found = map_.find(key);
    return found == map_.end() ? nullptr : found->second;
  }

 private:
  KeyMap<N> map_;
};

// One lpm field, the others exact: a map for each mask, the longest prefix first.
template <unsigned N>
class LpmIndex {
 public:
  explicit LpmIndex(const TableInfo&) {}
  void add(const Row& row) {
    const Key<N> mask = to_key<N>(row.b);
    auto at = std::find_if(lengths_.begin(), lengths_.end(), [&](const Length& l) { return l.mask == mask; });
    if (at == lengths_.end()) {
      const unsigned ones = count(mask);
      at = std::find_if(lengths_.begin(), lengths_.end(), [&](const Length& l) { return l.ones < ones; });
      at = lengths_.insert(at, Length{ones, mask, {}});
    }
    at->map.emplace(to_key<N>(row.a), &row);
  }
  void remove(const Row& row) {
    const Key<N> mask = to_key<N>(row.b);
    const auto at = std::find_if(lengths_.begin(), lengths_.end(), [&](const Length& l) { return l.mask == mask; });
    if (at == lengths_.end()) return;
    at->map.erase(to_key<N>(row.a));
    if (at->map.empty()) lengths_.erase(at);
  }
  void clear() { lengths_.clear(); }
  const Row* find(const Key<N>& key) const {
    for (const auto& length : lengths_) {
      Key<N> masked;
      for (unsigned i = 0; i < N; ++i) masked[i] = key[i] & length.mask[i];
      const auto found = length.map.find(masked);
      if (found != length.map.end()) return found->second;
    }
    return nullptr;
  }

 private:
  struct Length {
    unsigned ones;
    Key<N> mask;
    KeyMap<N> map;
  };
  static unsigned count(const Key<N>& mask) {
    unsigned ones = 0;
    for (auto part : mask) ones += static_cast<unsigned>(__builtin_popcountll(part));
    return ones;
  }
  std::vector<Length> lengths_;
};

// Any kinds of match: rows by priority, the first that matches wins.
template <unsigned N>
class PriorityIndex {
 public:
  explicit PriorityIndex(const TableInfo& info) {
    unsigned at = 0;
    for (const auto& key : info.keys) {
      const unsigned count = limbs_for(key.width);
      if (key.match == Match::range) ranges_.push_back({at, count});
      for (unsigned i = at; i < at + count; ++i) masked_[i] = key.match != Match::range;
      at += count;
    }
  }
  void add(const Row& row) {
    const auto at = std::find_if(rows_.begin(), rows_.end(),
                                 [&](const Entry& other) { return other.row->priority > row.priority; });
    Entry entry{to_key<N>(row.a), to_key<N>(row.b), &row};
    for (unsigned i = 0; i < N; ++i)
      if (!masked_[i]) entry.value[i] = entry.mask[i] = 0;
    rows_.insert(at, entry);
  }
  void remove(const Row& row) {
    std::erase_if(rows_, [&](const Entry& entry) { return entry.row == &row; });
  }
  void clear() { rows_.clear(); }
  const Row* find(const Key<N>& key) const {
    for (const auto& entry : rows_) {
      uint64_t differs = 0;
      for (unsigned i = 0; i < N; ++i) differs |= (key[i] ^ entry.value[i]) & entry.mask[i];
      if (differs == 0 && in_ranges(key, *entry.row)) return entry.row;
    }
    return nullptr;
  }

 private:
  struct Entry {
    Key<N> value, mask;
    const Row* row;
  };
  struct Range {
    unsigned first, count;
  };
  bool in_ranges(const Key<N>& key, const Row& row) const {
    return std::all_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
      return compare(&row.a[range.first], &key[range.first], range.count) <= 0 &&
             compare(&key[range.first], &row.b[range.first], range.count) <= 0;
    });
  }
  std::vector<Entry> rows_;
  std::vector<Range> ranges_;
  std::array<bool, N> masked_{};
};

using KeylessTable = IndexedTable<NoIndex, 0>;
template <unsigned N>
using ExactTable = IndexedTable<ExactIndex<N>, N>;
template <unsigned N>
using LpmTable = IndexedTable<LpmIndex<N>, N>;
template <unsigned N>
using PriorityTable = IndexedTable<PriorityIndex<N>, N>;

// Puts key fields into limbs, in order.
template <unsigned N>
class KeyBuilder {
 public:
  template <unsigned W>
  KeyBuilder& field(const bit<W>& value) {
    for (auto part : value.limb) key_[at_++] = part;
    return *this;
  }
  template <unsigned W>
  KeyBuilder& field(const sint<W>& value) {
    return field(value.raw);
  }
  KeyBuilder& field(bool value) {
    key_[at_++] = value ? 1 : 0;
    return *this;
  }
  const Key<N>& key() const { return key_; }

 private:
  Key<N> key_{};
  unsigned at_ = 0;
};

// Takes an action's arguments out of a row, in order.
class Arguments {
 public:
  explicit Arguments(const Row& row) : at_(row.data.data()) {}
  template <unsigned W>
  bit<W> take() {
    const auto* from = at_;
    at_ += bit<W>::LIMBS;
    return bit<W>::of(from, bit<W>::LIMBS);
  }

 private:
  const uint64_t* at_;
};

}  // namespace p4
