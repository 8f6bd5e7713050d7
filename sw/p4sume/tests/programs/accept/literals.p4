// SPDX-License-Identifier: Apache-2.0
// Numbers in all bases and widths.
const bit<8> a = 255;
const bit<8> b = 8w0xFF;
const int<8> c = -8s128 + 0;
const bit<16> d = 16w0b1111_0000;
const bit<12> e = 0o777;
const bit<8> f = 0d25_5;
const int g = 0xFFFF_FFFF_FFFF_FFFF_FFFF;
const bit<0> h = 0w0;
const string s = "with \"quotes\" and \\ and \n";
const bit<8> overflow = 256;
const bit<8> negative = -1;
const bit<4> w = 4w16;
