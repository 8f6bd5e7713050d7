// SPDX-License-Identifier: Apache-2.0
// A program's whole switch under Verilator behind fabric::Switch. Vswitch is the class that Verilator writes of
// <program>_switch.
//
// Wires have the pace of 10 Gb/s both ways (wire.hpp): a frame's beat comes in when its last byte has come, a queue's
// beat leaves when the wire is free. The CPU's side takes and gives a beat a cycle.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "Vswitch.h"
#include "axil.hpp"
#include "beat.hpp"
#include "side.hpp"
#include "switch.hpp"
#include "verilated.h"

namespace fabric {

class RtlSwitch : public Switch {
 public:
  explicit RtlSwitch(uint64_t seed) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    top_ = std::make_unique<Vswitch>(context_.get());
    axil_ = std::make_unique<p4::AxilMaster<Vswitch>>(*top_);
    top_->s_axis_cpu_tbad = 0;
    top_->link_up = (uint64_t{1} << PORTS) - 1;
    reset();
  }
  ~RtlSwitch() override { top_->final(); }

  unsigned ports() const override { return PORTS; }
  Cycle cycle() const override { return cycle_; }

  void reset() override {
    for (auto& wire : wires_) wire = RtlSide();
    cpu_ = RtlSide();
    decisions_.clear();
    axil_->release();
    top_->s_axis_wire_tvalid = 0;
    top_->s_axis_cpu_tvalid = 0;
    top_->m_axis_wire_tready = 0;
    top_->m_axis_cpu_tready = 0;
    top_->rst = 1;
    for (unsigned i = 0; i < RESET_CYCLES; ++i) tick();
    top_->rst = 0;
  }

  void step() override {
    for (unsigned i = 0; i < PORTS; ++i) drive_wire(i);
    drive_cpu();
    settle();
    for (unsigned i = 0; i < PORTS; ++i) watch_wire(i);
    watch_cpu();
    if (top_->status_verdict_valid) decide();
    edge();
  }

  void send(unsigned wire, Arrival arrival) override { wires_.at(wire).send(std::move(arrival)); }
  void send_from_cpu(unsigned port, Arrival arrival) override {
    if (port >= PORTS) throw std::out_of_range("there is no port " + std::to_string(port));
    cpu_.send(std::move(arrival));
    cpu_.from.push_back(port);
  }
  std::optional<Departure> receive(unsigned wire) override { return wires_.at(wire).receive(); }
  std::optional<Departure> receive_at_cpu() override { return cpu_.receive(); }
  std::optional<Decision> decision() override {
    if (decisions_.empty()) return std::nullopt;
    const Decision first = decisions_.front();
    decisions_.pop_front();
    return first;
  }
  uint64_t waiting() const override {
    uint64_t count = cpu_.coming.size();
    for (const auto& wire : wires_) count += wire.coming.size();
    return count;
  }

  void set_link(unsigned wire, bool up) override {
    const uint64_t bit = uint64_t{1} << check(wire);
    top_->link_up = up ? top_->link_up | bit : top_->link_up & ~bit;
  }
  void hold(unsigned wire, bool held) override { wires_.at(wire).held = held; }
  void hold_cpu(bool held) override { cpu_.held = held; }
  void set_rate(unsigned wire, int64_t mbps) override { wires_.at(wire).out_pace.set_rate(mbps); }
  void spoil(unsigned wire) override { wires_.at(wire).spoil(); }

  Response read(uint32_t address) override { return access(false, address, 0); }
  Response write(uint32_t address, uint32_t value) override { return access(true, address, value); }

 private:
  static constexpr unsigned PORTS = sizeof(Vswitch::m_axis_wire_tdata) / p4::DATA_BYTES;
  static constexpr unsigned RESET_CYCLES = 16;
  static constexpr unsigned SRC_PORT_BYTE = 2;  // of the metadata
  static constexpr Cycle ACCESS_PATIENCE = 1000;
  static_assert(p4::DATA_BYTES == BEAT_BYTES);

  // And what of a frame has left so far.
  struct RtlSide : Side {
    Departure growing;
    p4::Beat stalled;
    bool is_stalled = false;
  };

  unsigned check(unsigned wire) const {
    if (wire >= PORTS) throw std::out_of_range("there is no wire " + std::to_string(wire));
    return wire;
  }

  template <class Port>
  static uint8_t* bytes(Port& port) {
    return reinterpret_cast<uint8_t*>(&port);
  }
  template <class Port>
  static void set_bit(Port& port, unsigned place, bool value) {
    const Port bit = static_cast<Port>(Port{1} << place);
    port = static_cast<Port>(value ? port | bit : port & ~bit);
  }

  void drive_wire(unsigned i) {
    Side& wire = wires_[i];
    const bool valid = wire.brings(cycle_);
    if (valid) {
      const Arrival& first = wire.coming.front();
      const p4::Beat beat = p4::beat_of(first.data, wire.offset);
      std::memcpy(bytes(top_->s_axis_wire_tdata) + i * p4::DATA_BYTES, beat.data.data(), p4::DATA_BYTES);
      std::memcpy(bytes(top_->s_axis_wire_tkeep) + i * sizeof(beat.keep), &beat.keep, sizeof(beat.keep));
      set_bit(top_->s_axis_wire_tlast, i, beat.last);
      set_bit(top_->s_axis_wire_tbad, i, beat.last && first.damaged);
      wire.given();
    }
    set_bit(top_->s_axis_wire_tvalid, i, valid);
    wire.out_pace.cycle();
    set_bit(top_->m_axis_wire_tready, i, !wire.held && wire.out_pace.open());
  }

