// SPDX-License-Identifier: Apache-2.0
// p4c's @priority on const entries: the lowest number wins, not the first.
#include <core.p4>
#include <sume_switch.p4>

header h_t { bit<8> x; }
struct headers_t { h_t h; }
struct meta_t { bit<8> m; }
struct digest_t { bit<248> unused; bit<8> hit; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start { p.extract(hdr.h); transition accept; }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    action set(bit<8> number) { digest.hit = number; }
    table t {
        key = { hdr.h.x : ternary; }
        actions = { set; NoAction; }
        const entries = {
            0x10 &&& 0xf0 : set(1) @priority(5);
            0x11 : set(2) @priority(2);
            0x00 &&& 0x80 : set(3);
        }
    }
    apply {
        sume.dst_port = 1;
        t.apply();
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
