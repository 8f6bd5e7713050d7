// SPDX-License-Identifier: Apache-2.0
// Type arguments that disagree.
parser P<H>(out H x);
control C<H>(inout H x);
package top<H>(P<H> p, C<H> c);
package lone<H>();
struct h1 { bit<8> f; }
struct h2 { bit<8> f; }
parser p(out h1 x) { state start { transition accept; } }
control c(inout h2 x) { apply { } }
top(p(), c()) main;
lone() other;
