// SPDX-License-Identifier: Apache-2.0
// Not assignable, not constant, not optional.
extern void f(out bit<8> a);
extern void g(inout bit<8> a);
extern void h(bit<8> a);
extern void i(in bit<8> a);
control c(in bit<8> x) {
    apply { f(x); g(1); h(x); i(_); f(_); }
}
