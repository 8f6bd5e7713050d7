// SPDX-License-Identifier: Apache-2.0
// The pace of a 10 Gb/s port at 200 MHz: 6.25 bytes a cycle, of which each frame takes 24 more than the switch sees of
// it: preamble, checksum and gap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fabric {

inline constexpr int64_t QUARTERS_A_CYCLE = 25;  // of a byte
inline constexpr int64_t QUARTERS = 4;
inline constexpr size_t OVERHEAD_BYTES = 24;
inline constexpr size_t LEAST_BYTES = 60;  // of a frame on the wire, without its checksum: what is shorter is filled up

// Bytes that may pass, for a side that is told how many have passed when they have.
class Pace {
 public:
  void cycle() { credit_ = std::min(credit_ + QUARTERS_A_CYCLE, QUARTERS_A_CYCLE); }
  bool open() const { return credit_ > 0; }
  void pass(size_t bytes) { credit_ -= static_cast<int64_t>(bytes) * QUARTERS; }

 private:
  int64_t credit_ = 0;
};

}  // namespace fabric
