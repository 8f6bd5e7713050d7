// SPDX-License-Identifier: Apache-2.0
// Every directive, macros with arguments, pasting and stringizing.
#define WIDTH 8
#define FIELD(n, w) bit<w> field_##n;
#define TEXT(x) #x
#define MANY(...) { __VA_ARGS__ }
#define TWICE(x) ((x) + (x))
#define SELF SELF
#define EMPTY
#define NO_ARGUMENTS() 3
#if defined(WIDTH) && WIDTH >= 8 && !defined MISSING && (1 ? 1 : 0) && (WIDTH >> 2) == 2 && -1 < ~0 + 1
struct fields { FIELD(a, WIDTH) FIELD(b, (WIDTH * 2)) }
#elif 1
#error not reached
#else
#error not reached
#endif
#ifndef MISSING
const bit<WIDTH> a = TWICE(3);
#endif
#ifdef MISSING
#if garbage ( "
#elif
#else
#endif
it's not read
#endif
#undef WIDTH
#ifdef WIDTH
#error WIDTH is gone
#endif
@name(TEXT(some "text"))
const fields f = MANY(1, 2);
const bit<32> line = __LINE__;
@file(__FILE__) const bit<8> g = NO_ARGUMENTS() + 0; /* a comment
over lines */ // and one with a \
splice
#if 0 || 1L * 7 % 4 == 3U && (6 / 2 | 8 ^ 1 & 3) && 1 != 2 && 1 <= 1 && 2 > 1 && 1 << 1 && 3 - 1 && +1 && 1 == 1
const bit<8> h = 1;
#endif
EMPTY
#line 100 "elsewhere.p4"
const bit<8> SELF = 2;
# 7
#pragma something
#warning this is only a warning
const bit<8> i = \
    3;
