// SPDX-License-Identifier: Apache-2.0
// A program's RTL as a C++ object: one clock, a stream in, a stream out, AXI-Lite. What every simulator of one switch
// or of many is made of; who drives it decides what comes when.
//
// Vcore is the class that Verilator writes of <program>_core (or of a module with the same ports).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "Vcore.h"
#include "axil.hpp"
#include "beat.hpp"
#include "verilated.h"

namespace p4 {

class Core {
 public:
  explicit Core(uint64_t seed) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    top_ = std::make_unique<Vcore>(context_.get());
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    stand_alone(*top_);
    axil_ = std::make_unique<AxilMaster<Vcore>>(*top_);
  }
  ~Core() { top_->final(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  static constexpr size_t user_in_bytes() { return sizeof(Vcore::s_axis_tuser); }
  static constexpr size_t user_out_bytes() { return sizeof(Vcore::m_axis_tuser); }

  // ---- what the coming cycle is driven with

  void offer(const Beat& beat, const uint8_t* user) {
    std::memcpy(&top_->s_axis_tdata, beat.data.data(), DATA_BYTES);
    std::memcpy(&top_->s_axis_tuser, user, user_in_bytes());
    top_->s_axis_tkeep = beat.keep;
    top_->s_axis_tlast = beat.last;
    top_->s_axis_tvalid = 1;
  }
  void offer_nothing() { top_->s_axis_tvalid = 0; }
  void accept(bool ready) { top_->m_axis_tready = ready; }
  // Stays until it is done.
  void start(Access& access) { axil_->start(access); }

  // ---- one cycle, in two halves: between them is what passes at its end

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
  void reset(bool active) { top_->rst = active; }
  void release() { axil_->release(); }

  // ---- what is there after settle()

  bool taken() const { return top_->s_axis_tvalid && top_->s_axis_tready; }
  bool shown() const { return top_->m_axis_tvalid; }
  bool passed() const { return top_->m_axis_tvalid && top_->m_axis_tready; }
  Beat output() const {
    Beat beat;
    std::memcpy(beat.data.data(), &top_->m_axis_tdata, DATA_BYTES);
    beat.keep = top_->m_axis_tkeep;
    beat.last = top_->m_axis_tlast;
    return beat;
  }
  const uint8_t* output_user() const { return reinterpret_cast<const uint8_t*>(&top_->m_axis_tuser); }
  bool decided() const { return top_->status_verdict_valid; }
  uint32_t reason() const { return static_cast<uint32_t>(top_->status_verdict_reason); }
  const uint8_t* decided_user() const { return reinterpret_cast<const uint8_t*>(&top_->status_verdict_tuser); }
  bool dropped() const { return top_->status_dropped; }
  bool emptied() const { return top_->status_empty; }

  uint64_t cycle() const { return cycle_; }

 private:
  // What externs see of the switch around: here every port is up, and nothing is sent.
  template <class Top>
  static void stand_alone(Top& top) {
    if constexpr (requires { top.ports_up; }) top.ports_up = (uint64_t{1} << N_PORTS) - 1;
    if constexpr (requires { top.tx_valid; }) top.tx_valid = 0;
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vcore> top_;
  std::unique_ptr<AxilMaster<Vcore>> axil_;
  uint64_t cycle_ = 0;
};

}  // namespace p4
