// SPDX-License-Identifier: Apache-2.0
// Things that cannot be called.
control c(inout bit<8> x) {
    action a() { }
    apply { x(); c2(); }
}
