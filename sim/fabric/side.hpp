// SPDX-License-Identifier: Apache-2.0
// One side of a switch, a wire or the CPU's, as every backend has it: the frames that come in, beat by beat, and those
// that have left.
#pragma once

#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "switch.hpp"
#include "wire.hpp"

namespace fabric {

struct Side {
  std::deque<Arrival> coming;
  std::deque<unsigned> from;  // CPU: whose side sends, for each of `coming`
  size_t offset = 0;          // bytes of the first one that are in
  Arriving arriving;
  std::deque<Departure> left;
  bool held = false;
  Pace out_pace;

  void send(Arrival arrival) {
    if (arrival.data.empty()) throw std::invalid_argument("a frame of no bytes cannot come in");
    coming.push_back(std::move(arrival));
  }
  std::optional<Departure> receive() {
    if (left.empty()) return std::nullopt;
    std::optional<Departure> first(std::move(left.front()));
    left.pop_front();
    return first;
  }
  bool has_begun(Cycle now) const { return offset > 0 || (!coming.empty() && coming.front().not_before <= now); }
  size_t beat_bytes() const { return std::min(BEAT_BYTES, coming.front().data.size() - offset); }
  // A wire brings a beat when all of its bytes have come; the first waits for preamble and gap as well, and for what a
  // frame would have that is shorter than a wire's shortest.
  size_t bytes_to_beat() const { return beat_bytes() + (offset > 0 ? 0 : overhead_of(coming.front().data.size())); }
  // A cycle of a wire; true if it brings a beat, which is then to be `given`.
  bool brings(Cycle now) {
    if (!has_begun(now)) {
      arriving.nothing();
      return false;
    }
    if (coming.front().paced) {
      arriving.nothing();
      return true;
    }
    arriving.cycles(1);
    return arriving.take(bytes_to_beat());
  }
  // What has not come in whole will be damaged.
  void spoil() {
    for (auto& arrival : coming) arrival.damaged = true;
  }
  // Behind the last beat comes the next frame.
  void given() {
    offset += BEAT_BYTES;
    if (offset < coming.front().data.size()) return;
    coming.pop_front();
    offset = 0;
  }
  // A beat has left by a wire.
  void passed(size_t bytes, bool last, size_t frame_bytes) {
    out_pace.pass(bytes + (last ? overhead_of(frame_bytes) : 0));
  }
};

}  // namespace fabric
