// SPDX-License-Identifier: Apache-2.0
// Match-action tables: rows as the control plane sees them, and the index that a packet's lookup uses.
//
// Keys and action data are limbs of 64 bits; each key field and each parameter begins a new limb. A row has two
// values a field, `a` and `b`: exact (value, ones), ternary, lpm and optional (value, mask), range (low, high).
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bits.hpp"

namespace p4 {

enum class Match : uint8_t { exact, lpm, ternary, range, optional };

struct KeyField {
  std::string name;
  unsigned width;
  Match match;
};

struct ActionParameter {
  std::string name;
  unsigned width;
};

struct ActionInfo {
  std::string name;
  std::vector<ActionParameter> parameters;
  bool in_entries = true;
  bool as_default = true;
};

using Limbs = std::vector<uint64_t>;

struct Row {
  Limbs a, b;
  int64_t priority = 0;  // the lowest wins; of equals, the one that came first
  uint32_t action = 0;
  Limbs data;
};

struct TableInfo {
  std::string name;
  uint64_t size;
  std::vector<KeyField> keys;
  std::vector<ActionInfo> actions;
  bool constant_entries = false;
  bool constant_default = false;
};

enum class Status : int {
  done = 0,
  full = 1,           // nothing was changed
  exists = 2,         // an entry with this key and priority is there
  not_found = 3,      // no such entry, table, extern or index
  constant = 4,       // const entries or const default_action
  bad_key = 5,        // wrong number of fields, value too wide, mask not allowed
  bad_action = 6,     // not in the table's list, or not allowed there
  bad_arguments = 7,  // wrong number of arguments, or a value too wide
};

// a - b as a sign, of numbers with the lowest limb first.
inline int compare(const uint64_t* a, const uint64_t* b, unsigned count) {
  for (unsigned i = count; i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

inline unsigned limbs_of(const std::vector<KeyField>& keys) {
  unsigned count = 0;
  for (const auto& key : keys) count += limbs_for(key.width);
  return count;
}

inline bool bit_of(const uint64_t* limbs, unsigned bit) { return (limbs[bit / 64] >> bit % 64 & 1) != 0; }

// The fewest prefixes that together are low..high: a row of the hardware for each. From the highest bit that differs
// on, low's side is all above low in its half, and high's side all below high in the other.
inline uint64_t prefixes_of(const uint64_t* low, const uint64_t* high, unsigned width) {
  while (width > 0 && bit_of(low, width - 1) == bit_of(high, width - 1)) --width;
  if (width == 0) return 1;
  uint64_t above_low = 0, below_high = 0;  // bits where a prefix branches off, above the last that counts
  bool low_counts = false, high_counts = false;
  for (unsigned bit = 0; bit + 1 < width; ++bit) {
    above_low += low_counts && !bit_of(low, bit) ? 1 : 0;
    below_high += high_counts && bit_of(high, bit) ? 1 : 0;
    low_counts = low_counts || bit_of(low, bit);
    high_counts = high_counts || !bit_of(high, bit);
  }
  return low_counts || high_counts ? above_low + below_high + 2 : 1;
}

// Who answers a table's lookups in place of its own rows: a twin of the hardware that holds them, which a control plane
// writes as it writes the hardware. `key` is as a row has it; null is a miss.
class Finder {
 public:
  virtual ~Finder() = default;
  virtual const Row* find(const uint64_t* key) const = 0;
};

// The rows, and what the control plane may do with them.
class Table {
 public:
  Table(TableInfo info, uint32_t default_action, Limbs default_data, std::vector<Row> initial)
      : info(std::move(info)), initial_(std::move(initial)) {
    initial_default_.action = default_action;
    initial_default_.data = std::move(default_data);
    default_row_ = initial_default_;
  }
  virtual ~Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  Status add(Row row) {
    if (info.constant_entries) return Status::constant;
    if (const Status wrong = check(row, true); wrong != Status::done) return wrong;
    if (find(row) != rows_.end()) return Status::exists;
    if (rows_taken_ + rows_of(row) > info.size) return Status::full;
    insert(std::move(row));
    return Status::done;
  }
  // New action and data for the entry with this key and priority.
  Status modify(Row row) {
    if (info.constant_entries) return Status::constant;
    if (const Status wrong = check(row, true); wrong != Status::done) return wrong;
    const auto found = find(row);
    if (found == rows_.end()) return Status::not_found;
    found->action = row.action;
    found->data = std::move(row.data);
    return Status::done;
  }
  Status remove(Row row) {
    if (info.constant_entries) return Status::constant;
    if (const Status wrong = check(row, false); wrong != Status::done) return wrong;
    const auto found = find(row);
    if (found == rows_.end()) return Status::not_found;
    rows_taken_ -= rows_of(*found);
    by_key_.erase(identity(*found));
    unindex(*found);
    rows_.erase(found);
    return Status::done;
  }
  Status clear() {
    if (info.constant_entries) return Status::constant;
    forget();
    return Status::done;
  }
  Status set_default(uint32_t action, Limbs data) {
    if (info.constant_default) return Status::constant;
    if (action >= info.actions.size() || !info.actions[action].as_default) return Status::bad_action;
    if (!fits(info.actions[action], data)) return Status::bad_arguments;
    default_row_.action = action;
    default_row_.data = std::move(data);
    return Status::done;
  }
  // As it was when the model was made.
  void reset() {
    forget();
    for (Row row : initial_) {
      canonical(row);
      insert(std::move(row));
    }
    default_row_ = initial_default_;
    hits = misses = 0;
  }
  const std::list<Row>& rows() const { return rows_; }
  const Row& default_row() const { return default_row_; }
  // From now on; null for its own rows again.
  void answer_from(const Finder* finder) { finder_ = finder; }
  // As hardware takes it: whatever it is. An action of no number does nothing.
  void force_default(Row row) { default_row_ = std::move(row); }

  const TableInfo info;
  uint64_t hits = 0, misses = 0;

 protected:
  virtual void index(const Row& row) = 0;
  virtual void unindex(const Row& row) = 0;
  virtual void unindex_all() = 0;
  const Finder* finder() const { return finder_; }

 private:
  static bool fits(const ActionInfo& action, const Limbs& data) {
    size_t at = 0;
    for (const auto& parameter : action.parameters) {
      const size_t end = at + limbs_for(parameter.width);
      if (end > data.size() || !fits(parameter.width, data[end - 1])) return false;
      at = end;
    }
    return at == data.size();
  }
  static bool fits(unsigned width, uint64_t top) {
    return width == 0 ? top == 0 : width % 64 == 0 || top >> width % 64 == 0;
  }
  // Masked bits are zero, so that equal entries are equal.
  void canonical(Row& row) const {
    unsigned at = 0;
    for (const auto& key : info.keys) {
      const unsigned end = at + limbs_for(key.width);
      for (; at < end; ++at)
        if (key.match != Match::range) row.a[at] &= row.b[at];
    }
  }
  Status check(Row& row, bool with_action) const {
    const unsigned limbs = limbs_of(info.keys);
    if (row.a.size() != limbs || row.b.size() != limbs) return Status::bad_key;
    unsigned at = 0;
    for (const auto& key : info.keys) {
      const unsigned count = limbs_for(key.width);
      if (!fits(key.width, row.a[at + count - 1]) || !fits(key.width, row.b[at + count - 1])) return Status::bad_key;
      if (key.match == Match::range && compare(&row.a[at], &row.b[at], count) > 0) return Status::bad_key;
      if (!mask_allowed(key, &row.b[at])) return Status::bad_key;
      at += count;
    }
    canonical(row);
    if (!with_action) return Status::done;
    if (row.action >= info.actions.size() || !info.actions[row.action].in_entries) return Status::bad_action;
    return fits(info.actions[row.action], row.data) ? Status::done : Status::bad_arguments;
  }
  static bool mask_allowed(const KeyField& key, const uint64_t* mask) {
    unsigned ones = 0, leading = 0;
    bool leads = true;
    for (unsigned bit = key.width; bit-- > 0;) {
      const bool set = (mask[bit / 64] >> bit % 64 & 1) != 0;
      ones += set ? 1 : 0;
      leads = leads && set;
      leading += leads ? 1 : 0;
    }
    switch (key.match) {
      case Match::exact:
        return ones == key.width;
      case Match::lpm:
        return ones == leading;
      case Match::optional:
        return ones == key.width || ones == 0;
      default:
        return true;
    }
  }
  static std::tuple<Limbs, Limbs, int64_t> identity(const Row& row) { return {row.a, row.b, row.priority}; }
  std::list<Row>::iterator find(const Row& row) {
    const auto at = by_key_.find(identity(row));
    return at == by_key_.end() ? rows_.end() : at->second;
  }
  // How many rows of the hardware the entry takes.
  uint64_t rows_of(const Row& row) const {
    uint64_t count = 1;
    unsigned at = 0;
    for (const auto& key : info.keys) {
      if (key.match == Match::range) count *= prefixes_of(&row.a[at], &row.b[at], key.width);
      at += limbs_for(key.width);
    }
    return count;
  }
  void insert(Row row) {
    rows_taken_ += rows_of(row);
    rows_.push_back(std::move(row));
    by_key_.emplace(identity(rows_.back()), std::prev(rows_.end()));
    index(rows_.back());
  }
  void forget() {
    unindex_all();
    by_key_.clear();
    rows_.clear();
    rows_taken_ = 0;
  }

  const Finder* finder_ = nullptr;
  uint64_t rows_taken_ = 0;
  std::list<Row> rows_;  // in the order in which they came
  std::map<std::tuple<Limbs, Limbs, int64_t>, std::list<Row>::iterator> by_key_;
  Row default_row_, initial_default_;
  std::vector<Row> initial_;
};

}  // namespace p4
