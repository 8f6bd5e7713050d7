// SPDX-License-Identifier: Apache-2.0
// A key between two that change what it reads: each is taken as it is when its turn comes.
#include <core.p4>
#include <sume_switch.p4>

header h_t { bit<8> x; bit<8> y; }
struct headers_t { h_t h; }
struct meta_t { bit<8> m; }
struct digest_t { bit<256> unused; }

bit<8> next(inout bit<8> x) { x = x + 1; return x; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start { p.extract(hdr.h); transition accept; }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    action set(bit<8> y) { hdr.h.y = y; }
    table t {
        key = { next(meta.m) : exact @name("first"); meta.m : exact; next(meta.m) : exact @name("last"); }
        actions = { set; NoAction; }
        size = 16;
    }
    apply {
        sume.dst_port = 1;
        meta.m = hdr.h.x;
        t.apply();
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
