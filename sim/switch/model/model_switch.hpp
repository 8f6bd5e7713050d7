// SPDX-License-Identifier: Apache-2.0
// A program's whole switch without RTL, behind fabric::Switch: the program's model, and around it twins of what
// switch_shell joins. docs/switch.md says what it promises. Cycles in which nothing happens cost nothing in `run`.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "facts.hpp"
#include "model.hpp"
#include "pipeline.hpp"
#include "probe_source.hpp"
#include "queues.hpp"
#include "registers.hpp"
#include "side.hpp"
#include "switch.hpp"

namespace fabric {

class ModelSwitch : public Switch {
 public:
  ModelSwitch(const Facts& facts, std::unique_ptr<p4::Model> model)
      : facts_(facts), ports_(facts.ports), model_(std::move(model)), links_((uint64_t{1} << ports_) - 1) {
    registers_.add(facts.registers, "");
    registers_.add(facts.program_registers, "program.");
    has_probes_ = registers_.has("probes.control");
    sources_ = ports_ + (has_probes_ ? 2 : 1);
    for (const auto& fact : facts.tables)
      tables_.push_back(std::make_unique<TableWindow>(fact, *found(model_->table(fact.name), fact.name), registers_));
    for (const auto& fact : facts.externs) {
      p4::Extern& unit = *found(model_->unit(fact.name), fact.name);
      unit.stage = fact.stage;
      if (!fact.window.empty()) externs_.push_back(std::make_unique<ExternWindow>(fact, unit, registers_));
      if (!fact.settings.empty()) bind_settings(fact, unit);
      if (fact.sees_switch) watching_.push_back(&unit);
    }
    bind();
    reset();
  }

  unsigned ports() const override { return ports_; }
  Cycle cycle() const override { return cycle_; }

  void reset() override {
    cycle_ += RESET_CYCLES;
    model_->reset();
    registers_.reset();
    see_enabled();
    for (auto& table : tables_) table->reset();
    for (auto& unit : externs_) unit->reset();
    state_ = std::make_unique<State>(facts_, *model_, cycle_, sources_);
    if (has_probes_) see_probes();
    begun_ = cycle_;
    for (auto* unit : watching_) unit->set_up(0, 0);
    now_busy_ = true;
  }

  void step() override { cycle_once(); }
  void run(Cycle cycles) override {
    const Cycle end = cycle_ + cycles;
    if (cycles == 1) return step();  // so that passing over can be held against it
    while (cycle_ < end) {
      const Cycle next = now_busy_ ? cycle_ : std::min(end, next_event());
      if (next > cycle_)
        pass_over(next);
      else
        cycle_once();
    }
  }

  void send(unsigned wire, Arrival arrival) override { state_->wires[check(wire)].send(std::move(arrival)); }
  void send_from_cpu(unsigned port, Arrival arrival) override {
    if (port >= ports_) throw std::out_of_range("there is no port " + std::to_string(port));
    state_->cpu.send(std::move(arrival));
    state_->cpu.from.push_back(port);
  }
  std::optional<Departure> receive(unsigned wire) override { return state_->wires[check(wire)].receive(); }
  std::optional<Departure> receive_at_cpu() override { return state_->cpu.receive(); }
  std::optional<Decision> decision() override {
    auto& decisions = state_->pipeline.decisions;
    if (decisions.empty()) return std::nullopt;
    const Decision first = decisions.front();
    decisions.pop_front();
    return first;
  }
  uint64_t waiting() const override {
    uint64_t count = state_->cpu.coming.size();
    for (const auto& wire : state_->wires) count += wire.coming.size();
    return count;
  }

  void set_link(unsigned wire, bool up) override {
    const uint64_t bit = uint64_t{1} << check(wire);
    links_ = up ? links_ | bit : links_ & ~bit;
    now_busy_ = true;
  }
  void hold(unsigned wire, bool held) override { state_->wires[check(wire)].held = held; }
  void hold_cpu(bool held) override { state_->cpu.held = held; }
  void set_rate(unsigned wire, int64_t mbps) override { state_->wires[check(wire)].out_pace.set_rate(mbps); }
  void spoil(unsigned wire) override { state_->wires[check(wire)].spoil(); }

