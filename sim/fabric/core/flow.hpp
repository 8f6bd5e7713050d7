// SPDX-License-Identifier: Apache-2.0
// Who sends what when: flows, and the hosts that they leave by.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <vector>

#include "frames.hpp"
#include "units.hpp"

namespace fabric {

enum class Pattern { CONSTANT, POISSON, ON_OFF };

class Flow {
 public:
  struct Plan {
    unsigned from = 0, to = 0;  // hosts
    Pattern pattern = Pattern::CONSTANT;
    Rate rate;  // 0: it pauses
    Time start, stop = NO_TIME;
    Time on, off;  // means
  };

  Flow(const Plan& plan, uint64_t seed) : plan_(plan), random_(seed), next_(plan.start) {
    if (plan_.pattern == Pattern::ON_OFF) on_until_ = next_ + drawn(plan_.on);
    poisson_begins_ = plan_.pattern == Pattern::POISSON;
  }

  // Each frame is one of these, drawn at random; they end with a trailer.
  void add(Bytes made) {
    frames_.push_back(std::move(made));
    if (frames_.size() == 1 && poisson_begins_ && plan_.rate.mbps != 0) next_ = next_ + drawn(gap(0));
  }
  const Plan& plan() const { return plan_; }
  Time next() const { return plan_.rate.mbps == 0 || frames_.empty() || next_ >= plan_.stop ? NO_TIME : next_; }
  Bytes frame(size_t which, Serial serial) const {
    Bytes made = frames_[which];
    const Trailer trailer = trailer_of(serial);
    std::copy(trailer.begin(), trailer.end(), made.end() - TRAILER_BYTES);
    return made;
  }
  size_t length(size_t which) const { return frames_[which].size(); }
  // The frame that is due is sent: which one.
  size_t pass() {
    const size_t which = frames_.size() == 1 ? 0 : random_() % frames_.size();
    next_ = next_ + (plan_.pattern == Pattern::POISSON ? drawn(gap(which)) : gap(which));
    if (plan_.pattern == Pattern::ON_OFF) {
      while (next_ >= on_until_) {
        next_ = std::max(next_, on_until_ + drawn(plan_.off));
        on_until_ = next_ + drawn(plan_.on);
      }
    }
    return which;
  }
  void set_rate(Rate rate, Time now) {
    if (plan_.rate.mbps == 0 || next_ > now + time_on_wire(length(0), rate.mbps == 0 ? Rate{} : rate))
      next_ = std::max(now, plan_.start);
    plan_.rate = rate;
  }

 private:
  Time gap(size_t which) const { return time_on_wire(frames_[which].size(), plan_.rate); }
  Time drawn(Time mean) {
    const double uniform = (static_cast<double>(random_() >> 11) + 1) * 0x1p-53;  // above 0, to 1
    return {std::max<int64_t>(1, std::llround(-std::log(uniform) * static_cast<double>(mean.ps)))};
  }

  Plan plan_;
  std::mt19937_64 random_;
  std::vector<Bytes> frames_;
  Time next_, on_until_;
  bool poisson_begins_ = false;
};

struct Arrived {
  Serial serial;
  Time at;
  uint32_t length;
};

struct Host {
  struct Waiting {
    Serial serial;
    Time ready;
    unsigned flow;
    size_t which;
  };
  std::deque<Waiting> waiting;
  Time free;  // from when on it may send
  std::vector<Arrived> arrived;
  uint64_t sent = 0;
};

}  // namespace fabric
