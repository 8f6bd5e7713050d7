// SPDX-License-Identifier: Apache-2.0
// What is legal and probably not meant.
header h_t { varbit<8> a; varbit<8> b; }
control c(inout bit<8> x) {
    bit<8> y = 300;
    action x2() { bit<8> y = 1; y = y << 9; }
    apply { }
}
