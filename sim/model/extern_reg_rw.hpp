// SPDX-License-Identifier: Apache-2.0
// reg_rw(in index, in newVal, in opCode, out result): READ, WRITE and READ_WRITE of a register.
#pragma once

#include "extern.hpp"
#include "register_operation.hpp"

namespace p4 {

template <unsigned INDEX, unsigned W, unsigned CODE, unsigned RESULT>
class extern_reg_rw : public RegisterExtern<INDEX, W> {
  static_assert(CODE == 8 && RESULT == W, "opCode has 8 bits, result the width of newVal");

 public:
  const char* kind() const override { return "reg_rw"; }

  void call(const Context&, const bit<INDEX>& index, const bit<W>& new_value, const bit<8>& code, bit<W>& result) {
    const auto operation = static_cast<Operation>(code.low());
    const bool known =
        operation == Operation::READ || operation == Operation::WRITE || operation == Operation::READ_WRITE;
    result = bit<W>();
    if (!known) return;
    const auto outcome = operate(code, this->file.read(index.low()), new_value, bit<W>());
    if (outcome.stores) this->file.write(index.low(), outcome.stored);
    result = outcome.result;
  }
};

}  // namespace p4
