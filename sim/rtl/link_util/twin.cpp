// SPDX-License-Identifier: Apache-2.0
// The twin of link_util behind C functions, for link_twin.py, which says N_PORTS.
#include <algorithm>
#include <array>
#include <cstdint>

#include "extern_link_util.hpp"

using Twin = p4::extern_link_util<8 * N_PORTS>;

extern "C" {

Twin* twin_new(unsigned overhead_bytes, unsigned max_tau_log2) { return new Twin(overhead_bytes, max_tau_log2); }
void twin_delete(Twin* twin) { delete twin; }
void twin_reset(Twin* twin) { twin->reset(); }
void twin_sent(Twin* twin, unsigned port, uint64_t bytes, uint64_t cycle) { twin->sent(port, bytes, cycle); }
unsigned twin_utilisation(Twin* twin, unsigned port, uint64_t cycle) { return twin->utilisation(port, cycle); }

void twin_configure(Twin* twin, unsigned tau_log2, const uint32_t* scale, uint64_t cycle) {
  std::array<uint32_t, N_PORTS> each{};
  std::copy(scale, scale + N_PORTS, each.begin());
  twin->configure(tau_log2, each, cycle);
}

void twin_call(Twin* twin, uint64_t cycle, uint8_t* utilisations) {
  p4::Context context;
  context.cycle = cycle;
  p4::bit<8 * N_PORTS> result;
  twin->call(context, result);
  for (unsigned port = 0; port < N_PORTS; ++port)
    utilisations[port] = static_cast<uint8_t>(result.limb[port / 8] >> port % 8 * 8);
}
}
