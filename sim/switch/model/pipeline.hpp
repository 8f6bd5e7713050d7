// SPDX-License-Identifier: Apache-2.0
// The program of a switch: its model decides what becomes of a packet; when, and beat by beat how it leaves, say twins
// of what the generated core has around its pipeline (pipeline_shell, header_window, pipeline_flow, packet_merge).
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts.hpp"
#include "model.hpp"
#include "queues.hpp"
#include "switch.hpp"

namespace fabric {

// Fields of metadata or digest, packed from the first bit on.
class PackedFields {
 public:
  explicit PackedFields(const std::vector<p4::FieldInfo>& fields) {
    for (const auto& field : fields) {
      places_[field.name] = {bits_, field.width};
      bits_ += field.width;
    }
  }
  struct Place {
    unsigned first = 0, width = 0;
  };
  unsigned bits() const { return bits_; }
  Place place(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) throw std::logic_error("the program's metadata have no field " + name);
    return found->second;
  }
  static uint64_t get(const uint8_t* packed, Place place) {
    uint64_t value = 0;
    if ((place.first | place.width) % 8 == 0) {
      for (unsigned i = place.first / 8; i < (place.first + place.width) / 8; ++i) value = value << 8 | packed[i];
      return value;
    }
    for (unsigned bit = place.first; bit < place.first + place.width; ++bit)
      value = value << 1 | (packed[bit / 8] >> (7 - bit % 8) & 1);
    return value;
  }
  static void put(uint8_t* packed, Place place, uint64_t value) {
    if ((place.first | place.width) % 8 == 0) {
      for (unsigned i = (place.first + place.width) / 8; i-- > place.first / 8; value >>= 8)
        packed[i] = static_cast<uint8_t>(value);
      return;
    }
    for (unsigned i = 0; i < place.width; ++i) {
      const unsigned bit = place.first + place.width - 1 - i;
      const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
      packed[bit / 8] = static_cast<uint8_t>((value >> i & 1) != 0 ? packed[bit / 8] | mask : packed[bit / 8] & ~mask);
    }
  }

 private:
  std::unordered_map<std::string, Place> places_;
  unsigned bits_ = 0;
};

// packet_merge, without the bytes: which beats pass when.
class PacketMerge {
 public:
  struct Plan {
    size_t header = 0, strip = 0;  // bytes
    bool drop = false;
  };
  // What comes to it in a cycle: the next plan, the plan of the header that is in front, the next beat of a packet.
  struct In {
    const Plan* plan = nullptr;
    const Plan* header = nullptr;
    bool beat = false, beat_last = false;
    size_t beat_bytes = 0;
  };
  struct Step {
    bool plan_taken = false, beat_taken = false;
    bool sent = false, last = false;  // a beat of the result leaves
    bool finished = false;            // the header is done with
    bool vanished = false;            // and left no beat
  };

  bool calm() const { return !planned_ && !first_.valid; }

