// SPDX-License-Identifier: Apache-2.0
// Twins of the queues of hw/rtl/switch and of what decides there: cycle by cycle as the modules, but with whole packets
// where they have beats. A class is named after its module; what is a register there is kept as it is before the
// clock's edge, and `cycle` is what the edge does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "switch.hpp"

namespace fabric {

inline constexpr Cycle NEVER = std::numeric_limits<Cycle>::max();
inline constexpr unsigned FIFO_CYCLES =
    3;  // axis_packet_fifo with block RAM: from a packet's last beat in to its first out

inline unsigned beats_of(size_t bytes) { return static_cast<unsigned>((bytes + BEAT_BYTES - 1) / BEAT_BYTES); }
inline size_t beat_bytes_of(size_t bytes, unsigned beat) { return std::min(BEAT_BYTES, bytes - BEAT_BYTES * beat); }

class TokenBucket {
 public:
  bool may_pass() const { return tokens_ >= 0 && running_; }
  void cycle(uint32_t rate, uint32_t burst, size_t charge_bytes) {
    const int64_t before = tokens_;
    tokens_ += (full_ ? 0 : rate) - (static_cast<int64_t>(charge_bytes) << FRACTION_BITS);
    full_ = before >= int64_t{burst} << FRACTION_BITS;
    running_ = rate != 0;
  }
  // As many cycles without a charge.
  void cycles(uint32_t rate, uint32_t burst, Cycle count) {
    const int64_t most = int64_t{burst} << FRACTION_BITS;
    if (count > 0) running_ = rate != 0;
    while (count > 0) {
      const bool settled = full_ == (tokens_ >= most);
      if (settled && (full_ || rate == 0)) return;
      Cycle step = 1;
      if (settled) step = std::min<Cycle>(count, static_cast<Cycle>((most - tokens_ + rate - 1) / rate));
      if (settled)
        tokens_ += static_cast<int64_t>(step) * rate;
      else
        cycle(rate, burst, 0);
      count -= step;
    }
  }

 private:
  static constexpr unsigned FRACTION_BITS = 8;  // switch_pkg
  int64_t tokens_ = 0;
  bool full_ = false;
  bool running_ = false;
};

enum class Came { inside, taken, bad, too_long, full };

class InputQueue {
 public:
  struct Packet {
    Bytes data;  // until its first beat leaves
    size_t length;
    unsigned from;    // CPU: whose side has sent it
    Cycle completed;  // when its last beat came in
  };

  InputQueue(unsigned depth_words, size_t max_bytes) : depth_(depth_words), max_bytes_(max_bytes) {}

  // Where the input can wait: whether a beat is taken.
  bool ready(Cycle now) const {
    const unsigned used = used_ + (popped_ == now ? 1 : 0);
    return dropping_ || used < depth_ || used == partial_;
  }
  // A beat that ends after so many bytes of its packet; the whole packet with the last one.
  Came beat(Cycle now, size_t end, bool last, bool bad, Bytes* data, unsigned from) {
    const bool lost = dropping_ || used_ + (popped_ == now ? 1 : 0) >= depth_;
    const bool too_long = end > max_bytes_;
    if (!lost && !(last && (bad || too_long))) {
      ++used_;
      ++partial_;
    } else {
      used_ -= partial_;
      partial_ = 0;
    }
    dropping_ = lost && !last;
    if (!last) return Came::inside;
    partial_ = 0;
    if (lost) return Came::full;
    if (bad) return Came::bad;
    if (too_long) return Came::too_long;
    packets_.push_back({std::move(*data), end, from, now});
    return Came::taken;
  }

  bool empty() const { return packets_.empty(); }
  // From when on the arbiter sees the first packet.
  Cycle shown_at() const { return packets_.empty() ? NEVER : packets_.front().completed + FIFO_CYCLES + 1; }
  bool valid(Cycle now) const { return shown_at() <= now; }
  bool more(Cycle now) const { return packets_.size() > 1 && packets_[1].completed + 2 <= now; }
  Packet& front() { return packets_.front(); }
  const Packet& front() const { return packets_.front(); }
  void leave(Cycle now, bool last) {
    --used_;
    popped_ = now;
    if (last) packets_.pop_front();
  }

