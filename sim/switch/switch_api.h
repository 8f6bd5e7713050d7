/* SPDX-License-Identifier: Apache-2.0
 * The C interface of a simulated switch (sim/fabric/switch.hpp), one for all programs. Load libSTEM_switch.so with
 * dlopen (RTLD_LOCAL, so that several programs can be loaded) and take the functions by name.
 *
 * Time stands still between calls; register accesses take as many cycles as they take. `port` is a wire's number, or
 * SWITCH_CPU.
 */
#ifndef SWITCH_API_H
#define SWITCH_API_H

#include <stddef.h>
#include <stdint.h>

#define SWITCH_CPU 0xffffffffU

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct switch_handle switch_handle;

typedef struct {
  const uint8_t* data;
  size_t length;
  uint64_t not_before; /* cycle in which its first bit may come at the earliest */
  int damaged;         /* the MAC says so at its end */
  uint32_t from_port;  /* from the CPU: whose CPU side sends */
  int paced;           /* on a wire: from not_before on a beat comes each cycle; who sends minds the pace */
} switch_arrival;

/* The memory is the switch's and holds until the next call that lets time pass or takes a departure. */
typedef struct {
  const uint8_t* data;
  size_t length;
  uint64_t first; /* cycles in which the first and the last beat left */
  uint64_t last;
  uint32_t from_ports; /* at the CPU: src_port and dst_port as the program left them */
  uint32_t to_ports;
} switch_departure;

switch_handle* switch_create(uint64_t seed); /* of the state that nobody has set */
void switch_destroy(switch_handle*);

/* What went wrong: an assertion of the RTL, a broken stream, an access without an answer; null while nothing has. Then
 * nothing moves. */
const char* switch_error(switch_handle*);

unsigned switch_ports(switch_handle*);
uint64_t switch_cycle(switch_handle*);
uint64_t switch_waiting(switch_handle*); /* frames sent that have not come in whole */

void switch_reset(switch_handle*); /* and forgets frames under way */
void switch_run(switch_handle*, uint64_t cycles);

void switch_send(switch_handle*, uint32_t port,
                 const switch_arrival*);                              /* behind those sent before; time does not pass */
int switch_receive(switch_handle*, uint32_t port, switch_departure*); /* 0: there is none */
int switch_decision(switch_handle*, uint32_t* reason, uint64_t* from_ports); /* of the next packet; 0: there is none */

void switch_set_link(switch_handle*, uint32_t wire, int up);
void switch_hold(switch_handle*, uint32_t port, int held); /* it takes nothing while it is held */
void switch_set_rate(switch_handle*, uint32_t wire, uint32_t mbps); /* of what leaves; at first, and after a reset, 10000 */
void switch_spoil(switch_handle*, uint32_t wire);                   /* what has not come in whole ends damaged */

/* AXI's response, 0 if it is OKAY. */
int switch_write(switch_handle*, uint32_t address, uint32_t value);
int switch_read(switch_handle*, uint32_t address, uint32_t* value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
