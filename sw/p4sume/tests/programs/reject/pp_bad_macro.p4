// SPDX-License-Identifier: Apache-2.0
// Definitions and uses of macros that are malformed.
#define
#define F(a, a) a
#define G(a) a
#define PASTE(a) a ## ;
#undef
#line none
const bit<8> a = G(1, 2);
const bit<8> b = G(1;
const bit<8> c PASTE(=) 1;
