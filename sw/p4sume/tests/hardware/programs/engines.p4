// SPDX-License-Identifier: Apache-2.0
// Extern functions: in actions, under predicates, two engines of one extern, results by slices.
#include <core.p4>
#include <sume_switch.p4>

@Xilinx_MaxLatency(4) @Xilinx_ControlWidth(8)
extern void count_reg_raw(in bit<8> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode, out bit<32> result);
@Xilinx_MaxLatency(1) @Xilinx_ControlWidth(0)
extern void sum_lrc(in bit<32> data, out bit<8> result);
@Xilinx_MaxLatency(4) @Xilinx_ControlWidth(4)
extern void last_reg_rw(in bit<4> index, in bit<16> newVal, @late(2) in bit<8> opCode, out bit<16> result);

header h_t { bit<8> op; bit<8> index; bit<16> value; bit<32> count; }
struct headers_t { h_t h; }
struct meta_t { bit<8> sum; }
struct digest_t { bit<224> unused; bit<16> last; bit<8> sum; bit<8> other; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start { p.extract(hdr.h); transition accept; }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    action count(bit<8> by) {
        count_reg_raw(hdr.h.index, 0, (bit<32>)by, 2, hdr.h.count);
    }
    table counted {
        key = { hdr.h.index: exact; }
        actions = { count; NoAction; }
        default_action = count(1);
        size = 16;
    }
    apply {
        sume.dst_port = 1;
        counted.apply();
        sum_lrc(hdr.h.count, meta.sum);
        if (hdr.h.op == 1) {
            last_reg_rw(hdr.h.index[3:0], hdr.h.value, 1, digest.last);
        } else {
            sum_lrc(hdr.h.value ++ hdr.h.op ++ meta.sum, digest.other);
        }
        digest.sum = meta.sum;
        sum_lrc(hdr.h.count, hdr.h.value[7:0]);
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr.h); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
