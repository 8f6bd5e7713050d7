// SPDX-License-Identifier: Apache-2.0
// Externs, strings and ints have no direction.
extern e { e(); }
extern void f(in e x);
extern void g(inout string x);
extern void h(out int x);
