// SPDX-License-Identifier: Apache-2.0
// An output that is one of an engine's two results, in a parser that looks further than it takes.
#include <core.p4>
#include <sume_switch.p4>

extern void seen_reg_praw(in bit<2> index, in bit<16> newVal, in bit<16> incVal, in bit<8> opCode, in bit<16> compVal,
                          in bit<8> relOp, out bit<16> result, out bit<1> boolean);

header h_t { bit<8> x; }
struct headers_t { h_t h; }
struct meta_t { bit<32> ahead; }
struct digest_t { bit<256> seen; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.h);
        meta.ahead = p.lookahead<bit<32>>();
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    bit<1> holds;
    apply {
        sume.dst_port = 1;
        seen_reg_praw(hdr.h.x[1:0], meta.ahead[15:0], 1, 2, 3, 3, sume.nf0_q_size, holds);
        digest.seen[0:0] = holds;
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
