// SPDX-License-Identifier: Apache-2.0
// Missing, built in, twice, not states.
parser p1() { state begin { transition accept; } }
parser p2() { state start { transition accept; } state reject { } }
parser p3() { state start { transition missing; } }
parser p4() { bit<8> x; state start { transition x; } }
parser p5() { state start { transition accept; } state start { transition accept; } }
parser p6() { state start { bit<8> y = start; transition accept; } }
