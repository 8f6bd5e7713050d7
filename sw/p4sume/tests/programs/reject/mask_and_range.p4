// SPDX-License-Identifier: Apache-2.0
// Parts that are not numbers of one type.
parser p(in bit<8> x) {
    state start {
        transition select(x) {
            true &&& 1: accept;
            4w1 &&& 8w1: accept;
            x &&& 1: accept;
            true..false: accept;
        }
    }
}
