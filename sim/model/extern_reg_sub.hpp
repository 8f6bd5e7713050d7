// SPDX-License-Identifier: Apache-2.0
// reg_sub(in index_2, newVal_2, incVal_2, opCode_2, index_1, newVal_1, incVal_1, opCode_1, index_comp, compVal,
// relOp, out result[, out boolean]): operation 1 where `compVal relOp register[index_comp]` holds, else operation 2.
#pragma once

#include "if_else_register.hpp"

namespace p4 {

template <unsigned... WIDTHS>
class extern_reg_sub : public IfElseRegister<WIDTHS...> {
 public:
  const char* kind() const override { return "reg_sub"; }
};

}  // namespace p4
