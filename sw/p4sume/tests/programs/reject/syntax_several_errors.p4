// SPDX-License-Identifier: Apache-2.0
// The parser goes on after an error.
control c(inout bit<8> x) {
    apply {
        x = ;
        x = 1;
        x + 1;
        if x { }
    }
}
struct s { bit<8> }
