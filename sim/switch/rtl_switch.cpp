// SPDX-License-Identifier: Apache-2.0
// The switch under Verilator, for the library that is linked with it.
#include "rtl_switch.hpp"

#include "stop.hpp"

std::unique_ptr<fabric::Switch> fabric::make_switch(uint64_t seed) { return std::make_unique<RtlSwitch>(seed); }
