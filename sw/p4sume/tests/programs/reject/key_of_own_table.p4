// SPDX-License-Identifier: Apache-2.0
// A table does not refer to itself.
match_kind { exact }
control c(inout bit<8> x) {
    action a() { }
    table t { key = { t.apply().hit : exact @name("own"); } actions = { a; } default_action = a; }
    apply { t.apply(); }
}
