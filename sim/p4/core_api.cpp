// SPDX-License-Identifier: Apache-2.0
// The C interface over p4::Core: queues of packets on both sides, gaps and stalls, and a watch on the streams.
#include "core_api.h"

#include <deque>
#include <stdexcept>
#include <string>

#include "core.hpp"
#include "stop.hpp"

namespace {

constexpr uint64_t RESET_CYCLES = 16;
constexpr uint64_t ACCESS_PATIENCE = 1000;  // cycles that an AXI-Lite access may take

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 2 + 1) {}
  // True in `percent` of 100 cases.
  bool roll(unsigned percent) {
    if (percent == 0) return false;
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % 100 < percent;
  }

 private:
  uint64_t state_;
};

using Bytes = std::vector<uint8_t>;

struct Sent {
  Bytes data, user;
  uint64_t not_before;
};
struct Output {
  Bytes data, user;
  uint64_t first = 0, last = 0;
};
struct Verdict {
  uint32_t reason;
  Bytes user;
  uint64_t entered;
};

}  // namespace

struct p4c_core {
  explicit p4c_core(uint64_t seed) : core(seed), dice(seed) { reset(); }

  void reset() {
    forget();
    core.release();
    core.offer_nothing();
    core.reset(true);
    for (uint64_t i = 0; i < RESET_CYCLES; ++i) {
      core.settle();
      core.edge();
    }
    core.reset(false);
  }

  void send(const p4c_input& input) {
    waiting.push_back({Bytes(input.data, input.data + input.length),
                       Bytes(input.user, input.user + p4::Core::user_in_bytes()), input.not_before});
    ++unfinished;
  }

  // One cycle; true if a beat or a decision has passed.
  bool step() {
    offer();
    core.accept(!dice.roll(stalls));
    core.settle();
    bool moved = false;
    if (core.taken()) {
      moved = true;
      take();
    }
    if (core.decided()) {
      moved = true;
      decide();
    }
    watch();
    if (core.passed()) {
      moved = true;
      collect();
    }
    unfinished -= core.dropped() + core.emptied();
    core.edge();
    return moved;
  }

  void drain(uint64_t patience) {
    uint64_t quiet = 0;
    while (unfinished > 0) {
      const bool early = offset == 0 && !waiting.empty() && waiting.front().not_before > core.cycle();
      quiet = step() || early ? 0 : quiet + 1;
      if (quiet > patience)
        throw std::runtime_error(std::to_string(unfinished) + " packets have neither left nor been dropped after " +
                                 std::to_string(patience) + " cycles in which nothing moved");
    }
  }

  p4::Access access(bool is_write, uint32_t address, uint32_t value) {
    p4::Access made;
    made.is_write = is_write;
    made.address = address;
    made.value = value;
    core.start(made);
    const uint64_t end = core.cycle() + ACCESS_PATIENCE;
    while (!made.done) {
      if (core.cycle() >= end) {
        core.release();
        throw std::runtime_error("an AXI-Lite access is not answered");
      }
      step();
    }
    return made;
  }

  p4::Core core;
  Dice dice;
  unsigned gaps = 0, stalls = 0;
  std::deque<Output> outputs;
  std::deque<Verdict> verdicts;
  Output shown_output;  // what the last p4c_next_… gave
  Verdict shown_verdict{};
  std::string error;

 private:
  void forget() {
    waiting.clear();
    inside.clear();
    outputs.clear();
    verdicts.clear();
    offset = 0;
    offered = held = false;
    unfinished = 0;
    growing = {};
  }

  // Once a beat is offered it stays until it is taken.
  void offer() {
    if (offered) return;
    const bool first = offset == 0;
    if (waiting.empty() || (first && waiting.front().not_before > core.cycle()) || dice.roll(gaps)) {
      core.offer_nothing();
      return;
    }
    const Sent& packet = waiting.front();
    const p4::Beat beat = p4::beat_of(packet.data, offset);
    core.offer(beat, packet.user.data());
    offered = true;
  }

  void take() {
    if (offset == 0) inside.push_back(core.cycle());
    offered = false;
    offset += p4::DATA_BYTES;
    if (offset < waiting.front().data.size()) return;
    waiting.pop_front();
    offset = 0;
  }

