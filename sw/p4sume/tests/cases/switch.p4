// SPDX-License-Identifier: Apache-2.0
// A table on the first byte; the rest of the packet is payload.
#include <core.p4>
#include <sume_switch.p4>

extern void seen_reg_raw(in bit<4> index, in bit<16> newVal, in bit<16> incVal, in bit<8> opCode,
                         out bit<16> result);

header first_t {
    bit<8> kind;
    bit<8> value;
}

struct headers_t {
    first_t[2] first;
}

struct user_metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<240> unused;
    bit<16>  seen;
}

parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {
    state start {
        b.extract(hdr.first.next);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {
    action send(port_t ports, bit<8> value) {
        sume.dst_port = ports;
        hdr.first[0].value = value;
    }
    action drop() {
        sume.dst_port = 0;
    }
    table kinds {
        key = { hdr.first[0].kind: ternary; hdr.first[0].isValid(): exact; }
        actions = { send; drop; }
        size = 4;
        default_action = drop();
    }
    table values {
        key = { hdr.first[0].value: range; sume.src_port: optional; }
        actions = { NoAction; drop; }
        const default_action = NoAction();
        size = 4;
    }
    apply {
        seen_reg_raw(hdr.first[0].kind[3:0], 0, 1, 2, digest.seen);
        kinds.apply();
        values.apply();
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {
    apply {
        b.emit(hdr.first);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
