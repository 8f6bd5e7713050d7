// SPDX-License-Identifier: Apache-2.0
// The C interface over fabric::Switch, whatever is behind it.
#include "switch_api.h"

#include <string>
#include <utility>

#include "switch.hpp"

struct switch_handle {
  std::unique_ptr<fabric::Switch> device;
  fabric::Departure shown;  // what the last switch_receive gave
  std::string error;
};

namespace {

// Runs `action` unless something has gone wrong before; keeps what goes wrong now.
template <class Action>
void guarded(switch_handle* handle, Action action) {
  if (!handle->error.empty()) return;
  try {
    action(*handle->device);
  } catch (const std::exception& problem) {
    handle->error = "cycle " + std::to_string(handle->device->cycle()) + ": " + problem.what();
  }
}

}  // namespace

switch_handle* switch_create(uint64_t seed) { return new switch_handle{fabric::make_switch(seed), {}, {}}; }
void switch_destroy(switch_handle* handle) { delete handle; }
const char* switch_error(switch_handle* handle) { return handle->error.empty() ? nullptr : handle->error.c_str(); }
unsigned switch_ports(switch_handle* handle) { return handle->device->ports(); }
uint64_t switch_cycle(switch_handle* handle) { return handle->device->cycle(); }
uint64_t switch_waiting(switch_handle* handle) { return handle->device->waiting(); }

void switch_reset(switch_handle* handle) {
  guarded(handle, [](auto& device) { device.reset(); });
}
void switch_run(switch_handle* handle, uint64_t cycles) {
  guarded(handle, [&](auto& device) { device.run(cycles); });
}
void switch_send(switch_handle* handle, uint32_t port, const switch_arrival* given) {
  guarded(handle, [&](auto& device) {
    fabric::Arrival arrival{fabric::Bytes(given->data, given->data + given->length), given->not_before,
                            given->damaged != 0, given->paced != 0};
    if (port == SWITCH_CPU)
      device.send_from_cpu(given->from_port, std::move(arrival));
    else
      device.send(port, std::move(arrival));
  });
}
int switch_receive(switch_handle* handle, uint32_t port, switch_departure* departure) {
  int found = 0;
  guarded(handle, [&](auto& device) {
    auto left = port == SWITCH_CPU ? device.receive_at_cpu() : device.receive(port);
    if (!left) return;
    found = 1;
    handle->shown = std::move(*left);
    const auto& shown = handle->shown;
    *departure = {shown.data.data(), shown.data.size(), shown.first, shown.last, shown.from_ports, shown.to_ports};
  });
  return found;
}
int switch_decision(switch_handle* handle, uint32_t* reason, uint64_t* from_ports) {
  const auto decided = handle->device->decision();
  if (decided) {
    *reason = decided->reason;
    *from_ports = decided->from_ports;
  }
  return decided.has_value();
}
void switch_set_link(switch_handle* handle, uint32_t wire, int up) {
  guarded(handle, [&](auto& device) { device.set_link(wire, up != 0); });
}
void switch_hold(switch_handle* handle, uint32_t port, int held) {
  guarded(handle,
          [&](auto& device) { port == SWITCH_CPU ? device.hold_cpu(held != 0) : device.hold(port, held != 0); });
}
void switch_set_rate(switch_handle* handle, uint32_t wire, uint32_t mbps) {
  guarded(handle, [&](auto& device) { device.set_rate(wire, mbps); });
}
void switch_spoil(switch_handle* handle, uint32_t wire) {
  guarded(handle, [&](auto& device) { device.spoil(wire); });
}
int switch_write(switch_handle* handle, uint32_t address, uint32_t value) {
  int code = -1;
  guarded(handle, [&](auto& device) { code = static_cast<int>(device.write(address, value).code); });
  return code;
}
int switch_read(switch_handle* handle, uint32_t address, uint32_t* value) {
  int code = -1;
  guarded(handle, [&](auto& device) {
    const auto answer = device.read(address);
    *value = answer.value;
    code = static_cast<int>(answer.code);
  });
  return code;
}
