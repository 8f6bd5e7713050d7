// SPDX-License-Identifier: Apache-2.0
// Functions and methods by number and names of their parameters.
extern void f();
extern void f(in bit<8> a);
extern void f(in bit<8> b);
extern void f(in bit<8> a, in bit<8> b);
extern e { e(); e(bit<8> n); void m(); void m(in bit<8> x); }
control k()(bit<8> n) { apply { } }
control k()(bit<8> n, bit<8> m) { apply { } }
e() e0;
e(1) e1;
bit<8> g(in bit<8> x) { return x; }
bit<8> g(in bit<8> x, in bit<8> y) { return g(x); }
control c() {
    k(1) k1;
    k(1, 2) k2;
    action f(bit<8> z) { f(); }
    apply { .f(); .f(a = 1); .f(b = 1); .f(1, 2); e0.m(); e1.m(1); k1.apply(); k2.apply(); g(1, 2); f(3); }
}
