// SPDX-License-Identifier: Apache-2.0
// Parsers and controls that do not fit a package.
parser P(in bit<8> x);
control C(inout bit<8> x);
package top(P p, C c);
parser p1(out bit<8> x) { state start { transition accept; } }
parser p2() { state start { transition accept; } }
parser p3(in bit<8> x, in bit<8> y) { state start { transition accept; } }
parser p4(in bit<16> x) { state start { transition accept; } }
parser good(in bit<8> x) { state start { transition accept; } }
control c1(inout bit<8> x) { apply { } }
top(p1(), c1()) i1;
top(p2(), c1()) i2;
top(p3(), c1()) i3;
top(p4(), c1()) i4;
top(c1(), c1()) i5;
top(good(), c1()) main;
