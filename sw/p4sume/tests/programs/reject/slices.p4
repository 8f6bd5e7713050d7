// SPDX-License-Identifier: Apache-2.0
// Bounds that are wrong.
control c(inout bit<8> x, in bit<3> n, inout bool b) {
    apply {
        x[8:0] = 1;
        x = x[0:7];
        x = x[-1:0];
        x = x[n:0];
        x = b[0:0];
        x = x[n+:n];
        x = x[0+:0];
        x = x[n+:16];
        x = x[4+:8];
        x = x[true+:1];
        x = 1[5000:0];
    }
}
