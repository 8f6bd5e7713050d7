// SPDX-License-Identifier: Apache-2.0
// Stacks of other sizes, unions from lists, blocks and packages that differ.
header h { bit<8> f; }
header_union u { h x; }
enum plain { one }
control c(inout h[2] a, inout h[3] b, inout u v, inout list<bit<8>> l) {
    apply { a = b; v = {{1}}; a = {{1}, {2}, {3}, ...}; bit<8> y = ...; h z = {1, 2, ...}; y = plain.one; }
}
const list<bool> w = (list<bit<8>>){1};
extern g<T> { g(); }
extern void takes<T>(g<T> a, T b);
control d() { g<bit<8>>() i; g<bool>() k; apply { takes(i, 1); takes(k, 8w1); } }
