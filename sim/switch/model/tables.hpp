// SPDX-License-Identifier: Apache-2.0
// Twins of hw/rtl/table: what commands have put into them, and what a lookup finds. A row is anything that the hardware
// takes, be it of use or not; a model's own tables (p4::Table) would refuse some of it.
//
// Not as in hardware: a command is done at once, and the place of a key in an exact table is the lowest free one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts.hpp"
#include "table.hpp"

namespace fabric {

using p4::Limbs;

enum class Op : unsigned { SET = 0, DELETE = 1, READ = 2, CLEAR = 3, NODE = 4, SWAP = 5, DEFAULT = 6 };
enum class Code : unsigned { OK = 0, FULL = 1, NOT_FOUND = 2, BAD_REQUEST = 3 };

// Bits of a number in limbs.
inline uint64_t bits_of(const Limbs& limbs, unsigned low, unsigned width) {
  if (width == 0 || low / 64 >= limbs.size()) return 0;
  uint64_t found = limbs[low / 64] >> low % 64;
  if (low % 64 != 0 && low / 64 + 1 < limbs.size()) found |= limbs[low / 64 + 1] << (64 - low % 64);
  return width >= 64 ? found : found & ((uint64_t{1} << width) - 1);
}

// A number cut into fields, the first the most significant, each from a limb of its own on.
inline Limbs cut(const Limbs& number, unsigned bits, const std::vector<unsigned>& widths) {
  Limbs made;
  for (const unsigned width : widths) {
    bits -= width;
    for (unsigned i = 0; i < p4::limbs_for(width); ++i)
      made.push_back(bits_of(number, bits + 64 * i, std::min(64U, width - std::min(width, 64 * i))));
  }
  return made;
}

inline unsigned sum_of(const std::vector<unsigned>& widths) {
  unsigned sum = 0;
  for (const unsigned width : widths) sum += width;
  return sum;
}

struct Command {
  Op op;
  Limbs key, mask, value;  // numbers as wide as the window's registers
  uint32_t index;
};

// What READ shows. `found` is what the table says of a row, and up whatever the command where it has no rows.
struct Shown {
  bool found = false;
  Limbs key, mask, value;
};

// Each kind keeps its rows as it likes.
class HardwareTable : public p4::Finder {
 public:
  explicit HardwareTable(const TableFact& fact, const p4::Table& table) : fact_(fact) {
    for (const auto& action : fact.actions) {
      unsigned number = 0;
      while (number < table.info.actions.size() && !same(action.name, table.info.actions[number].name)) ++number;
      actions_.push_back(number);
    }
  }

  virtual void reset() = 0;
  virtual Code run(const Command&, Shown&) = 0;
  virtual unsigned entries() const = 0;

  // The action and its data that a value is; the number of no action where its code is none's.
  p4::Row row_of(const Limbs& value) const {
    p4::Row row;
    row.action = ~uint32_t{0};
    const uint64_t code = bits_of(value, fact_.data_bits, fact_.value_bits - fact_.data_bits);
    for (size_t i = 0; i < fact_.actions.size(); ++i) {
      const auto& action = fact_.actions[i];
      if (action.code != code) continue;
      row.action = actions_[i];
      row.data = cut(value, fact_.data_bits, action.widths);
    }
    return row;
  }

 protected:
  Limbs fields_of(const Limbs& key) const { return cut(key, sum_of(fact_.key_widths), fact_.key_widths); }
  const TableFact& fact_;

 private:
  // The manifest's names are whole, a model's may lack what stands before a dot.
  static bool same(const std::string& whole, const std::string& name) {
    return whole == name || whole.ends_with("." + name) || name.ends_with("." + whole);
  }
  std::vector<unsigned> actions_;  // their numbers in the model's table
};

class TwinExact : public HardwareTable {
 public:
  using HardwareTable::HardwareTable;
  void reset() override {
    places_.clear();
    rows_.clear();
  }
  unsigned entries() const override { return static_cast<unsigned>(places_.size()); }
  const p4::Row* find(const uint64_t* key) const override {
    const auto found = places_.find(Key(key, limbs()));
    return found == places_.end() ? nullptr : &rows_[found->second]->row;
  }
  Code run(const Command& command, Shown& shown) override {
    switch (command.op) {
      case Op::SET: {
        const Limbs fields = fields_of(command.key);
        const auto found = places_.find(Key(fields));
        size_t place = 0;
        if (found == places_.end()) {
          if (places_.size() >= fact_.entries) return Code::FULL;
          while (place < rows_.size() && rows_[place] != nullptr) ++place;
          if (place == rows_.size()) rows_.emplace_back();
          places_.emplace(fields, place);
        } else {
          place = found->second;
        }
        rows_[place] = std::make_unique<Entry>(Entry{command.key, command.value, row_of(command.value)});
        return Code::OK;
      }
      case Op::DELETE: {
        const auto found = places_.find(Key(fields_of(command.key)));
        if (found == places_.end()) return Code::NOT_FOUND;
        rows_[found->second].reset();
        places_.erase(found);
        return Code::OK;
      }
      case Op::READ:
        if (command.index >= fact_.rows) return Code::BAD_REQUEST;
        shown.found = command.index < rows_.size() && rows_[command.index] != nullptr;
        if (shown.found) {
          shown.key = rows_[command.index]->key;
          shown.value = rows_[command.index]->value;
        }
        return Code::OK;
      case Op::CLEAR:
        reset();
        return Code::OK;
      default:
        return Code::BAD_REQUEST;
    }
  }

