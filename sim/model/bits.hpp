// SPDX-License-Identifier: Apache-2.0
// P4's bit<W> and int<W> as C++ values: any width, arithmetic modulo 2^W, limbs of 64 bits, the lowest first.
//
// A value is always reduced: the bits above W are zero. For W up to 64 there is one limb, and the optimiser makes
// of it what it would make of a uint64_t.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace p4 {

constexpr unsigned limbs_for(unsigned width) { return width <= 64 ? 1 : (width + 63) / 64; }

template <unsigned W>
class bit {
 public:
  static constexpr unsigned WIDTH = W;
  static constexpr unsigned LIMBS = limbs_for(W);
  static constexpr uint64_t TOP_MASK = W == 0 ? 0 : W % 64 == 0 ? ~uint64_t{0} : (uint64_t{1} << W % 64) - 1;

  std::array<uint64_t, LIMBS> limb{};

  constexpr bit() = default;
  constexpr explicit bit(uint64_t value) {
    limb[0] = value;
    reduce();
  }

  // From limbs, the lowest first; missing ones are zero.
  static constexpr bit of(const uint64_t* from, unsigned count) {
    bit made;
    for (unsigned i = 0; i < LIMBS && i < count; ++i) made.limb[i] = from[i];
    made.reduce();
    return made;
  }
  static constexpr bit of(std::initializer_list<uint64_t> from) {
    return of(from.begin(), static_cast<unsigned>(from.size()));
  }
  static constexpr bit ones() {
    bit made;
    for (auto& part : made.limb) part = ~uint64_t{0};
    made.reduce();
    return made;
  }

  constexpr void reduce() { limb[LIMBS - 1] &= TOP_MASK; }
  constexpr uint64_t low() const { return limb[0]; }
  constexpr bool fits_64() const {
    for (unsigned i = 1; i < LIMBS; ++i)
      if (limb[i] != 0) return false;
    return true;
  }
  // As a distance: what needs more than 64 bits is further than any width.
  constexpr uint64_t clamped() const { return fits_64() ? low() : ~uint64_t{0}; }
  constexpr bool get(unsigned index) const { return index < W && (limb[index / 64] >> index % 64 & 1) != 0; }
  constexpr bool top() const { return W != 0 && get(W == 0 ? 0 : W - 1); }
  constexpr bool zero() const {
    for (auto part : limb)
      if (part != 0) return false;
    return true;
  }

  friend constexpr bool operator==(const bit& a, const bit& b) { return a.limb == b.limb; }
  friend constexpr bool operator<(const bit& a, const bit& b) {
    for (unsigned i = LIMBS; i-- > 0;)
      if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
    return false;
  }
  friend constexpr bool operator>(const bit& a, const bit& b) { return b < a; }
  friend constexpr bool operator<=(const bit& a, const bit& b) { return !(b < a); }
  friend constexpr bool operator>=(const bit& a, const bit& b) { return !(a < b); }

  friend constexpr bit operator&(bit a, const bit& b) {
    for (unsigned i = 0; i < LIMBS; ++i) a.limb[i] &= b.limb[i];
    return a;
  }
  friend constexpr bit operator|(bit a, const bit& b) {
    for (unsigned i = 0; i < LIMBS; ++i) a.limb[i] |= b.limb[i];
    return a;
  }
  friend constexpr bit operator^(bit a, const bit& b) {
    for (unsigned i = 0; i < LIMBS; ++i) a.limb[i] ^= b.limb[i];
    return a;
  }
  friend constexpr bit operator~(bit a) {
    for (auto& part : a.limb) part = ~part;
    a.reduce();
    return a;
  }
  friend constexpr bit operator+(const bit& a, const bit& b) {
    bit sum;
    a.add(b, sum);
    return sum;
  }
  friend constexpr bit operator-(const bit& a, const bit& b) {
    bit difference;
    uint64_t borrow = 0;
    for (unsigned i = 0; i < LIMBS; ++i) {
      const uint64_t part = a.limb[i] - b.limb[i];
      difference.limb[i] = part - borrow;
      borrow = (a.limb[i] < b.limb[i] || part < borrow) ? 1 : 0;
    }
    difference.reduce();
    return difference;
  }
  friend constexpr bit operator-(const bit& a) { return bit() - a; }
  friend constexpr bit operator+(const bit& a) { return a; }
  friend constexpr bit operator*(const bit& a, const bit& b) {
    if constexpr (LIMBS == 1) {
      return bit(a.limb[0] * b.limb[0]);
    } else {
      bit product;
      for (unsigned i = 0; i < LIMBS; ++i) {
        uint64_t carry = 0;
        for (unsigned j = 0; i + j < LIMBS; ++j) carry = multiply_add(a.limb[i], b.limb[j], product.limb[i + j], carry);
      }
      product.reduce();
      return product;
    }
  }
  // The quotient; the front end has seen to it that the divisor is not zero.
  friend constexpr bit operator/(const bit& a, const bit& b) {
    if constexpr (LIMBS == 1) {
      return b.zero() ? bit() : bit(a.limb[0] / b.limb[0]);
    } else {
      bit rest;
      return a.divide(b, rest);
    }
  }
  friend constexpr bit operator%(const bit& a, const bit& b) {
    if constexpr (LIMBS == 1) {
      return b.zero() ? bit() : bit(a.limb[0] % b.limb[0]);
    } else {
      bit rest;
      a.divide(b, rest);
      return rest;
    }
  }

