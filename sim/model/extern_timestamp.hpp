// SPDX-License-Identifier: Apache-2.0
// timestamp(in bit<1> valid, out result): the time in cycles of 5 ns, modulo the result's width. `valid` is ignored.
#pragma once

#include "extern.hpp"

namespace p4 {

template <unsigned VALID, unsigned RESULT>
class extern_timestamp : public Extern {
 public:
  const char* kind() const override { return "timestamp"; }

  void call(const Context& context, const bit<VALID>&, bit<RESULT>& result) {
    result = bit<64>(time(context)).template resize<RESULT>();
  }
};

}  // namespace p4
