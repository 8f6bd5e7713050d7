// SPDX-License-Identifier: Apache-2.0
// No declaration contains itself.
struct s { s inner; }
extern e { void m(e other); }
control c() { apply { c.apply(); } }
extern g<T> { }
control d(g<g<bit<8>>> x) { apply { } }
