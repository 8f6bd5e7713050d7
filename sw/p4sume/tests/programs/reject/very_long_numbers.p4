// SPDX-License-Identifier: Apache-2.0
// A number that is too long to be read is shown by its beginning and its length.
const int A = 1 << 2000;
const int LONG = A * A * A * A * A * A * A * A * A * A;
const bit<8> CUT = LONG;
const bit<8> SHIFTED = 8w1 << LONG;
const bool FLAG = (bool)LONG;
const bit<8> BIT = 8w1[LONG:0];
const bit<LONG> WIDE = 1;
header h_t { bit<8> x; }
struct s_t { h_t[LONG] stack; }
enum bit<8> kind_t { large = LONG }
