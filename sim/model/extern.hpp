// SPDX-License-Identifier: Apache-2.0
// What the twins of externs have in common. A twin is a class template `extern_<kind>` in extern_<kind>.hpp, whose
// arguments are the widths of the extern's parameters in the order of its declaration, and which has one member
// `call(context, parameters…)`: values for `in`, references for `out`. Each call site is one instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bits.hpp"
#include "packet.hpp"

namespace p4 {

// A setting of a twin: with `count` one for each port. `reset`: what it is until somebody changes it.
struct Setting {
  std::string name;
  unsigned count;
  uint64_t reset;
};

class Extern {
 public:
  virtual ~Extern() = default;
  virtual const char* kind() const = 0;
  virtual void reset() {}

  // Registers that the control plane reads and writes; a twin without any has none.
  virtual uint64_t registers() const { return 0; }
  virtual unsigned register_width() const { return 0; }
  virtual const uint64_t* read(uint64_t /*index*/) { return nullptr; }
  virtual bool write(uint64_t /*index*/, const uint64_t* /*limbs*/) { return false; }

  // A setting, as its engine's module has it; `index` where there is one for each port. False: it has no such one.
  virtual bool configure(const std::string& /*setting*/, unsigned /*index*/, uint64_t /*value*/, uint64_t /*cycle*/) {
    return false;
  }
  void restore_settings() {
    for (const auto& setting : settings)
      for (unsigned i = 0; i < setting.count; ++i) configure(setting.name, i, setting.reset, 0);
  }
  // What the switch tells beside requests: a packet has left by a port, ports are up. In the order of the cycles.
  virtual void sent(unsigned /*port*/, uint64_t /*bytes*/, uint64_t /*cycle*/) {}
  virtual void set_up(uint64_t /*ports*/, uint64_t /*cycle*/) {}

  std::string name;
  std::vector<Setting> settings;
  uint64_t calls = 0;
  uint64_t stage = 0;  // cycles from a packet's own to its request

 protected:
  uint64_t time(const Context& context) const { return context.cycle + stage; }
};

// 2^INDEX_BITS registers of W bits, zero after reset; memory is taken only for those that were written.
template <unsigned INDEX_BITS, unsigned W>
class RegisterFile {
 public:
  static_assert(INDEX_BITS < 64, "a register file has fewer than 2^64 registers");
  static constexpr uint64_t COUNT = uint64_t{1} << INDEX_BITS;

  const bit<W>& read(uint64_t index) const {
    static const bit<W> zero;
    const auto found = written_.find(index);
    return found == written_.end() ? zero : found->second;
  }
  void write(uint64_t index, const bit<W>& value) { written_[index] = value; }
  void clear() { written_.clear(); }

 private:
  std::map<uint64_t, bit<W>> written_;
};

// An extern whose state is a register file.
template <unsigned INDEX_BITS, unsigned W>
class RegisterExtern : public Extern {
 public:
  void reset() override { file.clear(); }
  uint64_t registers() const override { return RegisterFile<INDEX_BITS, W>::COUNT; }
  unsigned register_width() const override { return W; }
  const uint64_t* read(uint64_t index) override { return index < registers() ? file.read(index).limb.data() : nullptr; }
  bool write(uint64_t index, const uint64_t* limbs) override {
    if (index >= registers()) return false;
    file.write(index, bit<W>::of(limbs, bit<W>::LIMBS));
    return true;
  }

 protected:
  RegisterFile<INDEX_BITS, W> file;
};

}  // namespace p4
