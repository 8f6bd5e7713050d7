// SPDX-License-Identifier: Apache-2.0
// A variable of a parser may be a header that is valid from the start.
#include <core.p4>
#include <sume_switch.p4>

header h_t { bit<8> x; }
struct headers_t { h_t h; h_t next; }
struct meta_t { bit<8> m; }
struct digest_t { bit<248> unused; bit<8> seen; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    h_t limit = { 7 };
    state start {
        p.extract(hdr.h);
        if (limit.isValid() && hdr.h.x > limit.x) { limit.setInvalid(); }
        transition select(hdr.h.x) {
            3 &&& 3: more;
            default: accept;
        }
    }
    state more {
        p.extract(hdr.next);
        if (limit.isValid()) { digest.seen = limit.x; }
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { sume.dst_port = 1; }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
