// SPDX-License-Identifier: Apache-2.0
// A number beyond all bounds.
const int a = 1 << 2000;
const int b = a * a * a * a * a * a * a * a;
const int c = b * b * b * b * b;
const bit<8> d = (2000w1 ++ 2000w1)[7:0];
