// SPDX-License-Identifier: Apache-2.0
// What is an error only in code that runs.
match_kind { exact }
control c(inout bit<8> x) {
    action a() { }
    table t { key = { x : exact; } actions = { a; } default_action = a; const entries = { 1 &&& 3 : a; 2 : a; 2 : a; } }
    apply { x = x / 3; }
}
bit<8> f(in bit<8> x) { return x % 3; }
