// SPDX-License-Identifier: Apache-2.0
// Of types and sizes that do not fit.
header h { bit<8> f; }
parser p(in bit<8> x, in bit<16> y) {
    value_set<h>(4) a;
    value_set<bit<8>>(x) b;
    value_set<bit<8>>(true) c;
    value_set<bit<8>>(4) d;
    state start {
        transition select(y) { d: accept; }
    }
}
