// SPDX-License-Identifier: Apache-2.0
// Of what has none, and outside bounds.
header h { bit<8> f; }
control c(inout h[4] s, inout bit<8> x, inout tuple<bit<8>, bool> t) {
    apply {
        s[4].f = 1;
        s[-1].f = 1;
        s[true].f = 1;
        x = x[0];
        x = t[x];
        x = t[2];
    }
}
