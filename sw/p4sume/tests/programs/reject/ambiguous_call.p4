// SPDX-License-Identifier: Apache-2.0
// Functions that no call can tell apart.
extern void f(in bit<8> a);
extern void f(in bit<16> a);
control c() { apply { f(8w1); } }
