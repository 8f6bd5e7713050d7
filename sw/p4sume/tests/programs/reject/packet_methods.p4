// SPDX-License-Identifier: Apache-2.0
// Extract, emit and lookahead want headers.
#include <core.p4>
header fixed { bit<8> f; }
header variable { varbit<64> v; }
header two { varbit<8> a; varbit<8> b; }
struct s { bit<8> f; }
parser p(packet_in b, out fixed x, out variable y, out s z, out two w) {
    state start {
        b.extract(z);
        b.extract(y);
        b.extract(x, 8);
        b.extract(w, 8);
        variable l = b.lookahead<variable>();
        transition accept;
    }
}
control d(packet_out b, in s z) { apply { b.emit(z); } }