  // The bus sees what is there when the answer comes.
  Response read(uint32_t address) override {
    run(READ_CYCLES);
    return registers_.read(address & ADDRESS_MASK);
  }
  Response write(uint32_t address, uint32_t value) override {
    run(WRITE_CYCLES);
    now_busy_ = true;
    return registers_.write(address & ADDRESS_MASK, value);
  }

 private:
  static constexpr Cycle RESET_CYCLES = 16;                    // as RtlSwitch
  static constexpr Cycle READ_CYCLES = 12, WRITE_CYCLES = 12;  // of the fastest register there
  static constexpr uint32_t ADDRESS_MASK = 0x7fffff;

  struct SourceCounts {
    uint64_t bytes = 0, packets = 0, bad = 0, too_long = 0, full = 0;
  };

  // All that a reset forgets.
  struct State {
    State(const Facts& facts, p4::Model& model, Cycle now, unsigned queues)
        : wires(facts.ports),
          scheduler(facts.ports + 2, facts.quantum_bytes),
          pipeline(facts, model, now),
          digests(facts.start_words),
          begun(facts.ports + 1),
          sizes(facts.ports + 1),
          levels(facts.ports + 1),
          received(facts.ports + 2),
          sent_bytes(facts.ports) {
      const unsigned sources = facts.ports + 2;
      const unsigned longest = beats_of(facts.max_packet_bytes + facts.max_growth_bytes);
      const unsigned shared = std::min(sources * (facts.credit_words + longest), facts.output_words / 2);
      const FairAdmission admission(sources, facts.output_words - shared, static_cast<int>(facts.credit_words));
      for (unsigned i = 0; i < queues; ++i) inputs.emplace_back(facts.input_words, facts.max_packet_bytes);
      for (unsigned i = 0; i <= facts.ports; ++i) outputs.emplace_back(facts.output_words, admission);
    }

    std::vector<Side> wires;
    Side cpu;
    ProbeSource probes;
    std::vector<InputQueue> inputs;  // of the wires, then the CPU, then the probe source if there is one
    ByteScheduler scheduler;
    unsigned passed = 0;  // beats of the packet that is passing the arbiter
    bool cpu_inside = false;
    TokenBucket from_cpu, to_cpu;
    Pipeline pipeline;
    DigestInsert digests;
    std::vector<OutputQueue> outputs;     // of the wires, then the CPU
    std::vector<Cycle> begun;             // when the packet that is leaving showed its first beat
    std::vector<unsigned> sizes, levels;  // of the output queues, as metadata have them; a cycle later
    uint64_t up = 0;                      // ports in use
    bool cpu_shown = false;               // rate_gate: a packet has been shown and has not ended
    size_t cpu_charge = 0;                // and its beat of the cycle before

    std::vector<SourceCounts> received;
    std::vector<uint64_t> sent_bytes;
    uint64_t nowhere = 0;
    const RegisterFact* kept = nullptr;  // the counter whose high word is kept
    uint32_t high = 0;
  };

  template <class T>
  static T* found(T* one, const std::string& name) {
    if (one == nullptr) throw std::logic_error("the program's model has no " + name);
    return one;
  }
  Cycle time() const { return cycle_ - begun_; }  // as externs count it
  unsigned check(unsigned wire) const {
    if (wire >= ports_) throw std::out_of_range("there is no wire " + std::to_string(wire));
    return wire;
  }

  // ---- one cycle

  void cycle_once() {
    State& s = *state_;
    const Cycle now = cycle_;
    bool busy = false;
    for (unsigned i = 0; i <= ports_; ++i) {
      s.sizes[i] = s.levels[i];
      s.levels[i] = s.outputs[i].level();
    }
    busy |= leave(s, now);
    busy |= arbitrate(s, now);
    busy |= arrive(s, now);
    const uint64_t up = links_ & enabled_;
    busy |= up != s.up;
    if (up != s.up)
      for (auto* unit : watching_) unit->set_up(up, time() + 1);
    s.up = up;
    now_busy_ = busy;
    ++cycle_;
  }

