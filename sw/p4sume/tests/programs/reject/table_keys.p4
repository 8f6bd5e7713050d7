// SPDX-License-Identifier: Apache-2.0
// Types, kinds and names that do not fit.
match_kind { exact }
header h { bit<8> f; }
const bit<8> not_a_kind = 1;
control c(in h x, in bit<8> y) {
    action a() { }
    table t1 { key = { x : exact; } actions = { a; } default_action = a; }
    table t2 { key = { y : missing; } actions = { a; } default_action = a; }
    table t3 { key = { y : not_a_kind; } actions = { a; } default_action = a; }
    table t4 { key = { y + 1 : exact; } actions = { a; } default_action = a; }
    table t5 { key = { 5 : exact; } actions = { a; } default_action = a; }
    apply { }
}
