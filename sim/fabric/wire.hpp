// SPDX-License-Identifier: Apache-2.0
// The pace of a port at 200 MHz: 6.25 bytes a cycle at 10 Gb/s, of which each frame takes 24 more than the switch sees
// of it: preamble, checksum and gap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fabric {

inline constexpr int64_t FULL_RATE_MBPS = 10'000;
inline constexpr int64_t UNITS_A_BYTE = 1600;  // so that a wire carries as many units a cycle as it has Mb/s
inline constexpr size_t OVERHEAD_BYTES = 24;
inline constexpr size_t LEAST_BYTES = 60;  // of a frame on the wire, without its checksum: what is shorter is filled up

// What a frame takes of a wire beside its own bytes.
constexpr size_t overhead_of(size_t frame_bytes) {
  return OVERHEAD_BYTES + LEAST_BYTES - std::min(LEAST_BYTES, frame_bytes);
}

// Bytes that may pass, for a side that is told how many have passed when they have.
class Pace {
 public:
  void set_rate(int64_t mbps) { rate_ = mbps; }
  void cycle() { cycles(1); }
  void cycles(uint64_t count) { credit_ = std::min(credit_ + static_cast<int64_t>(count) * rate_, rate_); }
  bool open() const { return credit_ > 0; }
  uint64_t cycles_to_open() const { return open() ? 0 : static_cast<uint64_t>(-credit_ / rate_ + 1); }
  void pass(size_t bytes) { credit_ -= static_cast<int64_t>(bytes) * UNITS_A_BYTE; }

 private:
  int64_t rate_ = FULL_RATE_MBPS;
  int64_t credit_ = 0;
};

// Bytes that have come, of frames that are given in pieces as soon as each piece is there.
class Arriving {
 public:
  void nothing() { credit_ = 0; }
  void cycles(uint64_t count) { credit_ += static_cast<int64_t>(count) * FULL_RATE_MBPS; }
  // The cycles until so many bytes are there, this one not counted: 1 or more where they are not.
  uint64_t cycles_to(size_t bytes) const {
    const int64_t missing = static_cast<int64_t>(bytes) * UNITS_A_BYTE - credit_;
    return missing <= 0 ? 0 : static_cast<uint64_t>((missing + FULL_RATE_MBPS - 1) / FULL_RATE_MBPS);
  }
  bool take(size_t bytes) {
    if (cycles_to(bytes) != 0) return false;
    credit_ -= static_cast<int64_t>(bytes) * UNITS_A_BYTE;
    return true;
  }

 private:
  int64_t credit_ = 0;  // units that have come and are not given yet
};

}  // namespace fabric
