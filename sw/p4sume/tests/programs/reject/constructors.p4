// SPDX-License-Identifier: Apache-2.0
// That do not exist or do not fit.
extern none { }
extern one { one(bit<8> x); }
extern abstract_one { abstract_one(); abstract void m(); }
control k(bit<8> x) { apply { } }
parser proto();
package top(none x);
package top2(abstract_one x);
none() a;
one() b;
one(1, 2) c;
top(none()) d;
top2(abstract_one()) e;
control c(in bit<8> x) {
    one(x) i;
    action act() { bit<8> y = one(1).f(); }
    apply { }
}
