// SPDX-License-Identifier: Apache-2.0
// Where none are allowed, or wrong ones.
match_kind { exact, ternary }
control c(inout bit<8> x) {
    action a() { }
    table t1 { key = { x : exact; } actions = { a; } default_action = a; entries = { priority = 1: 1 : a; } }
    table t2 { key = { x : ternary; } actions = { a; } default_action = a; const entries = { priority = 1: 1 : a; } }
    table t3 { key = { x : ternary; } actions = { a; } default_action = a; entries = { 1 : a; priority = 1: 2 : a; } }
    table t4 { key = { x : ternary; } actions = { a; } default_action = a; priority_delta = 10; entries = { priority = 12: 1 : a; 2 : a; 3 : a; } }
    table t5 { key = { x : ternary; } actions = { a; } default_action = a; largest_priority_wins = false; entries = { priority = 1: 1 : a; 2 : a; priority = true: 3 : a; } }
    apply { }
}
