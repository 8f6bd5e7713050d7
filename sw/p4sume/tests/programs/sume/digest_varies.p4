// SPDX-License-Identifier: Apache-2.0
// The digest and the headers are structs of fixed size.
#include <sume_switch.p4>
header digest_t { varbit<256> unused; }
header eth_t { bit<48> dst; }
parser TopParser(packet_in b, out eth_t h, out eth_t m, out digest_t d, inout sume_metadata_t s) {
    state start { transition accept; }
}
control TopPipe(inout eth_t h, inout eth_t m, inout digest_t d, inout sume_metadata_t s) { apply { } }
control TopDeparser(packet_out b, in eth_t h, in eth_t m, inout digest_t d, inout sume_metadata_t s) { apply { } }
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
