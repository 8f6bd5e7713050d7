// SPDX-License-Identifier: Apache-2.0
// reg_praw(in index, in newVal, in incVal, in opCode, in compVal, in relOp, out result, out boolean): reg_raw under
// the condition `compVal relOp register`. Where it does not hold, the register is only read.
#pragma once

#include "extern.hpp"
#include "register_operation.hpp"

namespace p4 {

template <unsigned INDEX, unsigned W, unsigned INC, unsigned CODE, unsigned COMPARED, unsigned RELATION,
          unsigned RESULT, unsigned BOOLEAN>
class extern_reg_praw : public RegisterExtern<INDEX, W> {
  static_assert(INC == W && COMPARED == W && RESULT == W, "incVal, compVal and result have the width of newVal");
  static_assert(CODE == 8 && RELATION == 8 && BOOLEAN == 1, "opCode and relOp have 8 bits, boolean one");

 public:
  const char* kind() const override { return "reg_praw"; }

  void call(const Context&, const bit<INDEX>& index, const bit<W>& new_value, const bit<W>& increment,
            const bit<8>& code, const bit<W>& compared, const bit<8>& relation, bit<W>& result, bit<1>& boolean) {
    const bit<W> old = this->file.read(index.low());
    const bool update = holds(relation, compared, old);
    boolean = bit<1>(update ? 1 : 0);
    result = old;
    if (!update) return;
    const auto outcome = operate(code, old, new_value, increment);
    if (outcome.stores) this->file.write(index.low(), outcome.stored);
    result = outcome.result;
  }
};

}  // namespace p4