  Step cycle(const In& in) {
    Step step;
    // The second half: the header's whole beats, then the rest of it with the packet's bytes behind.
    const bool header = in.header != nullptr;
    const size_t header_beats = header ? in.header->header / BEAT_BYTES : 0;
    const bool rest = header && in.header->header % BEAT_BYTES != 0;
    const bool whole = index_ != header_beats;
    const bool ends_header = !rest && index_ + 1 == header_beats;
    const bool drop = header && in.header->drop;
    const bool need_first = drop || !whole || ends_header;
    const bool both = (joined_ || first_.late) && !first_.plain;
    const bool need_second = !whole && both && !first_.last;
    const bool vanish = drop || (!whole && first_.none && !rest);
    if (whole)
      step.last = ends_header && first_.none;
    else
      step.last = both ? first_.last || (second_.last && !second_.spill) : first_.last && !first_.spill;
    step.vanished = header && first_.valid && vanish;
    step.sent = header && !vanish && (!need_first || first_.valid) && (!need_second || second_.valid);
    step.finished = step.vanished || (step.sent && step.last);
    const bool leave = step.finished || (step.sent && !whole && (both || first_.plain));
    const bool leave_both = step.sent && step.last && need_second;
    if (step.finished) {
      index_ = 0;
      joined_ = false;
    } else if (step.sent && whole) {
      ++index_;
    } else if (step.sent) {
      joined_ = true;
    }
    // The first half: throws away what is stripped, and turns the others into place.
    const bool skipping = plan_.drop || skipped_ < plan_.strip / BEAT_BYTES;
    const bool at_first = skipped_ == plan_.strip / BEAT_BYTES;
    const bool passes = !skipping || in.beat_last;
    step.beat_taken = in.beat && planned_ && (!second_.valid || leave || !passes);
    const bool arrives = step.beat_taken && passes;
    Half turned;
    turned.valid = true;
    turned.last = in.beat_last;
    const size_t header_rest = plan_.header % BEAT_BYTES, strip_rest = plan_.strip % BEAT_BYTES;
    const size_t shift = (header_rest - strip_rest) % BEAT_BYTES;
    turned.none = skipping || (at_first && in.beat_bytes <= strip_rest);
    turned.spill = !turned.none && shift != 0 && in.beat_bytes > BEAT_BYTES - shift;
    turned.plain = shift == 0;
    turned.late = header_rest < strip_rest;
    const bool had_first = first_.valid, had_second = second_.valid;
    if (leave || !had_first) {
      first_ = had_second && !leave_both ? second_ : turned;
      first_.valid = (had_second && !leave_both) || arrives;
    }
    if (leave || !had_second) {
      second_ = turned;
      second_.valid = arrives && had_first && !leave_both && (had_second || !leave);
    }
    if (!planned_ || (step.beat_taken && in.beat_last)) {
      step.plan_taken = in.plan != nullptr;
      planned_ = step.plan_taken;
      if (planned_) plan_ = *in.plan;
      skipped_ = 0;
    } else if (step.beat_taken && (skipping || at_first)) {
      ++skipped_;
    }
    return step;
  }

 private:
  struct Half {
    bool valid = false, last = false, none = false, spill = false, plain = false, late = false;
  };
  Plan plan_;
  bool planned_ = false;
  size_t skipped_ = 0, index_ = 0;
  bool joined_ = false;
  Half first_, second_;
};

class Pipeline {
 public:
  // A beat that comes to the output queues in this cycle; it stands until the next.
  struct Out {
    std::shared_ptr<const Result> result;
    bool first = false, last = false;
  };

  // `begun`: from when on the program counts time.
  Pipeline(const Facts& facts, p4::Model& model, Cycle begun)
      : facts_(facts),
        model_(model),
        begun_(begun),
        fields_(model.metadata_fields()),
        digest_bits_(PackedFields(model.digest_fields()).bits()),
        source_(fields_.place("src_port")),
        target_(fields_.place("dst_port")),
        length_(fields_.place("pkt_len")),
        tell_(fields_.place("send_dig_to_cpu")),
        window_beats_(beats_of(facts.window_bytes)) {
    for (const auto& unit : facts.externs) {
      sees_switch_ |= unit.sees_switch;
      if (unit.sees_switch) see_cycles_ = std::max<Cycle>(see_cycles_, unit.stage);
    }
    for (unsigned i = 0; i < facts.ports; ++i) sizes_.push_back(fields_.place("nf" + std::to_string(i) + "_q_size"));
    sizes_.push_back(fields_.place("dma_q_size"));
    counts_.resize(facts.drop_reasons.size());
  }

  std::deque<Decision> decisions;
  uint64_t packets() const { return packets_; }
  // Of a reason's number; of what left no byte.
  uint64_t drops(unsigned reason) const { return counts_.at(reason); }
  uint64_t empty() const { return empty_; }

  // What happens in this cycle, but for `pass`, which the arbiter may call behind it if `ready`.
  const Out& cycle(Cycle now) {
    while (!waiting_.empty() && waiting_.front().window + see_cycles_ <= now) {
      decide(waiting_.front().window, waiting_.front().packet);
      waiting_.pop_front();
    }
    for (; decided_ < inside_.size() && inside_[decided_].result_at <= now; ++decided_) {
      const Inside& one = inside_[decided_];
      ++packets_;
      if (one.decision.reason != 0) ++counts_[one.decision.reason];
      decisions.push_back(one.decision);
    }
    out_ = std::exchange(next_out_, std::exchange(coming_, {}));
    const bool room = memory_.size() < facts_.packet_words && (taken_ > 0 || started_ < facts_.result_words);
    if (!memory_.empty() || !merge_.calm()) merge(now);
    take(now, room);
    return out_;
  }
  bool ready() const { return ready_; }
  // A packet's first beat passes the arbiter.
  void begin(Bytes data, uint64_t src_port, const std::vector<unsigned>& queue_sizes) {
    Entering one{std::move(data), std::vector<uint8_t>(model_.metadata_bytes(), 0)};
    uint8_t* metadata = one.metadata.data();
    PackedFields::put(metadata, length_, one.data.size());
    PackedFields::put(metadata, source_, src_port);
    for (size_t i = 0; i < sizes_.size(); ++i)
      PackedFields::put(metadata, sizes_[i], std::min(0xffffU, queue_sizes[i]));
    entering_.push_back(std::move(one));
  }
  // And any beat.
  void pass() { offered_ = true; }

