// SPDX-License-Identifier: Apache-2.0
// What a table that is used cannot have.
match_kind { exact }
control c(inout bit<8> x) {
    action a() { }
    table t1 { key = { x : exact; } actions = { a; } default_action = a; const entries = { 1 &&& 3 : a; } }
    table t2 { key = { x : exact; } actions = { a; } default_action = a; const entries = { 1 : a; 2 : a; 1 : a; } }
    apply { t1.apply(); t2.apply(); }
}
control proto(inout bit<8> x);
package top(proto p);
top(c()) main;
