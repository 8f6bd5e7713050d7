// SPDX-License-Identifier: Apache-2.0
// No table in an action's argument.
match_kind { exact }
control c(inout bit<8> x) {
    action a() { }
    action b(in bool h) { }
    table t { actions = { a; } default_action = a; }
    table u { actions = { b(t.apply().hit); } default_action = b(t.apply().hit); }
    apply { }
}