 private:
  unsigned depth_;
  size_t max_bytes_;
  std::deque<Packet> packets_;
  unsigned used_ = 0, partial_ = 0;
  bool dropping_ = false;
  Cycle popped_ = NEVER;
};

class ByteScheduler {
 public:
  ByteScheduler(unsigned ports, int64_t quantum_bytes) : quantum_(quantum_bytes), credit_(ports) {}
  unsigned chosen() const { return chosen_; }
  bool first() const { return first_; }
  // `request` and `more` have a bit for each port; `length` is of the chosen port's packet.
  void cycle(uint64_t request, uint64_t more, bool pass, bool last, size_t length) {
    const bool ends = pass && last;
    const bool leave = ends ? credit_[chosen_] < 0 || (more >> chosen_ & 1) == 0
                            : first_ && (request >> chosen_ & 1) == 0 && request != 0;
    const int64_t cost = pass && first_ ? static_cast<int64_t>(length) : 0;
    if (leave) {
      const unsigned next = nearest(request, chosen_);
      const int64_t fresh = std::min<int64_t>(credit_[next], 0) + quantum_;
      credit_[chosen_] -= cost;
      credit_[next] = next == chosen_ ? fresh - cost : fresh;
      chosen_ = next;
    } else {
      credit_[chosen_] -= cost;
    }
    if (pass) first_ = last;
  }
  // The lowest one above `from`, else the lowest, else `from`.
  static unsigned nearest(uint64_t among, unsigned from) {
    if (among == 0) return from;
    const uint64_t above = from >= 63 ? 0 : among >> (from + 1) << (from + 1);
    return static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : among));
  }

 private:
  int64_t quantum_;
  std::vector<int64_t> credit_;
  unsigned chosen_ = 0;
  bool first_ = true;
};

class FairAdmission {
 public:
  FairAdmission(unsigned sources, unsigned free_words, int credit_words)
      : free_words_(free_words), credit_words_(credit_words), credit_(sources) {}
  bool charge() const { return filling_; }
  bool admit(unsigned source) const { return !filling_ || credit_[source] >= 0; }
  // Nothing changes any more while nothing comes and nothing leaves.
  bool settled() const { return unsettled_ == 0; }
  void cycle(bool left, unsigned level, bool charged, unsigned source, unsigned words) {
    const bool filling = level >= free_words_;
    if (left || charged || filling != filling_) unsettled_ = SETTLING_CYCLES;
    if (unsettled_ == 0) return;
    --unsettled_;
    filling_ = filling;
    const unsigned next = ByteScheduler::nearest(wants_, turn_);
    const int paid = pays_;
    pays_ = left && (wants_ >> next & 1) != 0 ? static_cast<int>(next) : -1;
    if (left) turn_ = next;
    wants_ = 0;
    for (unsigned i = 0; i < credit_.size(); ++i) {
      credit_[i] += paid == static_cast<int>(i) ? 1 : 0;
      if (credit_[i] < credit_words_ - 1) wants_ |= uint64_t{1} << i;
    }
    if (charged) credit_[source] -= static_cast<int>(words);
  }

 private:
  static constexpr unsigned SETTLING_CYCLES = 4;
  unsigned free_words_;
  int credit_words_;
  std::vector<int> credit_;
  uint64_t wants_ = 0;
  int pays_ = -1;
  unsigned turn_ = 0;
  bool filling_ = false;
  unsigned unsettled_ = SETTLING_CYCLES;
};

// A packet behind the program: its bytes are the same for all copies.
struct Frame {
  Bytes data;
  unsigned source = 0;                    // by which queues are fair
  uint32_t from_ports = 0, to_ports = 0;  // as the CPU is told them
};
using FramePointer = std::shared_ptr<const Frame>;

struct Beat {
  const FramePointer* frame;
  bool first, last;
};

struct QueueCounts {
  uint64_t packets = 0, full = 0, share = 0, down = 0, discarded = 0, left = 0;
};

class OutputQueue {
 public:
  OutputQueue(unsigned depth_words, FairAdmission admission) : depth_(depth_words), admission_(std::move(admission)) {}

  unsigned level() const { return used_; }
  QueueCounts counts;

  struct Step {
    bool shown = false;   // a beat is offered
    bool passed = false;  // and taken
    bool last = false;
    unsigned index = 0;
    FramePointer frame;  // of the beat that passes
  };

  Step cycle(Cycle now, const Beat* in, bool ready, bool port_up) {
    const unsigned level = used_;
    const bool taken = std::exchange(taken_, false);  // a packet came in whole a cycle ago
    const bool charged = taken && ended_charge_;
    const unsigned charged_source = ended_source_, charged_words = ended_words_;
    if (in != nullptr) come(now, *in, level, port_up);
    const bool valid = !packets_.empty() && packets_.front().completed + FIFO_CYCLES <= now;
    const bool decides = state_ == State::DECIDING && valid;
    const bool discards = state_ == State::DISCARDING || (decides && (!port_up || doomed_ != 0));
    const bool moves = valid && (ready || discards);
    const unsigned waiting = waiting_ + (taken ? 1 : 0) - (decides ? 1 : 0);
    Step step;
    step.shown = valid && !discards;
    step.passed = step.shown && ready;
    if (decides) state_ = discards ? State::DISCARDING : State::LEAVING;
    if (moves) {
      step.index = index_;
      step.last = ++index_ == packets_.front().words;
      if (step.passed) step.frame = step.last ? std::move(packets_.front().frame) : packets_.front().frame;
      --used_;
      if (step.last) {
        packets_.pop_front();
        index_ = 0;
        state_ = State::DECIDING;
        ++(discards ? counts.discarded : counts.left);
      }
    }
    if (!port_up)
      doomed_ = waiting;
    else if (decides && doomed_ != 0)
      --doomed_;
    waiting_ = waiting;
    admission_.cycle(moves, level, charged, charged_source, charged_words);
    return step;
  }

