// SPDX-License-Identifier: Apache-2.0
// Arguments that fit no declaration.
extern void f(in bit<8> a);
extern void f(in bit<8> a, in bit<8> b);
control c() { apply { f(1, 2, 3); f(c = 1); } }
