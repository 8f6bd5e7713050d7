// SPDX-License-Identifier: Apache-2.0
// Keysets and actions that do not fit.
match_kind { exact, ternary, lpm, range, optional }
control c(inout bit<8> x) {
    action a() { }
    action b() { }
    action d(bit<8> p) { }
    table t1 { key = { x : exact; } actions = { a; } default_action = a; entries = { (1, 2) : a; true : a; x : a; } }
    table t2 { key = { x : lpm; } actions = { a; } default_action = a; entries = { 1 &&& 5 : a; 1..2 : a; } }
    table t3 { key = { x : ternary; } actions = { a; } default_action = a; entries = { 1..2 : a; } }
    table t4 { key = { x : range; } actions = { a; } default_action = a; entries = { 1 &&& 2 : a; } }
    table t5 { key = { x : optional; } actions = { a; } default_action = a; entries = { 1 &&& 2 : a; } }
    table t6 { key = { x : exact; } actions = { @defaultonly a; d; } default_action = a; entries = { 1 : a; 2 : b; 3 : d; 4 : d(x); 5 : d()(); } }
    apply { }
}
