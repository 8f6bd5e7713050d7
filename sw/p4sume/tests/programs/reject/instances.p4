// SPDX-License-Identifier: Apache-2.0
// In places and of types that have none.
extern e { e(); }
struct s { bit<8> f; }
control k() { apply { } }
parser q() { state start { transition accept; } }
package pack();
k() top_control;
control c() {
    q() parser_in_control;
    pack() package_in_control;
    s() of_struct;
    k() fine = { };
    action a() { e() in_action; }
    apply { e() in_apply; }
}
parser p() {
    k() control_in_parser;
    state start { e() in_state; transition accept; }
}
void f() { e() in_function; }
