// SPDX-License-Identifier: Apache-2.0
// Time and rate of a fabric, as types: a time and a number of bytes cannot be added.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "switch.hpp"
#include "wire.hpp"

namespace fabric {

struct Time {
  int64_t ps = 0;
  auto operator<=>(const Time&) const = default;
  Time operator+(Time other) const { return {ps + other.ps}; }
  Time operator-(Time other) const { return {ps - other.ps}; }
};
inline constexpr Time NO_TIME{std::numeric_limits<int64_t>::max()};

constexpr Time begin_of(Cycle cycle) { return {static_cast<int64_t>(cycle) * CYCLE_PICOSECONDS}; }
// The cycle in which a bit comes whose end is at `end`, and the first that does not begin before it.
constexpr Cycle cycle_before(Time end) { return static_cast<Cycle>((end.ps - 1) / CYCLE_PICOSECONDS); }
constexpr Cycle cycle_from(Time begin) {
  return static_cast<Cycle>((begin.ps + CYCLE_PICOSECONDS - 1) / CYCLE_PICOSECONDS);
}

struct Rate {
  int64_t mbps = FULL_RATE_MBPS;
};

// What a frame takes of a wire, preamble, checksum and gap included.
constexpr Time time_on_wire(size_t frame_bytes, Rate rate) {
  constexpr int64_t PS_OF_A_BYTE_AT_1_MBPS = 8'000'000;
  const auto bytes = static_cast<int64_t>(frame_bytes + overhead_of(frame_bytes));
  return {(bytes * PS_OF_A_BYTE_AT_1_MBPS + rate.mbps - 1) / rate.mbps};
}

}  // namespace fabric