  // The first cycle in which something may happen by itself.
  Cycle next(Cycle now) const {
    if (offered_ || shown_ || spare_ || coming_.result || next_out_.result || out_.result) return now;
    if (!merge_.calm() || !waiting_.empty()) return now;
    return decided_ < inside_.size() ? inside_[decided_].result_at : memory_.empty() ? NEVER : now;
  }

 private:
  static constexpr Cycle WINDOW_CYCLES = 1;  // header_window
  static constexpr Cycle MEMORY_CYCLES = 3;  // packet_memory, with block RAM

  struct Entering {
    Bytes data;
    std::vector<uint8_t> metadata;
  };
  // A packet in the core, from its window on.
  struct Inside {
    Cycle result_at;
    Decision decision;
    PacketMerge::Plan plan;
    std::shared_ptr<const Result> result;
  };
  struct Stored {
    Cycle came;
    bool last;
    size_t bytes;
  };

  // From the arbiter's register over a slice into the core.
  void take(Cycle now, bool memory) {
    ready_ = !spare_ || !offered_;
    const bool room = memory && !(shown_ && too_near(now));
    const bool take = shown_ && room;
    const bool had_spare = spare_;
    if (room || !shown_) {
      shown_ = had_spare || offered_;
      spare_ = false;
    } else if (offered_ && !had_spare) {
      spare_ = true;
    }
    if (!had_spare) offered_ = false;
    if (!take) return;
    Entering& front = entering_.front();
    if (taken_ == 0) ++started_;
    const unsigned count = beats_of(front.data.size());
    const bool last = taken_ + 1 == count;
    memory_.push_back({now, last, beat_bytes_of(front.data.size(), taken_)});
    ++taken_;
    if (taken_ == std::min(count, window_beats_)) {
      window_at_ = now + WINDOW_CYCLES;
      if (sees_switch_)
        waiting_.push_back({window_at_, front});
      else
        decide(window_at_, front);
    }
    if (last) {
      taken_ = 0;
      entering_.pop_front();
    }
  }

  // header_window: the beat that is shown would make a window too soon after the last one.
  bool too_near(Cycle now) const {
    const unsigned count = beats_of(entering_.front().data.size());
    return taken_ + 1 == std::min(count, window_beats_) && now + WINDOW_CYCLES < window_at_ + facts_.spacing_cycles;
  }

  void merge(Cycle now) {
    PacketMerge::In in;
    if (planned_ < inside_.size() && inside_[planned_].result_at <= now) in.plan = &inside_[planned_].plan;
    if (!inside_.empty() && inside_.front().result_at + facts_.header_cycles <= now) in.header = &inside_.front().plan;
    if (!memory_.empty() && memory_.front().came + MEMORY_CYCLES <= now) {
      in.beat = true;
      in.beat_last = memory_.front().last;
      in.beat_bytes = memory_.front().bytes;
    }
    const auto step = merge_.cycle(in);
    if (step.plan_taken) ++planned_;
    if (step.beat_taken) memory_.pop_front();
    if (step.sent) coming_ = {inside_.front().result, !sending_, step.last};
    if (step.sent) sending_ = !step.last;
    if (step.vanished && !inside_.front().plan.drop) ++empty_;
    if (step.finished) {
      inside_.pop_front();
      --started_;
      --planned_;
      --decided_;
    }
  }

