// SPDX-License-Identifier: Apache-2.0
// Types and keysets that do not fit.
header h { bit<8> f; }
parser p(in h x, in bit<8> y, in bool b) {
    state start {
        transition select(x, 5) { default: accept; }
    }
    state one {
        transition select(y, b) {
            (1, true): accept;
            (1, 2): accept;
            (1, true, 3): accept;
            1: accept;
            default: reject;
        }
    }
    state two {
        transition select(y) { true: accept; 9w1: accept; }
    }
}
