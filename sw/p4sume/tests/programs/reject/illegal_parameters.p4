// SPDX-License-Identifier: Apache-2.0
// Types and directions that parameters cannot have.
extern e { e(); }
parser p();
control k() { apply { } }
package q();
control c1(in e x) { apply { } }
control c2(in string x) { apply { } }
control c3(inout int x) { apply { } }
control c4(p x) { apply { } }
control c5(q x) { apply { } }
control c6()(k x) { apply { } }
action a1(int x) { }
action a2(e x) { }
bit<8> g(@optional bit<8> x) { return x; }
