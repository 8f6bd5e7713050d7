// SPDX-License-Identifier: Apache-2.0
// A small SimpleSumeSwitch: a table of addresses, a register, a digest.
#include <core.p4>
#include <sume_switch.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<256> unused;
}

@Xilinx_MaxLatency(64)
@Xilinx_ControlWidth(4)
extern void count_reg_rw(in bit<4> index, in bit<32> newVal, in bit<8> opCode, out bit<32> result);

@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b,
                 out headers_t hdr,
                 out metadata_t user_metadata,
                 out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    state start {
        user_metadata.unused = 0;
        digest_data.unused = 0;
        b.extract(hdr.ethernet);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr,
                inout metadata_t user_metadata,
                inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    action forward(port_t port) {
        sume_metadata.dst_port = port;
    }
    table addresses {
        key = { hdr.ethernet.dst : exact; }
        actions = { forward; NoAction; }
        size = 64;
        default_action = NoAction;
    }
    apply {
        bit<32> count;
        count_reg_rw(0, 1, 2, count);
        if (addresses.apply().miss) {
            sume_metadata.dst_port = sume_metadata.src_port;
        }
    }
}

control TopDeparser(packet_out b,
                    in headers_t hdr,
                    in metadata_t user_metadata,
                    inout digest_data_t digest_data,
                    inout sume_metadata_t sume_metadata) {
    apply {
        b.emit(hdr.ethernet);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
