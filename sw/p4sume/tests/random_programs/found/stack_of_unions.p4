// SPDX-License-Identifier: Apache-2.0
// A stack of unions moves on when a member of its next element is extracted.
#include <core.p4>
#include <sume_switch.p4>

header short_t { bit<8> x; }
header long_t { bit<16> x; }
header_union either_t { short_t short; long_t long; }
struct headers_t { short_t first; either_t[2] more; }
struct meta_t { bit<8> m; }
struct digest_t { bit<232> unused; bit<16> long; bit<8> short; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.first);
        transition select(hdr.first.x[1:0]) {
            2: both;
            default: accept;
        }
    }
    state both {
        p.extract(hdr.more.next.short);
        p.extract(hdr.more.next.long);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        sume.dst_port = 1;
        digest.short = hdr.more[0].short.x;
        digest.long = hdr.more[1].long.x;
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
