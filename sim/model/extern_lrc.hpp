// SPDX-License-Identifier: Apache-2.0
// lrc(in data, out result): longitudinal redundancy check. The data, with zeros before its most significant bit to
// a multiple of the result's width, is cut into words of that width, and these are XORed.
#pragma once

#include "extern.hpp"

namespace p4 {

template <unsigned DATA, unsigned RESULT>
class extern_lrc : public Extern {
  static_assert(RESULT > 0, "the result has a width");

 public:
  const char* kind() const override { return "lrc"; }

  void call(const Context&, const bit<DATA>& data, bit<RESULT>& result) {
    result = bit<RESULT>();
    for (unsigned low = 0; low < DATA; low += RESULT)
      result = result ^ data.shift_right(uint64_t{low}).template resize<RESULT>();
  }
};

}  // namespace p4
