// SPDX-License-Identifier: Apache-2.0
// The counter depends on the table, and no output on either: the stages once ended before it began.
#include <core.p4>
#include <sume_switch.p4>

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(4)
extern void count_reg_rw(in bit<4> index, in bit<16> newVal, in bit<8> opCode, out bit<16> result);

header h_t {
    bit<8> f;
}
struct headers_t {
    h_t h;
}
struct meta_t {
    bit<4> index;
    bit<16> result;
}
struct digest_t {
    bit<256> unused;
}

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.h);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    action counted(bit<4> index) {
        meta.index = index;
    }
    table counters {
        key = {
            hdr.h.f: exact;
        }
        actions = {
            counted;
        }
        size = 16;
        default_action = counted(0);
    }
    apply {
        counters.apply();
        count_reg_rw(meta.index, sume.pkt_len, 1, meta.result);
        sume.dst_port = 1;
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        p.emit(hdr.h);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
