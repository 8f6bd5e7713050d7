// SPDX-License-Identifier: Apache-2.0
// NoAction has no parameters.
action NoAction(bit<8> x) { }
control c() {
    action a() { }
    table t { actions = { a; } }
    apply { }
}
