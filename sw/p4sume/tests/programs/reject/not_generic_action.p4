// SPDX-License-Identifier: Apache-2.0
// Type arguments of methods and slices of unknown names.
extern void f(in bit<8> x);
control c(inout bit<8> x) { apply { f<bit<8>>(x); x[missing:0] = 1; x[missing+:2] = 1; x[0+:missing] = 1; } }
