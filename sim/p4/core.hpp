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
#include "verilated.h"

namespace p4 {

inline constexpr unsigned DATA_BYTES = 32;

struct Beat {
  std::array<uint8_t, DATA_BYTES> data{};  // the first byte on the wire is the first here
  uint32_t keep = 0;
  bool last = false;
};

// A register of AXI-Lite that is being read or written.
struct Access {
  bool is_write = false;
  uint32_t address = 0;
  uint32_t value = 0;
  bool address_done = false, value_done = false, done = false;
  unsigned response = 0;
};

class Core {
 public:
  explicit Core(uint64_t seed) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    top_ = std::make_unique<Vcore>(context_.get());
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    top_->s_axil_awprot = 0;
    top_->s_axil_arprot = 0;
    top_->s_axil_wstrb = 0xf;
    release();
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
  void start(Access& access) {
    access_ = &access;
    top_->s_axil_awvalid = top_->s_axil_wvalid = access.is_write;
    top_->s_axil_arvalid = !access.is_write;
    top_->s_axil_awaddr = top_->s_axil_araddr = access.address;
    top_->s_axil_wdata = access.value;
    top_->s_axil_bready = top_->s_axil_rready = 1;
  }

  // ---- one cycle, in two halves: between them is what passes at its end

  void settle() {
    top_->clk = 0;
    top_->eval();
  }
  void edge() {
    if (access_ != nullptr) follow();
    top_->clk = 1;
    top_->eval();
    ++cycle_;
    if (access_ == nullptr) return;
    if (access_->address_done) top_->s_axil_awvalid = top_->s_axil_arvalid = 0;
    if (access_->value_done) top_->s_axil_wvalid = 0;
    if (access_->done) release();
  }
  void reset(bool active) { top_->rst = active; }
  void release() {
    access_ = nullptr;
    top_->s_axil_awvalid = top_->s_axil_wvalid = top_->s_axil_arvalid = 0;
    top_->s_axil_bready = top_->s_axil_rready = 0;
  }

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
  // What of the access passes at the coming edge.
  void follow() {
    Access& access = *access_;
    if (access.is_write) {
      access.address_done |= top_->s_axil_awvalid && top_->s_axil_awready;
      access.value_done |= top_->s_axil_wvalid && top_->s_axil_wready;
      if (!top_->s_axil_bvalid) return;
      access.response = top_->s_axil_bresp;
    } else {
      access.address_done |= top_->s_axil_arvalid && top_->s_axil_arready;
      if (!top_->s_axil_rvalid) return;
      access.response = top_->s_axil_rresp;
      access.value = top_->s_axil_rdata;
    }
    access.done = true;
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vcore> top_;
  Access* access_ = nullptr;
  uint64_t cycle_ = 0;
};

}  // namespace p4
