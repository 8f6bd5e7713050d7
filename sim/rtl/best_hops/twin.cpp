// SPDX-License-Identifier: Apache-2.0
// The twin of best_hops for Python's ctypes; widths come as macros.
#include "extern_best_hops.hpp"

using Twin = p4::extern_best_hops<1, TWIN_TOR_BITS, TWIN_PORT_BITS, 8, TWIN_TIME_BITS, TWIN_K * TWIN_PORT_BITS,
                                  TWIN_K * 8, 4, 8, TWIN_PORTS>;

extern "C" {

void* twin_new(uint64_t tors, unsigned tick_bits, uint64_t lag_cycles) { return new Twin(tors, tick_bits, lag_cycles); }
void twin_reset(void* twin) { static_cast<Twin*>(twin)->reset(); }
void twin_delete(void* twin) { delete static_cast<Twin*>(twin); }

// out: ports, utilisations (64 bits each), count, best, alive
void twin_call(void* opaque, uint64_t cycle, uint64_t fail_ticks, unsigned literal, uint64_t operation, uint64_t tor,
               uint64_t port, uint64_t utilisation, uint64_t now, uint64_t* out) {
  Twin& twin = *static_cast<Twin*>(opaque);
  twin.fail_ticks = fail_ticks;
  twin.literal = literal;
  p4::Context context;
  context.cycle = cycle;
  p4::bit<TWIN_K * TWIN_PORT_BITS> ports;
  p4::bit<TWIN_K * 8> utilisations;
  p4::bit<4> count;
  p4::bit<8> best;
  p4::bit<TWIN_PORTS> alive;
  twin.call(context, p4::bit<1>(operation), p4::bit<TWIN_TOR_BITS>(tor), p4::bit<TWIN_PORT_BITS>(port),
            p4::bit<8>(utilisation), p4::bit<TWIN_TIME_BITS>(now), ports, utilisations, count, best, alive);
  out[0] = ports.low();
  out[1] = utilisations.low();
  out[2] = count.low();
  out[3] = best.low();
  out[4] = alive.low();
}
}
