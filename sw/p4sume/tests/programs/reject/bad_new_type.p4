// SPDX-License-Identifier: Apache-2.0
// Type makes a new type of bits and bool only.
header h { bit<8> f; }
type h h_t;
