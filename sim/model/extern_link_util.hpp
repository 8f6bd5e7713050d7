// SPDX-License-Identifier: Apache-2.0
// link_util(out utilisations): what each wire sends, 8 bits a port, the lowest port in the low bits; docs/hula.md. The
// switch tells it of every packet that has left a wire, and of settings that change.
//
// Calls come in the order of their cycles; of one cycle, settings first, then packets and requests in any order.
// Nothing happens in between: visits that find nothing change nothing, and the others are made up for when a later call
// comes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "extern.hpp"

namespace p4 {

template <unsigned UTILISATIONS>
class extern_link_util : public Extern {
 public:
  static_assert(UTILISATIONS % 8 == 0 && UTILISATIONS >= 8 && UTILISATIONS <= 256, "8 bits for each of 1 to 32 ports");
  static constexpr unsigned PORTS = UTILISATIONS / 8;
  static constexpr uint64_t VISIT_CYCLES = PORTS > 16 ? 32 : 16;
  static constexpr uint64_t SHOWN_CYCLES = 10;

  explicit extern_link_util(unsigned overhead_bytes = 24, unsigned max_tau_log2 = 20)
      : overhead_(overhead_bytes), max_tau_log2_(max_tau_log2), settings_(1) {}

  const char* kind() const override { return "link_util"; }

  // The settings stay.
  void reset() override {
    ports_ = {};
    settings_.erase(settings_.begin(), settings_.end() - 1);
    settings_.front().since = 0;
  }

  // A change takes effect like that of a register: from `cycle` on.
  bool configure(const std::string& setting, unsigned index, uint64_t value, uint64_t cycle) override {
    unsigned tau_log2 = settings_.back().tau_log2;
    std::array<uint32_t, PORTS> scale = settings_.back().scale;
    if (setting == "tau_log2") tau_log2 = static_cast<unsigned>(value);
    if (setting == "scale" && index < PORTS) scale[index] = static_cast<uint32_t>(value);
    configure(tau_log2, scale, cycle);
    return setting == "tau_log2" || setting == "scale";
  }

  void configure(unsigned tau_log2, const std::array<uint32_t, PORTS>& scale, uint64_t cycle) {
    for (unsigned port = 0; cycle != 0 && port < PORTS; ++port) settle(port, cycle - 1);
    while (settings_.size() > 1 && settings_[1].since + SHOWN_CYCLES + VISIT_CYCLES <= cycle) settings_.pop_front();
    settings_.push_back({cycle, std::clamp(tau_log2, 10U, max_tau_log2_), scale});
  }

  void sent(unsigned port, uint64_t bytes, uint64_t cycle) override {
    if (port >= PORTS) return;
    settle(port, cycle);
    Port& at = ports_[port];
    at.bytes += bytes + overhead_;
    if (!at.waiting) at.due = visit(port, cycle) + VISIT_CYCLES;
    at.waiting = true;
  }

  uint8_t utilisation(unsigned port, uint64_t cycle) {
    settle(port, cycle);
    if (cycle < port + SHOWN_CYCLES) return 0;
    const uint64_t seen = visit(port, cycle - SHOWN_CYCLES);
    const Port& at = ports_[port];
    const Event& event = at.last.cycle <= seen ? at.last : at.before;
    const Settings& now = settings(seen);
    const uint64_t average = decayed(event, seen, now.tau_log2);
    const uint64_t product = (average >> (fraction() - SCALED_FRACTION)) * now.scale[port];
    const uint64_t rounded = ((product >> (SCALED_FRACTION + SCALE_FRACTION - 1)) + 1) / 2;
    return static_cast<uint8_t>(std::min(rounded, MOST));
  }

  void call(const Context& context, bit<UTILISATIONS>& utilisations) {
    utilisations = {};
    for (unsigned port = 0; port < PORTS; ++port)
      utilisations.limb[port / 8] |= uint64_t{utilisation(port, time(context))} << port % 8 * 8;
  }

 private:
  static constexpr unsigned SCALED_FRACTION = 17;
  static constexpr unsigned SCALE_FRACTION = 8;
  static constexpr uint64_t MOST = 254;

  struct Settings {
    uint64_t since = 0;
    unsigned tau_log2 = 16;
    std::array<uint32_t, PORTS> scale{};
  };
  // The average just after a visit that found something; before the first one, zero.
  struct Event {
    uint64_t cycle = 0;
    uint64_t average = 0;
  };
  struct Port {
    Event before, last;
    bool waiting = false;  // something has left since the last visit
    uint64_t bytes = 0;
    uint64_t due = 0;  // the visit that finds it
  };

  unsigned fraction() const { return max_tau_log2_ + 8; }

  // The last visit to a port, at `cycle` or before. Before its first one this is negative, and what is made of it
  // by adding VISIT_CYCLES is right none the less.
  static uint64_t visit(unsigned port, uint64_t cycle) { return cycle - (cycle - port) % VISIT_CYCLES; }

  const Settings& settings(uint64_t cycle) const {
    auto found = settings_.end() - 1;
    while (found != settings_.begin() && found->since > cycle) --found;
    return *found;
  }

  static uint64_t decayed(const Event& event, uint64_t cycle, unsigned tau_log2) {
    const uint64_t tau = uint64_t{1} << tau_log2;
    const uint64_t gone = cycle - event.cycle;
    return gone < tau ? (event.average * (tau - gone) + tau / 2) >> tau_log2 : 0;
  }

  // Makes the visit to a port that is due by `cycle`.
  void settle(unsigned port, uint64_t cycle) {
    Port& at = ports_[port];
    if (!at.waiting || at.due > cycle) return;
    const unsigned tau_log2 = settings(at.due).tau_log2;
    const uint64_t most = (uint64_t{1} << (7 + fraction())) - 1;
    const uint64_t average = decayed(at.last, at.due, tau_log2) + (at.bytes << (fraction() - tau_log2));
    at.before = at.last;
    at.last = {at.due, std::min(average, most)};
    at.waiting = false;
    at.bytes = 0;
  }

  unsigned overhead_;
  unsigned max_tau_log2_;
  std::array<Port, PORTS> ports_{};
  std::deque<Settings> settings_;
};

}  // namespace p4
