// SPDX-License-Identifier: Apache-2.0
// probe_gate(in tor, in wanted, in now, out passed): to which ports a ToR's probe is sent on (docs/hula.md).
#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "extern.hpp"
#include "ticks.hpp"

namespace p4 {

// A tick is 2^tick_bits cycles; `now` is the low bits of their number. From `tors` on nothing passes.
template <unsigned TOR, unsigned WANTED, unsigned TIME, unsigned PASSED>
class extern_probe_gate : public Extern {
  static_assert(WANTED == PASSED && WANTED <= 64, "wanted and passed have a bit for each port");
  static_assert(TOR < 64 && TIME >= 3 && TIME < 64, "one word each");

 public:
  uint64_t gap_ticks = 0;  // above greatest_timeout(TIME) it counts as that

  explicit extern_probe_gate(uint64_t tors = 1024, unsigned tick_bits = 8) : tors_(tors), tick_bits_(tick_bits) {}

  const char* kind() const override { return "probe_gate"; }
  void reset() override { rows_.clear(); }
  bool configure(const std::string& setting, unsigned /*index*/, uint64_t value, uint64_t /*cycle*/) override {
    gap_ticks = value;
    return setting == "gap_ticks";
  }

  // A register is a row as the control port shows it: port 0 in the low bits, of each port valid, time.
  uint64_t registers() const override { return tors_; }
  unsigned register_width() const override { return Row::WIDTH; }
  const uint64_t* read(uint64_t tor) override {
    if (tor >= registers()) return nullptr;
    shown_ = Row();
    const auto found = rows_.find(tor);
    if (found == rows_.end()) return shown_.limb.data();
    for (unsigned port = WANTED; port-- > 0;) {
      const Sent& sent = found->second[port];
      shown_ = shown_.shift_left(uint64_t{1 + TIME});
      if (sent.ever) shown_ = shown_ | concat(bit<1>(1), bit<TIME>(sent.time)).template resize<Row::WIDTH>();
    }
    return shown_.limb.data();
  }

  void call(const Context& context, const bit<TOR>& tor, const bit<WANTED>& wanted, const bit<TIME>& now,
            bit<PASSED>& passed) {
    passed = bit<PASSED>();
    if (tor.low() >= tors_) return;
    const uint64_t tick = unwrapped_tick(time(context), tick_bits_, now.low(), TIME);
    const uint64_t gap = std::min(gap_ticks, greatest_timeout(TIME));
    auto& row = rows_[tor.low()];
    uint64_t open = 0;
    for (unsigned port = 0; port < WANTED; ++port) {
      if (!wanted.get(port) || (row[port].ever && tick - row[port].time <= gap)) continue;
      row[port] = {true, tick};
      open |= uint64_t{1} << port;
    }
    passed = bit<PASSED>(open);
  }

 private:
  struct Sent {
    bool ever = false;
    uint64_t time = 0;  // in ticks, never wrapping
  };
  using Row = bit<WANTED * (1 + TIME)>;

  uint64_t tors_;
  unsigned tick_bits_;
  std::map<uint64_t, std::array<Sent, WANTED>> rows_;
  Row shown_;
};

}  // namespace p4