  void decide() {
    if (inside.empty()) throw std::runtime_error("a packet was decided on that did not come in");
    verdicts.push_back(
        {core.reason(), Bytes(core.decided_user(), core.decided_user() + p4::Core::user_out_bytes()), inside.front()});
    inside.pop_front();
  }

  // The contract of streams: a beat that stalls stays as it is.
  void watch() {
    if (!core.shown()) {
      if (held) throw std::runtime_error("the output took a beat back that had stalled");
      return;
    }
    const p4::Beat beat = core.output();
    const Bytes user(core.output_user(), core.output_user() + p4::Core::user_out_bytes());
    if (held && (beat != held_beat || user != held_user))
      throw std::runtime_error("the output changed a beat that had stalled");
    held = !core.passed();
    if (held) {
      held_beat = beat;
      held_user = user;
    }
  }

  void collect() {
    const p4::Beat beat = core.output();
    const Bytes user(core.output_user(), core.output_user() + p4::Core::user_out_bytes());
    if (growing.data.empty()) {
      growing.first = core.cycle();
      growing.user = user;
    } else if (growing.user != user) {
      throw std::runtime_error("two beats of a packet that left have different tuser");
    }
    p4::append(growing.data, beat);
    if (!beat.last) return;
    growing.last = core.cycle();
    outputs.push_back(std::move(growing));
    growing = {};
    --unfinished;
  }

  std::deque<Sent> waiting;
  std::deque<uint64_t> inside;  // when each packet came in that is not decided on
  size_t offset = 0;            // bytes of the first one waiting that are in
  bool offered = false;
  bool held = false;
  p4::Beat held_beat;
  Bytes held_user;
  Output growing;
  int64_t unfinished = 0;
};

namespace {

// Runs `action` unless something has gone wrong before; keeps what goes wrong now.
template <class Action>
void guarded(p4c_core* core, Action action) {
  if (!core->error.empty()) return;
  try {
    action();
  } catch (const std::exception& problem) {
    core->error = "cycle " + std::to_string(core->core.cycle()) + ": " + problem.what();
  }
}

}  // namespace

p4c_core* p4c_create(uint64_t seed) { return new p4c_core(seed); }
void p4c_destroy(p4c_core* core) { delete core; }
const char* p4c_error(p4c_core* core) { return core->error.empty() ? nullptr : core->error.c_str(); }
size_t p4c_user_bytes(p4c_core*, int of_output) {
  return of_output != 0 ? p4::Core::user_out_bytes() : p4::Core::user_in_bytes();
}
uint64_t p4c_cycle(p4c_core* core) { return core->core.cycle(); }
void p4c_reset(p4c_core* core) {
  guarded(core, [&] { core->reset(); });
}
void p4c_set_pace(p4c_core* core, unsigned gaps, unsigned stalls) {
  core->gaps = gaps;
  core->stalls = stalls;
}
void p4c_send(p4c_core* core, const p4c_input* input) {
  guarded(core, [&] { core->send(*input); });
}
void p4c_run(p4c_core* core, uint64_t cycles) {
  guarded(core, [&] {
    for (uint64_t i = 0; i < cycles; ++i) core->step();
  });
}
void p4c_drain(p4c_core* core, uint64_t patience) {
  guarded(core, [&] { core->drain(patience); });
}

int p4c_next_output(p4c_core* core, p4c_output* output) {
  if (core->outputs.empty()) return 0;
  core->shown_output = std::move(core->outputs.front());
  core->outputs.pop_front();
  const auto& shown = core->shown_output;
  *output = {shown.data.data(), shown.data.size(), shown.user.data(), shown.first, shown.last};
  return 1;
}

int p4c_next_verdict(p4c_core* core, p4c_verdict* verdict) {
  if (core->verdicts.empty()) return 0;
  core->shown_verdict = std::move(core->verdicts.front());
  core->verdicts.pop_front();
  *verdict = {core->shown_verdict.reason, core->shown_verdict.user.data(), core->shown_verdict.entered};
  return 1;
}

int p4c_write(p4c_core* core, uint32_t address, uint32_t value) {
  int response = -1;
  guarded(core, [&] { response = static_cast<int>(core->access(true, address, value).response); });
  return response;
}

int p4c_read(p4c_core* core, uint32_t address, uint32_t* value) {
  int response = -1;
  guarded(core, [&] {
    const auto made = core->access(false, address, 0);
    *value = made.value;
    response = static_cast<int>(made.response);
  });
  return response;
}
