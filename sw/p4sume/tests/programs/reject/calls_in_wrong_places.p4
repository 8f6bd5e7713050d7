// SPDX-License-Identifier: Apache-2.0
// Actions, tables, parsers, controls, verify.
error { Oops }
extern void verify(in bool b, in error e);
action act() { }
control k() { apply { } }
parser q() { state start { transition accept; } }
bit<8> f() { act(); return 1; }
parser p() {
    state start { act(); k.apply(); transition accept; }
}
control c() {
    action a() { t.apply(); }
    table t { actions = { act; } default_action = act; }
    action b() { t.apply(); k.apply(); act<bit<8>>(); }
    apply { verify(true, error.Oops); q.apply(); t.apply(1); }
}
