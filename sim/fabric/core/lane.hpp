// SPDX-License-Identifier: Apache-2.0
// One direction of a link: the frames on it, when each is there, and what became of all that began.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "frames.hpp"
#include "units.hpp"

namespace fabric {

struct Count {
  uint64_t frames = 0, bytes = 0;
  void add(size_t length) {
    ++frames;
    bytes += length;
  }
};
using Counts = std::array<Count, KINDS>;

// Faults for the tests of what notices them, all uncounted. The link's: a frame vanishes, or comes twice. Between
// switch and link: one vanishes, or leaves once more.
enum class Fault { NONE, VANISH, DOUBLE, SWALLOW, AGAIN };

struct Flight {
  Bytes data;
  Seen seen;
  Time begun, due;       // its first bit leaves; its last bit is there
  Cycle first_beat = 0;  // at a switch: in which its beats come
  Cycle last_beat = 0;
  bool handed = false;  // to the switch
};

class Lane {
 public:
  Lane(Rate rate, Time delay) : rate_(rate), delay_(delay) {}

  Rate rate() const { return rate_; }
  bool up() const { return up_; }
  Counts began, came, lost;
  uint64_t spoiled = 0;  // of those lost: a switch had begun to take them, and counts them as bad
  Fault fault = Fault::NONE;
  std::deque<Flight> flying;

  // A frame begins to leave; `last` is when its sender has given its last beat. False: it is lost.
  bool enter(Bytes data, Seen seen, Time begun, Time last) {
    const size_t length = data.size();
    began[index(seen)].add(length);
    if (!up_ || begun < up_since_) {
      lost[index(seen)].add(length);
      return false;
    }
    if (std::exchange(fault, fault == Fault::VANISH ? Fault::NONE : fault) == Fault::VANISH) return true;
    Flight made{std::move(data), seen, begun, std::max(begun + time_on_wire(length, rate_), last) + delay_};
    made.last_beat = cycle_before(made.due);
    made.first_beat = made.last_beat + 1 - (length + BEAT_BYTES - 1) / BEAT_BYTES;
    flying.push_back(std::move(made));
    return true;
  }
  // The first frame is there, or is taken away.
  Flight arrive() {
    const bool twice = std::exchange(fault, fault == Fault::DOUBLE ? Fault::NONE : fault) == Fault::DOUBLE;
    Flight first = twice ? flying.front() : std::move(flying.front());
    if (!twice) flying.pop_front();
    came[index(first.seen)].add(first.data.size());
    return first;
  }
  Flight lose() {
    Flight first = std::move(flying.front());
    flying.pop_front();
    lost[index(first.seen)].add(first.data.size());
    spoiled += first.handed ? 1 : 0;
    return first;
  }
  void set_up(bool up, Time now) {
    if (up && !up_) up_since_ = now;
    up_ = up;
  }

 private:
  static size_t index(Seen seen) { return static_cast<size_t>(seen.kind); }

  Rate rate_;
  Time delay_;
  bool up_ = true;
  Time up_since_;
};

}  // namespace fabric
