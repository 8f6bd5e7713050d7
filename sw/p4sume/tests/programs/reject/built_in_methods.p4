// SPDX-License-Identifier: Apache-2.0
// Arguments and receivers that do not fit.
header h { bit<8> f; }
struct s { h[4] stack; h one; bit<8> b; }
control c(in s r, inout s x, in bit<8> n) {
    apply {
        x.one.setValid(1);
        r.one.setValid();
        x.stack.push_front(n);
        x.stack.push_front(-1);
        x.stack.push_front(true);
        x.stack.push_front();
        r.stack.pop_front(1);
        x.b.setValid();
        x.one.isValid<bit<8>>();
    }
}
