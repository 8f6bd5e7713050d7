// SPDX-License-Identifier: Apache-2.0
// That do not fit their parameters.
extern void f(in bit<8> a);
extern void g(inout bit<8> a);
control k() { apply { } }
extern void any<T>(in T a);
control c(inout bit<16> x) {
    k() inner;
    action a() { }
    table t { actions = { a; } default_action = a; }
    apply { f(x); g(x); f(true); any(t); any(inner); any("text"); any({a = 8w1}); }
}
