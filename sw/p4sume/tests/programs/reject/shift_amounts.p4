// SPDX-License-Identifier: Apache-2.0
// Distances that are negative, signed or unknown.
control c(in bit<8> x, in int<8> y, out bit<8> z) {
    apply {
        z = x << -1;
        z = x << y;
        z = (bit<8>)(1 << x);
    }
}
const int huge = 1 << 5000;
