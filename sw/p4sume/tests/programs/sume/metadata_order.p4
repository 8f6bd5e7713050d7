// SPDX-License-Identifier: Apache-2.0
// A switch's metadata is TUSER.
#include <core.p4>
typedef bit<8> port_t;
struct sume_metadata_t { bit<16> dma_q_size; bit<8> drop; port_t dst_port; port_t src_port; bit<16> pkt_len; }
struct digest_t { bit<256> d; }
struct e { }
parser P<H, M, D>(packet_in b, out H h, out M m, out D d, inout sume_metadata_t s);
package SimpleSumeSwitch<H, M, D>(P<H, M, D> p);
parser p(packet_in b, out e h, out e m, out digest_t d, inout sume_metadata_t s) { state start { transition accept; } }
SimpleSumeSwitch(p()) main;