  // |+| and |-|
  constexpr bit add_saturating(const bit& b) const {
    bit sum;
    return add(b, sum) ? ones() : sum;
  }
  constexpr bit subtract_saturating(const bit& b) const { return *this < b ? bit() : *this - b; }

  constexpr bit shift_left(uint64_t distance) const {
    if (distance >= W) return bit();
    bit shifted;
    const auto whole = static_cast<unsigned>(distance / 64), part = static_cast<unsigned>(distance % 64);
    for (unsigned i = LIMBS; i-- > whole;) {
      shifted.limb[i] = limb[i - whole] << part;
      if (part != 0 && i > whole) shifted.limb[i] |= limb[i - whole - 1] >> (64 - part);
    }
    shifted.reduce();
    return shifted;
  }
  constexpr bit shift_right(uint64_t distance) const {
    if (distance >= W) return bit();
    bit shifted;
    const auto whole = static_cast<unsigned>(distance / 64), part = static_cast<unsigned>(distance % 64);
    for (unsigned i = 0; i + whole < LIMBS; ++i) {
      shifted.limb[i] = limb[i + whole] >> part;
      if (part != 0 && i + whole + 1 < LIMBS) shifted.limb[i] |= limb[i + whole + 1] << (64 - part);
    }
    return shifted;
  }
  template <unsigned N>
  constexpr bit shift_left(const bit<N>& distance) const {
    return distance.fits_64() ? shift_left(distance.low()) : bit();
  }
  template <unsigned N>
  constexpr bit shift_right(const bit<N>& distance) const {
    return distance.fits_64() ? shift_right(distance.low()) : bit();
  }

  // Zero-extended or cut to N bits.
  template <unsigned N>
  constexpr bit<N> resize() const {
    return bit<N>::of(limb.data(), LIMBS);
  }
  // [HIGH:LOW]
  template <unsigned HIGH, unsigned LOW>
  constexpr bit<HIGH - LOW + 1> slice() const {
    return shift_right(uint64_t{LOW}).template resize<HIGH - LOW + 1>();
  }
  // The value with [HIGH:LOW] replaced.
  template <unsigned HIGH, unsigned LOW>
  constexpr bit with_slice(const bit<HIGH - LOW + 1>& part) const {
    const bit mask = bit<HIGH - LOW + 1>::ones().template resize<W>().shift_left(uint64_t{LOW});
    return (*this & ~mask) | part.template resize<W>().shift_left(uint64_t{LOW});
  }
  // The value with N bits from `low` up replaced; what lies above the width is lost.
  template <unsigned N>
  constexpr bit with_bits(uint64_t low, const bit<N>& part) const {
    const bit mask = bit<N>::ones().template resize<W>().shift_left(low);
    return (*this & ~mask) | part.template resize<W>().shift_left(low);
  }

 private:
  // True if the sum does not fit.
  constexpr bool add(const bit& b, bit& sum) const {
    uint64_t carry = 0;
    for (unsigned i = 0; i < LIMBS; ++i) {
      const uint64_t part = limb[i] + carry;
      carry = part < carry ? 1 : 0;
      sum.limb[i] = part + b.limb[i];
      carry |= sum.limb[i] < part ? 1 : 0;
    }
    const bool over = carry != 0 || (sum.limb[LIMBS - 1] & ~TOP_MASK) != 0;
    sum.reduce();
    return over;
  }
  // a * b + sum + carry: the lower half into `sum`, the upper half is the result.
  static constexpr uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t& sum, uint64_t carry) {
    const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    const uint64_t middle = (p00 >> 32) + (p01 & 0xffffffff) + (p10 & 0xffffffff);
    uint64_t lower = (p00 & 0xffffffff) | middle << 32;
    uint64_t upper = p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
    lower += sum;
    upper += lower < sum ? 1 : 0;
    lower += carry;
    upper += lower < carry ? 1 : 0;
    sum = lower;
    return upper;
  }
  constexpr bit divide(const bit& divisor, bit& rest) const {
    bit quotient;
    if (divisor.zero()) return quotient;
    for (unsigned i = W; i-- > 0;) {
      const bool carried = rest.top();
      rest = rest.shift_left(uint64_t{1});
      if (get(i)) rest.limb[0] |= 1;
      if (carried || rest >= divisor) {
        rest = rest - divisor;
        quotient.limb[i / 64] |= uint64_t{1} << i % 64;
      }
    }
    return quotient;
  }
};

