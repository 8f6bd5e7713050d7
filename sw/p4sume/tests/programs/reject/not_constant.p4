// SPDX-License-Identifier: Apache-2.0
// Values that are not known at compile time.
control c(in bit<8> x) {
    const bit<8> a = x;
    apply { }
}
extern bit<8> f();
struct s { bit<(f())> w; }
