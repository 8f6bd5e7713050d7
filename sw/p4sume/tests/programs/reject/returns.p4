// SPDX-License-Identifier: Apache-2.0
// Values too many, too few, or on some paths only.
void f() { return 1; }
bit<8> g() { return; }
bit<8> h(in bool b) { if (b) { return 1; } }
bit<8> i() { return true; }
control c() { apply { return 1; } }
bit<8> j(in bit<8> x) { switch (x) { 1: { return 1; } } }
