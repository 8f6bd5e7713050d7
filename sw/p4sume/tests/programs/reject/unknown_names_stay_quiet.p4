// SPDX-License-Identifier: Apache-2.0
// One error does not lead to others.
extern e { e(bit<8> x); void m(in bit<8> x); }
e(missing1) made;
control c(inout bit<8> x, inout bool b) {
    apply {
        made.m(missing2);
        missing3.m(1);
        b = missing4 == 1;
        b = missing5 && true;
        x[missing6:0] = 1;
        x = x << missing7;
        if (missing8) { }
        switch (missing9) { 1: { } }
        for (bit<8> i in missing10) { }
        return missing11;
    }
}
parser p(in bit<8> x) {
    state start {
        transition select(missing12) {
            missing13: accept;
            missing14 &&& 1: accept;
        }
    }
}
const bit<8> d = {missing15}[0];
@note[missing16] const bit<8> e2 = missing17[3:0];
struct s { bit<(missing18)> f; bit<8>[missing19] g; }
