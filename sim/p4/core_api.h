/* SPDX-License-Identifier: Apache-2.0
 * The C interface of a program's RTL under Verilator, one for all programs. Load libSTEM_core.so with dlopen
 * (RTLD_LOCAL, so that several programs can be loaded) and take the functions by name.
 *
 * Time stands still between calls; AXI-Lite accesses take as many cycles as they take. Numbers beside a packet (tuser)
 * are bytes with the least significant first, as many as p4c_user_bytes says.
 */
#ifndef P4SUME_CORE_API_H
#define P4SUME_CORE_API_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct p4c_core p4c_core;

typedef struct {
  const uint8_t* data;
  size_t length;
  const uint8_t* user;
  uint64_t not_before; /* cycle in which its first beat may come at the earliest */
} p4c_input;

/* The memory is the core's and holds until the next call that lets time pass. */
typedef struct {
  const uint8_t* data;
  size_t length;
  const uint8_t* user; /* of its beats, which all have the same */
  uint64_t first;      /* cycles in which the first and the last beat passed */
  uint64_t last;
} p4c_output;

/* What the program decided about a packet. */
typedef struct {
  uint32_t reason;     /* 0: it goes on */
  const uint8_t* user; /* as the program left it, also if the packet is dropped */
  uint64_t entered;    /* cycle in which its first beat went in */
} p4c_verdict;

p4c_core* p4c_create(uint64_t seed); /* of the state that nobody has set, and of gaps and stalls */
void p4c_destroy(p4c_core*);

/* What went wrong: an assertion of the RTL, a broken stream, a time-out; null while nothing has. Then nothing moves. */
const char* p4c_error(p4c_core*);

size_t p4c_user_bytes(p4c_core*, int of_output);
uint64_t p4c_cycle(p4c_core*); /* since the core was made */

void p4c_reset(p4c_core*); /* and forgets packets under way */

/* Percent of cycles in which no new beat is offered, and in which the output is not ready. */
void p4c_set_pace(p4c_core*, unsigned gaps, unsigned stalls);

void p4c_send(p4c_core*, const p4c_input*); /* behind those sent before; time does not pass */
void p4c_run(p4c_core*, uint64_t cycles);
/* Until every packet sent has left or is dropped. An error if nothing moves for `patience` cycles. */
void p4c_drain(p4c_core*, uint64_t patience);

int p4c_next_output(p4c_core*, p4c_output*); /* 0: there is none */
int p4c_next_verdict(p4c_core*, p4c_verdict*);

/* AXI-Lite: its response, 0 if it is OKAY. */
int p4c_write(p4c_core*, uint32_t address, uint32_t value);
int p4c_read(p4c_core*, uint32_t address, uint32_t* value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
