// SPDX-License-Identifier: Apache-2.0
// By zero, of negative and of signed numbers.
const bit<8> a = 8w1 / 0;
const int b = -4 / 2;
const int c = 4 % -2;
control k(inout int<8> x) { apply { x = x / x; } }