// `a ++ b`: a is the upper part.
template <unsigned A, unsigned B>
constexpr bit<A + B> concat(const bit<A>& a, const bit<B>& b) {
  return a.template resize<A + B>().shift_left(uint64_t{B}) | b.template resize<A + B>();
}

// int<W>: two's complement in the bits of a bit<W>.
template <unsigned W>
class sint {
 public:
  static constexpr unsigned WIDTH = W;

  bit<W> raw{};

  constexpr sint() = default;
  constexpr explicit sint(const bit<W>& bits) : raw(bits) {}

  static constexpr sint lowest() { return sint(bit<W>(1).shift_left(uint64_t{W == 0 ? 0 : W - 1})); }
  static constexpr sint highest() { return sint(~lowest().raw); }

  constexpr bool negative() const { return raw.top(); }

  friend constexpr bool operator==(const sint& a, const sint& b) { return a.raw == b.raw; }
  friend constexpr bool operator<(const sint& a, const sint& b) {
    return a.negative() != b.negative() ? a.negative() : a.raw < b.raw;
  }
  friend constexpr bool operator>(const sint& a, const sint& b) { return b < a; }
  friend constexpr bool operator<=(const sint& a, const sint& b) { return !(b < a); }
  friend constexpr bool operator>=(const sint& a, const sint& b) { return !(a < b); }
  friend constexpr sint operator&(const sint& a, const sint& b) { return sint(a.raw & b.raw); }
  friend constexpr sint operator|(const sint& a, const sint& b) { return sint(a.raw | b.raw); }
  friend constexpr sint operator^(const sint& a, const sint& b) { return sint(a.raw ^ b.raw); }
  friend constexpr sint operator~(const sint& a) { return sint(~a.raw); }
  friend constexpr sint operator+(const sint& a, const sint& b) { return sint(a.raw + b.raw); }
  friend constexpr sint operator-(const sint& a, const sint& b) { return sint(a.raw - b.raw); }
  friend constexpr sint operator-(const sint& a) { return sint(-a.raw); }
  friend constexpr sint operator+(const sint& a) { return a; }
  friend constexpr sint operator*(const sint& a, const sint& b) { return sint(a.raw * b.raw); }

  constexpr sint add_saturating(const sint& b) const {
    const sint sum = *this + b;
    if (negative() == b.negative() && sum.negative() != negative()) return negative() ? lowest() : highest();
    return sum;
  }
  constexpr sint subtract_saturating(const sint& b) const {
    const sint difference = *this - b;
    if (negative() != b.negative() && difference.negative() != negative()) return negative() ? lowest() : highest();
    return difference;
  }
  constexpr sint shift_left(uint64_t distance) const { return sint(raw.shift_left(distance)); }
  constexpr sint shift_right(uint64_t distance) const {
    if (!negative()) return sint(raw.shift_right(distance));
    return sint(~(~raw).shift_right(distance));
  }
  template <unsigned N>
  constexpr sint shift_left(const bit<N>& distance) const {
    return sint(raw.shift_left(distance));
  }
  template <unsigned N>
  constexpr sint shift_right(const bit<N>& distance) const {
    return shift_right(distance.fits_64() ? distance.low() : uint64_t{W});
  }
  // Sign-extended or cut to N bits.
  template <unsigned N>
  constexpr sint<N> resize() const {
    bit<N> made = raw.template resize<N>();
    if constexpr (N > W) {
      if (negative()) made = made | bit<N>::ones().shift_left(uint64_t{W});
    }
    return sint<N>(made);
  }
  template <unsigned HIGH, unsigned LOW>
  constexpr bit<HIGH - LOW + 1> slice() const {
    return raw.template slice<HIGH, LOW>();
  }
  template <unsigned HIGH, unsigned LOW>
  constexpr sint with_slice(const bit<HIGH - LOW + 1>& part) const {
    return sint(raw.template with_slice<HIGH, LOW>(part));
  }
  template <unsigned N>
  constexpr sint with_bits(uint64_t low, const bit<N>& part) const {
    return sint(raw.template with_bits<N>(low, part));
  }
};

template <unsigned A, unsigned B>
constexpr bit<A + B> concat(const bit<A>& a, const sint<B>& b) {
  return concat(a, b.raw);
}
template <unsigned A, unsigned B>
constexpr sint<A + B> concat(const sint<A>& a, const bit<B>& b) {
  return sint<A + B>(concat(a.raw, b));
}
template <unsigned A, unsigned B>
constexpr sint<A + B> concat(const sint<A>& a, const sint<B>& b) {
  return sint<A + B>(concat(a.raw, b.raw));
}

}  // namespace p4
