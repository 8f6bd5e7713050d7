// SPDX-License-Identifier: Apache-2.0
// The C interface over fabric::Fabric.
#include "fabric_api.h"

#include "fabric.hpp"

struct fabric_handle {
  fabric::Fabric fabric;
  fabric::Departure shown;  // what the last fabric_receive_at_cpu gave
  std::string error;
};

namespace {

static_assert(sizeof(fabric_arrival) == sizeof(fabric::Arrived) && sizeof(fabric_passed) == sizeof(fabric::Passed));

// Runs `action` unless something has gone wrong before; keeps what goes wrong now.
template <class Action>
void guarded(fabric_handle* handle, Action action) {
  if (!handle->error.empty()) return;
  try {
    action(handle->fabric);
  } catch (const std::exception& problem) {
    handle->error = "cycle " + std::to_string(handle->fabric.now()) + ": " + problem.what();
  }
}
template <class Action>
uint32_t numbered(fabric_handle* handle, Action action) {
  uint32_t number = 0;
  guarded(handle, [&](auto& fabric) { number = action(fabric); });
  return number;
}
fabric::End end_of(const fabric_end* end) { return {end->is_host != 0, end->node, end->port}; }
fabric::Event event_of(const fabric_event* given) {
  return {{given->at_ps},     static_cast<fabric::Change>(given->change),
          given->subject,     given->directions,
          given->silent != 0, {given->rate_mbps}};
}
void show(const fabric::Counts& counts, fabric_count* shown) {
  for (size_t kind = 0; kind < counts.size(); ++kind) shown[kind] = {counts[kind].frames, counts[kind].bytes};
}

}  // namespace

fabric_handle* fabric_create(uint64_t seed, int tracing) {
  return new fabric_handle{fabric::Fabric(seed, tracing != 0), {}, {}};
}
void fabric_destroy(fabric_handle* handle) { delete handle; }
const char* fabric_error(fabric_handle* handle) { return handle->error.empty() ? nullptr : handle->error.c_str(); }

uint32_t fabric_add_switch(fabric_handle* handle, const char* library, uint64_t seed) {
  return numbered(handle, [&](auto& fabric) { return fabric.add_switch(library, seed); });
}
switch_handle* fabric_switch(fabric_handle* handle, uint32_t node) { return handle->fabric.handle(node); }
uint32_t fabric_add_host(fabric_handle* handle) {
  return numbered(handle, [](auto& fabric) { return fabric.add_host(); });
}
uint32_t fabric_add_link(fabric_handle* handle, const fabric_end* first, const fabric_end* second, uint32_t rate_mbps,
                         int64_t delay_ps) {
  return numbered(
      handle, [&](auto& fabric) { return fabric.add_link(end_of(first), end_of(second), {rate_mbps}, {delay_ps}); });
}
uint32_t fabric_add_flow(fabric_handle* handle, const fabric_flow* given) {
  const fabric::Flow::Plan plan{given->from,        given->to,         static_cast<fabric::Pattern>(given->pattern),
                                {given->rate_mbps}, {given->start_ps}, {given->stop_ps},
                                {given->on_ps},     {given->off_ps}};
  return numbered(handle, [&](auto& fabric) { return fabric.add_flow(plan); });
}
void fabric_add_frame(fabric_handle* handle, uint32_t flow, const uint8_t* data, size_t length) {
  guarded(handle, [&](auto& fabric) { fabric.add_frame(flow, fabric::Bytes(data, data + length)); });
}
size_t fabric_trailer(uint64_t serial, uint8_t* data, size_t room) {
  const fabric::Trailer made = fabric::trailer_of(serial);
  std::copy_n(made.begin(), std::min(room, made.size()), data);
  return made.size();
}
void fabric_add_event(fabric_handle* handle, const fabric_event* event) {
  guarded(handle, [&](auto& fabric) { fabric.add_event(event_of(event)); });
}

uint64_t fabric_cycle(fabric_handle* handle) { return handle->fabric.now(); }
void fabric_run(fabric_handle* handle, uint64_t cycles, int sending) {
  guarded(handle, [&](auto& fabric) { fabric.run(cycles, sending != 0); });
}
int fabric_still(fabric_handle* handle) { return handle->fabric.still() ? 1 : 0; }
void fabric_change(fabric_handle* handle, const fabric_event* event) {
  guarded(handle, [&](auto& fabric) { fabric.change(event_of(event)); });
}
int fabric_read(fabric_handle* handle, uint32_t node, uint32_t address, uint32_t* value) {
  int code = -1;
  guarded(handle, [&](auto& fabric) { code = fabric.read(node, address, value); });
  return code;
}
int fabric_write(fabric_handle* handle, uint32_t node, uint32_t address, uint32_t value) {
  int code = -1;
  guarded(handle, [&](auto& fabric) { code = fabric.write(node, address, value); });
  return code;
}
int fabric_receive_at_cpu(fabric_handle* handle, uint32_t node, switch_departure* departure) {
  auto& waiting = handle->fabric.at_cpu(node);
  if (waiting.empty()) return 0;
  handle->shown = std::move(waiting.front());
  waiting.pop_front();
  const auto& shown = handle->shown;
  *departure = {shown.data.data(), shown.data.size(), shown.first, shown.last, shown.from_ports, shown.to_ports};
  return 1;
}

void fabric_lane_state(fabric_handle* handle, uint32_t link, uint32_t direction, fabric_lane* state) {
  const fabric::Lane& lane = handle->fabric.lane(link, direction);
  *state = {};
  show(lane.began, state->began);
  show(lane.came, state->came);
  show(lane.lost, state->lost);
  for (const auto& flight : lane.flying) ++state->flying[static_cast<size_t>(flight.seen.kind)];
  state->spoiled = lane.spoiled;
  state->up = lane.up() ? 1 : 0;
}
void fabric_passage_of(fabric_handle* handle, uint32_t node, fabric_passage* passage) {
  const fabric::Passage& of = handle->fabric.passage(node);
  *passage = {of.came, of.left, of.within, of.copies, of.doubled, of.strange, of.at_cpu, of.nowhere, of.others};
}
size_t fabric_within(fabric_handle* handle, uint32_t node, uint64_t* serials, uint32_t* ports, size_t room) {
  const auto found = handle->fabric.within(node);
  for (size_t i = 0; i < std::min(room, found.size()); ++i) {
    serials[i] = found[i].first;
    ports[i] = found[i].second;
  }
  return found.size();
}
void fabric_host_state(fabric_handle* handle, uint32_t host, uint64_t* sent, uint64_t* waiting) {
  const fabric::Host& of = handle->fabric.host(host);
  *sent = of.sent;
  *waiting = of.waiting.size();
}
const fabric_arrival* fabric_arrivals(fabric_handle* handle, uint32_t host, size_t* count) {
  const auto& arrived = handle->fabric.host(host).arrived;
  *count = arrived.size();
  return reinterpret_cast<const fabric_arrival*>(arrived.data());
}
const fabric_passed* fabric_trace(fabric_handle* handle, size_t* count) {
  const auto& rows = handle->fabric.trace();
  *count = rows.size();
  return reinterpret_cast<const fabric_passed*>(rows.data());
}
const uint32_t* fabric_flows_of_serials(fabric_handle* handle, size_t* count) {
  const auto& flows = handle->fabric.flow_of();
  *count = flows.size();
  return flows.data();
}

void fabric_fault(fabric_handle* handle, uint32_t link, uint32_t direction, uint32_t kind) {
  handle->fabric.lane(link, direction).fault = static_cast<fabric::Fault>(kind);
}
