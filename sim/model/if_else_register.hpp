// SPDX-License-Identifier: Apache-2.0
// What reg_ifElseRaw and reg_sub do: one of two operations on one of two registers, as a comparison with a third
// decides. `result` is the chosen register afterwards.
#pragma once

#include "extern.hpp"
#include "register_operation.hpp"

namespace p4 {

template <unsigned INDEX, unsigned W, unsigned INC_2, unsigned CODE_2, unsigned INDEX_1, unsigned NEW_1, unsigned INC_1,
          unsigned CODE_1, unsigned INDEX_COMP, unsigned COMPARED, unsigned RELATION, unsigned RESULT,
          unsigned BOOLEAN = 1>
class IfElseRegister : public RegisterExtern<INDEX, W> {
  static_assert(INDEX_1 == INDEX && INDEX_COMP == INDEX, "the three indices have one width");
  static_assert(INC_2 == W && NEW_1 == W && INC_1 == W && COMPARED == W && RESULT == W, "all values have one width");
  static_assert(CODE_1 == 8 && CODE_2 == 8 && RELATION == 8 && BOOLEAN == 1, "codes have 8 bits, boolean one");

 public:
  void call(const Context& context, const bit<INDEX>& index_2, const bit<W>& new_2, const bit<W>& increment_2,
            const bit<8>& code_2, const bit<INDEX>& index_1, const bit<W>& new_1, const bit<W>& increment_1,
            const bit<8>& code_1, const bit<INDEX>& index_compared, const bit<W>& compared, const bit<8>& relation,
            bit<W>& result) {
    bit<1> boolean;
    call(context, index_2, new_2, increment_2, code_2, index_1, new_1, increment_1, code_1, index_compared, compared,
         relation, result, boolean);
  }
  void call(const Context&, const bit<INDEX>& index_2, const bit<W>& new_2, const bit<W>& increment_2,
            const bit<8>& code_2, const bit<INDEX>& index_1, const bit<W>& new_1, const bit<W>& increment_1,
            const bit<8>& code_1, const bit<INDEX>& index_compared, const bit<W>& compared, const bit<8>& relation,
            bit<W>& result, bit<1>& boolean) {
    const bool first = holds(relation, compared, this->file.read(index_compared.low()));
    boolean = bit<1>(first ? 1 : 0);
    const uint64_t index = (first ? index_1 : index_2).low();
    const bit<W> old = this->file.read(index);
    const auto outcome = first ? operate(code_1, old, new_1, increment_1) : operate(code_2, old, new_2, increment_2);
    if (outcome.stores) this->file.write(index, outcome.stored);
    result = outcome.stored;
  }
};

}  // namespace p4
