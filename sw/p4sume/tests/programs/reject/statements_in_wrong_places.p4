// SPDX-License-Identifier: Apache-2.0
// Return, exit, switch, break, this.
void f() { exit; }
parser p(in bit<8> x) {
    state start {
        if (x == 1) { return; }
        if (x == 1) { exit; }
        switch (x) { }
        transition accept;
    }
}
control c() { apply { break; continue; } }
bit<8> g() { return this; }