  // Behind the program.
  bool leave(State& s, Cycle now) {
    bool busy = false;
    const Pipeline::Out& out = s.pipeline.cycle(now);
    Beat beat{};
    const Result* told = nullptr;
    if (out.result) {
      busy = true;
      beat = {&out.result->frame, out.first, out.last};
      if (out.result->copy || out.result->tell) told = out.result.get();
      if (out.first && out.result->wires == 0 && told == nullptr) ++s.nowhere;
    }
    for (unsigned i = 0; i < ports_; ++i) {
      Side& wire = s.wires[i];
      wire.out_pace.cycle();
      const bool copied = out.result && (out.result->wires >> i & 1) != 0;
      const auto step =
          s.outputs[i].cycle(now, copied ? &beat : nullptr, !wire.held && wire.out_pace.open(), (s.up >> i & 1) != 0);
      if (!step.passed) continue;
      const size_t size = step.frame->data.size();
      wire.passed(beat_bytes_of(size, step.index), step.last, size);
      if (!depart(wire, s.begun[i], step, now)) continue;
      s.sent_bytes[i] += size;
      for (auto* unit : watching_) unit->sent(i, size, time() + 1);  // tx_meter
    }
    const Beat* to_cpu = s.digests.cycle(now, told, out.first, out.last);
    const uint32_t rate = to_cpu_rate_->stored, burst = to_cpu_burst_->stored;
    const bool open = s.cpu_shown || s.to_cpu.may_pass();
    const auto step = s.outputs[ports_].cycle(now, to_cpu, !s.cpu.held && open, true);
    s.to_cpu.cycle(rate, burst, s.cpu_charge);
    s.cpu_charge = 0;
    if (step.shown && open) s.cpu_shown = !(step.passed && step.last);
    if (step.passed) {
      busy = true;
      s.cpu_charge = beat_bytes_of(step.frame->data.size(), step.index);
      if (depart(s.cpu, s.begun[ports_], step, now)) {
        s.cpu.left.back().from_ports = step.frame->from_ports;
        s.cpu.left.back().to_ports = step.frame->to_ports;
      }
    }
    return busy || !s.digests.calm() || step.shown;
  }

  // True with a packet's last beat.
  static bool depart(Side& side, Cycle& begun, const OutputQueue::Step& step, Cycle now) {
    if (step.index == 0) begun = now;
    if (!step.last) return false;
    side.left.push_back({step.frame->data, begun, now});
    return true;
  }

  bool arbitrate(State& s, Cycle now) {
    const uint32_t rate = from_cpu_rate_->stored, burst = from_cpu_burst_->stored;
    uint64_t request = 0, more = 0;
    const bool cpu_may_pass = s.from_cpu.may_pass();
    for (unsigned i = 0; i < sources_; ++i) {
      if (!s.inputs[i].valid(now)) continue;
      const bool is_cpu = i == ports_;
      if (!is_cpu || s.cpu_inside || cpu_may_pass) request |= uint64_t{1} << i;
      if (s.inputs[i].more(now) && (!is_cpu || cpu_may_pass)) more |= uint64_t{1} << i;
    }
    const unsigned chosen = s.scheduler.chosen();
    const bool first = s.scheduler.first();
    const bool pass = (request >> chosen & 1) != 0 && s.pipeline.ready();
    size_t length = 0;
    bool last = false;
    size_t charge = 0;
    if (pass) {
      InputQueue& queue = s.inputs[chosen];
      auto& packet = queue.front();
      length = packet.length;
      if (first) {
        s.passed = 0;
        s.pipeline.begin(std::move(packet.data), src_port(chosen, packet.from), s.sizes);
      }
      s.pipeline.pass();
      last = ++s.passed == beats_of(length);
      if (chosen == ports_) {
        s.cpu_inside = !last;
        if (first) charge = length;
      }
      queue.leave(now, last);
    }
    s.scheduler.cycle(request, more, pass, last, length);
    s.from_cpu.cycle(rate, burst, charge);
    return request != 0;
  }

