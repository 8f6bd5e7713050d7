// SPDX-License-Identifier: Apache-2.0
// Ports are one-hot, two bits each.
#include <core.p4>
struct sume_metadata_t { bit<3> dst_port; }
struct digest_t { bit<256> d; }
struct e { }
parser P<H, M, D>(packet_in b, out H h, out M m, out D d, inout sume_metadata_t s);
package SimpleSumeSwitch<H, M, D>(P<H, M, D> p);
parser p(packet_in b, out e h, out e m, out digest_t d, inout sume_metadata_t s) { state start { transition accept; } }
SimpleSumeSwitch(p()) main;
