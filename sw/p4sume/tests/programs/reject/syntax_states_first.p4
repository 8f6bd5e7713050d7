// SPDX-License-Identifier: Apache-2.0
// Declarations after the states.
parser p() {
    state start { transition accept; }
    bit<8> late;
}
