// SPDX-License-Identifier: Apache-2.0
// The registers of a switch on AXI-Lite, as its manifest lists them: what stands behind each is bound to its name.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts.hpp"
#include "switch.hpp"
#include "tables.hpp"

namespace fabric {

class Registers {
 public:
  using Reading = std::function<uint32_t(unsigned word)>;
  using Writing = std::function<void(uint32_t value)>;

  struct Register {
    const RegisterFact* fact;
    uint64_t stored = 0;  // what software has written, or the value after a reset
    Reading reading;      // in place of it
    Writing writing;      // beside it
    uint32_t field(const std::string& name) const {
      const FieldFact& place = find(name);
      return static_cast<uint32_t>(stored >> place.low & ((uint64_t{1} << place.width) - 1));
    }
    // A value at a field's place.
    uint32_t at(const std::string& name, uint32_t value) const { return value << find(name).low; }

   private:
    const FieldFact& find(const std::string& name) const {
      for (const auto& field : fact->fields)
        if (field.name == name) return field;
      throw std::logic_error("the register " + fact->name + " has no field " + name);
    }
  };

  // `prefix` stands before the names, so that a program's do not meet the switch's.
  void add(const std::vector<RegisterFact>& facts, const std::string& prefix) {
    for (const auto& fact : facts) {
      auto [at, added] = by_name_.emplace(prefix + fact.name, Register{&fact, fact.reset, {}, {}});
      if (!added) throw std::logic_error("two registers are called " + fact.name);
      for (unsigned word = 0; word < fact.words; ++word)
        by_word_[fact.address / 4 + word] = {&at->second, word};  // a map's elements stay where they are
    }
  }
  void reset() {
    for (auto& [_, one] : by_name_) one.stored = one.fact->reset;
  }

  bool has(const std::string& name) const { return by_name_.contains(name); }
  Register& operator[](const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) throw std::logic_error("the manifest has no register " + name);
    return found->second;
  }
  // All of `name[0]`, `name[1]`, …
  std::vector<Register*> row(const std::string& name) {
    std::vector<Register*> found;
    for (std::string one; has(one = name + "[" + std::to_string(found.size()) + "]");) found.push_back(&(*this)[one]);
    return found;
  }

  Response read(uint32_t address) const {
    const auto found = by_word_.find(address / 4);
    if (found == by_word_.end()) return {0, ERROR};
    const auto [one, word] = found->second;
    const auto value = one->reading ? one->reading(word) : static_cast<uint32_t>(one->stored >> 32 * word);
    return {value & static_cast<uint32_t>(one->fact->readable >> 32 * word), 0};
  }
  Response write(uint32_t address, uint32_t value) {
    const auto found = by_word_.find(address / 4);
    if (found == by_word_.end()) return {0, ERROR};
    const auto [one, word] = found->second;
    const auto writable = static_cast<uint32_t>(one->fact->writable >> 32 * word);
    if (writable != 0) {
      one->stored = (one->stored & ~uint64_t{writable}) | (value & writable);
      if (one->writing) one->writing(value & writable);
    }
    return {0, 0};
  }

 private:
  static constexpr unsigned ERROR = 2;  // SLVERR
  struct Word {
    Register* one = nullptr;
    unsigned word = 0;
  };
  std::unordered_map<std::string, Register> by_name_;
  std::unordered_map<uint32_t, Word> by_word_;
};

// The number that the words of a window hold.
inline Limbs number_in(const std::vector<Registers::Register*>& words) {
  Limbs number((words.size() + 1) / 2, 0);
  for (size_t i = 0; i < words.size(); ++i) number[i / 2] |= words[i]->stored << 32 * (i % 2);
  return number;
}
// It shows a number that stands as long as the registers do.
inline void show(const std::vector<Registers::Register*>& words, const Limbs& number) {
  for (size_t i = 0; i < words.size(); ++i)
    words[i]->reading = [&number, i](unsigned) {
      return i / 2 < number.size() ? static_cast<uint32_t>(number[i / 2] >> 32 * (i % 2)) : 0;
    };
}
inline Limbs lowest(const Limbs& number, unsigned bits) {
  Limbs made;
  for (unsigned low = 0; low < bits; low += 64) made.push_back(bits_of(number, low, std::min(64U, bits - low)));
  return made;
}

