// SPDX-License-Identifier: Apache-2.0
// Operation codes and relations of the stock register externs.
#pragma once

#include <cstdint>

#include "bits.hpp"

namespace p4 {

enum class Operation : uint8_t {
  READ = 0,
  WRITE = 1,
  ADD = 2,
  SUB = 3,
  NOTHING = 4,
  READ_WRITE = 5,
  ADD_SAT = 6,
  SUB_SAT = 7,
};

enum class Relation : uint8_t { EQ = 0, NEQ = 1, GT = 2, LT = 3 };

template <unsigned W>
struct Outcome {
  bool stores;    // the register becomes `stored`
  bit<W> stored;  // what it holds afterwards
  bit<W> result;  // what the packet sees
};

// READ and READ_WRITE give the old value, the others the new one; NOTHING and unknown codes give zero.
template <unsigned W>
Outcome<W> operate(const bit<8>& code, const bit<W>& old, const bit<W>& new_value, const bit<W>& increment) {
  const auto becomes = [](const bit<W>& value) { return Outcome<W>{true, value, value}; };
  switch (static_cast<Operation>(code.low())) {
    case Operation::READ:
      return {false, old, old};
    case Operation::WRITE:
      return becomes(new_value);
    case Operation::ADD:
      return becomes(old + increment);
    case Operation::SUB:
      return becomes(old - increment);
    case Operation::READ_WRITE:
      return {true, new_value, old};
    case Operation::ADD_SAT:
      return becomes(old.add_saturating(increment));
    case Operation::SUB_SAT:
      return becomes(old.subtract_saturating(increment));
    default:
      return {false, old, bit<W>()};
  }
}

// `compared RELATION current`; an unknown relation never holds.
template <unsigned W>
bool holds(const bit<8>& code, const bit<W>& compared, const bit<W>& current) {
  switch (static_cast<Relation>(code.low())) {
    case Relation::EQ:
      return compared == current;
    case Relation::NEQ:
      return !(compared == current);
    case Relation::GT:
      return compared > current;
    case Relation::LT:
      return compared < current;
    default:
      return false;
  }
}

}  // namespace p4
