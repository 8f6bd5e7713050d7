// SPDX-License-Identifier: Apache-2.0
// Time as the twins of externs keep it: ticks that never wrap.
#pragma once

#include <cstdint>

namespace p4 {

// The last tick, at or before `cycle`, of which `now` is the low `time_bits` bits; a tick is 2^tick_bits cycles.
constexpr uint64_t unwrapped_tick(uint64_t cycle, unsigned tick_bits, uint64_t now, unsigned time_bits) {
  const uint64_t tick = cycle >> tick_bits;
  return tick - ((tick - now) & ((uint64_t{1} << time_bits) - 1));
}

// The greatest time-out for times of which the hardware keeps so many bits: what is older, its sweeper may clear.
constexpr uint64_t greatest_timeout(unsigned time_bits) { return (uint64_t{1} << (time_bits - 1)) - 1; }

}  // namespace p4
