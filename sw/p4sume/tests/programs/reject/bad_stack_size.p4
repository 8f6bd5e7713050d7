// SPDX-License-Identifier: Apache-2.0
// Sizes that no stack has.
header h { bit<8> f; }
struct s { h[(0 - 1)] a; }
control c() { apply { } }
struct t { c[2] b; }