  void decide(Cycle window, const Entering& packet) {
    const auto verdict =
        model_.process(packet.data.data(), packet.data.size(), window - begun_, packet.metadata.data());
    const auto* metadata = verdict.metadata != nullptr ? verdict.metadata : packet.metadata.data();
    // To the program a packet of which nothing is left goes on; it ends behind it.
    const bool empty = verdict.drop_reason != nullptr && verdict.drop_reason == facts_.empty_reason;
    Inside one;
    one.result_at = window + facts_.latency_cycles;
    one.decision = {empty ? 0 : reason_of(verdict.drop_reason), PackedFields::get(metadata, source_)};
    one.plan = {verdict.header_length, verdict.strip_length, verdict.drop_reason != nullptr && !empty};
    if (verdict.drop_reason == nullptr) one.result = result_of(verdict);
    inside_.push_back(std::move(one));
  }

  std::shared_ptr<const Result> result_of(const p4::Verdict& verdict) const {
    auto frame = std::make_shared<Frame>();
    frame->data.assign(verdict.data, verdict.data + verdict.length);
    const uint64_t target = PackedFields::get(verdict.metadata, target_);
    const uint64_t source = PackedFields::get(verdict.metadata, source_);
    auto made = std::make_shared<Result>();
    Result& result = *made;
    uint64_t to_cpu = 0;
    frame->source = facts_.ports + 1;  // the probe source, if it has no bit
    for (unsigned i = facts_.ports; i-- > 0;)
      if ((source >> (2 * i + 1) & 1) != 0) frame->source = facts_.ports;
    for (unsigned i = 0; i < facts_.ports; ++i) {
      result.wires |= (target >> 2 * i & 1) << i;
      to_cpu |= target & uint64_t{2} << 2 * i;
      if ((source >> 2 * i & 1) != 0) frame->source = i;
    }
    result.copy = to_cpu != 0;
    if (facts_.ports <= 8) {  // as far as a departure tells
      frame->from_ports = static_cast<uint32_t>(source);
      frame->to_ports = static_cast<uint32_t>(to_cpu);
    }
    result.frame = std::move(frame);
    result.tell = (PackedFields::get(verdict.metadata, tell_) & 1) != 0;
    // Bit 0 of the digest is the last that is packed, and the lowest of the first byte on the way to the CPU.
    if (result.tell) {
      for (unsigned bit = 0; bit < digest_bits_; ++bit) {
        const unsigned at = digest_bits_ - 1 - bit;
        if ((verdict.digest[at / 8] >> (7 - at % 8) & 1) != 0)
          result.digest[bit / 8] |= static_cast<uint8_t>(1 << bit % 8);
      }
    }
    return made;
  }

  unsigned reason_of(const char* name) {
    if (name == nullptr) return 0;
    const auto known = reasons_.find(name);
    if (known != reasons_.end()) return known->second;
    size_t number = 0;
    while (number < facts_.drop_reasons.size() && facts_.drop_reasons[number] != name) ++number;
    if (number == facts_.drop_reasons.size())
      throw std::runtime_error(std::string("the model drops a packet for ") + name + ", which the hardware cannot");
    return reasons_[name] = static_cast<unsigned>(number);
  }

  const Facts& facts_;
  p4::Model& model_;
  const Cycle begun_;
  PackedFields fields_;
  unsigned digest_bits_;
  PackedFields::Place source_, target_, length_, tell_;
  std::vector<PackedFields::Place> sizes_;
  unsigned window_beats_;
  std::unordered_map<const char*, unsigned> reasons_;
  std::vector<uint64_t> counts_;
  uint64_t packets_ = 0, empty_ = 0;

  // Beats between the arbiter and the core: in the arbiter's register, in the slice behind it.
  bool offered_ = false, shown_ = false, spare_ = false;
  bool ready_ = true;
  std::deque<Entering> entering_;  // whose last beat the core has not taken
  unsigned taken_ = 0;             // beats of the first of them that it has
  Cycle window_at_ = 0;            // when the last window was there
  // Packets whose externs have not seen yet what the switch will be like.
  struct Waiting {
    Cycle window;
    Entering packet;
  };
  std::deque<Waiting> waiting_;
  bool sees_switch_ = false;
  Cycle see_cycles_ = 0;       // from a window to the last look at the switch
  std::deque<Stored> memory_;  // the beats that packet_merge has not taken
  unsigned started_ = 0;       // packets inside
  std::deque<Inside> inside_;  // of them those whose window is complete,
  size_t decided_ = 0;         // whose decision has been told,
  size_t planned_ = 0;         // and whose plan packet_merge has taken
  PacketMerge merge_;
  bool sending_ = false;         // a packet's first beat has left, and not its last
  Out coming_, next_out_, out_;  // on the way to the queues
};

}  // namespace fabric
