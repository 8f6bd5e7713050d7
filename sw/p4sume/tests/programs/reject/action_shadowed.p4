// SPDX-License-Identifier: Apache-2.0
// The same name, another action.
action a() { }
control c() {
    action a() { }
    table t { actions = { a; } default_action = .a; }
    apply { }
}
