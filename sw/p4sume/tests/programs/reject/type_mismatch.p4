// SPDX-License-Identifier: Apache-2.0
// Values of the wrong type.
control c(inout bit<8> x, inout bool b) {
    bit<4> n = 8w1;
    apply { x = b; x += true; x |+|= 4w1; }
}
