// SPDX-License-Identifier: Apache-2.0
// A switch as simulators see it, whatever is behind: frames go in and come out on wires and on the CPU's side,
// registers are read and written, and time goes on a cycle at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fabric {

using Cycle = uint64_t;  // of the switch's clock
using Bytes = std::vector<uint8_t>;

inline constexpr unsigned CYCLE_PICOSECONDS = 5000;
inline constexpr size_t BEAT_BYTES = 32;  // of its streams

struct Arrival {
  Bytes data;
  Cycle not_before = 0;  // its first bit comes in no earlier, and not before what the wire carries has come in
  bool damaged = false;  // the MAC says so at its end
  bool paced = false;    // on a wire: who sends it minds the pace; from `not_before` on a beat comes each cycle
};

struct Departure {
  Bytes data;
  Cycle first = 0;  // in which its first and its last beat left
  Cycle last = 0;
  uint32_t from_ports = 0, to_ports = 0;  // CPU side only: src_port and dst_port as the program left them
};

// What the program decided about a packet, in the order in which packets came to it.
struct Decision {
  unsigned reason = 0;      // 0: it goes on; else the number of the manifest's drop reason
  uint64_t from_ports = 0;  // src_port as the program left it
};

struct Response {
  uint32_t value = 0;
  unsigned code = 0;  // AXI's: 0 is OKAY
};

class Switch {
 public:
  Switch() = default;
  virtual ~Switch() = default;
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;

  virtual unsigned ports() const = 0;  // wires
  virtual Cycle cycle() const = 0;

  virtual void step() = 0;  // one cycle
  // As many steps; a backend may pass over cycles in which nothing happens.
  virtual void run(Cycle cycles) {
    for (Cycle i = 0; i < cycles; ++i) step();
  }
  // Everything as after power-up; frames that are on their way are lost.
  virtual void reset() = 0;

  virtual void send(unsigned wire, Arrival) = 0;
  virtual void send_from_cpu(unsigned port, Arrival) = 0;
  virtual std::optional<Departure> receive(unsigned wire) = 0;
  virtual std::optional<Departure> receive_at_cpu() = 0;
  virtual std::optional<Decision> decision() = 0;
  // Frames given to send that have not come in whole.
  virtual uint64_t waiting() const = 0;

  virtual void set_link(unsigned wire, bool up) = 0;
  // A wire that is held takes nothing, as a MAC that is being paused; the CPU's side alike.
  virtual void hold(unsigned wire, bool held) = 0;
  virtual void hold_cpu(bool held) = 0;
  // At which a wire takes what leaves; until then 10 Gb/s, and again after a reset.
  virtual void set_rate(unsigned wire, int64_t mbps) = 0;
  // What has been sent to a wire and has not come in whole ends damaged.
  virtual void spoil(unsigned wire) = 0;

  // Registers; time goes on until the answer is there.
  virtual Response read(uint32_t address) = 0;
  virtual Response write(uint32_t address, uint32_t value) = 0;
};

// Defined by the backend that a library is linked with. `seed`: of the state that nobody has set.
std::unique_ptr<Switch> make_switch(uint64_t seed);

}  // namespace fabric
