// SPDX-License-Identifier: Apache-2.0
// The least program: what comes in at nf0 leaves by nf1, everything else goes to the CPU.

#include <core.p4>
#include <sume_switch.p4>

struct headers_t {}
struct user_metadata_t {
    bit<1> unused;
}
struct digest_data_t {
    bit<256> unused;
}

parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    state start {
        user_metadata.unused = 0;
        digest_data.unused = 0;
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    apply {
        sume_metadata.dst_port = sume_metadata.src_port[0:0] == 1 ? (port_t)4 : 2;
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t user_metadata,
                    inout digest_data_t digest_data, inout sume_metadata_t sume_metadata) {
    apply {}
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