  // A packet of the probe source has no bit.
  uint64_t src_port(unsigned source, unsigned from) const {
    if (source > ports_) return 0;
    return source == ports_ ? uint64_t{2} << 2 * from : uint64_t{1} << 2 * source;
  }

  bool arrive(State& s, Cycle now) {
    for (unsigned i = 0; i < ports_; ++i)
      if (s.wires[i].brings(now)) give(s, s.wires[i], i, now, i);
    if (has_probes_) arrive_probes(s, now);
    if (!s.cpu.has_begun(now)) return false;
    if (s.inputs[ports_].ready(now)) {
      const bool last = s.cpu.offset + s.cpu.beat_bytes() == s.cpu.coming.front().data.size();
      give(s, s.cpu, ports_, now, s.cpu.from.front());
      if (last) s.cpu.from.pop_front();
    }
    return true;
  }

  void arrive_probes(State& s, Cycle now) {
    const unsigned source = ports_ + 1;
    const bool ready = s.inputs[source].ready(now);
    if (s.probes.valid() && ready) {
      Bytes frame;
      if (s.probes.last()) frame = s.probes.frame();
      take(s, source, now, s.probes.end(), s.probes.last(), false, &frame, 0);
    }
    s.probes.cycle(ready);
  }

  void give(State& s, Side& side, unsigned source, Cycle now, unsigned from) {
    Arrival& arrival = side.coming.front();
    const size_t end = side.offset + side.beat_bytes();
    const bool last = end == arrival.data.size();
    take(s, source, now, end, last, last && arrival.damaged, &arrival.data, from);
    if (last) {
      side.coming.pop_front();
      side.offset = 0;
    } else {
      side.given();
    }
  }

  void take(State& s, unsigned source, Cycle now, size_t end, bool last, bool bad, Bytes* data, unsigned from) {
    SourceCounts& counts = s.received[source];
    switch (s.inputs[source].beat(now, end, last, bad, data, from)) {
      case Came::taken:
        ++counts.packets;
        counts.bytes += end;
        break;
      case Came::bad:
        ++counts.bad;
        break;
      case Came::too_long:
        ++counts.too_long;
        break;
      case Came::full:
        ++counts.full;
        break;
      case Came::inside:
        break;
    }
  }

  // ---- cycles without anything

  // The first cycle in which something happens; none of those before changes what a twin would have to do.
  Cycle next_event() const {
    const State& s = *state_;
    Cycle next = s.pipeline.next(cycle_);
    for (unsigned i = 0; i < ports_; ++i) {
      const Side& wire = s.wires[i];
      next = std::min(next, arrival_of(wire));
      next = std::min(next, s.inputs[i].shown_at());
      const Cycle wait = wire.out_pace.cycles_to_open();
      next = std::min(next, s.outputs[i].next(cycle_, wire.held ? NEVER : cycle_ + (wait > 0 ? wait - 1 : 0)));
    }
    if (!s.cpu.coming.empty()) next = std::min(next, s.cpu.coming.front().not_before);
    for (unsigned i = ports_; i < sources_; ++i) next = std::min(next, s.inputs[i].shown_at());
    if (has_probes_) next = std::min(next, s.probes.next(cycle_));
    next = std::min(next, s.outputs[ports_].next(cycle_, s.cpu.held ? NEVER : cycle_));
    return std::max(next, cycle_);
  }
  Cycle arrival_of(const Side& wire) const {
    if (wire.coming.empty()) return NEVER;
    if (wire.coming.front().paced) return wire.has_begun(cycle_) ? cycle_ : wire.coming.front().not_before;
    Arriving arriving = wire.arriving;
    Cycle begin = cycle_;
    if (!wire.has_begun(cycle_)) {
      begin = wire.coming.front().not_before;
      arriving.nothing();
    }
    const Cycle wait = arriving.cycles_to(wire.bytes_to_beat());
    return begin + (wait > 0 ? wait - 1 : 0);
  }

