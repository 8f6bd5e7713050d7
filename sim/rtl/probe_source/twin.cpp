// SPDX-License-Identifier: Apache-2.0
// The twin of probe_source behind C functions, for probe_twin.py.
#include <algorithm>
#include <cstdint>

#include "probe_source.hpp"

using fabric::ProbeSource;

extern "C" {

ProbeSource* twin_new() { return new ProbeSource(); }
void twin_delete(ProbeSource* twin) { delete twin; }

void twin_set(ProbeSource* twin, int enable, uint32_t period_cycles, uint32_t uplinks, uint32_t tor, uint64_t mac,
              uint32_t ipv4) {
  twin->set({enable != 0, period_cycles, uplinks, tor, mac, ipv4});
}

// The bytes of the frame up to the end of the beat that is offered; 0 if none is.
unsigned twin_offers(const ProbeSource* twin) { return twin->valid() ? static_cast<unsigned>(twin->end()) : 0; }
void twin_frame(const ProbeSource* twin, uint8_t* bytes) {
  const auto frame = twin->frame();
  std::copy(frame.begin(), frame.end(), bytes);
}
void twin_cycle(ProbeSource* twin, int ready) { twin->cycle(ready != 0); }
uint64_t twin_next(const ProbeSource* twin) { return twin->next(0); }
void twin_cycles(ProbeSource* twin, uint64_t count) { twin->cycles(count); }
uint64_t twin_sent(const ProbeSource* twin) { return twin->sent; }
uint64_t twin_missed(const ProbeSource* twin) { return twin->missed; }
}
