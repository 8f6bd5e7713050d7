// SPDX-License-Identifier: Apache-2.0
// Fields that a struct, header or union cannot have.
extern e { }
struct s { e a; string b; int c; list<bit<8>> d; }
header h { error a; tuple<bit<8>> b; }
header_union u { bit<8> a; }
struct holder<T> { T f; }
struct i { holder<e> x; }
header hg<T> { T f; }
struct j { hg<error> x; }
