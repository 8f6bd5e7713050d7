// SPDX-License-Identifier: Apache-2.0
// Push and pop stay out of parsers.
header h { bit<8> f; }
parser p(inout h[4] s) { state start { s.push_front(1); s.pop_front(1); transition accept; } }
