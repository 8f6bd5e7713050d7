// SPDX-License-Identifier: Apache-2.0
// Conditions and branches that do not fit.
const bit<8> a = 8w1 ? 1 : 2;
control c(in bool b, out bit<8> x) {
    apply {
        x = b ? 8w1 : true;
        x = b ? 1 : 2;
    }
}