  // The first cycle in which something may happen by itself; `open` is when the way out is ready.
  Cycle next(Cycle now, Cycle open) const {
    if (taken_ || !admission_.settled()) return now;
    if (packets_.empty()) return NEVER;
    const Cycle shown = std::max(now, packets_.front().completed + FIFO_CYCLES);
    return state_ == State::LEAVING ? std::max(shown, open) : shown;
  }

 private:
  enum class State { DECIDING, LEAVING, DISCARDING };
  struct Packet {
    FramePointer frame;
    unsigned words;
    Cycle completed;
  };

  void come(Cycle now, const Beat& in, unsigned level, bool port_up) {
    const unsigned source = (*in.frame)->source;
    if (in.first) {
      const bool admit = admission_.admit(source);
      taking_ = admit && port_up;
      charge_ = admission_.charge();
      if (!port_up)
        ++counts.down;
      else if (!admit)
        ++counts.share;
    }
    if (!taking_) return;
    const bool lost = dropping_ || level == depth_;
    if (lost) {
      used_ -= partial_;
      partial_ = 0;
    } else {
      ++used_;
      ++partial_;
    }
    dropping_ = lost && !in.last;
    if (!in.last) return;
    if (lost) {
      ++counts.full;
    } else {
      ++counts.packets;
      packets_.push_back({*in.frame, partial_, now});
      taken_ = true;
      ended_charge_ = charge_;
      ended_source_ = source;
      ended_words_ = partial_;
    }
    partial_ = 0;
  }

  unsigned depth_;
  FairAdmission admission_;
  std::deque<Packet> packets_;
  unsigned used_ = 0, partial_ = 0, index_ = 0;
  bool taking_ = false, charge_ = false, dropping_ = false;
  bool taken_ = false, ended_charge_ = false;
  unsigned ended_source_ = 0, ended_words_ = 0;
  State state_ = State::DECIDING;
  unsigned waiting_ = 0, doomed_ = 0;
};

// A packet on its way to the queues.
struct Result {
  FramePointer frame;  // of its copies
  uint64_t wires = 0;  // that get one
  bool copy = false;   // so does the CPU
  bool tell = false;   // which gets the digest
  std::array<uint8_t, BEAT_BYTES> digest{};
};

class DigestInsert {
 public:
  explicit DigestInsert(unsigned start_words) : start_words_(start_words) {}
  uint64_t dropped = 0;

  bool calm() const { return fifo_.empty() && !out_valid_; }
  // A beat in, of a packet of which something is wanted; the beat that comes out, if one does.
  const Beat* cycle(Cycle now, const Result* result, bool first, bool last) {
    const size_t waiting = fifo_.size();
    out_ = next_;
    shown_frame_ = next_frame_;
    out_.frame = &shown_frame_;
    const bool shown = out_valid_;
    out_valid_ = false;
    if (!fifo_.empty() && fifo_.front().came + FIFO_FIRST_CYCLES <= now) {
      Word& word = fifo_.front();
      const bool tell = word.first && word.tell && !told_;
      if (word.first && (tell || !word.tell)) next_frame_ = word.frame;
      next_.first = word.first && (tell || !word.tell);
      next_.last = tell ? !word.copy : word.last;
      out_valid_ = true;
      told_ = tell && word.copy;
      if (!told_) fifo_.pop_front();
    }
    if (result != nullptr) {
      if (first) {
        taking_ = waiting < start_words_;
        if (!taking_) ++dropped;
      }
      if (taking_ && (first || result->copy))
        fifo_.push_back({now, first, last || !result->copy, result->copy, result->tell,
                         first ? frame_of(*result) : FramePointer()});
    }
    return shown ? &out_ : nullptr;
  }

 private:
  static constexpr unsigned FIFO_FIRST_CYCLES = 2;  // axis_fifo with distributed RAM
  static constexpr uint32_t PORT_0_CPU = 2;
  struct Word {
    Cycle came;
    bool first, last, copy, tell;
    FramePointer frame;
  };

  static FramePointer frame_of(const Result& result) {
    if (!result.tell) return result.frame;
    auto made = std::make_shared<Frame>();
    made->source = result.frame->source;
    made->data.assign(result.digest.begin(), result.digest.end());
    if (result.copy) {
      made->data.insert(made->data.end(), result.frame->data.begin(), result.frame->data.end());
      made->from_ports = result.frame->from_ports;
      made->to_ports = result.frame->to_ports;
    } else {
      made->to_ports = PORT_0_CPU;
    }
    return made;
  }

  unsigned start_words_;
  std::deque<Word> fifo_;
  bool taking_ = false, told_ = false, out_valid_ = false;
  Beat next_{}, out_{};
  FramePointer next_frame_, shown_frame_;
};

}  // namespace fabric