  void pass_over(Cycle to) {
    State& s = *state_;
    const Cycle count = to - cycle_;
    for (auto& wire : s.wires) {
      wire.out_pace.cycles(count);
      Cycle begin = cycle_;
      if (!wire.has_begun(cycle_)) {
        wire.arriving.nothing();
        begin = wire.coming.empty() ? to : std::min(to, wire.coming.front().not_before);
      }
      wire.arriving.cycles(to - begin);
    }
    if (has_probes_) s.probes.cycles(count);
    for (unsigned i = 0; i <= ports_; ++i) s.sizes[i] = s.levels[i] = s.outputs[i].level();
    s.from_cpu.cycles(static_cast<uint32_t>(from_cpu_rate_->stored), static_cast<uint32_t>(from_cpu_burst_->stored),
                      count);
    s.to_cpu.cycles(static_cast<uint32_t>(to_cpu_rate_->stored), static_cast<uint32_t>(to_cpu_burst_->stored), count);
    cycle_ = to;
  }

  // ---- registers

  using Register = Registers::Register;

  void see_enabled() {
    enabled_ = 0;
    for (unsigned i = 0; i < ports_; ++i) enabled_ |= uint64_t{controls_[i]->field("enable")} << i;
  }

  void see_probes() {
    const auto value = [this](const char* name, const char* field) {
      return registers_[std::string("probes.") + name].field(field);
    };
    ProbeSource::Settings settings;
    settings.enable = value("control", "enable") != 0;
    settings.period_cycles = value("period", "cycles");
    settings.uplinks = value("uplinks", "wires");
    settings.tor = value("tor", "id");
    settings.mac = uint64_t{value("mac_high", "bytes")} << 32 | value("mac_low", "bytes");
    settings.ipv4 = value("ipv4", "address");
    state_->probes.set(settings);
  }

  void bind_probes() {
    for (const char* name : {"control", "period", "uplinks", "tor", "mac_low", "mac_high", "ipv4"})
      registers_[std::string("probes.") + name].writing = [this](uint32_t) { see_probes(); };
    count_alone("probes.sent", [this] { return state_->probes.sent; });
    count_alone("probes.missed", [this] { return state_->probes.missed; });
  }

  void bind_settings(const ExternFact& fact, p4::Extern& unit) {
    for (const auto& setting : unit.settings) {
      const std::string at = "program." + fact.settings + "." + setting.name;
      const auto row = registers_.has(at) ? std::vector{&registers_[at]} : registers_.row(at);
      if (row.size() != setting.count) throw std::logic_error("registers and settings differ: " + at);
      for (unsigned i = 0; i < setting.count; ++i)
        row[i]->writing = [this, &unit, name = setting.name, i](uint32_t value) {
          unit.configure(name, i, value, time());
        };
    }
  }

