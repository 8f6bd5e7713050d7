// SPDX-License-Identifier: Apache-2.0
// ip_chksum(in …, out bit<16> result): the Internet checksum (RFC 1071) over the inputs, which are the 160 bits of an
// IPv4 header in its order. No field is left out: whoever computes a new checksum passes zero for the old one.
#pragma once

#include <tuple>

#include "extern.hpp"

namespace p4 {

template <unsigned... WIDTHS>
class extern_ip_chksum : public Extern {
 public:
  static constexpr unsigned HEADER_BITS = 160, RESULT_BITS = 16;
  static_assert((WIDTHS + ... + 0) == HEADER_BITS + RESULT_BITS, "160 bits in all, and 16 of result");

  const char* kind() const override { return "ip_chksum"; }

  template <class... Parameters>
  void call(const Context&, Parameters&&... parameters) {
    sum<sizeof...(Parameters) - 1>(std::tie(parameters...), std::make_index_sequence<sizeof...(Parameters) - 1>());
  }

 private:
  template <size_t LAST, class All, size_t... I>
  static void sum(const All& all, std::index_sequence<I...>) {
    bit<HEADER_BITS> header;
    ((header = header.shift_left(uint64_t{width(std::get<I>(all))}) | std::get<I>(all).template resize<HEADER_BITS>()),
     ...);
    uint64_t total = 0;
    for (unsigned low = 0; low < HEADER_BITS; low += 16)
      total += header.shift_right(uint64_t{low}).template resize<16>().low();
    while (total >> 16 != 0) total = (total & 0xffff) + (total >> 16);
    std::get<LAST>(all) = bit<RESULT_BITS>(~total);
  }
  template <unsigned W>
  static constexpr unsigned width(const bit<W>&) {
    return W;
  }
};

}  // namespace p4
