// SPDX-License-Identifier: Apache-2.0
// reg_raw(in index, in newVal, in incVal, in opCode, out result): read, write, or add to a register.
#pragma once

#include "extern.hpp"
#include "register_operation.hpp"

namespace p4 {

template <unsigned INDEX, unsigned W, unsigned INC, unsigned CODE, unsigned RESULT>
class extern_reg_raw : public RegisterExtern<INDEX, W> {
  static_assert(INC == W && CODE == 8 && RESULT == W, "opCode has 8 bits, incVal and result the width of newVal");

 public:
  const char* kind() const override { return "reg_raw"; }

  void call(const Context&, const bit<INDEX>& index, const bit<W>& new_value, const bit<W>& increment,
            const bit<8>& code, bit<W>& result) {
    const auto outcome = operate(code, this->file.read(index.low()), new_value, increment);
    if (outcome.stores) this->file.write(index.low(), outcome.stored);
    result = outcome.result;
  }
};

}  // namespace p4
