// SPDX-License-Identifier: Apache-2.0
// The switch around a program's model, for the library that is linked with it. It has no state that nobody has set.
#include "model_switch.hpp"

std::unique_ptr<fabric::Switch> fabric::make_switch(uint64_t) {
  return std::make_unique<ModelSwitch>(facts(), p4::create_model());
}
