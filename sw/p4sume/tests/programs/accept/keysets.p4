// SPDX-License-Identifier: Apache-2.0
// Tuples, value sets and structs of them, enums and their numbers.
#include <core.p4>
enum bit<8> e_t { one = 1, two = 2 }
type bit<8> new_t;
struct inner_t { bit<8> a; }
struct outer_t { inner_t i; bit<4> b; }
struct single_t { bit<8> only; }
header h_t { bit<8> a; bool b; e_t e; inner_t[2] words; }
parser p(packet_in b, inout h_t h, in tuple<bit<8>, bool> t, in new_t n, in bit<4> four, in bit<8> x) {
    value_set<single_t>(2) singles;
    value_set<outer_t>(2) outers;
    value_set<tuple<bit<8>>>(2) tuples;
    value_set<e_t>(2) enums;
    bit<8> i = 0;
    state start { transition select(t) { {1, true}: next_one; {2, false}: accept; _: next_one; } }
    state next_one { transition select(h.a) { singles: next_two; tuples: next_two; (1 &&& 3): accept; (default): next_two; } }
    state next_two { transition select(x, four) { outers: next_three; (e_t.one, 3): accept; default: next_three; } }
    state next_three { transition select(h.e) { e_t.one: next_four; 2: accept; 1 .. 2: accept; default: next_four; } }
    state next_four { h.words[e_t.one].a = h.words[h.e].a; transition select(h.b, 1w1 == 1) { (true, true): accept; } }
}
control d(packet_out b, in h_t h, in h_t[2] s, in tuple<h_t, h_t> t) { apply { b.emit(h); b.emit(s); b.emit(t); b.emit({h, s}); } }
