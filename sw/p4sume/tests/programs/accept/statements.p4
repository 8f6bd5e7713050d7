// SPDX-License-Identifier: Apache-2.0
// Every statement of controls, functions and actions.
#include <core.p4>
header h_t { bit<8> a; bit<8> b; }
header_union u_t { h_t h; }
enum color { red, green }
struct s_t { h_t h; h_t[2] stack; u_t u; bit<8> x; bit<3> i; color c; int<8> y; bool b; tuple<bit<8>, bit<8>> t; }
bit<8> largest(in bit<8> a, in bit<8> b) { if (a > b) { return a; } else return b; }
void nothing() { return; }
bit<8> first_of<T>(in T unused, in bit<8> a) { switch (a) { 1: 2: { return 1; } default: { nothing(); return 2; } } }
bit<8> always() { if (true) { return 1; } }
@pure extern bit<8> pure_f(in bit<8> x);
const bit<8> from_pure = pure_f(3);
action global_action(inout bit<8> x, bit<8> data) { x = data; }
control inner(inout bit<8> x)(bit<8> n) { apply { x = x + n; } }
control plain(inout bit<8> x) { apply { x = 0; } }
control c(inout s_t s, in bit<8> k) {
    bit<8> v = 1;
    inner(3) in3;
    const bit<8> K = 2;
    action bound(inout bit<8> x, bit<8> data) { x = data; exit; }
    action simple() { v = K; }
    table t {
        key = {
            s.x : exact;
            s.h.isValid() : exact @name("valid");
            s.x[3:0] : ternary;
            s.x + 1 : lpm @name("sum");
            s.stack[0].a : exact;
            s.x & 0xF : exact;
        }
        actions = { bound(s.x); simple; @defaultonly NoAction; global_action(s.x); }
        default_action = NoAction();
        size = 64;
        largest_priority_wins = false;
        priority_delta = 10;
        entries = {
            const priority = 10: (1, true, 2 &&& 3, _, 5, 6) : bound(s.x, 1);
            (2, false, _, 3 &&& 0xFF, 5, 6) : simple() @note("last");
            priority = (7 * 5): (default, true, 1, 2, 3, 4) : simple;
        }
        implementation = 5;
    }
    table bare { actions = { simple; } const default_action = simple; }
    apply {
        ;
        s.x = v; s.x += 1; s.x -= 1; s.x *= 3; s.x |= 1; s.x &= 7; s.x ^= 2; s.x <<= 1; s.x >>= 1; s.x |+|= 1; s.x |-|= 1;
        s.x[3:0] = 4w1;
        s.x[s.i+:2] = 1;
        s.h = {1, 2};
        s.h = {a = 1, ...};
        s.h = {#};
        s.u.h = (h_t){b = 1, a = 2};
        s.stack = {{1, 2}, ...};
        s.t = {1, 2};
        s.x = s.t[0] ++ 0w0;
        s.y = (int<8>)s.x;
        s.x = (bit<8>)(bit<1>)s.b;
        s.b = s.h == {1, 2} && s.t == {1, 2} && s.c == color.red || !s.b && s.u.isValid() && s.h != {#};
        s.x = s.b ? 1 : s.x;
        s.h.setValid(); s.h.setInvalid(); s.stack.push_front(1); s.stack.pop_front(1);
        s.stack[s.i].a = s.stack[1].b;
        bit<32> size = s.stack.size;
        { bit<8> v2 = largest(a = 1, b = s.x); v2 = .from_pure; }
        if (t.apply().hit) { } else if (bare.apply().miss) { } else { exit; }
        switch (t.apply().action_run) { bound: simple: { } default: { } }
        switch (s.x) { 1: { } 2: 3: { } default: { } }
        switch (s.c) { color.red: { } }
        in3.apply(s.x);
        plain.apply(s.x);
        plain.apply(x = s.x);
        simple();
        bound(s.x, 3);
        first_of<bit<4>>(1, 2);
        s.x = first_of(8w1, 2) + first_of<bit<4>>(1, 2);
        @unroll for (bit<8> i = 0, bit<8> j = 1; i < 4; i += 1, j += 1) { if (i == 2) continue; s.x = i; break; }
        for (bit<8> i in 1..5) s.x = i;
        for (h_t each in s.stack) { s.x = each.a; }
        return;
    }
}