  void drive_cpu() {
    top_->s_axis_cpu_tvalid = cpu_.has_begun(cycle_);
    if (top_->s_axis_cpu_tvalid) {
      const p4::Beat beat = p4::beat_of(cpu_.coming.front().data, cpu_.offset);
      std::memcpy(bytes(top_->s_axis_cpu_tdata), beat.data.data(), p4::DATA_BYTES);
      top_->s_axis_cpu_tkeep = beat.keep;
      top_->s_axis_cpu_tlast = beat.last;
      top_->s_axis_cpu_tbad = beat.last && cpu_.coming.front().damaged;
      top_->s_axis_cpu_tuser = static_cast<uint8_t>(cpu_.from.front());
    }
    top_->m_axis_cpu_tready = !cpu_.held;
  }

  void watch_wire(unsigned i) {
    const bool valid = top_->m_axis_wire_tvalid >> i & 1;
    if (!valid && !wires_[i].is_stalled) return;
    p4::Beat beat;
    std::memcpy(beat.data.data(), bytes(top_->m_axis_wire_tdata) + i * p4::DATA_BYTES, p4::DATA_BYTES);
    std::memcpy(&beat.keep, bytes(top_->m_axis_wire_tkeep) + i * sizeof(beat.keep), sizeof(beat.keep));
    beat.last = top_->m_axis_wire_tlast >> i & 1;
    RtlSide& wire = wires_[i];
    if (!take(wire, beat, valid, top_->m_axis_wire_tready >> i & 1)) return;
    wire.passed(std::popcount(beat.keep), beat.last, beat.last ? wire.left.back().data.size() : 0);
  }

  void watch_cpu() {
    if (top_->s_axis_cpu_tvalid && top_->s_axis_cpu_tready) {
      const bool last = top_->s_axis_cpu_tlast;
      cpu_.given();
      if (last) cpu_.from.pop_front();
    }
    if (!top_->m_axis_cpu_tvalid && !cpu_.is_stalled) return;
    p4::Beat beat;
    std::memcpy(beat.data.data(), bytes(top_->m_axis_cpu_tdata), p4::DATA_BYTES);
    beat.keep = top_->m_axis_cpu_tkeep;
    beat.last = top_->m_axis_cpu_tlast;
    if (cpu_.growing.data.empty()) {
      uint64_t user = 0;
      std::memcpy(&user, bytes(top_->m_axis_cpu_tuser), std::min(sizeof(user), sizeof(top_->m_axis_cpu_tuser)));
      if constexpr (PORTS <= 8) {
        cpu_.growing.from_ports = user & ((1U << 2 * PORTS) - 1);
        cpu_.growing.to_ports = user >> 2 * PORTS & ((1U << 2 * PORTS) - 1);
      }
    }
    take(cpu_, beat, top_->m_axis_cpu_tvalid, top_->m_axis_cpu_tready);
  }

  // The metadata are the low bits of the program's result, and src_port lies in them behind pkt_len.
  void decide() {
    uint64_t from = 0;
    std::memcpy(&from, bytes(top_->status_verdict_tuser) + SRC_PORT_BYTE, (2 * PORTS + 7) / 8);
    if constexpr (2 * PORTS < 64) from &= (uint64_t{1} << 2 * PORTS) - 1;
    decisions_.push_back({static_cast<unsigned>(top_->status_verdict_reason), from});
  }

  // The contract of streams: a beat that stalls stays as it is. True if the beat has passed.
  bool take(RtlSide& side, const p4::Beat& beat, bool valid, bool ready) {
    if (side.is_stalled && (!valid || beat != side.stalled))
      throw std::runtime_error("an output changed a beat that had stalled, or took it back");
    side.is_stalled = valid && !ready;
    if (side.is_stalled) side.stalled = beat;
    if (!valid || !ready) return false;
    if (side.growing.data.empty()) side.growing.first = cycle_;
    p4::append(side.growing.data, beat);
    if (beat.last) {
      side.growing.last = cycle_;
      side.left.push_back(std::exchange(side.growing, {}));
    }
    return true;
  }

  Response access(bool is_write, uint32_t address, uint32_t value) {
    p4::Access made;
    made.is_write = is_write;
    made.address = address;
    made.value = value;
    axil_->start(made);
    const Cycle end = cycle_ + ACCESS_PATIENCE;
    while (!made.done) {
      if (cycle_ >= end) {
        axil_->release();
        throw std::runtime_error("an AXI-Lite access is not answered");
      }
      step();
    }
    return {made.value, made.response};
  }

  void settle() {
    top_->clk = 0;
    top_->eval();
  }
  void edge() {
    axil_->before_edge();
    top_->clk = 1;
    top_->eval();
    ++cycle_;
    axil_->after_edge();
  }
  void tick() {
    settle();
    edge();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vswitch> top_;
  std::unique_ptr<p4::AxilMaster<Vswitch>> axil_;
  std::array<RtlSide, PORTS> wires_;
  RtlSide cpu_;
  std::deque<Decision> decisions_;
  Cycle cycle_ = 0;
};

}  // namespace fabric
