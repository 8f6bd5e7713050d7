// SPDX-License-Identifier: Apache-2.0
// Twin of probe_source: the probes of this top-of-rack switch, beat by beat in the module's cycles. What is a register
// there is kept as it is before the clock's edge, and `cycle` is what the edge does.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "queues.hpp"
#include "switch.hpp"

namespace fabric {

class ProbeSource {
 public:
  // Under the module's names.
  struct Settings {
    bool enable = false;
    uint32_t period_cycles = 0;
    uint32_t uplinks = 0;
    uint32_t tor = 0;
    uint64_t mac = 0;
    uint32_t ipv4 = 0;
    bool operator==(const Settings&) const = default;
  };
  static constexpr size_t FRAME_BYTES = 60;

  void set(const Settings& settings) {
    if (settings == settings_) return;
    settings_ = settings;
    unsettled_ = SETTLING_CYCLES;
  }

  uint64_t sent = 0, missed = 0;

  // The beat that is offered.
  bool valid() const { return valid_; }
  bool last() const { return last_; }
  size_t end() const { return last_ ? FRAME_BYTES : BEAT_BYTES; }  // the bytes of the frame up to it
  Bytes frame() const {
    Bytes made;
    made.reserve(FRAME_BYTES);
    put(made, NEIGHBOUR | port_, 6);
    put(made, from_.mac, 6);
    put(made, ETHERTYPE_IPV4, 2);
    uint32_t sum = 0;
    for (const uint32_t word : header(0)) sum += (word >> 16) + (word & 0xffff);
    while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
    for (const uint32_t word : header(~sum & 0xffff)) put(made, word, 4);
    put(made, uint64_t{from_.tor} << 8, 4);
    made.resize(FRAME_BYTES);
    return made;
  }

  void cycle(bool ready) {
    const bool waits = (owed_ & chosen_.port) != 0;
    const bool begins = waits && (!valid_ || (ready && last_));
    const uint32_t still = owed_ & ~(begins ? chosen_.port : 0);
    if (valid_ && ready && last_) ++sent;
    if ((still & due_ & uplinks_) != 0) ++missed;
    if (begins) {
      port_ = static_cast<unsigned>(std::countr_zero(chosen_.port));
      from_ = settings_;
      from_.ipv4 = addresses_[0];
      valid_ = true;
      last_ = false;
      above_ = chosen_.above;
      chosen_.port = 0;
    } else {
      if (!waits) chosen_ = next_of(owed_, above_);
      if (ready) {
        valid_ = valid_ && !last_;
        last_ = true;
      }
    }
    owed_ = (still | due_) & uplinks_;
    come_due();
    see();
  }

  // The first cycle in which something happens by itself; those before may be passed over by `cycles`.
  Cycle next(Cycle now) const {
    if (unsettled_ != 0 || valid_ || owed_ != 0 || due_ != 0 || chosen_.port != 0) return now;
    if (beyond_ || wait_ < 0 || wait_ > period_) return now;
    return on_ ? now + static_cast<Cycle>(wait_ / uplink_count_) + 1 : NEVER;
  }
  void cycles(Cycle count) {
    if (on_) wait_ -= static_cast<int64_t>(count) * uplink_count_;
  }

 private:
  static constexpr unsigned SETTLING_CYCLES = 5;  // until settings have come through, and what is off stands still
  // As in hw/p4/include/protocols.p4.
  static constexpr uint64_t ETHERTYPE_IPV4 = 0x0800;
  static constexpr uint32_t IP_PROTOCOL_HULA = 253;
  static constexpr uint64_t NEIGHBOUR = 0x020000000000;

  // One of the ports, and those above it: the lowest that is above the last one, or else the lowest.
  struct Choice {
    uint32_t port = 0, above = 0;
  };
  static Choice next_of(uint32_t ports, uint32_t above) {
    const uint32_t among = (ports & above) != 0 ? ports & above : ports;
    const uint32_t port = among & -among;
    return {port, port == 0 ? 0 : ~(port | (port - 1))};
  }

  // Every cycle takes the number of uplinks, every probe gives a period back.
  void come_due() {
    if (!on_) {
      wait_ = 0;
      beyond_ = false;
      due_ = due_above_ = 0;
      return;
    }
    const int64_t again = std::max<int64_t>(0, period_ - uplink_count_);
    const int64_t before = wait_;
    due_ = 0;
    if (before < 0) {
      const Choice next = next_of(uplinks_, due_above_);
      due_ = next.port;
      due_above_ = next.above;
    }
    wait_ = beyond_ ? again : before + (before < 0 ? again : -uplink_count_);
    beyond_ = before > period_;
  }

  // Settings on their way.
  void see() {
    if (unsettled_ == 0) return;
    --unsettled_;
    on_ = coming_.enable && coming_.period_cycles != 0 && coming_.uplinks != 0;
    period_ = coming_.period_cycles;
    uplink_count_ = std::popcount(coming_.uplinks);
    uplinks_ = on_ ? coming_.uplinks : 0;
    coming_ = settings_;
    addresses_ = {addresses_[1], addresses_[2], settings_.ipv4};
  }

  // Of five words: not to be fragmented, to all, with a checksum (RFC 1071).
  std::array<uint32_t, 5> header(uint32_t checksum) const {
    return {0x45000018, 0x00004000, 64U << 24 | IP_PROTOCOL_HULA << 16 | checksum, from_.ipv4, 0xffffffff};
  }
  static void put(Bytes& bytes, uint64_t value, unsigned count) {
    while (count-- > 0) bytes.push_back(static_cast<uint8_t>(value >> 8 * count));
  }

  Settings settings_, coming_;
  unsigned unsettled_ = 0;
  std::array<uint32_t, 3> addresses_{};  // as the frame has them, the next one first
  bool on_ = false;
  int64_t period_ = 0;
  int64_t uplink_count_ = 0;
  uint32_t uplinks_ = 0;

  int64_t wait_ = 0;
  bool beyond_ = false;
  uint32_t due_ = 0, due_above_ = 0;

  uint32_t owed_ = 0;
  Choice chosen_;
  uint32_t above_ = 0;  // the ports above the last one that has left

  bool valid_ = false, last_ = false;
  unsigned port_ = 0;
  Settings from_;
};

}  // namespace fabric
