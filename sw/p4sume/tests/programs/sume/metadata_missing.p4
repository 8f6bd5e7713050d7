// SPDX-License-Identifier: Apache-2.0
// A switch has metadata.
#include <core.p4>
struct digest_t { bit<256> d; }
struct e { }
parser P<H, M, D>(packet_in b, out H h, out M m, out D d);
package SimpleSumeSwitch<H, M, D>(P<H, M, D> p);
parser p(packet_in b, out e h, out e m, out digest_t d) { state start { transition accept; } }
SimpleSumeSwitch(p()) main;
