// SPDX-License-Identifier: Apache-2.0
// A parser that accepts no packet, whatever the packet holds.
#include <core.p4>
#include <sume_switch.p4>

header h_t { bit<8> x; }
struct headers_t { h_t h; }
struct meta_t { bit<8> m; }
struct digest_t { bit<256> unused; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.h);
        verify(hdr.h.x == 1, error.NoMatch);
        transition select(8w3) {
            4: accept;
            default: reject;
        }
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { sume.dst_port = 1; }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
