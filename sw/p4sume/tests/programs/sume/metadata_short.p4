// SPDX-License-Identifier: Apache-2.0
// A switch's metadata is complete.
#include <core.p4>
struct sume_metadata_t {
    bit<16> dma_q_size; bit<16> nf0_q_size; bit<8> send_dig_to_cpu; bit<8> drop; bit<2> dst_port; bit<2> src_port;
}
struct digest_t { bit<256> d; }
struct e { }
parser P<H, M, D>(packet_in b, out H h, out M m, out D d, inout sume_metadata_t s);
package SimpleSumeSwitch<H, M, D>(P<H, M, D> p);
parser p(packet_in b, out e h, out e m, out digest_t d, inout sume_metadata_t s) { state start { transition accept; } }
SimpleSumeSwitch(p()) main;