 private:
  using Key = std::span<const uint64_t>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(Key key) const {
      uint64_t hash = 0;
      for (const auto part : key) {
        hash = (hash ^ part) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(Key a, Key b) const { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
  };
  struct Entry {
    Limbs key, value;
    p4::Row row;
  };
  size_t limbs() const {
    size_t count = 0;
    for (const unsigned width : fact_.key_widths) count += p4::limbs_for(width);
    return count;
  }
  std::unordered_map<Limbs, size_t, Hash, Equal> places_;
  std::vector<std::unique_ptr<Entry>> rows_;
};

class TwinTernary : public HardwareTable {
 public:
  TwinTernary(const TableFact& fact, const p4::Table& table) : HardwareTable(fact, table) {
    rows_.resize(fact.entries);
  }
  void reset() override {
    for (auto& row : rows_) row.reset();
    used_.clear();
  }
  unsigned entries() const override { return static_cast<unsigned>(used_.size()); }
  const p4::Row* find(const uint64_t* key) const override {
    for (const Entry* entry : used_) {
      uint64_t differs = 0;
      for (size_t i = 0; i < entry->row.a.size(); ++i) differs |= (key[i] ^ entry->row.a[i]) & entry->row.b[i];
      if (differs == 0) return &entry->row;
    }
    return nullptr;
  }
  Code run(const Command& command, Shown& shown) override {
    if (command.op == Op::CLEAR) {
      reset();
      return Code::OK;
    }
    if (command.op != Op::SET && command.op != Op::DELETE && command.op != Op::READ) return Code::BAD_REQUEST;
    if (command.index >= rows_.size()) return Code::BAD_REQUEST;
    auto& row = rows_[command.index];
    if (command.op == Op::READ) {
      shown.found = row != nullptr;
      if (shown.found) {
        shown.key = row->key;
        shown.mask = row->mask;
        shown.value = row->value;
      }
      return Code::OK;
    }
    if (command.op == Op::DELETE && row == nullptr) return Code::NOT_FOUND;
    row.reset();
    if (command.op == Op::SET) {
      row = std::make_unique<Entry>(Entry{command.key, command.mask, command.value, row_of(command.value)});
      row->row.a = fields_of(command.key);
      row->row.b = fields_of(command.mask);
    }
    used_.clear();
    for (const auto& one : rows_)
      if (one != nullptr) used_.push_back(one.get());
    return Code::OK;
  }

 private:
  struct Entry {
    Limbs key, mask, value;
    p4::Row row;
  };
  std::vector<std::unique_ptr<Entry>> rows_;
  std::vector<const Entry*> used_;  // in the order of their rows
};

// Two trees; a lookup walks through the one in use as the levels of table_lpm do.
class TwinLpm : public HardwareTable {
 public:
  TwinLpm(const TableFact& fact, const p4::Table& table)
      : HardwareTable(fact, table), limbs_(p4::limbs_for(fact.key_widths.at(0))), values_(fact.entries) {
    rows_.assign(fact.entries, row_of({}));
    for (auto& tree : trees_) {
      tree.resize(fact.levels);
      for (unsigned level = 1; level <= fact.levels; ++level) {
        const unsigned slots = level == fact.levels ? LEAF_SLOTS + 1 : INNER_SLOTS;  // a leaf's first range is its last
        tree[level - 1].assign(nodes(level), std::vector<Slot>(slots));
      }
    }
    root_.resize(nodes(1) - 1);
    coming_.resize(nodes(1) - 1);
  }
  void reset() override {
    clear();
    in_use_ = 0;
  }
  unsigned entries() const override { return entries_; }
  const p4::Row* find(const uint64_t* key) const override {
    unsigned node = rank(key, root_.data(), root_.size());
    for (unsigned level = 1; level < fact_.levels; ++level)
      node = node << 4 | (rank(key, at(in_use_, level, node).data(), INNER_SLOTS) & 0xf);
    const auto& leaf = at(in_use_, fact_.levels, node);
    const unsigned place = rank(key, leaf.data(), LEAF_SLOTS);
    const Slot& slot = place == 0 ? leaf[LEAF_SLOTS] : leaf[place - 1];
    return slot.hit && slot.index < rows_.size() ? &rows_[slot.index] : nullptr;
  }
  Code run(const Command& command, Shown& shown) override {
    shown.found = true;
    switch (command.op) {
      case Op::SET:
        if (command.index >= fact_.entries) return Code::BAD_REQUEST;
        values_[command.index] = command.value;
        rows_[command.index] = row_of(command.value);
        return Code::OK;
      case Op::READ:
        if (command.index >= fact_.entries) return Code::BAD_REQUEST;
        shown.value = values_[command.index];
        return Code::OK;
      case Op::NODE:
        return write(command) ? Code::OK : Code::BAD_REQUEST;
      case Op::SWAP:
        in_use_ = 1 - in_use_;
        root_ = coming_;
        entries_ = command.index & COUNT_MASK;
        return Code::OK;
      case Op::CLEAR:
        clear();
        return Code::OK;
      default:
        return Code::BAD_REQUEST;
    }
  }

 private:
  static constexpr unsigned LEAF_SLOTS = 16, INNER_SLOTS = 15;  // table_lpm_pkg
  static constexpr unsigned FIRST_SLOT = 31;
  static constexpr uint32_t COUNT_MASK = 0x1ffff;

  struct Slot {
    bool occupied = false;
    bool hit = false;
    unsigned index = 0;
    uint64_t key[2] = {0, 0};
  };

  unsigned nodes(unsigned level) const { return fact_.leaves >> 4 * (fact_.levels - level); }
  const std::vector<Slot>& at(unsigned tree, unsigned level, unsigned node) const {
    return trees_[tree][level - 1][node & (nodes(level) - 1)];
  }
  // As table_rank: where the boundaries that are not above the key end.
  unsigned rank(const uint64_t* key, const Slot* slots, size_t count) const {
    unsigned found = 0;
    bool reached = count > 0 && reaches(key, slots[0]);
    for (size_t slot = 0; slot < count; ++slot) {
      const bool next = slot + 1 < count && reaches(key, slots[slot + 1]);
      if (reached && !next) found |= static_cast<unsigned>(slot + 1);
      reached = next;
    }
    return found;
  }
  bool reaches(const uint64_t* key, const Slot& slot) const {
    return slot.occupied && p4::compare(key, slot.key, limbs_) >= 0;
  }
  // lpm_index_t and lpm_target_t of table_lpm_pkg.
  bool write(const Command& command) {
    const unsigned level = command.index >> 17 & 0x3, place = command.index >> 12 & 0x1f, node = command.index & 0xfff;
    if ((command.index >> 19 & 1) != 0 || level > fact_.levels) return false;
    const auto target = static_cast<unsigned>(bits_of(command.mask, 0, 16));
    Slot slot;
    slot.occupied = target >> 15 & 1;
    slot.hit = target >> 14 & 1;
    slot.index = target & 0x3fff & (std::bit_ceil(std::max(2U, fact_.entries)) - 1);
    for (unsigned i = 0; i < limbs_; ++i) slot.key[i] = bits_of(command.key, 64 * i, 64);
    if (level == 0) {
      if (node != 0 || place >= coming_.size()) return false;
      coming_[place] = slot;
      return true;
    }
    if (node >= nodes(level)) return false;
    const bool is_leaf = level == fact_.levels;
    if (place >= (is_leaf ? LEAF_SLOTS : INNER_SLOTS) && !(is_leaf && place == FIRST_SLOT)) return false;
    trees_[1 - in_use_][level - 1][node][place == FIRST_SLOT ? LEAF_SLOTS : place] = slot;
    return true;
  }
  void clear() {
    for (auto& tree : trees_)
      for (auto& level : tree)
        for (auto& node : level)
          for (auto& slot : node) slot = Slot();
    for (auto& slot : root_) slot = Slot();
    for (auto& slot : coming_) slot = Slot();
    entries_ = 0;
  }

  const unsigned limbs_;
  std::vector<Limbs> values_;
  std::vector<p4::Row> rows_;
  std::vector<std::vector<std::vector<Slot>>> trees_[2];  // by level and node
  std::vector<Slot> root_, coming_;
  unsigned in_use_ = 0;
  unsigned entries_ = 0;
};

inline std::unique_ptr<HardwareTable> make_twin(const TableFact& fact, const p4::Table& table) {
  switch (fact.kind) {
    case TableKind::exact:
      return std::make_unique<TwinExact>(fact, table);
    case TableKind::lpm:
      return std::make_unique<TwinLpm>(fact, table);
    default:
      return std::make_unique<TwinTernary>(fact, table);
  }
}

}  // namespace fabric
