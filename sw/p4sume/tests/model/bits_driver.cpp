// SPDX-License-Identifier: Apache-2.0
// Reads lines `WIDTH OPERATION A B` (hex) and writes the result of each in hex, for test_bits.py.
#include <cstdio>
#include <iostream>
#include <string>

#include "bits.hpp"

namespace {

template <unsigned W>
p4::bit<W> parse(const std::string& text) {
  p4::bit<W> value;
  for (char c : text)
    value = value.shift_left(uint64_t{4}) | p4::bit<W>(static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10));
  return value;
}

template <unsigned W>
std::string show(const p4::bit<W>& value) {
  std::string text;
  for (unsigned i = (W + 3) / 4; i-- > 0;)
    text += "0123456789abcdef"[value.shift_right(uint64_t{4 * i}).template resize<4>().low()];
  return text.empty() ? "0" : text;
}
template <unsigned W>
std::string show(const p4::sint<W>& value) {
  return show(value.raw);
}
std::string show(bool value) { return value ? "1" : "0"; }

template <class T>
std::string common(const std::string& op, const T& a, const T& b) {
  if (op == "+") return show(a + b);
  if (op == "-") return show(a - b);
  if (op == "*") return show(a * b);
  if (op == "&") return show(a & b);
  if (op == "|") return show(a | b);
  if (op == "^") return show(a ^ b);
  if (op == "~") return show(~a);
  if (op == "neg") return show(-a);
  if (op == "==") return show(a == b);
  if (op == "<") return show(a < b);
  if (op == "<=") return show(a <= b);
  if (op == ">") return show(a > b);
  if (op == ">=") return show(a >= b);
  if (op == "|+|") return show(a.add_saturating(b));
  if (op == "|-|") return show(a.subtract_saturating(b));
  return "?";
}

template <unsigned W>
std::string run(const std::string& op, const std::string& first, const std::string& second) {
  const auto a = parse<W>(first), b = parse<W>(second);
  if (op.starts_with("i:")) {
    const std::string inner = op.substr(2);
    const p4::sint<W> x(a), y(b);
    if (inner == "<<") return show(x.shift_left(b));
    if (inner == ">>") return show(x.shift_right(b));
    if (inner == "wider") return show(x.template resize<W + 70>());
    if (inner == "narrower") return show(x.template resize<(W + 1) / 2>());
    return common(inner, x, y);
  }
  if (op == "<<") return show(a.shift_left(b));
  if (op == ">>") return show(a.shift_right(b));
  if (op == "/") return show(a / b);
  if (op == "%") return show(a % b);
  if (op == "++") return show(p4::concat(a, b));
  if (op == "wider") return show(a.template resize<W + 70>());
  if (op == "narrower") return show(a.template resize<(W + 1) / 2>());
  if (op == "slice") return show(a.template slice<W - 1, W / 3>());
  if (op == "with_slice") return show(a.template with_slice<W - 1, W / 3>(b.template slice<W - 1, W / 3>()));
  if (op == "with_bits") return show(a.template with_bits<(W + 1) / 2>(b.clamped(), b.template resize<(W + 1) / 2>()));
  return common(op, a, b);
}

}  // namespace

int main() {
  unsigned width;
  std::string op, a, b;
  while (std::cin >> width >> op >> a >> b) {
    std::string result = "?";
    switch (width) {
#define CASE(W)                \
  case W:                      \
    result = run<W>(op, a, b); \
    break;
      CASE(1)
      CASE(2)
      CASE(9)
      CASE(32)
      CASE(63)
      CASE(64)
      CASE(65)
      CASE(127)
      CASE(128)
      CASE(200)
      CASE(256)
#undef CASE
    }
    std::cout << result << '\n';
  }
}
