// SPDX-License-Identifier: Apache-2.0
// Names that SystemVerilog's package std has, or the pipeline, for values that come to be signals of their own.
#include <core.p4>
#include <sume_switch.p4>

header h_t {
    bit<16> std;
    bit<16> process;
    bit<16> mailbox;
    bit<16> semaphore;
    bit<16> randomize;
    bit<16> valid;
    bit<16> unused;
    bit<16> result_valid;
}
struct headers_t {
    h_t h;
}
struct meta_t {
    bit<8> unused;
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
    apply {
        bit<16> std = hdr.h.std + sume.pkt_len;
        bit<16> process = hdr.h.process + std;
        bit<16> mailbox = hdr.h.mailbox + process;
        bit<16> semaphore = hdr.h.semaphore + mailbox;
        bit<16> randomize = hdr.h.randomize + semaphore;
        bit<16> valid = hdr.h.valid + randomize;
        bit<16> unused = hdr.h.unused + valid;
        bit<16> result_valid = hdr.h.result_valid + unused;
        hdr.h = { std, process, mailbox, semaphore, randomize, valid, unused, result_valid };
        sume.dst_port = 1;
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        p.emit(hdr.h);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
