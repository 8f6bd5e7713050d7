// SPDX-License-Identifier: Apache-2.0
// The digest has 256 bits.
#include <sume_switch.p4>
header eth_t { bit<48> dst; }
struct headers_t { eth_t eth; }
struct meta_t { }
struct digest_t { bit<80> unused; }
parser TopParser(packet_in b, out headers_t h, out meta_t m, out digest_t d, inout sume_metadata_t s) {
    state start { transition accept; }
}
control TopPipe(inout headers_t h, inout meta_t m, inout digest_t d, inout sume_metadata_t s) { apply { } }
control TopDeparser(packet_out b, in headers_t h, in meta_t m, inout digest_t d, inout sume_metadata_t s) { apply { } }
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
