/* SPDX-License-Identifier: Apache-2.0
 * The C interface of a fabric (fabric.hpp). Numbers that the functions give count from 0, in the order of adding. Times
 * are picoseconds since time began; a link's direction 0 is from its first end to its second.
 */
#ifndef FABRIC_API_H
#define FABRIC_API_H

#include <stddef.h>
#include <stdint.h>

#include "switch_api.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct fabric_handle fabric_handle;

typedef struct {
  int is_host;
  uint32_t node;
  uint32_t port; /* of a switch */
} fabric_end;

enum { FABRIC_CONSTANT, FABRIC_POISSON, FABRIC_ON_OFF };

typedef struct {
  uint32_t from, to; /* hosts */
  uint32_t pattern;
  uint32_t rate_mbps; /* 0: it pauses */
  int64_t start_ps, stop_ps;
  int64_t on_ps, off_ps; /* means */
} fabric_flow;

enum { FABRIC_CUT, FABRIC_REPAIR, FABRIC_LOAD };

typedef struct {
  int64_t at_ps;
  uint32_t change;
  uint32_t subject;    /* a link; FABRIC_LOAD: a flow */
  uint32_t directions; /* a bit for each */
  uint32_t silent;
  uint32_t rate_mbps;
} fabric_event;

typedef struct {
  uint64_t frames, bytes;
} fabric_count;

/* Each by kind: data, probes, others. */
typedef struct {
  fabric_count began[3], came[3], lost[3];
  uint64_t flying[3];
  uint64_t spoiled; /* of those lost: a switch had begun to take them */
  int32_t up;
} fabric_lane;

typedef struct {
  uint64_t came, left, within, copies, doubled, strange, at_cpu, nowhere, others;
} fabric_passage;

typedef struct {
  uint64_t serial;
  int64_t at_ps;
  uint32_t length;
} fabric_arrival;

enum { FABRIC_BEGAN, FABRIC_CAME, FABRIC_LOST };

typedef struct {
  int64_t ps;
  uint64_t serial;
  uint32_t link;
  uint8_t direction;
  uint8_t what;
} fabric_passed;

enum { FABRIC_NO_FAULT, FABRIC_VANISH, FABRIC_DOUBLE, FABRIC_SWALLOW, FABRIC_AGAIN };

fabric_handle* fabric_create(uint64_t seed, int tracing);
void fabric_destroy(fabric_handle*);
const char* fabric_error(fabric_handle*); /* what went wrong; null while nothing has. Then nothing moves. */

uint32_t fabric_add_switch(fabric_handle*, const char* library, uint64_t seed);
switch_handle* fabric_switch(fabric_handle*, uint32_t node); /* its time is the fabric's */
uint32_t fabric_add_host(fabric_handle*);
uint32_t fabric_add_link(fabric_handle*, const fabric_end* first, const fabric_end* second, uint32_t rate_mbps,
                         int64_t delay_ps);
uint32_t fabric_add_flow(fabric_handle*, const fabric_flow*);
/* What a flow sends: one of these, drawn at random. It ends with the trailer of serial number 0. */
void fabric_add_frame(fabric_handle*, uint32_t flow, const uint8_t* data, size_t length);
size_t fabric_trailer(uint64_t serial, uint8_t* data, size_t room); /* how long it is */
void fabric_add_event(fabric_handle*, const fabric_event*);

uint64_t fabric_cycle(fabric_handle*);
void fabric_run(fabric_handle*, uint64_t cycles, int sending);
int fabric_still(fabric_handle*);                            /* nothing moves any more */
void fabric_change(fabric_handle*, const fabric_event*);     /* now */
int fabric_read(fabric_handle*, uint32_t node, uint32_t address, uint32_t* value); /* AXI's response */
int fabric_write(fabric_handle*, uint32_t node, uint32_t address, uint32_t value);
int fabric_receive_at_cpu(fabric_handle*, uint32_t node, switch_departure*);

void fabric_lane_state(fabric_handle*, uint32_t link, uint32_t direction, fabric_lane*);
void fabric_passage_of(fabric_handle*, uint32_t node, fabric_passage*);
/* Serials that came to a switch and have not left, and the ports by which they came; at most `room`. How many there
 * are. */
size_t fabric_within(fabric_handle*, uint32_t node, uint64_t* serials, uint32_t* ports, size_t room);
void fabric_host_state(fabric_handle*, uint32_t host, uint64_t* sent, uint64_t* waiting);
/* The memory holds until time goes on. */
const fabric_arrival* fabric_arrivals(fabric_handle*, uint32_t host, size_t* count);
const fabric_passed* fabric_trace(fabric_handle*, size_t* count);
const uint32_t* fabric_flows_of_serials(fabric_handle*, size_t* count);

void fabric_fault(fabric_handle*, uint32_t link, uint32_t direction, uint32_t kind); /* of the next frame, untold */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
