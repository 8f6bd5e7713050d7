// SPDX-License-Identifier: Apache-2.0
// Too many, too few, mixed, twice, unknown.
extern void f(in bit<8> alpha, in bit<8> beta);
control c() {
    apply {
        f(1);
        f(1, 2, 3);
        f(alpha = 1, 2);
        f(alpha = 1, alpha = 2);
        f(alpha = 1, bet = 2);
    }
}
