// SPDX-License-Identifier: Apache-2.0
// Missing, unknown, wrong or generic implementations.
extern v { v(); abstract bit<8> f(in bit<8> x); }
extern plain { plain(); }
v() a;
v() b = { bit<8> g(in bit<8> x) { return x; } };
v() c = { bit<8> f(inout bit<8> x) { return x; } };
v() d = { bit<8> f<T>(in bit<8> x) { return x; } };
v() e = { bit<16> f(in bit<8> x) { return 1; } };
v() g = { bit<8> f(in bit<8> x, in bit<8> y) { return x; } };
v() h = { bit<8> f() { return 1; } };
plain() i = { };