  void bind() {
    if (has_probes_) bind_probes();
    from_cpu_rate_ = &registers_["arbiter.cpu.rate"];
    from_cpu_burst_ = &registers_["arbiter.cpu.burst"];
    to_cpu_rate_ = &registers_["queues.cpu.rate"];
    to_cpu_burst_ = &registers_["queues.cpu.burst"];
    for (unsigned i = 0; i <= ports_; ++i)
      registers_["queues.size" + index(i)].reading = [this, i](unsigned) { return state_->sizes[i]; };
    for (unsigned i = 0; i < ports_; ++i) {
      controls_.push_back(&registers_["port" + index(i) + ".control"]);
      controls_.back()->writing = [this](uint32_t) { see_enabled(); };
      Register& status = registers_["port" + index(i) + ".status"];
      status.reading = [this, i, &status](unsigned) {
        return status.at("link", links_ >> i & 1) | status.at("up", state_->up >> i & 1);
      };
    }
    for (unsigned i = 0; i < ports_ + 2; ++i) {
      count("rx_bytes" + index(i), [this, i] { return state_->received[i].bytes; });
      count("rx_packets" + index(i), [this, i] { return state_->received[i].packets; });
      count("rx_bad" + index(i), [this, i] { return state_->received[i].bad; });
      count("rx_long" + index(i), [this, i] { return state_->received[i].too_long; });
      count("rx_full" + index(i), [this, i] { return state_->received[i].full; });
    }
    for (unsigned i = 0; i < ports_; ++i) count("tx_bytes" + index(i), [this, i] { return state_->sent_bytes[i]; });
    for (unsigned i = 0; i <= ports_; ++i) {
      count("queue_packets" + index(i), [this, i] { return state_->outputs[i].counts.packets; });
      count("queue_full" + index(i), [this, i] { return state_->outputs[i].counts.full; });
      count("queue_share" + index(i), [this, i] { return state_->outputs[i].counts.share; });
      count("queue_down" + index(i), [this, i] { return state_->outputs[i].counts.down; });
      count("queue_discarded" + index(i), [this, i] { return state_->outputs[i].counts.discarded; });
      count("tx_packets" + index(i), [this, i] { return state_->outputs[i].counts.left; });
    }
    count("queue_nowhere", [this] { return state_->nowhere; });
    count("digest_full", [this] { return state_->digests.dropped; });
    Register& command = registers_["counting.command"];
    command.writing = [this, &command](uint32_t) {
      if (command.field("clear") != 0) clear();
      command.stored = 0;
    };
    const std::string of_program = "program.packets.";
    count_alone(of_program + "received", [this] { return state_->pipeline.packets(); });
    for (unsigned reason = 0; reason < facts_.drop_reasons.size(); ++reason) {
      const std::string name = of_program + "drop_" + facts_.drop_reasons[reason];
      if (registers_.has(name)) count_alone(name, [this, reason] { return state_->pipeline.drops(reason); });
    }
    count_alone(of_program + "drop_" + facts_.empty_reason, [this] { return state_->pipeline.empty(); });
  }
  static std::string index(unsigned i) { return "[" + std::to_string(i) + "]"; }

  // The low word keeps the high one of the same moment, for the next read of that.
  template <class Value>
  void count(const std::string& name, Value value) {
    Register& one = registers_["counters." + name];
    one.reading = [this, &one, value](unsigned word) {
      State& s = *state_;
      if (word == 1 && s.kept == one.fact) return s.high;
      const uint64_t total = value();
      s.kept = one.fact;
      s.high = static_cast<uint32_t>(total >> 32);
      return static_cast<uint32_t>(total >> 32 * word);
    };
  }

  // Each of these keeps a high word of its own.
  template <class Value>
  void count_alone(const std::string& name, Value value) {
    Register& one = registers_[name];
    one.reading = [&one, value](unsigned word) {
      if (word == 0) one.stored = value();
      return static_cast<uint32_t>(one.stored >> 32 * word);
    };
  }

  void clear() {
    State& s = *state_;
    for (auto& source : s.received) source = {};
    for (auto& bytes : s.sent_bytes) bytes = 0;
    for (auto& queue : s.outputs) queue.counts = {};
    s.nowhere = s.digests.dropped = 0;
  }

  const Facts& facts_;
  const unsigned ports_;
  bool has_probes_ = false;
  unsigned sources_ = 0;  // of packets
  std::unique_ptr<p4::Model> model_;
  Registers registers_;
  std::vector<std::unique_ptr<TableWindow>> tables_;
  std::vector<std::unique_ptr<ExternWindow>> externs_;
  std::vector<p4::Extern*> watching_;  // externs that see the switch
  std::vector<Register*> controls_;
  Register *from_cpu_rate_ = nullptr, *from_cpu_burst_ = nullptr;
  Register *to_cpu_rate_ = nullptr, *to_cpu_burst_ = nullptr;
  std::unique_ptr<State> state_;
  uint64_t links_;
  uint64_t enabled_ = 0;
  Cycle cycle_ = 0;
  Cycle begun_ = 0;  // when the last reset ended
  bool now_busy_ = true;
};

}  // namespace fabric
