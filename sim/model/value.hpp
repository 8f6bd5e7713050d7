// SPDX-License-Identifier: Apache-2.0
// The values of P4 that are not numbers: errors, varbit, header stacks. Everything is zero until it is set.
//
// A header type, as generated, has `valid_`, the fields, and pack/unpack. An invalid header is all zero and stays so:
// what is written to its fields is lost, so that reading it gives zero without a test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bits.hpp"

namespace p4 {

// The errors of core.p4; a program's own follow from FIRST_OWN.
enum class error_t : uint32_t {
  NoError,
  PacketTooShort,
  NoMatch,
  StackOutOfBounds,
  HeaderTooShort,
  ParserTimeout,
  ParserInvalidArgument,
  FIRST_OWN,
};

// varbit<W>: `size` bits, left-aligned in `bytes`; what lies behind them is zero.
template <unsigned W>
struct varbit {
  static constexpr unsigned MAX_BITS = W;

  uint32_t size = 0;
  std::array<uint8_t, (W + 7) / 8> bytes{};

  friend bool operator==(const varbit&, const varbit&) = default;
};

// A header stack H[N]. An index outside gives an element that reads zero and forgets what is written to it.
template <class H, unsigned N>
struct stack {
  static constexpr unsigned SIZE = N;

  std::array<H, N> item{};
  uint32_t next_index = 0;

  H& at(uint64_t index) {
    if (index < N) return item[index];
    static thread_local H nowhere;
    nowhere = H{};
    return nowhere;
  }
  const H& at(uint64_t index) const { return const_cast<stack*>(this)->at(index); }
  template <unsigned W>
  H& at(const bit<W>& index) {
    return at(index.fits_64() ? index.low() : uint64_t{N});
  }
  template <unsigned W>
  const H& at(const bit<W>& index) const {
    return at(index.fits_64() ? index.low() : uint64_t{N});
  }
  H& last() { return at(uint64_t{next_index} - 1); }
  const H& last() const { return at(uint64_t{next_index} - 1); }
  H& next() { return at(next_index); }
  bit<32> last_index() const { return bit<32>(uint64_t{next_index} - 1); }

  void push_front(uint64_t count) {
    for (unsigned i = N; i-- > 0;) item[i] = i >= count ? item[i - count] : H{};
    next_index = count >= N - next_index ? N : next_index + static_cast<uint32_t>(count);
  }
  void pop_front(uint64_t count) {
    for (unsigned i = 0; i < N; ++i) item[i] = count < N - i ? item[i + count] : H{};
    next_index = count >= next_index ? 0 : next_index - static_cast<uint32_t>(count);
  }

  template <class Packer>
  void emit_(Packer& to) const {
    for (const auto& header : item) header.emit_(to);
  }

  friend bool operator==(const stack& a, const stack& b) { return a.item == b.item; }
};

}  // namespace p4
