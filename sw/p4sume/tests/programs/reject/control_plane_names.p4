// SPDX-License-Identifier: Apache-2.0
// Two things with one name.
control c(in bit<8> x) {
    @name("same") action a() { }
    @name("same") action b() { }
    @hidden @name("same") action d() { }
    apply { }
}
