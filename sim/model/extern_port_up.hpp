// SPDX-License-Identifier: Apache-2.0
// port_up(out up): a bit for each port that is up (docs/hula.md). All are until the switch says otherwise.
#pragma once

#include <deque>

#include "extern.hpp"

namespace p4 {

template <unsigned UP>
class extern_port_up : public Extern {
  static_assert(UP >= 1 && UP <= 32, "1 to 32 ports");

 public:
  const char* kind() const override { return "port_up"; }
  void reset() override { links_ = {{0, links_.back().up}}; }
  bool configure(const std::string& setting, unsigned /*index*/, uint64_t value, uint64_t /*cycle*/) override {
    down_ = value;
    return setting == "down";
  }
  void set_up(uint64_t ports, uint64_t cycle) override { links_.push_back({cycle, ports}); }

  void call(const Context& context, bit<UP>& up) {
    while (links_.size() > 1 && links_[1].since <= time(context)) links_.pop_front();
    up = bit<UP>(links_.front().up & ~down_);
  }

 private:
  struct Links {
    uint64_t since, up;
  };
  std::deque<Links> links_{{0, ~uint64_t{0}}};
  uint64_t down_ = 0;
};

}  // namespace p4
