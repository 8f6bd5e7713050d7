// SPDX-License-Identifier: Apache-2.0
// Values that cannot be compared.
header h { bit<8> f; }
struct s { bit<8> f; }
extern e { e(); }
enum color { red }
e() one;
e() two;
const bool a = one == two;
const bool b = 8w1 == true;
const bool c = {f = 8w1} == {f = 8w1};
const bool d = {#} == {#};
const bool f = color.red == 8w1;
bool g<T>(in T x, in T y) { return x == y; }
