// SPDX-License-Identifier: Apache-2.0
// Next of what cannot be assigned, lastIndex of plain arrays.
header h { bit<8> f; }
parser p(in h[2] s, inout bit<8>[2] w) {
    state start { bit<8> x = s.next.f; x = w.next; transition accept; }
}
