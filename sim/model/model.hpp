// SPDX-License-Identifier: Apache-2.0
// What every generated model has in common: packets through the program, names of tables and externs, counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "extern.hpp"
#include "lookup.hpp"
#include "packet.hpp"
#include "table.hpp"

namespace p4 {

struct FieldInfo {
  std::string name;
  unsigned width;
};

// Thrown where a loop of the program does not end; the packet is dropped and counted.
struct LoopLimit {};
inline constexpr uint32_t MAX_ITERATIONS = 65536;
inline void count_iteration(uint32_t& iterations) {
  if (++iterations > MAX_ITERATIONS) throw LoopLimit();
}

// What became of a packet. The memory is the model's, and holds until the next packet.
struct Verdict {
  const char* drop_reason = nullptr;  // null: the packet goes on
  const uint8_t* data = nullptr;
  size_t length = 0;
  const uint8_t* metadata = nullptr;  // in the order of the architecture's struct, packed from the first bit
  const uint8_t* digest = nullptr;
  size_t header_length = 0;  // of `data`, what the deparser has put together, and
  size_t strip_length = 0;   // of the packet that came in, what the parser has taken
};

class Model {
 public:
  virtual ~Model() = default;
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  virtual const char* program() const = 0;
  virtual std::vector<FieldInfo> metadata_fields() const = 0;
  virtual std::vector<FieldInfo> digest_fields() const = 0;

  // `metadata` is packed as in Verdict; `cycle` is the time in units of 5 ns.
  Verdict process(const uint8_t* data, size_t length, uint64_t cycle, const uint8_t* metadata) {
    if (input_.size() < length + SLACK) input_.resize(2 * length + SLACK);
    std::memcpy(input_.data(), data, length);
    const size_t metadata_size = metadata_bytes();
    if (metadata_in_.size() < metadata_size + SLACK) metadata_in_.resize(metadata_size + SLACK);
    std::memcpy(metadata_in_.data(), metadata, metadata_size);
    Context context;
    context.cycle = cycle;
    packet_in in(context, input_.data(), length);
    headers_.clear();
    metadata_.clear();
    digest_.clear();
    packet_out out(headers_);
    size_t reason = 0;
    try {
      reason = run(context, in, out, Unpacker(metadata_in_.data(), 0), metadata_, digest_);
    } catch (const LoopLimit&) {
      reason = LOOP_LIMIT;
    }
    metadata_.pad();
    digest_.pad();
    Verdict verdict;
    const bool finished = reason == FORWARDED || reason == NO_PORT;
    if (finished) {
      headers_.pad();
      verdict.header_length = headers_.size();
      verdict.strip_length = in.consumed_bytes();
      if (in.consumed_bytes() < length) headers_.put_bytes(data + in.consumed_bytes(), length - in.consumed_bytes());
      if (reason == FORWARDED && headers_.size() == 0) reason = EMPTY;
    }
    ++packets_;
    ++reasons_[reason].count;
    verdict.drop_reason = reason == FORWARDED ? nullptr : reasons_[reason].name.c_str();
    if (finished) {
      verdict.data = headers_.data();
      verdict.length = headers_.size();
      verdict.metadata = metadata_.data();
      verdict.digest = digest_.data();
    }
    return verdict;
  }

  // State, tables and counters as they were when the model was made.
  void reset() {
    for (auto* table : tables_) table->reset();
    for (auto* unit : externs_) {
      unit->reset();
      unit->restore_settings();
      unit->calls = 0;
    }
    for (auto& reason : reasons_) reason.count = 0;
    packets_ = 0;
  }

  const std::vector<Table*>& tables() const { return tables_; }
  const std::vector<Extern*>& externs() const { return externs_; }
  // By full name, or by any end of it, from a dot on, that only one has.
  Table* table(const std::string& name) const {
    return by_name(tables_, name, [](Table* t) { return t->info.name; });
  }
  Extern* unit(const std::string& name) const {
    return by_name(externs_, name, [](Extern* e) { return e->name; });
  }

  struct Counter {
    std::string name;
    uint64_t count = 0;
  };
  // packets, drop.<reason>, table.<name>.hit, table.<name>.miss, extern.<name>
  std::vector<Counter> counters() const {
    std::vector<Counter> all{{"packets", packets_}};
    for (size_t i = NO_PORT; i < reasons_.size(); ++i) all.push_back({"drop." + reasons_[i].name, reasons_[i].count});
    for (auto* table : tables_) {
      all.push_back({"table." + table->info.name + ".hit", table->hits});
      all.push_back({"table." + table->info.name + ".miss", table->misses});
    }
    for (auto* unit : externs_) all.push_back({"extern." + unit->name, unit->calls});
    return all;
  }

  // For the parts of the generated model.
  void add(Table& table) { tables_.push_back(&table); }
  void add(Extern& unit, const std::string& name, std::vector<Setting> settings = {}) {
    unit.name = name;
    unit.settings = std::move(settings);
    unit.restore_settings();
    externs_.push_back(&unit);
  }
  size_t metadata_bytes() const { return bytes_of(metadata_fields_size_); }
  size_t digest_bytes() const { return bytes_of(digest_fields_size_); }

 protected:
  enum Reason : size_t { FORWARDED, NO_PORT, LOOP_LIMIT, EMPTY, FIRST_ERROR };

  // A Reason, or FIRST_ERROR + the parser's error.
  virtual size_t run(Context& context, packet_in& in, packet_out& out, Unpacker metadata_in, Packer& metadata_out,
                     Packer& digest) = 0;

  // Called once, by the constructor of the generated model.
  void describe(const std::vector<std::string>& errors) {
    reasons_ = {{"forwarded"}, {"no_port"}, {"loop_limit"}, {"empty"}};
    for (const auto& error : errors) reasons_.push_back({error == "NoError" ? "reject" : error});
    for (const auto& field : metadata_fields()) metadata_fields_size_ += field.width;
    for (const auto& field : digest_fields()) digest_fields_size_ += field.width;
  }

 private:
  static size_t bytes_of(size_t bits) { return (bits + 7) / 8; }
  template <class T, class Name>
  static T* by_name(const std::vector<T*>& all, const std::string& wanted, Name name) {
    T* found = nullptr;
    for (auto* one : all) {
      const std::string full = name(one);
      if (full == wanted) return one;
      if (full.size() > wanted.size() && full.ends_with(wanted) && full[full.size() - wanted.size() - 1] == '.') {
        if (found != nullptr) return nullptr;
        found = one;
      }
    }
    return found;
  }

  std::vector<Table*> tables_;
  std::vector<Extern*> externs_;
  std::vector<Counter> reasons_;
  uint64_t packets_ = 0;
  size_t metadata_fields_size_ = 0, digest_fields_size_ = 0;
  std::vector<uint8_t> input_, metadata_in_;
  Packer headers_, metadata_, digest_;
};

// Defined by the generated source.
std::unique_ptr<Model> create_model();

}  // namespace p4
