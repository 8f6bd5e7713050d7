// SPDX-License-Identifier: Apache-2.0
// One name twice in a scope.
const bit<8> a = 1;
struct a { }
control c(bit<8> x, bit<8> x) { apply { bit<8> y; bit<8> y; } }
enum e { one, one }
error { Once, Once }
match_kind { kind, kind }
extern bit<8> f(in bit<8> x, in bit<8> x);
