// SPDX-License-Identifier: Apache-2.0
// A switch out of a shared library with the interface of switch_api.h, whichever backend is in it.
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "switch.hpp"
#include "switch_api.h"

namespace fabric {

class Device {
 public:
  Device(const std::string& path, uint64_t seed) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    load(destroy_, "switch_destroy");
    load(error_, "switch_error");
    load(ports_, "switch_ports");
    load(cycle_, "switch_cycle");
    load(run_, "switch_run");
    load(send_, "switch_send");
    load(receive_, "switch_receive");
    load(decision_, "switch_decision");
    load(set_link_, "switch_set_link");
    load(set_rate_, "switch_set_rate");
    load(spoil_, "switch_spoil");
    load(write_, "switch_write");
    load(read_, "switch_read");
    decltype(&switch_create) create = nullptr;
    load(create, "switch_create");
    handle_ = create(seed);
    check();
  }
  ~Device() {
    if (handle_ != nullptr) destroy_(handle_);
    if (library_ != nullptr) dlclose(library_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  switch_handle* handle() const { return handle_; }
  unsigned ports() const { return ports_(handle_); }
  Cycle cycle() const { return cycle_(handle_); }
  void run(Cycle cycles) {
    run_(handle_, cycles);
    check();
  }
  // `paced`: a beat comes each cycle from `not_before` on.
  void send(unsigned wire, const Bytes& data, Cycle not_before) {
    const switch_arrival given{data.data(), data.size(), not_before, 0, 0, 1};
    send_(handle_, wire, &given);
    check();
  }
  bool receive(uint32_t port, switch_departure& departure) { return receive_(handle_, port, &departure) != 0; }
  void forget_decisions() {
    uint32_t reason = 0;
    uint64_t from_ports = 0;
    while (decision_(handle_, &reason, &from_ports) != 0) {
    }
  }
  void set_link(unsigned wire, bool up) { set_link_(handle_, wire, up ? 1 : 0); }
  void set_rate(unsigned wire, int64_t mbps) { set_rate_(handle_, wire, static_cast<uint32_t>(mbps)); }
  void spoil(unsigned wire) { spoil_(handle_, wire); }
  int write(uint32_t address, uint32_t value) { return write_(handle_, address, value); }
  int read(uint32_t address, uint32_t* value) { return read_(handle_, address, value); }
  void check() const {
    const char* problem = error_(handle_);
    if (problem != nullptr) throw std::runtime_error(problem);
  }

 private:
  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(dlerror());
  }

  void* library_ = nullptr;
  switch_handle* handle_ = nullptr;
  decltype(&switch_destroy) destroy_ = nullptr;
  decltype(&switch_error) error_ = nullptr;
  decltype(&switch_ports) ports_ = nullptr;
  decltype(&switch_cycle) cycle_ = nullptr;
  decltype(&switch_run) run_ = nullptr;
  decltype(&switch_send) send_ = nullptr;
  decltype(&switch_receive) receive_ = nullptr;
  decltype(&switch_decision) decision_ = nullptr;
  decltype(&switch_set_link) set_link_ = nullptr;
  decltype(&switch_set_rate) set_rate_ = nullptr;
  decltype(&switch_spoil) spoil_ = nullptr;
  decltype(&switch_write) write_ = nullptr;
  decltype(&switch_read) read_ = nullptr;
};

}  // namespace fabric
