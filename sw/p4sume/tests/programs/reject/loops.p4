// SPDX-License-Identifier: Apache-2.0
// Over what cannot be looped over.
control c(in bit<8> x, inout bit<8> y) {
    apply {
        for (bit<8> i in x) { y = i; }
        for (bit<4> i in 8w1..8w5) { y = 1; }
    }
}
