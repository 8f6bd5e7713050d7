// SPDX-License-Identifier: Apache-2.0
// Widths that no type has.
struct s {
    bit<(0 - 2)> a;
    int<0> b;
    bit<4000> c;
    bit<true> d;
}
const int<8> e = 0s1;
const bit<8> f = 4000w1;
