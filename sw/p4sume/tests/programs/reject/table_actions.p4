// SPDX-License-Identifier: Apache-2.0
// Lists that do not fit the actions.
control c(inout bit<8> x) {
    bit<8> v;
    action plain() { }
    action bound(in bit<8> p) { }
    action changes(inout bit<8> p) { }
    action data(bit<8> d) { }
    table t1 { actions = { missing; } default_action = plain; }
    table t2 { actions = { v; plain; } default_action = plain; }
    table t3 { actions = { bound; plain; } default_action = plain; }
    table t4 { actions = { bound(x, 1); plain; } default_action = plain; }
    table t5 { actions = { data(1); plain; } default_action = plain; }
    table t6 { actions = { changes(1); plain; } default_action = plain; }
    table t7 { actions = { bound(_); plain; plain; } default_action = plain; }
    table t8 { actions = { t8; plain; } default_action = plain; }
    table t9 { actions = { plain; } default_action = data(1); }
    table t10 { actions = { data; } default_action = data; }
    table t11 { actions = { data; } default_action = data(x); }
    table t12 { actions = { bound(x); } default_action = bound(v); }
    table t13 { actions = { data; } default_action = data(1, 2); }
    table t14 { actions = { data; } default_action = data(_); }
    table t15 { actions = { @tableonly plain; } default_action = plain; }
    table t16 { actions = { plain; } default_action = 5; }
    table t17 { actions = { plain; } default_action = plain()(); }
    apply { }
}
