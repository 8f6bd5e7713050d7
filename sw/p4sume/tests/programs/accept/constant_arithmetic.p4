// SPDX-License-Identifier: Apache-2.0
// Every operator at compile time, checked by static_assert.
#include <core.p4>
enum bit<8> ether { vlan = 0x81, ip = vlan + 1 }
enum color { red, green }
struct pair { bit<8> x; bool y; }
type bit<8> new_t;
const bool t01 = static_assert(7 / 2 == 3 && 7 % 2 == 1);
const bool t02 = static_assert(8w250 + 10 == 4);
const bool t03 = static_assert(8w5 - 6 == 255);
const bool t04 = static_assert(8w250 |+| 10 == 255);
const bool t05 = static_assert(8w5 |-| 6 == 0);
const bool t06 = static_assert(8s100 |+| 100 == 127 && -8s100 |-| 100 == -128);
const bool t07 = static_assert((8w0xF0 & 0x3C) == 0x30 && (8w0xF0 | 0x0F) == 0xFF && (8w0xF0 ^ 0xFF) == 0x0F);
const bool t08 = static_assert(~8w0xF0 == 0x0F && -8w1 == 255 && +8w1 == 1);
const bool t09 = static_assert((8w1 << 3) == 8 && (8w128 >> 3) == 16 && (-8s128 >> 3) == -16 && (8w1 << 9) == 0);
const bool t10 = static_assert(4w0xA ++ 4w0x5 == 8w0xA5);
const bool t11 = static_assert("ab" ++ "cd" == "abcd");
const bool t12 = static_assert(8w0xA5[7:4] == 0xA && 8w0xA5[0+:4] == 5);
const bool t13 = static_assert((bit<4>)8w0xA5 == 5 && (int<8>)8w255 == -1 && (bit<8>)-8s1 == 255);
const bool t14 = static_assert((bool)1w1 && (bit<1>)true == 1 && (bool)1 && (int)8w3 == 3);
const bool t15 = static_assert((bit<8>)ether.ip == 0x82 && ether.vlan == 0x81 && (ether)8w0x81 == ether.vlan);
const bool t16 = static_assert(color.red != color.green && error.NoError != error.NoMatch);
const bool t17 = static_assert((true ? 1 : 2) == 1 && !false && (false || true));
const bool t18 = static_assert({1, true} == (tuple<int, bool>){1, true});
const pair p = {x = 3, y = true};
const pair q = {3, true};
const bool t19 = static_assert(p == q && p.x == 3 && p.y);
const tuple<bit<8>, bit<4>> pt = {7, 3};
const bool t20 = static_assert(pt[0] == 7 && pt[1] == 3);
const bool t21 = static_assert((bit<8>)(new_t)8w9 == 9);
const bool t22 = static_assert(1 << 100 >> 99 == 2 && 5 > 4 && 4 < 5 && 4 <= 4 && 4 >= 4);
header h_t { bit<8> a; varbit<16> b; }
header_union u_t { h_t one; h_t two; }
struct s_t { h_t[3] stack; u_t u; bool f; ether e; new_t n; tuple<bit<3>, bit<5>> t; }
struct deep { pair p; bit<4> n; color c; tuple<bit<4>, bool> t; pair[2] a; error e; new_t w; h_t h; ether s; }
const deep w1 = {...};
const deep w2 = {p = {257, ...}, n = 16w0x1F[4:0][3:0], t = {17, ...}, ...};
const bool t26 = static_assert(w1.p.x == 0 && !w1.p.y && w1.c == color.red && w1.e == error.NoError && w1.t[0] == 0);
const bool t27 = static_assert(w2.p.x == 1 && !w2.p.y && w2.t[0] == 1 && w2.n == 15);
const bit<(w2.p.x + 7)> sized = 0xFF;
const bool t28 = static_assert(sized == 255);
control c(inout s_t s) {
    const bool t23 = static_assert(s.minSizeInBits() == 24 + 0 + 1 + 8 + 8 + 8);
    const bool t24 = static_assert(s.maxSizeInBytes() == (72 + 24 + 1 + 8 + 8 + 8 + 7) / 8);
    const bool t25 = static_assert(h_t.minSizeInBytes() == 1 && h_t.maxSizeInBits() == 24);
    apply { }
}
