// SPDX-License-Identifier: Apache-2.0
// That do not exist.
header h { bit<8> length; }
enum color { red }
struct s { h first; h[2] stack; }
extern e { e(); void m(); }
control c(inout s x)(e o) {
    apply {
        x.first.lenght = 1;
        x.missing = x.first;
        bit<8> a = x.first.length.more;
        color k = color.blue;
        error r = error.Missing;
        x.stack.next = x.first;
        bit<32> i = x.stack.lastIndex;
        bool m = o.m;
        o.absent();
        x.absent();
        x.first();
        bit<8> y = bit_t.more;
    }
}
typedef bit<8> bit_t;
