// SPDX-License-Identifier: Apache-2.0
// Left sides that cannot be assigned.
control c(in bit<8> x, bit<8> y) {
    const bit<8> k = 1;
    table t { actions = { } default_action = none; }
    action none() { }
    apply { x = 1; y = 1; k = 1; x[3:0] = 1; }
}
