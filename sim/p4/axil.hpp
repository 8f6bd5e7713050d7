// SPDX-License-Identifier: Apache-2.0
// The AXI-Lite side of a module under Verilator, with ports s_axil_*: one access at a time, cycle by cycle.
#pragma once

#include <cstdint>

namespace p4 {

// A register that is being read or written.
struct Access {
  bool is_write = false;
  uint32_t address = 0;
  uint32_t value = 0;
  bool address_done = false, value_done = false, done = false;
  unsigned response = 0;
};

template <class Top>
class AxilMaster {
 public:
  explicit AxilMaster(Top& top) : top_(top) {
    top_.s_axil_awprot = 0;
    top_.s_axil_arprot = 0;
    top_.s_axil_wstrb = 0xf;
    release();
  }

  // Stays until it is done.
  void start(Access& access) {
    access_ = &access;
    top_.s_axil_awvalid = top_.s_axil_wvalid = access.is_write;
    top_.s_axil_arvalid = !access.is_write;
    top_.s_axil_awaddr = top_.s_axil_araddr = access.address;
    top_.s_axil_wdata = access.value;
    top_.s_axil_bready = top_.s_axil_rready = 1;
  }
  void release() {
    access_ = nullptr;
    top_.s_axil_awvalid = top_.s_axil_wvalid = top_.s_axil_arvalid = 0;
    top_.s_axil_bready = top_.s_axil_rready = 0;
  }

  // Before the edge, when all signals have settled: what of the access passes at it.
  void before_edge() {
    if (access_ == nullptr) return;
    Access& access = *access_;
    if (access.is_write) {
      access.address_done |= top_.s_axil_awvalid && top_.s_axil_awready;
      access.value_done |= top_.s_axil_wvalid && top_.s_axil_wready;
      if (!top_.s_axil_bvalid) return;
      access.response = top_.s_axil_bresp;
    } else {
      access.address_done |= top_.s_axil_arvalid && top_.s_axil_arready;
      if (!top_.s_axil_rvalid) return;
      access.response = top_.s_axil_rresp;
      access.value = top_.s_axil_rdata;
    }
    access.done = true;
  }
  void after_edge() {
    if (access_ == nullptr) return;
    if (access_->address_done) top_.s_axil_awvalid = top_.s_axil_arvalid = 0;
    if (access_->value_done) top_.s_axil_wvalid = 0;
    if (access_->done) release();
  }

 private:
  Top& top_;
  Access* access_ = nullptr;
};

}  // namespace p4