// The window of a table, which is never busy: table_control and the table behind it.
class TableWindow {
 public:
  TableWindow(const TableFact& fact, p4::Table& table, Registers& registers)
      : fact_(fact), table_(table), twin_(make_twin(fact, table)) {
    const std::string at = "program." + fact.window + ".";
    key_ = registers.row(at + "key");
    mask_ = registers.row(at + "mask");
    value_ = registers.row(at + "value");
    index_ = &registers[at + "index"];
    show(registers.row(at + "found_key"), shown_.key);
    show(registers.row(at + "found_mask"), shown_.mask);
    show(registers.row(at + "found_value"), shown_.value);
    registers[at + "occupancy"].reading = [this](unsigned) { return twin_->entries(); };
    auto& status = registers[at + "status"];
    status.reading = [this, &status](unsigned) {
      return status.at("outcome", static_cast<uint32_t>(outcome_)) | status.at("found", shown_.found ? 1 : 0);
    };
    registers[at + "command"].writing = [this](uint32_t operation) { run(static_cast<Op>(operation)); };
    table.answer_from(twin_.get());
  }
  TableWindow(const TableWindow&) = delete;
  TableWindow& operator=(const TableWindow&) = delete;

  void reset() {
    twin_->reset();
    outcome_ = Code::OK;
    shown_ = {};
  }

 private:
  void run(Op operation) {
    const unsigned key_bits = sum_of(fact_.key_widths);
    const Command command{operation, lowest(number_in(key_), key_bits),
                          lowest(number_in(mask_), fact_.kind == TableKind::ternary ? key_bits : LPM_TARGET_BITS),
                          lowest(number_in(value_), fact_.value_bits), static_cast<uint32_t>(index_->stored)};
    if (operation == Op::DEFAULT) {
      table_.force_default(twin_->row_of(command.value));
      outcome_ = Code::OK;
    } else {
      outcome_ = twin_->run(command, shown_);
    }
  }

  static constexpr unsigned LPM_TARGET_BITS = 16;
  const TableFact& fact_;
  p4::Table& table_;
  std::unique_ptr<HardwareTable> twin_;
  std::vector<Registers::Register*> key_, mask_, value_;
  Registers::Register* index_;
  Code outcome_ = Code::OK;
  Shown shown_;
};

// The window of an extern that keeps something, which is never busy.
class ExternWindow {
 public:
  ExternWindow(const ExternFact& fact, p4::Extern& unit, Registers& registers) : unit_(unit) {
    const std::string at = "program." + fact.window + ".";
    value_ = registers.row(at + "value");
    index_ = &registers[at + "index"];
    show(registers.row(at + "found_value"), found_);
    registers[at + "command"].writing = [this](uint32_t operation) { run(operation); };
  }
  ExternWindow(const ExternWindow&) = delete;
  ExternWindow& operator=(const ExternWindow&) = delete;

  void reset() { found_.clear(); }

 private:
  enum Operation : uint32_t { READ = 0, WRITE = 1, CLEAR = 2 };  // hw/regs/extern_window.rdl

  void run(uint32_t operation) {
    const uint64_t index = index_->stored & (std::bit_ceil(unit_.registers()) - 1);
    const unsigned width = unit_.register_width();
    if (operation == READ || (operation == WRITE && value_.empty())) {
      const uint64_t* limbs = unit_.read(index);
      found_.assign(p4::limbs_for(width), 0);
      if (limbs != nullptr) std::copy_n(limbs, found_.size(), found_.begin());
    } else if (operation == WRITE) {
      unit_.write(index, lowest(number_in(value_), width).data());
    } else if (operation == CLEAR) {
      unit_.reset();
    }
  }

  p4::Extern& unit_;
  std::vector<Registers::Register*> value_;
  Registers::Register* index_;
  Limbs found_;
};

}  // namespace fabric
