// SPDX-License-Identifier: Apache-2.0
// Keysets are constants.
bit<8> f() { return 1; }
parser p(in bit<8> x) {
    state start { transition select(x) { f(): accept; } }
}
